"""Serves an app over HTTP inside an event loop, beside whatever else runs there: the wire, for one.

Signals are left to whoever owns the loop.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

STOP_SECONDS = 10
DATE_SECONDS = 1
WEBSOCKET_BYTES_MAX = 100 << 20
"""Of one message. A screenshot of a long page has tens of megabytes; routes may take less."""
PING_SECONDS = 30
PONG_SECONDS = 120
"""A client that stands in a debugger for a minute is still there."""


class RestServer:
    """An app on bound sockets. `start` and `stop` run in the event loop."""

    def __init__(self, app: FastAPI, sockets: Sequence[socket.socket]) -> None:
        self._sockets = list(sockets)
        self._server = _Quiet(
            uvicorn.Config(
                app,
                log_config=None,
                log_level="warning",  # below it are URLs of WebSockets, with their tokens
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
        """Serve from now on. Raises what kept it from starting."""
        for each in self._sockets:
            each.listen(1024)
        self._serving = asyncio.get_running_loop().create_task(self._server.serve(self._sockets))
        while not self._server.started:
            if self._serving.done():
                await self._serving
                raise RuntimeError("the server ended before it had started; its log says why")
            await asyncio.sleep(0.005)

    async def stop(self) -> None:
        """Accept nothing more, and finish what is under way. Stopping twice is fine."""
        self._server.end()
        if self._serving is not None:
            await self._serving


class _Quiet(uvicorn.Server):
    """Without hands on the process's signals, and asleep while there is nothing to do.

    uvicorn looks ten times a second whether it shall end, and at each tenth look at the date of its
    answers.
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
