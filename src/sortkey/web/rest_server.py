"""Serves an app over HTTP in an event loop that other servers may share.

Signals are left to the owner of the loop.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

from sortkey.web.guest_check import PeerKeeper

STOP_SECONDS = 10
DATE_SECONDS = 1
WEBSOCKET_BYTES_MAX = 96 << 20
"""The size of one message. A screenshot of a long page has tens of megabytes. Routes may allow
less.
"""
PING_SECONDS = 30
PONG_SECONDS = 120
"""A client that pauses in a debugger for a minute stays connected."""


class RestServer:
    """An app on bound sockets. `start` and `stop` run in the event loop."""

    def __init__(self, app: FastAPI, sockets: Sequence[socket.socket]) -> None:
        self._sockets = list(sockets)
        self._server = _Quiet(
            _Config(
                app,
                log_config=None,
                log_level="warning",  # lower levels log the URLs of WebSockets, with their tokens
                access_log=False,
                server_header=False,
                lifespan="on",
                timeout_graceful_shutdown=STOP_SECONDS,
                h11_max_incomplete_event_size=64 * 1024,
                ws_max_size=WEBSOCKET_BYTES_MAX,
                ws_ping_interval=PING_SECONDS,
                ws_ping_timeout=PONG_SECONDS,
                ws_per_message_deflate=False,  # costs more time than it saves
            )
        )
        self._serving: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start serving. Raises the error that prevents it."""
        for bound in self._sockets:
            bound.listen(1024)
        self._serving = asyncio.get_running_loop().create_task(self._server.serve(self._sockets))
        while not self._server.started:
            if self._serving.done():
                await self._serving
                raise RuntimeError("the server ended before it had started: see its log")
            await asyncio.sleep(0.005)

    async def stop(self) -> None:
        """Accept no more requests and finish the current ones. Stopping twice is fine."""
        self._server.end()
        if self._serving is not None:
            await self._serving


class _Config(uvicorn.Config):
    """Notes the peer of a socket before uvicorn replaces it with what X-Forwarded-For says."""

    def load(self) -> None:
        super().load()
        self.loaded_app = PeerKeeper(self.loaded_app)


class _Quiet(uvicorn.Server):
    """A server that leaves signals alone and sleeps while idle.

    uvicorn itself wakes up ten times a second to check whether to end and to update the Date
    header.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        self._ending.set()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), DATE_SECONDS)
