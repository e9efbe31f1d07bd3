"""What a request costs, by AWS's published rules: 4 KB per read unit, 1 KB per write unit, plus the
indexes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sortkey.engine.tables import Index, Table
from sortkey.values.attributes import Item
from sortkey.values.sizes import item_size

if TYPE_CHECKING:
    from sortkey.engine.writes import Change

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024


def read_units(size: int, consistent: bool) -> float:
    """One per 4 KB, rounded up, at least one. Half for an eventually consistent read."""
    units = max(1, -(-size // READ_UNIT_BYTES))
    return float(units) if consistent else units / 2


def write_units(size: int) -> float:
    return float(max(1, -(-size // WRITE_UNIT_BYTES)))


def entry(table: Table, index: Index, item: Item | None) -> Item | None:
    """The part of an item that an index holds, or None if the item is not in the index."""
    if item is None or any(name not in item for name in index.key.names):
        return None
    names = table.projected_names(index)
    return item if names is None else {name: value for name, value in item.items() if name in names}


def entry_size(table: Table, index: Index, item: Item, size: int) -> int:
    entry_item = entry(table, index, item)
    if entry_item is None:
        return 0
    return size if entry_item is item else item_size(entry_item)


def index_write_units(table: Table, index: Index, old: Item | None, new: Item | None) -> float:
    """An index is written once, twice if the item moves in it, or not at all without a change."""
    before, after = entry(table, index, old), entry(table, index, new)
    if before == after:
        return 0.0
    if before is None or after is None:
        return write_units(item_size(before or after or {}))
    if all(before[name] == after[name] for name in index.key.names):
        return write_units(max(item_size(before), item_size(after)))
    return write_units(item_size(before)) + write_units(item_size(after))


def arns_by_name(table_names: Iterable[str]) -> dict[str, str]:
    """The tables that a request names by ARN: AWS then answers with the ARN."""
    return {name.rpartition("/")[2]: name for name in table_names if name.startswith("arn:")}


class Meter:
    """Adds up what a request consumes, by table and index, and reports it as requested."""

    def __init__(
        self, mode: str | None, table_names: Iterable[str] = (), *, transactional: bool = False
    ) -> None:
        self.on = mode in ("TOTAL", "INDEXES")
        self._arns = arns_by_name(table_names) if self.on else {}
        self._by_index = mode == "INDEXES"
        self._transactional = transactional
        self._tables: dict[str, _Units] = {}

    def read(self, table: Table, units: float, index: Index | None = None) -> None:
        if self.on:
            self._of(table).add("Read", index, units * 2 if self._transactional else units)

    def write(self, change: Change) -> None:
        """The table by the larger of the two items, each index by what changed in it.

        A transaction pays twice for the table and once for its indexes: only the table is prepared
        and committed.
        """
        if not self.on:
            return
        table, factor = change.table, 2 if self._transactional else 1
        units = self._of(table)
        units.add("Write", None, factor * write_units(max(change.old_size, change.new_size)))
        for index in table.indexes:
            used = index_write_units(table, index, change.old, change.new)
            if used:
                units.add("Write", index, used)

    def write_size(self, table: Table, size: int) -> None:
        """A write without index writes: a failed or empty one."""
        if self.on:
            self._of(table).add(
                "Write", None, (2 if self._transactional else 1) * write_units(size)
            )

    def report(self) -> dict[str, Any]:
        """`ConsumedCapacity` of a request on one table, as a member to merge into the answer. Empty
        if not requested.
        """
        all_reports = self._reports()
        return {"ConsumedCapacity": all_reports[0]} if all_reports else {}

    def report_list(self) -> dict[str, Any]:
        """The same for a request on many tables."""
        return {"ConsumedCapacity": self._reports()} if self.on else {}

    def _of(self, table: Table) -> _Units:
        return self._tables.setdefault(table.name, _Units(self._arns.get(table.name, table.name)))

    def _reports(self) -> list[dict[str, Any]]:
        return [
            units.report(self._by_index, self._transactional) for units in self._tables.values()
        ]


OFF = Meter(None)
"""For requests that do not ask for capacity. It counts nothing, so all share one."""


class _Units:
    def __init__(self, table: str) -> None:
        self._table = table
        self._own = {"Read": 0.0, "Write": 0.0}
        self._indexes: dict[tuple[str, str], dict[str, float]] = {}

    def add(self, side: str, index: Index | None, units: float) -> None:
        if index is None:
            self._own[side] += units
        else:
            entry_item = self._indexes.setdefault(
                (index.kind, index.name), {"Read": 0.0, "Write": 0.0}
            )
            entry_item[side] += units

    def report(self, by_index: bool, by_side: bool) -> dict[str, Any]:
        everything = [self._own, *self._indexes.values()]
        total = {side: sum(units[side] for units in everything) for side in ("Read", "Write")}
        report: dict[str, Any] = {"TableName": self._table, **_figures(total, by_side)}
        if by_index:
            report["Table"] = _figures(self._own, by_side)
            for kind, member in (
                ("LSI", "LocalSecondaryIndexes"),
                ("GSI", "GlobalSecondaryIndexes"),
            ):
                entry_item = {
                    name: _figures(units, by_side)
                    for (k, name), units in self._indexes.items()
                    if k == kind
                }
                if entry_item:
                    report[member] = entry_item
        return report


def _figures(units: dict[str, float], by_side: bool) -> dict[str, float]:
    """Transactions report the read or write units as well as their sum."""
    figures = {"CapacityUnits": units["Read"] + units["Write"]}
    if by_side:
        figures.update({f"{side}CapacityUnits": units[side] for side in units if units[side]})
    return figures
