"""What a session adds to a browser once it is known: log, recording, cookies, viewport, allowed
domains.

A cold browser gets it before it is ready; a warm one when it is given to a session.
"""

from __future__ import annotations

from collections.abc import Callable

from sortkey_systems.wallcrawler.browsers.local.browser import Browser
from sortkey_systems.wallcrawler.browsers.local.cdp_log import CdpLog
from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import Params
from sortkey_systems.wallcrawler.browsers.local.cookies import (
    CHECKPOINT_SECONDS,
    CookieCheckpoint,
    restore_cookies,
)
from sortkey_systems.wallcrawler.browsers.local.domain_guard import DomainGuard
from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop
from sortkey_systems.wallcrawler.browsers.local.recording_client import RecordingClient
from sortkey_systems.wallcrawler.browsers.port import BrowserSpec, Viewport

OnDone = Callable[[], None]
Step = Callable[[OnDone], None]


class SessionFeatures:
    """Log, recording and cookies of one session."""

    def __init__(self, loop: EventLoop, browser: Browser) -> None:
        self._loop, self._browser = loop, browser
        self.log: CdpLog | None = None
        self.cookies: CookieCheckpoint | None = None
        """Only if the session's profile is to be kept."""
        self._recording: RecordingClient | None = None
        self._guard: DomainGuard | None = None

    def apply(self, spec: BrowserSpec, on_done: OnDone) -> None:
        """Set up what the session asks for, one step after another, then call `on_done`."""
        if spec.log:
            self.log = CdpLog(self._loop)
        if spec.persist:
            self.cookies = CookieCheckpoint(self._browser.pipe)
            self._loop.every(CHECKPOINT_SECONDS, self.cookies.save)
        _run(self._steps(spec), on_done)

    def close(self) -> None:
        """Complete the files."""
        if self.log is not None:
            self.log.flush()
        if self._recording is not None:
            self._recording.close()

    def _steps(self, spec: BrowserSpec) -> list[Step]:
        steps: list[Step] = []
        saved, domains, viewport = self._browser.home.cookies, spec.allowed_domains, spec.viewport
        if saved is not None:
            steps.append(lambda on_done: restore_cookies(self._browser.pipe, saved, on_done))
        if domains:
            steps.append(lambda on_done: self._guard_domains(domains, on_done))
        if spec.record:
            steps.append(self._record)
        if viewport is not None:
            steps.append(lambda on_done: self._resize(viewport, on_done))
        return steps

    def _record(self, on_done: OnDone) -> None:
        self._recording = RecordingClient(self._loop, self._browser.pipe, on_ready=on_done)

    def _guard_domains(self, domains: tuple[str, ...], on_done: OnDone) -> None:
        self._guard = DomainGuard(self._browser.pipe, domains, on_ready=on_done)

    def _resize(self, viewport: Viewport, on_done: OnDone) -> None:
        """Give the first window exactly this size inside."""
        pipe = self._browser.pipe

        def set_size(window: Params | None) -> None:
            size: Params = {"width": viewport.width, "height": viewport.height}
            if window is not None:
                size["windowId"] = window["windowId"]
            pipe.call("Browser.setContentsSize", size, on_result=lambda _: on_done())

        target = next(iter(self._browser.pages.open), "")
        pipe.call("Browser.getWindowForTarget", {"targetId": target}, on_result=set_size)


def _run(steps: list[Step], on_done: OnDone) -> None:
    if steps:
        steps[0](lambda: _run(steps[1:], on_done))
    else:
        on_done()
