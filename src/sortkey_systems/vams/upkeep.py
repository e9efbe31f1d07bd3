"""`Upkeep`: what a server does from time to time, such as removing what has expired."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger("sortkey.vams")

FIRST_SECONDS = 10.0
"""The pause after the start, which has enough to do."""


@dataclass(slots=True)
class _Task:
    name: str
    seconds: float
    function: Callable[[], object]
    due: float = 0.0


class Upkeep:
    """A worker that calls functions at intervals, in one thread. Each may be called by several
    servers at once, so it must be safe to repeat.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tasks: list[_Task] = []
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def every(self, seconds: float, name: str, function: Callable[[], object]) -> None:
        """Call a function at this interval."""
        self._tasks.append(_Task(name, seconds, function))

    def run_due(self) -> list[str]:
        """Call what is due; gives the names. A function that fails is tried at its next time."""
        now, called = self._clock(), list[str]()
        for task in self._tasks:
            if task.due > now or self._stopping.is_set():
                continue
            task.due = now + task.seconds
            called.append(task.name)
            try:
                task.function()
            except Exception:
                log.exception("upkeep failed: %s", task.name)
        return called

    def start(self) -> None:
        """Run in the background until `stop`."""
        self._thread = threading.Thread(target=self._run, name="vams-upkeep", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End after the function that runs."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(30)

    def _run(self) -> None:
        self._stopping.wait(FIRST_SECONDS)
        while not self._stopping.is_set() and self._tasks:
            self.run_due()
            next_due = min(task.due for task in self._tasks)
            self._stopping.wait(max(1.0, next_due - self._clock()))
