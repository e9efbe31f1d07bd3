"""Content encodings: decompresses requests and compresses answers with gzip and deflate, like
DynamoDB.

A broken or unknown encoding is answered with 500, like DynamoDB does. The decompressed size is
limited.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

from sortkey.errors import InternalServerError, RequestEntityTooLarge

THRESHOLD_BYTES = 4096  # AWS compresses answers from this size on
LEVEL = 1  # answers are short-lived: speed matters more than the last tenth of size
ENCODINGS_MAX = 3
MEMBERS_MAX = 16  # of one gzip body; each costs a copy of what follows it

_WINDOW_BITS = {
    b"gzip": 31,
    b"deflate": 15,
}  # "deflate" is zlib's format (RFC 9110), not the bare stream
_GZIP_MAGIC = b"\x1f\x8b"


def decode(encodings: bytes, body: bytes, limit_bytes: int) -> bytes:
    """Undo a request's Content-Encoding, the last one named first."""
    names = [name.strip().lower() for name in encodings.split(b",")]
    if len(names) > ENCODINGS_MAX:
        raise InternalServerError("Too many content encodings")
    for name in reversed(names):
        if name in (b"", b"identity"):
            continue
        if name not in _WINDOW_BITS:
            raise InternalServerError("The content encoding is not supported: use gzip or deflate")
        body = _inflate(body, _WINDOW_BITS[name], limit_bytes)
    return body


def encode(encoding: bytes, body: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, _WINDOW_BITS[encoding])
    return packer.compress(body) + packer.flush()


@lru_cache(maxsize=256)
def choose(accept: bytes) -> bytes | None:
    """The encoding that an Accept-Encoding header prefers, as AWS reads it.

    Identity is never preferred. Of equals the first one wins. `*` means gzip, then deflate,
    unless named.
    """
    qualities: dict[bytes, float] = {}
    star: float | None = None
    for entry in accept.lower().split(b","):
        name, _, parameters = entry.partition(b";")
        name, quality = name.strip(), _quality(parameters)
        if name == b"*":
            star = quality
        elif name in _WINDOW_BITS:
            qualities[name] = max(qualities.get(name, 0.0), quality)
    if star is not None:
        for name in _WINDOW_BITS:
            qualities.setdefault(name, star)
    best = max(qualities, key=qualities.__getitem__, default=None)
    return best if best is not None and qualities[best] > 0 else None


def _quality(parameters: bytes) -> float:
    """The first `q`, at most 1. An invalid number counts as 1, as on AWS."""
    for parameter in parameters.split(b";"):
        name, _, value = parameter.partition(b"=")
        if name.strip() == b"q":
            try:
                return min(float(value), 1.0)
            except ValueError:
                return 1.0
    return 1.0


def _inflate(body: bytes, window_bits: int, limit_bytes: int) -> bytes:
    parts: list[bytes] = []
    room = limit_bytes
    for _ in range(MEMBERS_MAX):
        part, body = _inflate_member(body, window_bits, room)
        if len(part) > room:
            raise RequestEntityTooLarge(
                f"The request body is larger than {limit_bytes} bytes when unpacked"
            )
        parts.append(part)
        room -= len(part)
        if window_bits != _WINDOW_BITS[b"gzip"] or not body.startswith(_GZIP_MAGIC):
            return b"".join(parts)  # AWS ignores what follows, unless it is another gzip member
    raise InternalServerError("The request body has too many gzip members")


def _inflate_member(body: bytes, window_bits: int, room: int) -> tuple[bytes, bytes]:
    """One decompressed member, and the bytes after it. A result one byte over the limit is too
    large.
    """
    unpacker = zlib.decompressobj(window_bits)
    try:
        part = unpacker.decompress(body, room + 1)
    except zlib.error as error:
        raise InternalServerError("The request body is not in its content encoding") from error
    if not unpacker.eof and len(part) <= room:
        raise InternalServerError("The request body ends before its content encoding does")
    return part, unpacker.unused_data
