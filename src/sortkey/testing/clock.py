"""A clock for tests."""

from __future__ import annotations


class FrozenClock:
    """A clock that stands still until it is advanced."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
