"""Browsers that are started before anybody asks for them, so that a create takes milliseconds.

The first session fills the pool, and a pool that nobody has used for a while is emptied: a server
that starts no sessions has no browser in memory.

Only a session without an archive, an extension, a proxy or the like can take one: those are given
at the start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.browsers.local.control_link import ControlLink
from sortkey_systems.wallcrawler.browsers.port import BrowserDidNotStart, BrowserSpec

RETRY_SECONDS = 10.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WarmBrowser:
    """A browser that waits for a session."""

    folder: Path
    link: ControlLink


class WarmPool:
    """Keeps `size` browsers ready. `launch` starts one, `discard` deletes what is left of one."""

    def __init__(
        self,
        size: int,
        launch: Callable[[], Awaitable[WarmBrowser]],
        discard: Callable[[WarmBrowser], Coroutine[Any, Any, None]],
        *,
        idle_seconds: float,
    ) -> None:
        self._size, self._launch, self._discard = size, launch, discard
        self._idle_seconds = idle_seconds
        self._ready: list[WarmBrowser] = []
        self._task: asyncio.Task[None] | None = None
        self._clearing: set[asyncio.Task[None]] = set()
        self._emptying: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def ready(self) -> int:
        """How many browsers wait."""
        return len(self._ready)

    def fill(self, after_seconds: float = 0.0) -> None:
        """Start what is missing, in the background: a session was started."""
        if self._is_closed:
            return
        self._stay()
        is_busy = self._task is not None and not self._task.done()
        if not is_busy and self.ready < self._size:
            self._task = asyncio.create_task(self._fill(after_seconds))

    def take(self) -> WarmBrowser | None:
        """A browser that is ready, if there is one. It is the caller's from now on."""
        browser = self._ready.pop() if self._ready else None
        if browser is not None:
            browser.link.on_closed = lambda: None
        return browser

    async def close(self) -> None:
        """End the browsers that wait."""
        self._is_closed = True
        if self._emptying is not None:
            self._emptying.cancel()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._empty()
        await asyncio.gather(*self._clearing)

    async def _fill(self, after_seconds: float) -> None:
        await asyncio.sleep(after_seconds)
        while self.ready < self._size:
            try:
                browser = await self._launch()
            except BrowserDidNotStart as error:
                log.warning("a browser could not be started in advance: %s", error)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            self._ready.append(browser)
            browser.link.on_closed = partial(self._lost, browser)
            self._stay()

    def _lost(self, browser: WarmBrowser) -> None:
        """A browser has ended while it waited. What makes it end may do so again: not at once."""
        if browser in self._ready and not self._is_closed:
            self._ready.remove(browser)
            log.warning("a browser that was started in advance has ended")
            self.fill(after_seconds=RETRY_SECONDS)
            self._clear(browser)

    def _stay(self) -> None:
        """Empty the pool only so long after now."""
        if self._emptying is not None:
            self._emptying.cancel()
        loop = asyncio.get_running_loop()
        self._emptying = loop.call_later(self._idle_seconds, self._empty)

    def _empty(self) -> None:
        while browser := self.take():
            self._clear(browser)

    def _clear(self, browser: WarmBrowser) -> None:
        task = asyncio.create_task(self._discard(browser))
        self._clearing.add(task)
        task.add_done_callback(self._clearing.discard)


def can_use_warm(spec: BrowserSpec) -> bool:
    """Whether a browser that was started without knowing this session will do for it."""
    given_at_start = (
        spec.profile_archive,
        spec.extension,
        spec.proxies,
        spec.user_agent,
        spec.allowed_domains,
        spec.ignore_certificate_errors,
    )
    return not any(given_at_start)
