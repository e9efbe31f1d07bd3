"""Middleware for every request and response: an id, a limit on the body, and security headers.

The response to a bug contains only its id. This is plain ASGI, so bodies stream through it.
"""

from __future__ import annotations

import logging
import re
import secrets
from fnmatch import fnmatchcase
from typing import TypeAlias

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sortkey.web.errors import error_answer, internal_error

log = logging.getLogger("sortkey.web")

JSON_BYTES_MAX = 1 << 20
"""Larger data belongs in objects, which are uploaded with presigned links."""

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Defaults for responses that do not set these headers."""

DATA_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""For responses that are data, not pages: a browser must neither run nor cache them."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_Started: TypeAlias = list[bool]


class Guards:
    """The outermost middleware. Paths that match a pattern in `unlimited` check the size of bodies
    themselves.
    """

    def __init__(
        self, app: ASGIApp, *, bytes_max: int = JSON_BYTES_MAX, unlimited: tuple[str, ...] = ()
    ) -> None:
        self._app, self._bytes_max, self._unlimited = app, bytes_max, unlimited

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        started: _Started = []
        send_with_headers = _with_headers(send, request_id, started)
        try:
            await self._limited(scope, receive, send_with_headers, request_id)
        except Exception:  # the reason is for the log only
            log.exception("request %s failed", request_id)
            if started:
                raise  # part of the response is sent: only closing the connection is left
            await internal_error(request_id)(scope, receive, send_with_headers)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        if any(fnmatchcase(scope["path"], pattern) for pattern in self._unlimited):
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdecimal() and int(declared) > self._bytes_max:
            refused = error_answer(
                request_id, 413, "TooLarge", self._too_large(), {"bytesMax": self._bytes_max}
            )
            await refused(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        """The same limit for bodies without a declared size."""
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._bytes_max:
                raise HTTPException(413, self._too_large())
            return message

        return counted

    def _too_large(self) -> str:
        return (
            f"a request can have at most {self._bytes_max:,} bytes: use a presigned link for more"
        )


def _request_id(scope: Scope) -> str:
    """The id that the caller sent, if it is a valid one, so that both logs can be compared."""
    sent = Headers(scope=scope).get("x-request-id", "")
    return sent if _REQUEST_ID.fullmatch(sent) else secrets.token_hex(8)


def _with_headers(send: Send, request_id: str, started: _Started) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            started.append(True)
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = request_id
            is_data = headers.get("content-type", "application/json").startswith("application/json")
            for name, value in {**SECURITY_HEADERS, **(DATA_HEADERS if is_data else {})}.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
