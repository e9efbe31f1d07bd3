"""The progress and the result of a backfill."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PROBLEMS_MAX = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of items so far, including those of interrupted runs that this one resumes."""

    read: int = 0
    """Items of the entities that were read."""
    written: int = 0
    unchanged: int = 0
    """Items that lacked nothing."""
    newer: int = 0
    """Items of a newer program, which are left alone."""
    gone: int = 0
    """Items deleted between the read and the write."""
    failed: int = 0
    """Items that could not be read or written. `problems` has the first of them."""
    conflicts: int = 0
    """How often an item was changed by others before it could be written, and was read again."""
    segments: int = 1
    segments_done: int = 0
    expected: int | None = None
    """The approximate number of items in the table, of all kinds, as the service reports it."""

    def __str__(self) -> str:
        text = f"{self.read:,} read, {self.written:,} written"
        more = {
            "newer": self.newer,
            "gone": self.gone,
            "failed": self.failed,
            "conflicts": self.conflicts,
        }
        text += "".join(f", {count:,} {name}" for name, count in more.items() if count)
        return f"{text}; {self.segments_done} of {self.segments} segments done"


@dataclass(frozen=True, slots=True)
class Backfilled(Progress):
    """The result of a backfill. `is_complete` means that every stored item is up to date."""

    entities: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    is_resumed: bool = False
    is_dry: bool = False

    @property
    def is_complete(self) -> bool:
        return not self.failed and not self.is_dry

    def to_json(self) -> dict[str, Any]:
        names = ("read", "written", "unchanged", "newer", "gone", "failed", "conflicts", "segments")
        counts = {name: getattr(self, name) for name in names}
        more = {"problems": list(self.problems), "resumed": self.is_resumed, "dry": self.is_dry}
        return {"entities": list(self.entities), **counts, **more}
