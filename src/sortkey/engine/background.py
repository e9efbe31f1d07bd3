"""What the engine does by itself, in slices between requests: expiry, index backfill, trimming,
exports.

A chore is a function of the engine that does a little, commits nothing and says after how many
seconds it wants to be called again; 0 means that there is more to do right now.
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
"""Of the worker thread: a breath for the program between two slices, and how soon it sees what a
request began.
"""

log = logging.getLogger("sortkey.engine")


class Background:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._due: dict[Chore, float] = {}

    def wake(self, chore: Chore) -> None:
        """There is something to do for this chore: run it at the next opportunity."""
        self._due.pop(chore, None)

    def work(self) -> float:
        """Run what is due, and commit it. Says after how many seconds to come again.

        A chore that fails loses its slice and has it again next time; the others run, and then its
        error is raised.
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
    """A thread that does the background work of an engine in a program that has no event loop to do
    it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sortkey-background", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """What is unfinished is taken up at the next start, from what is stored."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        pause = 0.0
        while not self._stopping.wait(max(PAUSE_SECONDS_MIN, min(pause, PAUSE_SECONDS_MAX))):
            try:
                pause = self._engine.work()
            except Exception:
                log.exception("background work failed; trying again")
                pause = PAUSE_SECONDS_MAX
