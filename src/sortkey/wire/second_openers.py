"""Lets other programs open a folder that this process owns and uses itself: `sortkey.open` reaches it over the wire.

It listens on loopback, on a port that only the folder's lock file names, for those who hold the token beside it; or on
one that is announced, for everybody on this machine or for those who sign with the credentials.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Sequence

from sortkey.engine import Engine
from sortkey.origins import OriginPolicy
from sortkey.wire.access import Access, Credentials
from sortkey.wire.addresses import bind
from sortkey.wire.server import Server
from sortkey.wire.sharing import Heard, SharedEngine

LOOPBACK = "127.0.0.1"


class SecondOpeners:
    """Serves them from `start` to `stop`, in the event loop; the engine's background work is done there too."""

    def __init__(
        self,
        engine: Engine,
        public: Sequence[socket.socket] = (),
        heard: Heard | None = None,
        *,
        credentials: Credentials | None = None,
        origins: OriginPolicy | None = None,
    ) -> None:
        """`public` are bound to loopback; `credentials` are asked of callers there. `heard` is told of each request."""
        self._engine = engine
        self._public = public
        self._token = secrets.token_hex(32)
        if not public:  # those that nobody has leave only who holds the token
            credentials = Credentials("nobody", secrets.token_hex(32))
        access = Access(credentials, engine.region, time.time, self._token)
        self._server = Server(SharedEngine(engine, heard), access, region=engine.region, origins=origins)

    async def start(self) -> None:
        sockets = self._public or bind(LOOPBACK, 0)
        await self._server.start(sockets)
        self._engine.publish(f"http://{LOOPBACK}:{sockets[0].getsockname()[1]}", self._token)

    async def stop(self) -> None:
        await self._server.stop()
