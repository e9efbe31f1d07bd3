"""Waiting awake for the next request of an only client that asks again at once.

Going to sleep and being woken costs more than most requests do, and leaves the caches cold. So
after an answer the loop keeps looking for a moment; but only where the wait before was that short,
so that nobody else's pauses are spent on it, and only where the client has a core of its own to run
on meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter

MOMENT_SECONDS = 100e-6


class ShortWaits:
    """Told of every request and every answer of an only client. `soon` runs a function in the
    loop's next turn.
    """

    def __init__(
        self,
        soon: Callable[[Callable[[], None]], object],
        clock: Callable[[], float] = perf_counter,
        cores: int | None = None,
    ) -> None:
        self._soon = soon
        self._clock = clock
        self._spare_core = (cores or os.cpu_count() or 1) > 1
        self._answered = float("-inf")
        self._short = False
        self._until = 0.0
        self._awake = False

    def on_request(self) -> None:
        """A request has come."""
        self._short = self._clock() - self._answered < MOMENT_SECONDS
        self._until = 0.0

    def on_answer(self) -> None:
        """Its answer has gone out."""
        self._answered = self._clock()
        if self._short and self._spare_core:
            self._until = self._answered + MOMENT_SECONDS
            if not self._awake:
                self._awake = True
                self._soon(self._look)

    def _look(self) -> None:
        self._awake = self._clock() < self._until
        if self._awake:
            self._soon(self._look)
