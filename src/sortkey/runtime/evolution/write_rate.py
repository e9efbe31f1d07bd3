"""Limits the rate of writes, and retries throttled requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sortkey.errors import Throttled
from sortkey.runtime.context import Context
from sortkey.runtime.steps import Sleep, Steps

T = TypeVar("T")


class Pace:
    """Keeps the writes of one segment below a rate. Without a rate it never waits."""

    def __init__(self, clock: Callable[[], float], per_second: float | None) -> None:
        self._clock, self._between = clock, 0.0 if per_second is None else 1 / per_second
        self._free_at = clock()
        self._slept = 0.0
        """The time of the next write, kept apart from the clock: that of a test stands still."""

    def wait(self) -> Steps[None]:
        """Wait after a write until the next one is due."""
        if not self._between:
            return
        now = self._clock() + self._slept
        self._free_at = max(now, self._free_at) + self._between
        pause = self._free_at - now
        before = self._clock()
        yield Sleep(pause)
        self._slept += max(pause - (self._clock() - before), 0.0)


def patiently(context: Context, steps: Callable[[], Steps[T]]) -> Steps[T]:
    """Retry steps after growing pauses, while the service throttles."""
    for attempt in range(context.batch_attempts - 1):
        try:
            return (yield from steps())
        except Throttled:
            yield Sleep(context.pause(attempt))
    return (yield from steps())
