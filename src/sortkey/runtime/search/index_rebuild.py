"""Builds a new index while the current one answers, then replaces it. Searches and writes go on
meanwhile.

An interrupted run resumes where it stopped, also in another process.
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
"""Pages of the source between two saves of the progress. A save waits for the disk."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """How many documents this run has written, and what had changed in the meantime."""

    written: int
    caught_up: Drift
    final_check: Drift


def reindex(
    search: Search[T],
    source: Source[T],
    *,
    on_progress: Callable[[int], object] = lambda count: None,
    on_replaced: Callable[[], object] = lambda: None,
) -> Reindexed:
    """Fill a new index from the source, catch up with changes, and replace the current index.

    Writes of this program go to both indexes. Writes of other programs are picked up by two
    comparisons, one before and one right after the replacement. The first is left out while the
    current index is incomplete and has nothing to protect. `on_progress` is called with the number
    of documents written so far, `on_replaced` when the new index answers.
    """
    is_first = search.index.noted() is None
    built = search.replacement()
    written = _fill(built, source, on_progress)
    caught_up = Drift() if is_first else reconcile(built, source)
    search.replace_with(built)
    on_replaced()
    return Reindexed(written, caught_up, _finish(search, source))


def finish_reindex(search: Search[T], source: Source[T]) -> Drift | None:
    """Make the last comparison of a run that was interrupted before it. None if there was none."""
    progress: Any = search.index.noted()
    if progress is None or progress.get("is_compared", True):
        return None
    return _finish(search, source)


def _finish(search: Search[T], source: Source[T]) -> Drift:
    drift = reconcile(search, source)
    search.index.note({"position": None, "is_compared": True})
    return drift


def _fill(built: Search[T], source: Source[T], on_progress: Callable[[int], object]) -> int:
    progress: Any = built.index.noted()
    if progress is not None and progress["position"] is None:
        return 0  # an earlier run filled it, and was interrupted after that
    count = 0
    for number, page in enumerate(source.pages(progress and progress["position"]), 1):
        count += built.put(*page.entities).written
        if page.position is None or number % NOTED_PAGES == 0:
            built.index.note({"position": page.position, "is_compared": False})
        on_progress(count)
    return count
