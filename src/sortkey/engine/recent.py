"""What changed lately, in any table that keeps a journal: for people who watch. Programs use streams."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from sortkey.engine.engine import Engine
from sortkey.storage.journal import TTL
from sortkey.values.attributes import Item


@dataclass(frozen=True, slots=True)
class RecentChange:
    """One change of one item. `old` or `new` is None where there was, or is, none."""

    number: int
    at: float
    table: str
    old: Item | None
    new: Item | None
    expired: bool


def recent_changes(engine: Engine, after: int = 0, limit: int = 100) -> list[RecentChange]:
    """The newest changes with a number above `after`, the newest first."""
    with engine.lock:
        found = engine.journal.newest(after, limit)
        names = {each.number: each.name for each in engine.catalog.tables()}
    return [
        RecentChange(
            entry.seq,
            entry.at_ms / 1000,
            names[table],
            orjson.loads(entry.old) if entry.old else None,
            orjson.loads(entry.new) if entry.new else None,
            entry.actor == TTL,
        )
        for table, entry in found
        if table in names
    ]
