"""What must hold of an engine after anything: asked of it over its API, and of its rows directly.

Everything is computed again from the items of the base tables, by other means than the engine's
own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import orjson

from sortkey.engine import Engine, writes
from sortkey.engine.tables import Index, Table
from sortkey.values.sizes import item_size

Item = dict[str, Any]
Contents = dict[str, Item]
"""Items by the text of their key."""


def check(engine: Engine) -> None:
    """Everything that can be checked of every table as it stands."""
    assert engine.database.execute("pragma integrity_check").fetchall() == [("ok",)]
    for table in engine.catalog.tables():
        items = contents(engine, table.name)
        check_rows(engine, table)
        check_collections(engine, table)
        for index in table.indexes:
            if not index.backfilling:
                check_index(engine, table, index, items)


def contents(engine: Engine, name: str, **request: Any) -> Contents:
    """All items of a table."""
    keys = engine.catalog.described(name).key.names
    found = [
        (key_text(item, keys), item)
        for item in pages(engine, "Scan", {"TableName": name, **request})
    ]
    assert len(dict(found)) == len(found), "an item was given twice"
    return dict(found)


def pages(engine: Engine, operation: str, request: Item) -> Iterator[Item]:
    """The items of a query or a scan, page by page."""
    while True:
        answer = engine.call(operation, request)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        assert answer["LastEvaluatedKey"] != request.get("ExclusiveStartKey"), (
            "the same page for ever"
        )
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


def key_text(item: Item, names: tuple[str, ...]) -> str:
    return json.dumps([item[name] for name in names])


def check_index(engine: Engine, table: Table, index: Index, items: Contents) -> None:
    """The index holds exactly what building it from the table would give."""
    found = pages(engine, "Scan", {"TableName": table.name, "IndexName": index.name})
    assert _bag(found) == _bag(rebuild(table, index, items)), (table.name, index.name)


def rebuild(table: Table, index: Index, items: Contents) -> list[Item]:
    """An index from the items of its table: those that have its keys, with the attributes that it
    carries.
    """
    kept = [
        item
        for item in items.values()
        if all(table.types[n] in item.get(n, {}) for n in index.key.names)
    ]
    if index.projection["ProjectionType"] == "ALL":
        return kept
    names = {*table.key.names, *index.key.names, *index.projection.get("NonKeyAttributes", ())}
    return [{name: value for name, value in item.items() if name in names} for item in kept]


def check_rows(engine: Engine, table: Table) -> None:
    """What a row says beside its item agrees with the item."""
    columns = [index.column for index in table.indexes if not index.backfilling]
    encoders = [
        e
        for e, index in zip(table.index_encoders, table.indexes, strict=True)
        if not index.backfilling
    ]
    rows = engine.database.execute(
        f"select key, item, size, expires{''.join(f', {column}' for column in columns)} from "
        f"{table.rows.name}"
    )
    filling = engine.records.get("expiry_build", str(table.number)) is not None
    for key, item_bytes, size, expires, *index_keys in rows:
        item = orjson.loads(item_bytes)
        assert key == table.encode(item)
        assert size == item_size(item)
        assert index_keys == [encode(item) for encode in encoders]
        if table.ttl_attribute is not None and not filling:
            assert expires == writes.expiry(item, table.ttl_attribute)


def check_collections(engine: Engine, table: Table) -> None:
    """The bytes kept by partition equal those of its items and of their entries in local
    indexes.
    """
    if not table.has_lsi:
        return
    items = contents(engine, table.name)
    sizes: Counter[str] = Counter()
    for item in items.values():
        sizes[key_text(item, table.key.hash)] += item_size(item)
    for index in table.of_kind("LSI"):
        for entry in rebuild(table, index, items):
            sizes[key_text(entry, table.key.hash)] += item_size(entry)
    stored = engine.database.execute(
        f"select bytes from {table.rows.name}_collection where bytes != 0"
    )
    assert sorted(count for (count,) in stored) == sorted(sizes.values()), table.name


def replay(engine: Engine, name: str, state: Contents, after: int = 0) -> int:
    """Apply the journal of a table behind `after` to a state. Each entry must start from what the
    one before left.
    """
    table = engine.catalog.described(name)
    while entries := engine.journal.read(table.number, after):
        for entry in entries:
            old, new = _item(entry.old), _item(entry.new)
            key = key_text(new or old or {}, table.key.names)
            assert state.get(key) == old, f"{name}: an entry before {entry.seq} is missing"
            assert old != new, f"{name}: entry {entry.seq} changes nothing"
            if new is None:
                del state[key]
            else:
                state[key] = new
            after = entry.seq
    return after


def undo(engine: Engine, name: str, state: Contents, back_to: int) -> None:
    """Take the journal of a table back from a state, down to a number."""
    table = engine.catalog.described(name)
    for entry in engine.journal.walk_back(table.number, back_to, engine.journal.last + 1):
        old, new = _item(entry.old), _item(entry.new)
        key = key_text(new or old or {}, table.key.names)
        assert state.get(key) == new
        if old is None:
            del state[key]
        else:
            state[key] = old


def _item(stored: bytes | None) -> Item | None:
    return None if stored is None else orjson.loads(stored)


def _bag(items: Any) -> Counter[str]:
    return Counter(json.dumps(item, sort_keys=True) for item in items)
