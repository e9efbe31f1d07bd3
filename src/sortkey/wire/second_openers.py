"""Lets other programs open a folder that this process owns and uses itself: `sortkey.open` reaches it over the wire.

It listens on loopback, on a port that only the folder's lock file tells, for those who hold the token beside it.
"""

from __future__ import annotations

import secrets
import time

from sortkey.engine import Engine
from sortkey.wire.access import Access, Credentials
from sortkey.wire.addresses import bind
from sortkey.wire.server import Server
from sortkey.wire.sharing import SharedEngine


class SecondOpeners:
    """Serves them from `start` to `stop`, in the event loop; the engine's background work is done there too."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._token = secrets.token_hex(32)
        nobody = Credentials("nobody", secrets.token_hex(32))  # without credentials all of this machine could call
        self._server = Server(SharedEngine(engine), Access(nobody, engine.region, time.time, self._token))

    async def start(self) -> None:
        (listening,) = bind("127.0.0.1", 0)
        await self._server.start([listening])
        self._engine.publish(f"http://127.0.0.1:{listening.getsockname()[1]}", self._token)

    async def stop(self) -> None:
        await self._server.stop()
