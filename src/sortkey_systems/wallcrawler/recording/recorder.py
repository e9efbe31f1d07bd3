"""Records the pages of a browser: CDP messages in, CDP commands and frames on disk out. It owns no
connection.

The holder runs it as one more client of the browser: it passes on what that client receives, sends
what the recorder sends, and calls `tick` when something is due. Only the standard library.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.recording.frames import (
    BYTES_MAX,
    PAGES_AT_ONCE_MAX,
    PAGES_MAX,
    PageWriter,
)

Send = Callable[[str, dict[str, Any], "str | None"], object]
"""(method, params, session id); the answer is not waited for."""

FRAMES_PER_SECOND = 5
QUALITY = 60
SIZE_MAX = 1280
IN_FLIGHT_MAX = 2
"""Frames that Chromium sends ahead of their acknowledgement. What it draws meanwhile is never sent.
"""
SETTLE_SECONDS = 0.4

START = {
    "format": "jpeg",
    "quality": QUALITY,
    "maxWidth": SIZE_MAX,
    "maxHeight": SIZE_MAX,
    "everyNthFrame": 1,
}
AUTO_ATTACH = {
    "autoAttach": True,
    "waitForDebuggerOnStart": False,
    "flatten": True,
    "filter": [{"type": "page"}],
}
DISCOVER = {"discover": True, "filter": [{"type": "page"}]}
"""Says where pages go."""


class _Page:
    """A page that is recorded, by the CDP session of the recorder in it."""

    __slots__ = (
        "frame_at",
        "has_gap",
        "released_at",
        "target_id",
        "unacknowledged",
        "url",
        "writer",
    )

    def __init__(self, writer: PageWriter, target_id: str, url: str) -> None:
        self.writer, self.target_id, self.url = writer, target_id, url
        self.unacknowledged: list[int] = []
        self.released_at = self.frame_at = 0.0
        self.has_gap = False


class Recorder:
    """Writes the pages of one browser into a folder. Times are in seconds since 1970.

        recorder = Recorder(folder, send)
        recorder.start()
        recorder.receive(message, now)       # every message of its client
        seconds = recorder.tick(now)         # when to call it again; None: after a message
        recorder.close(now)

    Frames are acknowledged at the pace at which they are wanted, so Chromium encodes no others.
    """

    def __init__(
        self,
        folder: Path,
        send: Send,
        *,
        fps: float = FRAMES_PER_SECOND,
        bytes_max: int = BYTES_MAX,
    ) -> None:
        self._folder, self._send = folder, send
        self._period = 1 / fps
        self._bytes_left = bytes_max
        self._pages: dict[str, _Page] = {}
        self._opened = sum(1 for path in folder.glob("*") if path.name.isdecimal())

    def start(self) -> None:
        """Attach to every page, now and later. No page waits for the recorder."""
        self._send("Target.setAutoAttach", AUTO_ATTACH, None)
        self._send("Target.setDiscoverTargets", DISCOVER, None)

    def receive(self, message: dict[str, Any], now: float) -> None:
        """Take one message of the recorder's client. Answers and unknown events are ignored."""
        params: dict[str, Any] = message.get("params", {})
        match message.get("method"):
            case "Target.attachedToTarget":
                self._attached(params["sessionId"], params["targetInfo"], now)
            case "Target.detachedFromTarget":
                self._end(params["sessionId"], now, "closed")
            case "Target.targetInfoChanged":
                self._changed(params["targetInfo"], now)
            case "Page.screencastFrame":
                self._frame(message.get("sessionId", ""), params, now)
            case _:
                pass

    def tick(self, now: float) -> float | None:
        """Do what is due. Says after how many seconds the next thing is; None if nothing waits."""
        waits = [
            wait
            for session, page in self._pages.items()
            if (wait := self._pace(session, page, now)) is not None
        ]
        return min(waits, default=None)

    def close(self, now: float) -> None:
        """End every page. Closing twice is fine."""
        for session in list(self._pages):
            self._end(session, now, "ended")

    # -- pages

    def _attached(self, session: str, target: dict[str, Any], now: float) -> None:
        is_full = len(self._pages) >= PAGES_AT_ONCE_MAX or self._opened >= PAGES_MAX
        if target.get("type") != "page" or is_full or self._bytes_left <= 0:
            return
        try:
            writer = PageWriter(self._folder / str(self._opened), target["targetId"], _ms(now))
            writer.navigated(target.get("url", ""), _ms(now))
        except OSError:
            return  # a full disk ends the recording, not the session
        self._opened += 1
        self._pages[session] = _Page(writer, target["targetId"], target.get("url", ""))
        # Without Page.enable: whoever has that on is asked about dialogs, and can answer them.
        self._send("Page.startScreencast", START, session)

    def _changed(self, target: dict[str, Any], now: float) -> None:
        url = target.get("url", "")
        changed = [
            session
            for session, page in self._pages.items()
            if page.target_id == target["targetId"] and page.url != url
        ]
        for session in changed:
            self._pages[session].url = url
            try:
                self._pages[session].writer.navigated(url, _ms(now))
            except OSError:
                self._end(session, now, "disk full")

    def _end(self, session: str, now: float, reason: str) -> None:
        page = self._pages.pop(session, None)
        if page is None:
            return
        with suppress(OSError):  # what is written stays readable
            page.writer.close(_ms(now), reason)

    # -- frames

    def _frame(self, session: str, params: dict[str, Any], now: float) -> None:
        page = self._pages.get(session)
        if page is None:
            return
        image = b64decode(params["data"])
        about: dict[str, Any] = params.get("metadata", {})
        self._bytes_left -= len(image)
        if self._bytes_left <= 0:
            self._stop(session, now, "size limit")
            return
        shown_ms = _ms(about.get("timestamp") or now)
        try:
            page.writer.frame(
                image, shown_ms, int(about.get("deviceWidth", 0)), int(about.get("deviceHeight", 0))
            )
        except OSError:
            self._stop(session, now, "disk full")
            return
        page.frame_at = now
        page.unacknowledged.append(params["sessionId"])
        page.has_gap = page.has_gap or len(page.unacknowledged) >= IN_FLIGHT_MAX
        self._pace(session, page, now)

    def _stop(self, session: str, now: float, reason: str) -> None:
        self._send("Page.stopScreencast", {}, session)
        self._end(session, now, reason)

    def _pace(self, session: str, page: _Page, now: float) -> float | None:
        """Acknowledge a frame if it is time; ask for the current image once a busy page
        is quiet.
        """
        if page.unacknowledged:
            wait = page.released_at + self._period - now
            if wait > 0:
                return wait
            self._send(
                "Page.screencastFrameAck", {"sessionId": page.unacknowledged.pop(0)}, session
            )
            page.released_at = now
            return self._period
        if not page.has_gap:
            return None
        wait = max(page.frame_at, page.released_at) + SETTLE_SECONDS - now
        if wait > 0:
            return wait
        page.has_gap = False
        self._send("Page.stopScreencast", {}, session)
        self._send("Page.startScreencast", START, session)
        return None


def _ms(seconds: float) -> int:
    return int(seconds * 1000)
