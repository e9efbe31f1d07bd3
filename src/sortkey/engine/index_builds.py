"""Filling an index that was added to a table with items, in slices, while requests go on.

Every write since the index was added has set its key. The build handles the older rows. A record
has the progress, written in the slice's transaction, so a build continues after a crash.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from sortkey.engine.tables import Index, Table

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "index_build"
SLICE_ROWS = 500
AT_ONCE_ROWS = 1000
"""The index of a table with at most so many rows is built at once."""

IDLE_SECONDS = 60.0


def add(engine: Engine, table: Table, index: Index) -> Table:
    """Add an index to a table. It is filled here if the table is small, otherwise by `work`."""
    last = table.rows.last_id()
    column = f"x{table.columns_used + 1}"
    index = replace(index, column=column, status="CREATING", backfilling=True, added_later=True)
    table = engine.catalog.save(
        replace(table, indexes=(*table.indexes, index), columns_used=table.columns_used + 1),
    )
    table.rows.add_column(column)
    engine.records.put(KIND, _id(table, index), {"after": 0, "last": last})
    engine.background.wake(work)
    return build(engine, table, index, AT_ONCE_ROWS) if last <= AT_ONCE_ROWS else table


def remove(engine: Engine, table: Table, index: Index) -> Table:
    """Remove an index from a table, even while it is built. Attributes that are no longer keys lose
    their type.
    """
    engine.database.begin()
    table.rows.drop_index(index.column)
    engine.records.delete(KIND, _id(table, index))
    remaining = tuple(other for other in table.indexes if other.name != index.name)
    used = {*table.key.names, *(name for other in remaining for name in other.key.names)}
    types = {name: kind for name, kind in table.types.items() if name in used}
    return engine.catalog.save(replace(table, indexes=remaining, types=types))


def work(engine: Engine) -> float:
    """Do one slice of the first unfinished build."""
    for table in engine.catalog.tables():
        for index in table.indexes:
            if index.backfilling:
                build(engine, table, index, SLICE_ROWS)
                return 0.0
    return IDLE_SECONDS


def build(engine: Engine, table: Table, index: Index, rows: int) -> Table:
    """Set the index key of the next rows; after the last of them the index is active."""
    engine.database.begin()
    progress = engine.records.get(KIND, _id(table, index)) or {
        "after": 0,
        "last": table.rows.last_id(),
    }
    pending = [
        row for row in table.rows.by_id(progress["after"], rows) if row[0] <= progress["last"]
    ]
    if pending:
        encode = table.index_encoders[table.indexes.index(index)]
        table.rows.set_column(
            index.column, [(encode(orjson.loads(item)), id) for id, _, item, _ in pending]
        )
    if len(pending) == rows and pending[-1][0] < progress["last"]:
        engine.records.put(KIND, _id(table, index), {**progress, "after": pending[-1][0]})
        return table
    engine.records.delete(KIND, _id(table, index))
    done = replace(index, status="ACTIVE", backfilling=False)
    return engine.catalog.save(
        replace(table, indexes=tuple(done if other is index else other for other in table.indexes)),
    )


def _id(table: Table, index: Index) -> str:
    return f"{table.number}/{index.column}"
