"""Busy waiting for the next request of a single client that sends requests back to back.

Sleeping and waking costs more than most requests, and leaves the caches cold. So after an answer
the loop keeps polling for a moment. It does so only if the wait before was as short, so that no CPU
is wasted on idle clients, and only if the client has another core to run on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter

MOMENT_SECONDS = 100e-6


class ShortWaits:
    """Observes every request and answer of a single client. `soon` runs a function in the loop's
    next iteration.
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
        """A request has arrived."""
        self._short = self._clock() - self._answered < MOMENT_SECONDS
        self._until = 0.0

    def on_answer(self) -> None:
        """Its answer was sent."""
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
