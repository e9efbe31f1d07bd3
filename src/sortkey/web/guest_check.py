"""Rejects requests of guests to REST and the console, over HTTP and WebSocket: see `sortkey.peers`.

A plain ASGI middleware inside `Guards`, which adds a request id and the usual headers. It is added
only where a system has guests.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from starlette.types import ASGIApp, Receive, Scope, Send

from sortkey.peers import IsGuest, is_refused
from sortkey.web.origin_check import refuse

PEER = "sortkey_peer"
"""In a scope: the address at the other end of the socket. `client` may be what a header claims."""

_PROBLEM = (
    "this path is closed to programs that the server runs for others: use a path with a token"
)


class GuestCheck:
    """Guests may call paths that match a pattern in `open_paths`, which check a token, and no
    others.
    """

    def __init__(self, app: ASGIApp, is_guest: IsGuest, open_paths: tuple[str, ...] = ()) -> None:
        self._app, self._is_guest, self._open_paths = app, is_guest, open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket") and self._is_refused(scope):
            await refuse(_PROBLEM, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_refused(self, scope: Scope) -> bool:
        if any(fnmatchcase(scope["path"], pattern) for pattern in self._open_paths):
            return False
        peer, own = scope.get(PEER) or scope.get("client"), scope.get("server")
        if not peer or not own or own[1] is None:  # a Unix socket: its file has permissions
            return False
        return is_refused(self._is_guest, tuple(peer[:2]), tuple(own[:2]))


class PeerKeeper:
    """Keeps the peer of each socket in its scope, in front of what takes `client` from a header."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[PEER] = scope.get("client")
        await self._app(scope, receive, send)
