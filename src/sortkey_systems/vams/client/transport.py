"""How a request reaches the interface. An adapter is one function from request to response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit

from sortkey.errors import SortkeyError

SECONDS = 60.0
"""How long a server may be silent."""
CHUNK_BYTES = 1 << 20
BODY_BYTES_MAX = 64 << 20
"""An answer that is not a file. Lists have pages, so nothing comes near."""


class Unreachable(SortkeyError):
    """No answer came from the server."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a path of the interface, or to the absolute URL of a link."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Iterable[bytes] = ()
    size: int = 0
    """The length of the body in bytes."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


class Transport(Protocol):
    """Sends requests. With `into`, the body of a success is written there and not kept."""

    def send(self, request: Request, into: BinaryIO | None = None) -> Response: ...


class HttpTransport:
    """A server at a base URL, as "http://127.0.0.1:9000" or "https://assets.example.com/vams"."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")
        if urlsplit(self._base).scheme not in ("http", "https"):
            raise Unreachable(f"{base} is not an address of a server: write http://HOST:PORT")

    def send(self, request: Request, into: BinaryIO | None = None) -> Response:
        url = request.url if "://" in request.url else self._base + request.url
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=SECONDS)
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        headers = {**request.headers, "Content-Length": str(request.size)}
        try:
            connection.request(request.method, target, body=iter(request.body), headers=headers)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            pieces = iter(lambda: answer.read(CHUNK_BYTES), b"")
            return Response(answer.status, names, body_of(answer.status, pieces, into))
        except (OSError, HTTPException) as error:
            place = f"{parts.scheme}://{parts.netloc}"
            raise Unreachable(f"no answer from {place} ({error}): is the server running?") from None
        finally:
            connection.close()


def body_of(status: int, pieces: Iterator[bytes], into: BinaryIO | None) -> bytes:
    """The body of an answer, or nothing if it went into a file."""
    if into is not None and 200 <= status < 300:
        for piece in pieces:
            into.write(piece)
        return b""
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > BODY_BYTES_MAX:
            raise Unreachable(f"an answer has more than {BODY_BYTES_MAX >> 20} MB")
    return bytes(body)
