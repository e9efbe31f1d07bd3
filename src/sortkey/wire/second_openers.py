"""Lets other programs open a folder that this process owns and uses itself: `sortkey.open` reaches it over the wire.

It listens on loopback, on a port that only the folder's lock file tells, for those who hold the token beside it; or on
one that is told to everybody, for everybody on this machine.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Sequence

from sortkey.engine import Engine
from sortkey.wire.access import Access, Credentials
from sortkey.wire.addresses import bind
from sortkey.wire.server import Server
from sortkey.wire.sharing import Heard, SharedEngine

LOOPBACK = "127.0.0.1"


class SecondOpeners:
    """Serves them from `start` to `stop`, in the event loop; the engine's background work is done there too."""

    def __init__(self, engine: Engine, public: Sequence[socket.socket] = (), heard: Heard | None = None) -> None:
        """`public` are bound to loopback, for everybody. `heard` is told of each request."""
        self._engine = engine
        self._public = public
        self._token = secrets.token_hex(32)
        # Without credentials all of this machine may call; with those that nobody has, only who holds the token.
        credentials = None if public else Credentials("nobody", secrets.token_hex(32))
        access = Access(credentials, engine.region, time.time, self._token)
        self._server = Server(SharedEngine(engine, heard), access, region=engine.region)

    async def start(self) -> None:
        sockets = self._public or bind(LOOPBACK, 0)
        await self._server.start(sockets)
        self._engine.publish(f"http://{LOOPBACK}:{sockets[0].getsockname()[1]}", self._token)

    async def stop(self) -> None:
        await self._server.stop()
