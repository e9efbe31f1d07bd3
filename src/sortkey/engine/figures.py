"""How many items a table and its indexes hold, and their bytes. AWS refreshes these figures about
every six hours.

Here they are exact while counting is fast. Counting a big table is slow, so its last figures are
reused for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import orjson

from sortkey.engine.capacity import entry_size
from sortkey.engine.tables import Index, Table

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

QUICK_SECONDS = 0.05
STALE_SECONDS = 6 * 3600
SAMPLE = 2000
"""How many entries of an index with a projection are measured. The rest is extrapolated."""


@dataclass(frozen=True, slots=True)
class Figures:
    count: int
    size: int
    indexes: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def index(self, name: str) -> tuple[int, int]:
        return self.indexes.get(name, (0, 0))


@dataclass(frozen=True, slots=True)
class _Counted:
    indexes: tuple[Index, ...]
    figures: Figures
    changes: int
    at: float
    count_seconds: float


class Counts:
    """The figures of the tables that were described."""

    def __init__(self, timer: Callable[[], float] = time.perf_counter) -> None:
        self._timer = timer
        self._cache: dict[int, _Counted] = {}

    def of(self, engine: Engine, table: Table) -> Figures:
        cached = self._cache.get(table.number)
        if cached is not None and cached.indexes == table.indexes and _still_good(engine, cached):
            return cached.figures
        began = self._timer()
        figures = _count(table)
        count_seconds = self._timer() - began
        self._cache[table.number] = _Counted(
            table.indexes, figures, engine.database.changes, engine.clock(), count_seconds
        )
        return figures


def _still_good(engine: Engine, cached: _Counted) -> bool:
    if cached.changes == engine.database.changes:
        return True
    return cached.count_seconds > QUICK_SECONDS and 0 <= engine.clock() - cached.at < STALE_SECONDS


def _count(table: Table) -> Figures:
    count, size = table.rows.totals()
    return Figures(
        count, size, {index.name: _count_index(table, index) for index in table.indexes if count}
    )


def _count_index(table: Table, index: Index) -> tuple[int, int]:
    count, size = table.rows.index_totals(index.column)
    if index.projects_all or not count:
        return count, size
    sampled = [
        entry_size(table, index, orjson.loads(item), item_size)
        for _, _, item, item_size in islice(table.rows.index_range(index.column, b"", None), SAMPLE)
    ]
    return count, sum(sampled) * count // len(sampled)
