"""Renders under way, in threads of their own: each is made once, however many ask for it.

The threads that answer requests are shared by all tenants, so none of them may wait for ffmpeg.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from pathlib import Path
from threading import Lock, Thread

from sortkey.web import Refused

RETRY_SECONDS = 10
"""What a client is asked to wait when too many videos are being made."""


class TooManyVideos(Refused):
    """As many videos are being made as may be."""

    status = 429

    def __init__(self) -> None:
        super().__init__("too many videos are being made: ask again later")
        self.headers = {"Retry-After": str(RETRY_SECONDS)}


class Renders:
    """At most `limit` renders at a time, with those that wait for a processor."""

    def __init__(self, limit: int) -> None:
        self._limit, self._lock = limit, Lock()
        self._futures: dict[Hashable, Future[Path]] = {}

    async def result(self, key: Hashable, make: Callable[[], Path]) -> Path:
        """What `make` gives, or what it gives to another who has asked for the same. It goes on if
        the caller leaves. Raises TooManyVideos at once.
        """
        return await asyncio.shield(asyncio.wrap_future(self._started(key, make)))

    def _started(self, key: Hashable, make: Callable[[], Path]) -> Future[Path]:
        with self._lock:
            future = self._futures.get(key)
            if future is not None:
                return future
            if len(self._futures) >= self._limit:
                raise TooManyVideos
            future = self._futures[key] = Future()
        Thread(target=self._run, args=(key, make, future), name="render", daemon=True).start()
        return future

    def _run(self, key: Hashable, make: Callable[[], Path], future: Future[Path]) -> None:
        future.set_running_or_notify_cancel()  # from here on nobody can cancel it
        try:
            path = make()
        except BaseException as error:
            self._forget(key)
            future.set_exception(error)
        else:
            self._forget(key)
            future.set_result(path)

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            del self._futures[key]
