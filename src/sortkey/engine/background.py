"""The engine's background work, in slices between requests: expiry, index backfill, trimming,
exports.

A chore is a function of the engine that does a little, commits nothing, and returns after how many
seconds it must be called again. 0 means that there is more to do now.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from sortkey.engine import expiry, index_builds, jobs, retention, transactions

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

Chore = Callable[["Engine"], float]

CHORES: list[Chore] = [
    index_builds.work,
    expiry.work,
    jobs.work,
    retention.trim,
    transactions.trim_tokens,
]
"""In the order in which they run."""

IDLE_SECONDS = 60.0
PAUSE_SECONDS_MIN, PAUSE_SECONDS_MAX = 0.001, 1.0
"""The worker thread's pause between two slices, and the delay until it sees new work."""

log = logging.getLogger("sortkey.engine")


class Background:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._due: dict[Chore, float] = {}

    def wake(self, chore: Chore) -> None:
        """Run this chore at the next opportunity: it has new work."""
        self._due.pop(chore, None)

    def work(self) -> float:
        """Run the chores that are due, and commit. Returns after how many seconds to call again.

        A chore that fails repeats its slice next time. The others run, and then its error is
        raised.
        """
        engine = self._engine
        failure: Exception | None = None
        for chore in CHORES:
            if self._due.get(chore, 0.0) <= engine.clock():
                try:
                    pause = chore(engine)
                    engine.flush()
                except Exception as error:
                    engine.rollback()
                    pause, failure = 0.0, failure or error
                self._due[chore] = engine.clock() + pause
        if failure is not None:
            raise failure
        return min(IDLE_SECONDS, max(0.0, min(self._due.values()) - engine.clock()))


class Worker:
    """A thread for an engine's background work, in a program without an event loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sortkey-background", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread. Unfinished work continues at the next start."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        pause = 0.0
        while not self._stopping.wait(max(PAUSE_SECONDS_MIN, min(pause, PAUSE_SECONDS_MAX))):
            try:
                pause = self._engine.work()
            except Exception:
                log.exception("background work failed and will be retried")
                pause = PAUSE_SECONDS_MAX
