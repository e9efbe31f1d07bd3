"""What happens to every request and every answer: an id, a limit on the body, headers that keep
browsers careful.

Nothing of a fault gets out but its id. A plain ASGI middleware: bodies stream through it.
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
"""Larger things are objects, and go over presigned links."""

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""For answers that say nothing else themselves."""

DATA_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
"""For those that are data and not a page: a browser shall neither run anything in them nor keep
them.
"""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_Started: TypeAlias = list[bool]


class Guards:
    """Stands in front of the app. Paths that match a pattern of `unlimited` check the sizes of
    bodies themselves.
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
        dressed = _dressed(send, request_id, started)
        try:
            await self._limited(scope, receive, dressed, request_id)
        except Exception:  # whatever it was, its story is for the log only
            log.exception("request %s failed", request_id)
            if started:
                raise  # half an answer is out: all that is left is to break the connection
            await internal_error(request_id)(scope, receive, dressed)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        if any(fnmatchcase(scope["path"], pattern) for pattern in self._unlimited):
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > self._bytes_max:
            refused = error_answer(
                request_id, 413, "TooLarge", self._too_large(), {"bytesMax": self._bytes_max}
            )
            await refused(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        """The same for bodies that did not say how large they are."""
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._bytes_max:
                raise HTTPException(413, self._too_large())
            return message

        return counted

    def _too_large(self) -> str:
        return (
            f"a request has at most {self._bytes_max:,} bytes: send larger things over a presigned "
            "link"
        )


def _request_id(scope: Scope) -> str:
    """The caller's own, where it is a decent one: then both logs can be read side by side."""
    given = Headers(scope=scope).get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def _dressed(send: Send, request_id: str, started: _Started) -> Send:
    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            started.append(True)
            headers = MutableHeaders(scope=message)
            headers["X-Request-Id"] = request_id
            is_data = headers.get("content-type", "application/json").startswith("application/json")
            for name, value in {**SECURITY_HEADERS, **(DATA_HEADERS if is_data else {})}.items():
                headers.setdefault(name, value)
        await send(message)

    return dressed
