"""Recent changes in all tables that have a journal, to show to people. Programs use streams."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from sortkey.engine.engine import Engine
from sortkey.storage.journal import TTL
from sortkey.values.attributes import Item


@dataclass(frozen=True, slots=True)
class RecentChange:
    """One change of one item. `old` is None for a new item, `new` for a deleted one."""

    number: int
    at: float
    table: str
    old: Item | None
    new: Item | None
    expired: bool


def recent_changes(
    engine: Engine, after: int = 0, limit: int = 100, table_name: str | None = None
) -> list[RecentChange]:
    """The newest changes with a number above `after`, newest first: those of one table, or
    of all.
    """
    with engine.lock:
        names = {table.number: table.name for table in engine.catalog.tables()}
        number = next((number for number, name in names.items() if name == table_name), None)
        if table_name is not None and number is None:
            return []
        entries = engine.journal.newest(after, limit, number)
    return [
        RecentChange(
            entry.seq,
            entry.at_ms / 1000,
            names[table],
            orjson.loads(entry.old) if entry.old else None,
            orjson.loads(entry.new) if entry.new else None,
            entry.actor == TTL,
        )
        for table, entry in entries
        if table in names
    ]
