"""Content encodings, in both directions. The table of Accept-Encoding is what AWS was
seen to do.
"""

from __future__ import annotations

import gzip
import zlib

import pytest

from sortkey.errors import InternalServerError, RequestEntityTooLarge
from sortkey.wire import compression
from sortkey.wire.server import Limits
from tests.wire.harness import Running, Start, http

BODY = b'{"Name":"abc"}'

PACKED = {
    "gzip": ("gzip", gzip.compress(BODY)),
    "gzip in capitals": ("GZIP", gzip.compress(BODY)),
    "two gzip members": ("gzip", gzip.compress(BODY[:5]) + gzip.compress(BODY[5:])),
    "gzip and junk, which AWS lets pass": ("gzip", gzip.compress(BODY) + b"junk"),
    "deflate": ("deflate", zlib.compress(BODY)),
    "identity": ("identity", BODY),
    "one in the other": ("deflate, gzip", gzip.compress(zlib.compress(BODY))),
}


@pytest.mark.parametrize("case", PACKED)
def test_a_packed_request_is_unpacked(running: Running, case: str) -> None:
    # AWS SDKs pack large bodies; the server must not mind.
    encoding, body = PACKED[case]
    assert running.ask(http("PutItem", body, content_encoding=encoding)).status == 200
    assert running.engine.committed == ["abc"]


BROKEN = {
    "an unknown encoding": ("br", BODY),
    "no gzip at all": ("gzip", BODY),
    "gzip without its end": ("gzip", gzip.compress(BODY)[:-1]),
    "an empty gzip": ("gzip", b""),
    "gzip called deflate": ("deflate", gzip.compress(BODY)),
    "a damaged second member": ("gzip", gzip.compress(BODY) + gzip.compress(b"  ")[:-3]),
    "more members than there is time for": ("gzip", gzip.compress(b"") * 100_000),
    "too many encodings": ("gzip, gzip, gzip, gzip", BODY),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_encoding_is_an_error_of_the_server_as_at_aws(running: Running, case: str) -> None:
    # 500 is odd, since an SDK tries again; it is what DynamoDB answers.
    encoding, body = BROKEN[case]
    answer = running.ask(http("PutItem", body, content_encoding=encoding))
    assert (answer.status, answer.error()) == (500, "InternalServerError")
    assert running.engine.committed == []


def test_a_bomb_is_refused_before_it_goes_off(start: Start) -> None:
    # 100 MB of blanks in 100 KB; the limit holds for what comes out.
    running = start(limits=Limits(body_bytes=200_000))
    bomb = gzip.compress(b"{" + b" " * 100_000_000 + b"}")
    answer = running.ask(http("PutItem", bomb, content_encoding="gzip"))
    assert (answer.status, answer.error()) == (413, "RequestEntityTooLarge")


def test_the_limit_counts_all_members_together() -> None:
    part = gzip.compress(b"x" * 600)
    assert len(compression.decode(b"gzip", part * 2, 1200)) == 1200
    with pytest.raises(RequestEntityTooLarge):
        compression.decode(b"gzip", part * 2, 1199)


def test_an_error_does_not_show_what_the_body_was() -> None:
    with pytest.raises(InternalServerError, match="not in its content encoding"):
        compression.decode(b"gzip", b"secret", 1000)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_large_answer_is_packed_when_asked_and_its_checksum_is_of_the_packed_bytes(
    running: Running, encoding: str
) -> None:
    # Go's and Java's SDKs check the CRC before they unpack.
    answer = running.ask(http("GetItem", b'{"Size":5000}', accept_encoding=encoding))
    assert answer.headers["content-encoding"] == encoding
    assert int(answer.headers["x-amz-crc32"]) == zlib.crc32(answer.body)
    assert len(answer.body) < 200
    unpacked = gzip.decompress(answer.body) if encoding == "gzip" else zlib.decompress(answer.body)
    assert len(unpacked) > 5000


@pytest.mark.parametrize(("size", "packed"), [(4096 - 24, False), (4096 - 23, True)])
def test_answers_below_4_kb_are_never_packed(running: Running, size: int, packed: bool) -> None:
    # AWS's threshold; the frame around the value is 23 bytes.
    answer = running.ask(http("GetItem", b'{"Size":%d}' % size, accept_encoding="gzip"))
    assert ("content-encoding" in answer.headers) is packed


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("identity", None),
        ("", None),
        ("br", None),
        ("x-gzip", None),
        ("gzip, deflate", "gzip"),
        ("br, identity, deflate, gzip", "deflate"),
        ("GZIP, identity", "gzip"),
        ("dog, gzip ,, cat", "gzip"),
        ("gzip;q=0.8, deflate;q=0.5", "gzip"),
        ("br, gzip;q=0, deflate; q = 0.5 , identity;q=0", "deflate"),
        ("*", "gzip"),
        ("*, deflate;q=0.5", "gzip"),
        ("*, deflate", "deflate"),
        ("*, identity", "gzip"),
        ("*, gzip;q=0.5", "deflate"),
        ("gzip ;q=0", None),
        ("identity;q=0", None),
        ("*;q=0", None),
        ("*;q=0.5,identity", "gzip"),
        ("gzip;q=0.5,identity;q=0.8", "gzip"),
        ("br;q=0.8,identity;q=0.5,*;q=0", None),
        ('"gzip"', None),
        ("gzip br", None),
        ("gzip:q=1", None),
        ("deflate;q=0.5, gzip;q=31", "gzip"),
        ("gzip;q=31,deflate;q=51", "gzip"),
        ("deflate;q=0.5, gzip;q=0.2", "deflate"),
        ("deflate;q=0.5, gzip;q=1;q=0.2", "gzip"),
        ("deflate;q=0.5,gzip;q=0.", "deflate"),
        ("deflate;q=0.5,gzip;q=0.x", "gzip"),
        ("deflate;q=-0.5,gzip;q=0.2", "gzip"),
        ("gzip;nq=1;q=0 ", None),
        ("gzip;q=0, gzip;q=1, gzip;q=0", "gzip"),
        ("br,identity;q=0.5,gzip;q=0.0001", "gzip"),
        ("gzip;q=nan", None),
    ],
)
def test_accept_encoding_is_read_as_aws_reads_it(accept: str, chosen: str | None) -> None:
    assert compression.choose(accept.encode()) == (chosen.encode() if chosen else None)
