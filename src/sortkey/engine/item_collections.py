"""Item collections: all items under one partition key of a table with local indexes, and AWS's
10 GB limit.

Sizes are stored per partition beside the rows, so that neither the limit nor
ReturnItemCollectionMetrics has to read the partition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.capacity import entry_size
from sortkey.errors import ItemCollectionSizeLimitExceededException
from sortkey.values.attributes import Item
from sortkey.values.keys import partition_of
from sortkey.values.sizes import ITEM_BYTES_MAX, check_item_size

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine
    from sortkey.engine.tables import Table
    from sortkey.engine.writes import Change

GIB = 1024**3


def check_limit(engine: Engine, change: Change) -> None:
    """Refuse a write that grows a collection past the limit."""
    growth = _growth(change)
    if (
        growth > 0
        and change.table.rows.collection(partition_of(change.key)) + growth
        > engine.item_collection_limit_bytes
    ):
        raise ItemCollectionSizeLimitExceededException("Collection size exceeded.")


def check_item_with_entries(table: Table, item: Item, size: int, *, updating: bool) -> None:
    """An item and its entries in all local indexes have at most 400 KB in total."""
    local = table.of_kind("LSI")
    if size * (1 + len(local)) > ITEM_BYTES_MAX:  # no entry is larger than its item
        check_item_size(_bytes(table, item, size), updating=updating)


def account(change: Change) -> None:
    """Update the collection's size after a stored change."""
    growth = _growth(change)
    if growth:
        change.table.rows.grow_collection(partition_of(change.key), growth)


def report(change: Change) -> dict[str, Any]:
    """`ItemCollectionMetrics` as a member to merge into the answer of one write. Empty without
    local indexes.
    """
    return {"ItemCollectionMetrics": metrics(change)} if change.table.has_lsi else {}


def metrics(change: Change) -> dict[str, Any]:
    table = change.table
    gib = change.table.rows.collection(partition_of(change.key)) / GIB
    item = change.new or change.old or change.named or {}
    return {
        "ItemCollectionKey": {name: item[name] for name in table.key.hash if name in item},
        "SizeEstimateRangeGB": [float(int(gib)), float(int(gib) + 1)],
    }


def _growth(change: Change) -> int:
    return _bytes(change.table, change.new, change.new_size) - _bytes(
        change.table, change.old, change.old_size
    )


def _bytes(table: Table, item: Item | None, size: int) -> int:
    if item is None:
        return 0
    return size + sum(entry_size(table, index, item, size) for index in table.of_kind("LSI"))
