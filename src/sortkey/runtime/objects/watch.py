"""Buckets whose changes can be followed, by whichever program they were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sortkey.runtime.objects import PAGE_SIZE, ObjectVersion


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """A version or delete marker that was added to a bucket, and its position among all of them."""

    position: int
    version: ObjectVersion


@runtime_checkable
class WatchedObjects(Protocol):
    """A bucket that can tell what was added to it. One in a folder can; S3 sends events instead."""

    def changes(self, after: int = 0, limit: int = PAGE_SIZE) -> Sequence[ObjectChange]:
        """What was added after a position, in order. What was removed again in between is left
        out.
        """
        ...
