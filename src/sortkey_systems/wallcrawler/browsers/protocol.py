"""The protocol of a holder's Unix socket: frames, the hello, and the names of requests and events.

A frame is a length of four bytes, big-endian, and as many bytes of UTF-8 JSON. The connecting
side's first frame is a hello, `{"role": "client"}`, with a `page` if it is for that one only. On a
CDP connection every later frame is one CDP message, both ways. On a control connection the server
sends requests, `{"id", "method", "params"}`; the holder answers each with `{"id", "result"}` or
`{"id", "error"}` and sends events, `{"event", ...}`.

The holder imports this module, so it stays small: no asyncio, nothing beyond the standard library.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

SOCKET = "holder.sock"
"""The name of the socket in a browser's folder. Only its owner may connect (0600)."""

CONTROL = "control"
"""The role of a control connection; those of CDP connections are in `port.Role`."""

FRAME_BYTES_MAX = 96 * 1024 * 1024
"""Chromium gives up its pipe at a message of 100 MB, and with it the session."""

_LENGTH = struct.Struct(">I")
_HEADER_BYTES = _LENGTH.size
_SMALL_BUFFER_BYTES = 64 * 1024


class Method(StrEnum):
    """What can be asked on a control connection."""

    STATUS = "status"
    """No parameters; answers with `product`, `userAgent`, `protocolVersion`, `clients`,
    `hasHadClients`, `lastClientLeftAt`, `pages`, `memoryBytes`, `cpuSeconds`."""
    CONFIGURE = "configure"
    """`spec`: a warm browser becomes that of a session."""
    END = "end"
    """`reason`: ends the browser gracefully. The answer comes when no process is left, then the
    holder exits.
    """


class Event(StrEnum):
    """What a holder says by itself on every control connection."""

    READY = "ready"
    """The browser has answered and has a page; with `product`, `userAgent`, `protocolVersion`."""
    FAILED = "failed"
    """The browser did not start; with `reason`. The holder exits."""
    CLIENTS = "clients"
    """The number of clients has changed; with `count`."""
    CLOSE_REQUESTED = "closeRequested"
    """A client has sent `Browser.close`."""
    STOPPED = "stopped"
    """The browser has ended without an `end` request; with `reason`. The holder exits."""


class ProtocolError(Exception):
    """A frame that is too long, or not what the protocol allows at its place."""


def frame(payload: bytes) -> bytes:
    """A payload with its length before it."""
    if len(payload) > FRAME_BYTES_MAX:
        raise ProtocolError(
            f"a message of {len(payload)} bytes is above the limit of {FRAME_BYTES_MAX}"
        )
    return _LENGTH.pack(len(payload)) + payload


def json_frame(value: dict[str, Any]) -> bytes:
    """A JSON object as a frame."""
    return frame(json.dumps(value, separators=(",", ":")).encode())


def hello(role: str, page_id: str | None = None) -> bytes:
    """The first frame of a connection."""
    return json_frame({"role": role} if page_id is None else {"role": role, "page": page_id})


class FrameReader:
    """Cuts a stream of bytes into the payloads of its frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    @property
    def buffered_bytes(self) -> int:
        return len(self._buffer)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The payloads that are complete with `data`. Raises ProtocolError at a length above the
        limit.
        """
        self._buffer += data
        start = 0
        while len(self._buffer) - start >= _HEADER_BYTES:
            (length,) = _LENGTH.unpack_from(self._buffer, start)
            if length > FRAME_BYTES_MAX:
                raise ProtocolError(
                    f"a frame of {length} bytes is above the limit of {FRAME_BYTES_MAX}"
                )
            end = start + _HEADER_BYTES + length
            if len(self._buffer) < end:
                break
            yield bytes(memoryview(self._buffer)[start + _HEADER_BYTES : end])
            start = end
        self._drop(start)

    def _drop(self, consumed: int) -> None:
        if consumed == len(self._buffer) > _SMALL_BUFFER_BYTES:
            self._buffer = bytearray()  # give the memory of a large message back
        elif consumed:
            del self._buffer[:consumed]
