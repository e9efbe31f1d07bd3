"""Lets other programs open a folder that this process owns and uses: `sortkey.open` reaches it over
the wire.

It listens on loopback, on a port that only the folder's lock file names, for callers with the token
from that file. Or it listens on a public port, for everybody on this machine or for those that sign
with the credentials.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Self

from sortkey.engine import Engine
from sortkey.origins import OriginPolicy
from sortkey.peers import IsGuest
from sortkey.wire.access import Access, Credentials
from sortkey.wire.addresses import bind
from sortkey.wire.server import Server
from sortkey.wire.shared_engine import OnRequest, SharedEngine

LOOPBACK = "127.0.0.1"
THREAD_SECONDS = 30.0
"""A thread that takes longer to start or stop is considered hung."""


class SecondOpeners:
    """Serves other processes from `start` to `stop` in the event loop, which also does the engine's
    background work.
    """

    def __init__(
        self,
        engine: Engine,
        public: Sequence[socket.socket] = (),
        on_request: OnRequest | None = None,
        *,
        credentials: Credentials | None = None,
        origins: OriginPolicy | None = None,
        on_release: Callable[[], None] | None = None,
        is_guest: IsGuest | None = None,
    ) -> None:
        """`public` are sockets bound to loopback, whose callers need `credentials`. `on_request` is
        called after each request.

        `on_release` is called when a server asks for the folder that this process owns in the
        interim. Connections of local users for whom `is_guest` is true are closed.
        """
        self._engine = engine
        self._public = public
        self._token = secrets.token_hex(32)
        if not public:  # random ones, so that only the token is accepted
            credentials = Credentials("nobody", secrets.token_hex(32))
        access = Access(credentials, engine.region, time.time, self._token)
        self._server = Server(
            SharedEngine(engine, on_request, on_release),
            access,
            region=engine.region,
            origins=origins,
            is_guest=is_guest,
        )

    async def start(self) -> None:
        sockets = self._public or bind(LOOPBACK, 0)
        await self._server.start(sockets)
        self._engine.publish(f"http://{LOOPBACK}:{sockets[0].getsockname()[1]}", self._token)

    async def stop(self) -> None:
        await self._server.stop()


class OpenersThread:
    """A context that serves other processes from an event loop in its own thread, for programs
    without one.
    """

    def __init__(self, engine: Engine, on_release: Callable[[], None] | None = None) -> None:
        self._openers = SecondOpeners(engine, on_release=on_release)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="sortkey-openers", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._run(self._openers.start())
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self._run(self._openers.stop())
        finally:
            self._end()

    def _run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(THREAD_SECONDS)

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(THREAD_SECONDS)
        self._loop.close()
