"""Marks requests to the stores of this process as coming from the console or from REST, by path.

What a page does later, over its socket or in a timer, has the context of the request that opened
it.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from sortkey.web.console.request_log import current_source


class SourceMiddleware:
    """Middleware of the whole server, which sets `current_source`."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self.app, self.base = app, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":  # work that starts with the server has no caller
            await self.app(scope, receive, send)
            return
        before = current_source.set("console" if scope["path"].startswith(self.base) else "REST")
        try:
            await self.app(scope, receive, send)
        finally:
            current_source.reset(before)
