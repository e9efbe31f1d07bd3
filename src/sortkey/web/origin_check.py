"""Rejects requests of other sites' pages to REST and the console, over HTTP and WebSocket: see
`sortkey.origins`.

A plain ASGI middleware inside `Guards`, which adds a request id and the usual headers.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sortkey.origins import OriginPolicy
from sortkey.web.errors import error_answer

__all__ = ["OriginCheck", "OriginPolicy", "refuse"]

POLICY_VIOLATION = 1008
"""The close code of a WebSocket. Servers turn it into 403 before the socket is accepted."""


class OriginCheck:
    """Checks everything under a path: pages, routes and sockets.

    On paths that match a pattern in `any_origin`, only the host name is checked, not the origin.
    """

    def __init__(
        self, app: ASGIApp, policy: OriginPolicy, base: str = "", any_origin: tuple[str, ...] = ()
    ) -> None:
        self._app, self._policy, self._base, self._any_origin = app, policy, base, any_origin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_checked = scope["type"] in ("http", "websocket") and scope["path"].startswith(self._base)
        problem = self._problem(Headers(scope=scope), scope["path"]) if is_checked else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await refuse(problem, scope, receive, send)

    def _problem(self, headers: Headers, path: str) -> str | None:
        # Of two headers, another server could use the second: both must be valid.
        host = ",".join(headers.getlist("host"))
        problem = self._policy.host_problem(host)
        if problem is not None or "origin" not in headers:
            return problem
        if any(fnmatchcase(path, pattern) for pattern in self._any_origin):
            return None
        return self._policy.own_page_problem(",".join(headers.getlist("origin")), host)


async def refuse(problem: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request or a WebSocket with 403."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "Forbidden"})
    else:
        request_id = scope.get("state", {}).get("request_id", "")
        await error_answer(request_id, 403, "Forbidden", problem)(scope, receive, send)
