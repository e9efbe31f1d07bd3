"""Answers as bytes: results, errors in AWS's shape, health, preflight, refusals. Nothing here does
I/O.

Every answer has a request id and the CRC-32 of the body as sent, which SDKs check.
"""

from __future__ import annotations

from email.utils import formatdate
from http import HTTPStatus
from random import getrandbits
from typing import Any
from zlib import crc32

import orjson

from sortkey.engine.answers import Answer, Finished
from sortkey.errors import AccessDeniedException, ServiceError
from sortkey.wire import compression
from sortkey.wire.request import JSON_TYPES, Request

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
UNKNOWN_BODY = b"<UnknownOperationException/>\n"  # AWS's answer to other methods and content types
PREFLIGHT_SECONDS = 172_800
EXPOSED = b"x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Date"

# AWS's service model spells the member with a capital in these, and AWS does beside the item of a
# condition that failed; everywhere else it is "message".
_CAPITAL_MESSAGE = frozenset(
    {
        "SerializationException",
        "TransactionCanceledException",
        "IdempotentParameterMismatchException",
    }
)


class Answers:
    """Formats answers. Caches the date header, which `tick` renews once a second.

    A request with an `Origin` that gets this far comes from a page that may read the answer.
    `any_origin` means that every page may.
    """

    def __init__(self, region: str, *, any_origin: bool = False) -> None:
        self._any_origin = any_origin
        self._health = f"healthy: dynamodb.{region}.amazonaws.com ".encode()
        self._head_ok = b""
        self._date = b""
        self.tick(0.0)

    def tick(self, now: float) -> None:
        """Renew the Date header from the clock's seconds since 1970."""
        self._date = b"Server: Server\r\nDate: " + formatdate(now, usegmt=True).encode() + b"\r\n"
        self._head_ok = b"HTTP/1.1 200 OK\r\n" + self._date

    def result(self, request: Request, result: Answer) -> bytes:
        """A successful operation's answer, compressed if the client asked for that and it
        is large.
        """
        headers = request.headers
        if type(result) is Finished:
            body, checksum = result
        else:
            body, checksum = orjson.dumps(result), None
        extra = b""
        if len(body) >= compression.THRESHOLD_BYTES and (accept := headers.get(b"accept-encoding")):
            encoding = compression.choose(accept)
            if encoding is not None:
                body, checksum = compression.encode(encoding, body), None
                extra = b"Content-Encoding: " + encoding + b"\r\n"
        if (origin := headers.get(b"origin")) is not None:
            extra += self._cors(origin)
        return (
            b"%bContent-Type: %b\r\nContent-Length: %d\r\nConnection: %b\r\n"
            b"x-amzn-RequestId: %052X\r\nx-amz-crc32: %d\r\n%b\r\n%b"
        ) % (
            self._head_ok,
            _json_type(request),
            len(body),
            b"keep-alive" if request.keep_alive else b"close",
            getrandbits(208),
            crc32(body) if checksum is None else checksum,
            extra,
            body,
        )

    def error(self, request: Request, error: ServiceError) -> bytes:
        """An error's answer. Errors are never compressed."""
        members: dict[str, Any] = {"__type": error.wire_type, **error.extra}
        if error.message:
            capital = error.code in _CAPITAL_MESSAGE or "Item" in error.extra
            members["Message" if capital else "message"] = error.message
        return self.plain(request, error.status, orjson.dumps(members), _json_type(request))

    def refused(self, request: Request, message: str) -> bytes:
        """The answer to a page that may not call: AWS's error with status 403, without the headers
        that would let the page read it.
        """
        members = {"__type": AccessDeniedException().wire_type, "message": message}
        return self._plain(request, 403, orjson.dumps(members), _json_type(request))

    def plain(
        self, request: Request, status: int, body: bytes = b"", content_type: bytes = b""
    ) -> bytes:
        """Any other answer. HEAD gets only the headers."""
        origin = request.headers.get(b"origin")
        return self._plain(
            request, status, body, content_type, b"" if origin is None else self._cors(origin)
        )

    def _plain(
        self,
        request: Request,
        status: int,
        body: bytes,
        content_type: bytes,
        more_headers: bytes = b"",
    ) -> bytes:
        head = b"HTTP/1.1 %d %b\r\n%b" % (status, HTTPStatus(status).phrase.encode(), self._date)
        if content_type:
            head += b"Content-Type: " + content_type + b"\r\n"
        head += more_headers
        return (
            b"%bContent-Length: %d\r\nConnection: %b\r\nx-amzn-RequestId: %052X\r\nx-amz-crc32: %d\r\n\r\n%b"
            % (
                head,
                len(body),
                b"keep-alive" if request.keep_alive else b"close",
                getrandbits(208),
                crc32(body),
                b"" if request.method == b"HEAD" else body,
            )
        )

    def health(self, request: Request) -> bytes:
        return self.plain(request, 200, self._health, b"text/plain")

    def not_found(self, request: Request) -> bytes:
        return self.plain(request, 404, UNKNOWN_BODY)

    def preflight(self, request: Request) -> bytes:
        """CORS like AWS: all requested headers and methods are allowed."""
        head = b"HTTP/1.1 200 OK\r\n" + self._date + self._cors(request.headers[b"origin"])
        for request_header, allowed in (
            (b"access-control-request-headers", b"Access-Control-Allow-Headers: "),
            (b"access-control-request-method", b"Access-Control-Allow-Methods: "),
        ):
            if value := request.headers.get(request_header):
                head += allowed + value + b"\r\n"
        return (
            b"%bAccess-Control-Max-Age: %d\r\nContent-Length: 0\r\nConnection: %b\r\nx-amzn-RequestId: %052X\r\n\r\n"
        ) % (
            head,
            PREFLIGHT_SECONDS,
            b"keep-alive" if request.keep_alive else b"close",
            getrandbits(208),
        )

    def _cors(self, origin: bytes) -> bytes:
        allowed = b"*" if self._any_origin else origin + b"\r\nVary: Origin"
        return b"Access-Control-Allow-Origin: %b\r\nAccess-Control-Expose-Headers: %b\r\n" % (
            allowed,
            EXPOSED,
        )


def _json_type(request: Request) -> bytes:
    """The request's JSON type. AWS answers application/json if the request has none."""
    kind = request.content_type()
    return kind if kind in JSON_TYPES else b"application/json"
