"""The end of a browser, step by step: gently, so that nothing of its profile is lost, and
certainly.

Cookies are read, `Browser.close` is sent and given time, then SIGTERM, then SIGKILL to everything.
A signal first would lose what Chromium has not written yet.
"""

from __future__ import annotations

from collections.abc import Callable

from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe
from sortkey_systems.wallcrawler.browsers.local.cookies import CookieCheckpoint
from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop, Timer
from sortkey_systems.wallcrawler.browsers.local.process import BrowserProcess

COOKIES_SECONDS = 2.0
CLOSE_SECONDS = 5.0
TERMINATE_SECONDS = 2.0
HUNG_UP_SECONDS = 5.0
"""Between the end of the pipe and that of the process, which tells how it has ended."""


class Shutdown:
    """Ends a browser and calls `on_ended` once, when no process of it is left."""

    def __init__(
        self,
        loop: EventLoop,
        pipe: CdpPipe,
        process: BrowserProcess,
        on_ended: Callable[[], None],
    ) -> None:
        self._loop, self._pipe, self._process = loop, pipe, process
        self._on_ended = on_ended
        self._timer: Timer | None = None
        self._has_begun = self._is_closing = self._has_ended = False

    def begin(self, cookies: CookieCheckpoint | None) -> None:
        """Start with the gentlest step: save the cookies, if they are wanted. Beginning twice is
        fine."""
        if self._has_begun:
            return
        self._has_begun = True
        if cookies is None:
            self._close_browser()
            return
        self._next(COOKIES_SECONDS, self._close_browser)
        cookies.save(on_done=self._close_browser)

    def process_exited(self) -> None:
        """The main process has ended, by itself or by one of the steps."""
        if self._has_ended:
            return
        self._has_begun = self._has_ended = True
        self._next(None, None)
        self._pipe.close()
        self._process.kill_all()
        self._on_ended()

    def pipe_closed(self) -> None:
        """Chromium hung up: it is ending, or stuck."""
        if not self._has_ended:
            self._has_begun = True
            self._next(HUNG_UP_SECONDS, self.process_exited)

    def _close_browser(self) -> None:
        if self._has_ended or self._is_closing:
            return
        self._is_closing = True
        self._next(CLOSE_SECONDS, self._terminate)
        self._pipe.call("Browser.close")

    def _terminate(self) -> None:
        self._next(TERMINATE_SECONDS, self.process_exited)
        self._process.terminate()

    def _next(self, seconds: float | None, step: Callable[[], None] | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.after(seconds, step) if seconds is not None and step else None
