"""Time to live: deletes the items whose instant has passed, in slices, through the one write path.

The instants are a column of the rows. When TTL is enabled on a table with items, the column is
filled in slices. A record has the progress, like for index builds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import orjson

from sortkey.engine import writes
from sortkey.engine.tables import Table
from sortkey.storage.journal import TTL
from sortkey.values.attributes import Item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "expiry_build"
DELAY_KIND = "expiry_delay"
SLICE_ROWS = 500
PAUSE_SECONDS = 1.0
OLDEST_SECONDS = 5 * 365 * 86400
"""AWS ignores instants more than five years ago, which guards against wrong units."""


def enable(engine: Engine, table: Table, attribute: str) -> Table:
    table = engine.catalog.save(replace(table, ttl_attribute=attribute))
    table.rows.index_expiry()
    engine.records.put(KIND, str(table.number), {"after": 0, "last": table.rows.last_id()})
    engine.background.wake(work)
    return table


def disable(engine: Engine, table: Table) -> Table:
    """Turn TTL off. The column stays: nothing reads it, and the next `enable` rewrites it."""
    engine.database.begin()
    engine.records.delete(KIND, str(table.number))
    return engine.catalog.save(replace(table, ttl_attribute=None))


def delay(engine: Engine, table_name: str, seconds: int) -> None:
    """Delete the items of a table so many seconds after their instant, since AWS is late too. This
    is stored with the table.
    """
    with engine.lock:
        table = engine.catalog.table(table_name)
        engine.database.begin()
        engine.records.put(DELAY_KIND, str(table.number), {"seconds": seconds})
        engine.flush()


def work(engine: Engine) -> float:
    """Do one slice per table with TTL: first its column, then its expired items."""
    busy = [
        _fill(engine, table) or _expire(engine, table)
        for table in engine.catalog.tables()
        if table.ttl_attribute
    ]
    return 0.0 if any(busy) else PAUSE_SECONDS


def _fill(engine: Engine, table: Table) -> bool:
    """Read the instants of the next rows. Nothing expires before this is done."""
    progress = engine.records.get(KIND, str(table.number))
    if progress is None:
        return False
    engine.database.begin()
    rows = [
        row for row in table.rows.by_id(progress["after"], SLICE_ROWS) if row[0] <= progress["last"]
    ]
    attribute = table.ttl_attribute or ""
    table.rows.set_column(
        "expires", [(writes.expiry(orjson.loads(item), attribute), id) for id, _, item, _ in rows]
    )
    if len(rows) < SLICE_ROWS:
        engine.records.delete(KIND, str(table.number))
        return False
    engine.records.put(KIND, str(table.number), {**progress, "after": rows[-1][0]})
    return True


def _expire(engine: Engine, table: Table) -> bool:
    if table.status != "ACTIVE":
        return False
    delayed = engine.records.get(DELAY_KIND, str(table.number))
    now = int(engine.clock()) - (delayed["seconds"] if delayed else 0)
    keys = table.rows.expired(now - OLDEST_SECONDS, now, SLICE_ROWS)
    for key in keys:
        change = writes.prepare(engine, writes.Write(table, key, _nothing))
        writes.store(engine, change, actor=TTL)
    return len(keys) == SLICE_ROWS


def _nothing(old: Item | None) -> None:
    return None
