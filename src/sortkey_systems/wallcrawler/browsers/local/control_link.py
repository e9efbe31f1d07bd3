"""The server's end of a control connection: requests with answers, and the events of one holder."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.frame_connection import (
    FrameConnection,
    open_frame_connection,
)
from sortkey_systems.wallcrawler.browsers.port import BrowserDidNotStart, BrowserGone
from sortkey_systems.wallcrawler.browsers.protocol import CONTROL, Event, Method

OnEvent = Callable[[Event, dict[str, Any]], None]


class ControlLink:
    """Speaks to one holder until it ends. Events before `on_event` is set only show in `ready` and
    `end_reason`."""

    def __init__(self, connection: FrameConnection) -> None:
        loop = asyncio.get_running_loop()
        self._connection = connection
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.on_event: OnEvent = lambda event, content: None
        self.on_closed: Callable[[], None] = lambda: None
        self.ready: asyncio.Future[dict[str, Any]] = loop.create_future()
        """The versions of the browser, or BrowserDidNotStart."""
        self.end_reason: str | None = None
        """Why the browser has ended without being asked to."""
        self._task = asyncio.create_task(self._listen())

    @classmethod
    async def open(cls, folder: Path) -> ControlLink:
        """Connect to the holder of a folder. Raises BrowserGone."""
        return cls(await open_frame_connection(folder, CONTROL))

    @property
    def is_closed(self) -> bool:
        return self._task.done()

    async def request(
        self, method: Method, params: dict[str, Any] | None = None, *, timeout: float
    ) -> dict[str, Any]:
        """Ask the holder. Raises BrowserGone if it ends, TimeoutError if it does not answer."""
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            if self.is_closed:
                raise BrowserGone("the browser has ended")
            message = {"id": number, "method": method, "params": params or {}}
            await self._connection.send(json.dumps(message).encode())
            async with asyncio.timeout(timeout):
                return await answer
        finally:
            del self._waiting[number]

    async def wait_closed(self, timeout: float) -> None:
        """Wait until the holder has exited. Raises TimeoutError."""
        async with asyncio.timeout(timeout):
            await asyncio.shield(self._task)

    async def close(self) -> None:
        """Stop watching; the holder goes on."""
        self.on_closed = lambda: None
        self._connection.close()
        with suppress(BrowserGone):
            await self._task

    async def _listen(self) -> None:
        with suppress(BrowserGone):
            while True:
                self._take(json.loads(await self._connection.receive()))
        gone = self.end_reason or "the process that held the browser has ended"
        if not self.ready.done():
            self.ready.set_exception(BrowserDidNotStart(gone))
            self.ready.exception()  # nobody may be waiting for it any more
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(BrowserGone(gone))
        self.on_closed()

    def _take(self, message: dict[str, Any]) -> None:
        if "event" not in message:
            answer = self._waiting.get(message["id"])
            if answer is not None and not answer.done():
                answer.set_result(message["result"])
            return
        event = Event(message.pop("event"))
        if event is Event.READY and not self.ready.done():
            self.ready.set_result(message)
        elif event in {Event.FAILED, Event.STOPPED}:
            self.end_reason = str(message["reason"])
        self.on_event(event, message)
