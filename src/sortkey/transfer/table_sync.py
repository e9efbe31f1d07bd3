"""Makes one table equal to another by writing only what differs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sortkey.transfer.batches import (
    FIRST_PAUSE_SECONDS,
    Write,
    delete_of,
    in_batches,
    put_of,
    write_batch,
)
from sortkey.transfer.progress import OnProgress, Tracker
from sortkey.transfer.tables import describe, key_names

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend

READ_BATCH = 100

Item = dict[str, Any]


def make_equal(
    backend: Backend, source: str, target: str, on_progress: OnProgress
) -> tuple[int, int]:
    """Put items that are missing or different in the target, and delete those that the source
    lacks. Returns the number of each.
    """
    described = [describe(backend, name) or {"KeySchema": []} for name in (source, target)]
    keys, total = (
        key_names(described[0]),
        sum(description.get("ItemCount", 0) for description in described),
    )
    put = deleted = 0
    tracker = Tracker(on_progress, f"restoring {target}", total or None)
    for items in in_batches(_scan(backend, source, None), READ_BATCH):
        there = _read(backend, target, [_key(item, keys) for item in items], keys)
        writes = [put_of(item) for item in items if there.get(_mark(item, keys)) != item]
        put += _write(backend, target, writes)
        tracker.advance(len(items))
    for items in in_batches(_scan(backend, target, keys), READ_BATCH):
        there = _read(backend, source, items, keys)
        writes = [delete_of(item) for item in items if _mark(item, keys) not in there]
        deleted += _write(backend, target, writes)
        tracker.advance(len(items))
    return put, deleted


def _scan(backend: Backend, table: str, only: list[str] | None) -> Iterator[Item]:
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
    if only is not None:
        names = {f"#{number}": name for number, name in enumerate(only)}
        request |= {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}
    while True:
        answer = backend.call("Scan", request)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _read(backend: Backend, table: str, pending: list[Item], keys: list[str]) -> dict[str, Item]:
    """Items by their keys. Missing ones are left out."""
    items: dict[str, Item] = {}
    pause = FIRST_PAUSE_SECONDS
    while pending:
        request = {"RequestItems": {table: {"Keys": pending, "ConsistentRead": True}}}
        answer = backend.call("BatchGetItem", request)
        items |= {_mark(item, keys): item for item in answer["Responses"].get(table, ())}
        before, pending = (
            len(pending),
            answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", []),
        )
        if len(pending) == before:  # no room at all: items are large, or the table is busy
            time.sleep(pause)
            pause = min(pause * 2, 5)
    return items


def _write(backend: Backend, table: str, writes: list[Write]) -> int:
    for batch in in_batches(writes):
        write_batch(backend, table, batch)
    return len(writes)


def _key(item: Item, keys: list[str]) -> Item:
    return {name: item[name] for name in keys}


def _mark(item: Item, keys: list[str]) -> str:
    return str([item[name] for name in keys])
