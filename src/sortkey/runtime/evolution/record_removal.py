"""Forgets the records about a table's items: imported items may be older."""

from __future__ import annotations

from sortkey.errors import TableMissing
from sortkey.runtime.evolution.state import Run, Stored
from sortkey.runtime.store import Store


def forget_backfills(store: Store, table: str) -> None:
    """Forget earlier backfills of a table. An unfinished one starts again from the beginning."""
    try:
        noted = store.query(Stored.of_table(table=table).consistent())
    except TableMissing:
        return
    for stored in noted:
        store.delete(stored)
    for run in store.scan(Run):
        if run.table == table and not run.is_done:
            store.put(run.changed(is_done=True, lease=run.lease + 1), when=Run.lease == run.lease)
