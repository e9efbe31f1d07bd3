"""Reads an HTTP answer: the result, or the service's error as one of our own classes."""

from __future__ import annotations

import zlib
from typing import Any, cast

import orjson

from sortkey import errors
from sortkey.connect.dynamodb.http import ANSWER_BYTES_MAX, Fault, Reply
from sortkey.errors import ClientError, InternalServerError, ServiceError

_WINDOW_BITS = 47  # detects gzip or zlib
_EXCERPT_CHARACTERS = 200  # of a body that is not JSON

_KINDS: dict[str, type[ServiceError]] = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, ServiceError)
}


class Refusal(Exception):
    """The service answered with an error. `code` is its name for the error, `error` is ours."""

    def __init__(self, status: int, code: str, error: ServiceError) -> None:
        super().__init__(str(error))
        self.status = status
        self.code = code
        self.error = error


def read(reply: Reply, *, checksums: bool = True) -> dict[str, Any]:
    """The result's members. Raises Refusal for an error, and Fault for an answer that is
    damaged.
    """
    body = reply.body
    # AWS computes it over the body as sent, so packed bodies are checked packed.
    if checksums and reply.checksum is not None and b"%d" % zlib.crc32(body) != reply.checksum:
        raise Fault("the answer is damaged: its x-amz-crc32 does not match")
    if reply.encoding is not None:
        body = _unpack(body, reply.encoding)
    if reply.status != 200:
        raise _refusal(reply.status, body)
    if not body:
        return {}  # TagResource and UntagResource answer with nothing
    members = _members(body)
    if members is None:
        raise Fault(f"the answer is not a JSON object: {_excerpt(body)}")
    return members


def _refusal(status: int, body: bytes) -> Refusal:
    members = _members(body)
    if members is None:
        return Refusal(status, "", _unknown(status, f"HTTP {status}: {_excerpt(body)}"))
    code = str(members.pop("__type", "")).rpartition("#")[2]
    message = str(members.pop("message", None) or members.pop("Message", None) or "")
    kind = _KINDS.get(code)
    if kind is None:
        return Refusal(
            status, code, _unknown(status, f"{code or f'HTTP {status}'}: {message}", members)
        )
    error = kind.__new__(kind)
    ServiceError.__init__(error, message)  # the message as received; some classes write their own
    error.extra = members
    return Refusal(status, code, error)


def _unknown(status: int, message: str, extra: dict[str, Any] | None = None) -> ServiceError:
    error = (InternalServerError if status >= 500 else ClientError)(message)
    error.extra = extra or {}
    return error


def _members(body: bytes) -> dict[str, Any] | None:
    try:
        members: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return cast(dict[str, Any], members) if type(members) is dict else None


def _excerpt(body: bytes) -> str:
    return repr(body[:_EXCERPT_CHARACTERS].decode(errors="replace"))


def _unpack(body: bytes, encoding: bytes) -> bytes:
    name = encoding.strip().lower()
    if name == b"identity":
        return body
    if name not in (b"gzip", b"deflate"):
        raise Fault(
            f"the answer is in an encoding that was not requested: {_excerpt(name)}", retried=False
        )
    unpacker = zlib.decompressobj(_WINDOW_BITS)
    try:
        plain = unpacker.decompress(body, ANSWER_BYTES_MAX)
    except zlib.error as error:
        raise Fault(f"the answer is damaged: {error}") from error
    if not unpacker.eof:
        raise Fault("the answer is damaged: it ends too soon, or is too long unpacked")
    return plain
