"""Builds an index anew beside the one that answers, then puts it in its place. Searches and writes
go on meanwhile.

It can be taken up again: a run that was cut off goes on where it was, also in another process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sortkey.runtime.search.reconciliation import Drift, reconcile
from sortkey.runtime.search.search import Search
from sortkey.runtime.search.sources import Source

T = TypeVar("T")
NOTED_PAGES = 20
"""After so many pages of the source the progress is noted: that waits for the disk."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What was done: how many documents this run has written, and what had changed meanwhile."""

    written: int
    caught_up: Drift
    last_look: Drift


def reindex(
    search: Search[T], source: Source[T], *, told: Callable[[int], object] = lambda count: None
) -> Reindexed:
    """Fill a new index from the source, catch up, and put it in the place of the present one.

    Writes of this program go to both; those of others are caught up with, the last of them right
    after the change of place. `told` hears how many documents have been written so far.
    """
    built = search.beside()
    written = _fill(built, source, told)
    caught_up = reconcile(built, source)
    search.replace_with(built)
    return Reindexed(written, caught_up, reconcile(search, source))


def _fill(built: Search[T], source: Source[T], told: Callable[[int], object]) -> int:
    noted: Any = built.index.noted()
    if noted is not None and noted["position"] is None:
        return 0  # filled already, and cut off behind that
    count = 0
    for number, page in enumerate(source.pages(None if noted is None else noted["position"]), 1):
        count += built.put(*page.entities).written
        if page.position is None or number % NOTED_PAGES == 0:
            built.index.note({"position": page.position})
        told(count)
    return count
