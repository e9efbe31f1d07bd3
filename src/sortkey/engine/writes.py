"""The only place that writes items. Reads the old item, applies a pure function, then writes item,
indexes and journal.

`prepare` finds everything that can fail before anything is written; `store` writes. A transaction
prepares all of its writes before it stores any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from sortkey.engine import item_collections
from sortkey.engine.tables import Table
from sortkey.storage.journal import USER
from sortkey.values.attributes import Item
from sortkey.values.sizes import attributes_size, check_item_size, item_size

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


@dataclass(slots=True)
class Write:
    """One item to write. `apply` takes the old item and returns the new one, both perhaps None. It
    may raise.
    """

    table: Table
    key: bytes
    apply: Callable[[Item | None], Item | None]
    reads_old: bool = True
    """Whether `apply` or the caller needs the old item."""
    size: int | None = None
    """The new item's size, if it is known."""
    checks_only: bool = False
    """Store nothing: the condition check of a transaction."""
    named: Item | None = None
    """The request's key, for a write that may find and leave no item."""
    touches: frozenset[str] | None = None
    """The top-level attributes that `apply` may change in an existing item, None for any."""
    check: Callable[[], None] | None = None
    """Further checks against the table, before any item is read: keys of indexes, paths in
    expressions.
    """


Bind = Callable[["Engine"], Write]
"""A request that was checked by itself. Binding finds its table and checks it against the table's
keys.
"""


@dataclass(slots=True)
class Change:
    """The effect of a write."""

    table: Table
    key: bytes
    old_bytes: bytes | None
    old_size: int
    old: Item | None
    new: Item | None
    new_size: int
    named: Item | None = None
    touches: frozenset[str] | None = None


def write(engine: Engine, item_write: Write) -> Change:
    """Read, apply and store one write."""
    change = prepare(engine, item_write)
    store(engine, change)
    return change


def prepare(engine: Engine, item_write: Write) -> Change:
    """The effect of a write, without writing. Raises what `apply` raises."""
    table = item_write.table
    if item_write.check is not None:
        item_write.check()
    old_bytes, old_size, old = None, 0, None
    if item_write.reads_old or table.journaled or table.has_lsi:
        row = table.rows.get(item_write.key)
        if row is not None:
            old_bytes, old_size = row
            if item_write.reads_old or table.has_lsi:
                old = orjson.loads(old_bytes)
    new = item_write.apply(old)
    new_size = 0
    if new is not None:
        new_size = item_write.size
        if new_size is None:
            if old is None or item_write.touches is None:
                new_size = item_size(new)
            else:
                new_size = (
                    old_size
                    + attributes_size(new, item_write.touches)
                    - attributes_size(old, item_write.touches)
                )
            check_item_size(new_size, updating=True)
    change = Change(
        table,
        item_write.key,
        old_bytes,
        old_size,
        old,
        new,
        new_size,
        item_write.named,
        item_write.touches,
    )
    if table.has_lsi:
        if new is not None and not item_write.checks_only:
            item_collections.check_item_with_entries(
                table, new, new_size, updating=item_write.size is None
            )
        item_collections.check_limit(engine, change)
    return change


def store(engine: Engine, change: Change, actor: int = USER) -> None:
    """Write the change into the open transaction: the item with its index keys, and the journal."""
    engine.database.begin()
    table, new = change.table, change.new
    new_bytes = None
    if new is None:
        table.rows.delete(change.key)
    else:
        new_bytes = orjson.dumps(new)
        expires = None if table.ttl_attribute is None else expiry(new, table.ttl_attribute)
        if change.old is not None and _stays_in_indexes(table, change.touches, change.old, new):
            table.rows.replace(change.key, new_bytes, change.new_size, expires)
        else:
            index_keys = [encode(new) for encode in table.index_encoders]
            table.rows.put(change.key, new_bytes, change.new_size, expires, index_keys)
    if table.has_lsi:
        item_collections.account(change)
    if table.journaled and not _same(change, new_bytes):
        engine.journal.append(
            table.number, int(engine.clock() * 1000), change.key, change.old_bytes, new_bytes, actor
        )


def load(
    engine: Engine, table: Table, key: bytes, item: Item, item_bytes: bytes, size: int
) -> None:
    """Put an item of a restore or an import into a table that is not in use yet, without condition
    and journal.
    """
    engine.database.begin()
    expires = None if table.ttl_attribute is None else expiry(item, table.ttl_attribute)
    table.rows.put(
        key, item_bytes, size, expires, [encode(item) for encode in table.index_encoders]
    )
    if table.has_lsi:
        item_collections.account(Change(table, key, None, 0, None, item, size))


def expiry(item: Item, attribute: str) -> int | None:
    """The second at which TTL removes the item, or None if the attribute is missing or not a
    number.
    """
    number = item.get(attribute, {}).get("N")
    if number is None:
        return None
    seconds = float(number)
    return int(seconds) if 0 < seconds < 2**53 else None


def _stays_in_indexes(table: Table, touches: frozenset[str] | None, old: Item, new: Item) -> bool:
    if touches is not None and touches.isdisjoint(table.index_key_set):
        return True
    return all(encode(old) == encode(new) for encode in table.index_encoders)


def _same(change: Change, new_bytes: bytes | None) -> bool:
    """Whether the write changes nothing, so that it does not appear in streams."""
    if change.old_bytes is None or new_bytes is None:
        return change.old_bytes is new_bytes
    return change.old_bytes == new_bytes or orjson.loads(change.old_bytes) == change.new
