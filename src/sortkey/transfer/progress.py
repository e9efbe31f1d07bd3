"""The progress of a transfer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TransferProgress:
    """One part of a transfer. `total` is None if it is unknown. On AWS the count of a table is some
    hours old.
    """

    title: str
    done: int
    total: int | None = None
    unit: str = "items"


OnProgress = Callable[[TransferProgress], object]


def no_progress(progress: TransferProgress) -> None:
    """No-op callback."""


class Tracker:
    """Counts and reports the progress of one part."""

    def __init__(
        self, on_progress: OnProgress, title: str, total: int | None = None, unit: str = "items"
    ) -> None:
        self._on_progress, self._title, self._total, self._unit = on_progress, title, total, unit
        self._done = 0
        self.advance(0)

    def advance(self, count: int) -> None:
        self._done += count
        self._on_progress(TransferProgress(self._title, self._done, self._total, self._unit))
