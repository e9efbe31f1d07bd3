"""Frames of the holder's socket: cut from any pieces, and limited in size."""

import json

import pytest

from sortkey_systems.wallcrawler.browsers.port import Role
from sortkey_systems.wallcrawler.browsers.protocol import (
    CONTROL,
    FRAME_BYTES_MAX,
    FrameReader,
    ProtocolError,
    frame,
    hello,
)


@pytest.mark.parametrize("piece", [1, 3, 4, 5, 1000])
def test_messages_come_out_whole_however_the_stream_is_cut(piece: int) -> None:
    # A socket delivers bytes, not messages: a reader that relies on where they are cut loses one
    # under load.
    messages = [b"", b"{}", "é".encode() * 300, b"x" * 70_000]
    stream = b"".join(map(frame, messages))
    reader = FrameReader()
    pieces = [stream[at : at + piece] for at in range(0, len(stream), piece)]
    assert [payload for data in pieces for payload in reader.feed(data)] == messages
    assert reader.buffered_bytes == 0


def test_a_length_above_the_limit_is_refused_before_anything_is_buffered() -> None:
    # Otherwise four bytes make a holder wait for, and hold, four gigabytes.
    with pytest.raises(ProtocolError, match="above the limit"):
        list(FrameReader().feed((FRAME_BYTES_MAX + 1).to_bytes(4, "big")))


@pytest.mark.parametrize("role", [*Role, CONTROL])
def test_a_hello_names_its_role(role: str) -> None:
    # The holder grants what the role may do, and counts clients by it.
    (payload,) = FrameReader().feed(hello(role))
    assert json.loads(payload) == {"role": role}
