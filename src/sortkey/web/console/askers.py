"""For whom the stores of this process ask: for the console's pages or for REST, told by the path of
the request.

What a page does later, over its socket or by a timer, has the context of the request that made it.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from sortkey.web.console.request_log import asking


class Asking:
    """Middleware of the whole server."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self.app, self.base = app, base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":  # what is started with the server works for nobody
            await self.app(scope, receive, send)
            return
        before = asking.set("console" if scope["path"].startswith(self.base) else "REST")
        try:
            await self.app(scope, receive, send)
        finally:
            asking.reset(before)
