"""Runs the recorder of a session as one more client of its browser, with sessions of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from sortkey_systems.wallcrawler.browsers.local.cdp_pipe import CdpPipe, Params
from sortkey_systems.wallcrawler.browsers.local.event_loop import EventLoop, Timer
from sortkey_systems.wallcrawler.recording.recorder import Recorder

FOLDER = "recording"
_WANTED = frozenset(
    {
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Target.targetInfoChanged",
        "Page.screencastFrame",
    }
)


class RecordingClient:
    """Gives the recorder its messages and calls it when something is due.

    `on_ready` is called when the pages that are open are recorded.
    """

    def __init__(self, loop: EventLoop, pipe: CdpPipe, on_ready: Callable[[], None]) -> None:
        self._loop, self._pipe, self._on_ready = loop, pipe, on_ready
        self._root: str | None = None
        self._unanswered = 0
        self._timer: Timer | None = None
        self._recorder = Recorder(Path(FOLDER), self._send)
        pipe.call("Target.attachToBrowserTarget", on_result=self._attached)

    def on_event(self, method: str, message: bytes, session: str) -> None:
        if method not in _WANTED:
            return
        event: Params = json.loads(message)
        if method == "Target.attachedToTarget":
            self._pipe.owners[event["params"]["sessionId"]] = self
        elif method == "Target.detachedFromTarget":
            self._pipe.forget(event["params"]["sessionId"])
        if session != self._root:
            event["sessionId"] = session
        self._recorder.receive(event, time.time())
        self._tick()

    def close(self) -> None:
        """Complete the files."""
        self._recorder.close(time.time())

    def _attached(self, result: Params | None) -> None:
        if result is None:
            return  # Chromium is gone, which ends the session
        self._root = result["sessionId"]
        self._pipe.owners[result["sessionId"]] = self
        self._recorder.start()

    def _send(self, method: str, params: Params, session: str | None) -> None:
        self._unanswered += 1
        self._pipe.call(
            method, params, session=session or self._root, on_result=lambda _: self._answered()
        )

    def _answered(self) -> None:
        """The first time that nothing is left to answer, the open pages are recorded."""
        self._unanswered -= 1
        if self._unanswered == 0:
            on_ready, self._on_ready = self._on_ready, lambda: None
            on_ready()

    def _tick(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        seconds = self._recorder.tick(time.time())
        self._timer = None if seconds is None else self._loop.after(max(seconds, 0.001), self._tick)
