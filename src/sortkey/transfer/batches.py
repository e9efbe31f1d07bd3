"""Many writes, 25 per request. Unprocessed ones are sent again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sortkey.errors import TransferFailed

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend

BATCH = 25
TRIES = 12
FIRST_PAUSE_SECONDS = 0.05

Write = dict[str, Any]


def put_of(item: dict[str, Any]) -> Write:
    return {"PutRequest": {"Item": item}}


def delete_of(key: dict[str, Any]) -> Write:
    return {"DeleteRequest": {"Key": key}}


def in_batches(items: Iterable[Any], size: int = BATCH) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def write_batch(backend: Backend, table: str, writes: list[Write]) -> None:
    """Up to 25 writes of different keys."""
    pause = FIRST_PAUSE_SECONDS
    for _ in range(TRIES):
        answer = backend.call("BatchWriteItem", {"RequestItems": {table: writes}})
        writes = answer.get("UnprocessedItems", {}).get(table, [])
        if not writes:
            return
        time.sleep(pause)
        pause *= 2
    raise TransferFailed(
        f"{table} takes no more writes for now: try again later, it continues there"
    )
