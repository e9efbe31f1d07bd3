"""How far a backfill is, and what it has done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PROBLEMS_MAX = 20


@dataclass(frozen=True, slots=True)
class Progress:
    """Items so far, those of earlier runs that this one goes on from included."""

    read: int = 0
    """Items of the entities that were looked at."""
    written: int = 0
    unchanged: int = 0
    """They had everything."""
    newer: int = 0
    """Written by a newer program, and left alone."""
    gone: int = 0
    """Deleted between the look and the write."""
    failed: int = 0
    """Could not be read or written: `problems` has the first of them."""
    conflicts: int = 0
    """How often an item was changed by somebody else before it could be written, and was looked at
    again.
    """
    segments: int = 1
    segments_done: int = 0
    expected: int | None = None
    """About how many items the table has, of all kinds, as the service tells."""

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
    """What a backfill has done. `is_complete` means that every stored item now has what its entity
    says.
    """

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
