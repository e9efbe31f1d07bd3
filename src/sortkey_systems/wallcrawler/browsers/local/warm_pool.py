"""Browsers that are started before anybody asks for them, so that a create takes milliseconds.

Only a session without an archive, an extension, a proxy or the like can take one: those are given
at the start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.local.control_link import ControlLink
from sortkey_systems.wallcrawler.browsers.local.folders import remove
from sortkey_systems.wallcrawler.browsers.port import BrowserDidNotStart, BrowserGone, BrowserSpec
from sortkey_systems.wallcrawler.browsers.protocol import Method

RETRY_SECONDS = 10.0
END_SECONDS = 12.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WarmBrowser:
    """A browser that waits for a session."""

    folder: Path
    link: ControlLink


class WarmPool:
    """Keeps `size` browsers ready. `launch` starts one."""

    def __init__(self, size: int, launch: Callable[[], Awaitable[WarmBrowser]]) -> None:
        self._size, self._launch = size, launch
        self._ready: list[WarmBrowser] = []
        self._filling: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def ready(self) -> int:
        """How many browsers wait."""
        return sum(1 for browser in self._ready if not browser.link.is_closed)

    def fill(self) -> None:
        """Start what is missing, in the background."""
        is_busy = self._filling is not None and not self._filling.done()
        if not is_busy and not self._is_closed and self.ready < self._size:
            self._filling = asyncio.create_task(self._fill())

    def take(self) -> WarmBrowser | None:
        """A browser that is ready, if there is one. Call `fill` when it has been put to use."""
        while self._ready:
            browser = self._ready.pop()
            if not browser.link.is_closed:
                return browser
        return None

    async def close(self) -> None:
        """End the browsers that wait."""
        self._is_closed = True
        if self._filling is not None:
            self._filling.cancel()
            with suppress(asyncio.CancelledError):
                await self._filling
        browsers, self._ready = self._ready, []
        await asyncio.gather(*(_end(browser) for browser in browsers))

    async def _fill(self) -> None:
        while self.ready < self._size:
            try:
                self._ready.append(await self._launch())
            except BrowserDidNotStart as error:
                log.warning("a browser could not be started in advance: %s", error)
                await asyncio.sleep(RETRY_SECONDS)


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


async def _end(browser: WarmBrowser) -> None:
    with suppress(BrowserGone, TimeoutError):
        await browser.link.request(Method.END, {"reason": "the server stops"}, timeout=END_SECONDS)
        await browser.link.wait_closed(END_SECONDS)
    await browser.link.close()
    await asyncio.to_thread(remove, browser.folder)
