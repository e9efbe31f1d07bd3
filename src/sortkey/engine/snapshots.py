"""A copy of a table as of one point of the journal, made while the table keeps changing.

The rows are copied in their current state. Then the journal is undone from the end of the copying
back to that point. A key that did not change since is already right. One that did gets its old
value from the journal.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from sortkey.engine.tables import Table
from sortkey.storage.rows import Rows
from sortkey.values.sizes import item_size

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

SLICE_ROWS = 1000
SLICE_BYTES = 4 * 1024 * 1024


@dataclass
class Snapshot:
    """The progress of a copy. `cut` is the last sequence number that it includes, `rows` the id of
    its rows.
    """

    source: int
    cut: int
    rows: int
    copied: int = 0
    undo_below: int | None = None
    done: bool = False

    def to_state(self) -> dict[str, Any]:
        return asdict(self)


def begin(engine: Engine, table: Table, cut: int) -> Snapshot:
    """Start a copy of the table as of `cut`. The table's changes are journaled until it is done."""
    engine.database.begin()
    snapshot = Snapshot(table.number, cut, engine.catalog.next_number())
    rows_of(engine, snapshot.rows).create()
    engine.catalog.save(replace(table, copies=table.copies + 1))
    return snapshot


def advance(engine: Engine, snapshot: Snapshot) -> bool:
    """Do a slice. Returns whether the copy is complete."""
    if snapshot.done:
        return True
    if snapshot.undo_below is None:
        _copy(engine, snapshot)
    else:
        _undo(engine, snapshot, snapshot.undo_below)
    if snapshot.done:
        _release(engine, snapshot)
    return snapshot.done


def rows_of(engine: Engine, number: int) -> Rows:
    return Rows(engine.database, number, [])


def _copy(engine: Engine, snapshot: Snapshot) -> None:
    source = engine.catalog.by_number(snapshot.source)
    assert source is not None  # tables are deleted only after their copies are done
    target = rows_of(engine, snapshot.rows)
    count = total = 0
    for id, key, item, size in source.rows.walk(snapshot.copied):
        target.put(key, item, size, None, ())
        snapshot.copied = id
        count, total = count + 1, total + len(item)
        if count >= SLICE_ROWS or total >= SLICE_BYTES:
            return
    snapshot.undo_below = engine.journal.last + 1


def _undo(engine: Engine, snapshot: Snapshot, below: int) -> None:
    """Newest first, so that the oldest change after the cut wins."""
    target = rows_of(engine, snapshot.rows)
    total = 0
    for entry in engine.journal.walk_back(snapshot.source, snapshot.cut, below):
        if entry.old is None:
            target.delete(entry.key)
        else:
            target.put(entry.key, entry.old, item_size(orjson.loads(entry.old)), None, ())
        snapshot.undo_below = entry.seq
        total += 4096 + len(entry.old or b"")
        if total >= SLICE_BYTES:
            return
    snapshot.done = True


def _release(engine: Engine, snapshot: Snapshot) -> None:
    table = engine.catalog.by_number(snapshot.source)
    if table is not None:
        engine.catalog.save(replace(table, copies=table.copies - 1))
