"""The routes of a service, called in this process: no port, no password, all the same checks."""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import unquote, urlsplit

import anyio
from anyio.from_thread import start_blocking_portal

from sortkey.web import Mount, Tokens, make_app
from sortkey_systems.vams.api import make_router
from sortkey_systems.vams.client.transport import Request, Response
from sortkey_systems.vams.system import system

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

SYSTEM = "vams"


class InProcess:
    """A transport to a service. Use it as a context: it has a thread for the event loop."""

    def __init__(self, service: Vams) -> None:
        self._tokens = Tokens(secrets.token_bytes(32))
        self._base_path = service.base_path
        mount = Mount(
            service.base_path.strip("/") or SYSTEM,
            make_router(service),
            at_root=not service.base_path,
            large_bodies=system.large_bodies,
        )
        self._app = make_app([mount], tokens=self._tokens, objects=service.resources.buckets)
        self._closing = ExitStack()

    def __enter__(self) -> InProcess:
        self._portal = self._closing.enter_context(start_blocking_portal())
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def token(self, user_id: str) -> str:
        """A token of a user for this transport only, valid for an hour."""
        return self._tokens.issue(user_id, system=SYSTEM)

    def send(self, request: Request, into: BinaryIO | None = None) -> Response:
        return self._portal.call(self._answer, request, into)

    async def _answer(self, request: Request, into: BinaryIO | None) -> Response:
        exchange = _Exchange(request, into)
        await self._app(self._scope(request), exchange.receive, exchange.send)
        return exchange.response()

    def _scope(self, request: Request) -> dict[str, Any]:
        parts = urlsplit(request.url)
        is_link = "://" in request.url  # as callers from outside use it
        path = parts.path if is_link else self._base_path + parts.path
        headers = {"host": parts.netloc or "localhost", **request.headers}
        headers["content-length"] = str(request.size)
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": parts.scheme or "http",
            "path": unquote(path) or "/",
            "raw_path": path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [
                (name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()
            ],
            "client": ("127.0.0.1", 0),
            "server": ("127.0.0.1", 80),
        }


class _Exchange:
    """One request and its answer, as an ASGI application sees them."""

    def __init__(self, request: Request, into: BinaryIO | None) -> None:
        self._chunks, self._into = iter(request.body), into
        self._finished, self._is_sent = anyio.Event(), False
        self._status, self._headers, self._body = 500, dict[str, str](), bytearray()

    async def receive(self) -> dict[str, Any]:
        if self._is_sent:  # the caller stays until the answer is complete
            await self._finished.wait()
            return {"type": "http.disconnect"}
        chunk = next(self._chunks, None)
        self._is_sent = chunk is None
        return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            pairs: list[tuple[bytes, bytes]] = message.get("headers", [])
            self._headers = {
                name.decode().lower(): value.decode("latin-1") for name, value in pairs
            }
        elif message["type"] == "http.response.body":
            self._take(message.get("body", b""))
            if not message.get("more_body", False):
                self._finished.set()

    def response(self) -> Response:
        """The answer, once the application has returned."""
        return Response(self._status, self._headers, bytes(self._body))

    def _take(self, piece: bytes) -> None:
        if self._into is not None and 200 <= self._status < 300:
            self._into.write(piece)
        else:
            self._body += piece
