"""GetRecords: the changes after a shard iterator, oldest first, and the next iterator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import stream_iterators, stream_records, streams
from sortkey.engine.operations.get_shard_iterator import TRIMMED
from sortkey.errors import TrimmedDataAccessException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

LIMIT_MAX = 1000
PAGE_BYTES = 1024 * 1024
SLICE = 100
"""How many entries are read at a time: a page of large items must not read a thousand."""


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    limit = request.get("Limit") or LIMIT_MAX
    if limit > LIMIT_MAX:
        raise ValidationException(
            "One or more parameter values were invalid: Limit should be less than or equal to "
            f"{LIMIT_MAX}"
        )
    iterator = stream_iterators.read(engine, request["ShardIterator"])
    feed = streams.find(engine, iterator.stream_arn)
    shard = feed.shard(iterator.shard_id)
    end = engine.journal.last if shard.last is None else shard.last
    if iterator.after < min(feed.trimmed, end) and feed.trimmed >= shard.first:
        raise TrimmedDataAccessException(TRIMMED)
    records, after = _read(engine, feed, iterator.after, end, limit)
    answer: dict[str, Any] = {"Records": records}
    if shard.last is None or after < shard.last:
        following = stream_iterators.Iterator(feed.arn, shard.id, after)
        answer["NextShardIterator"] = stream_iterators.write(engine, following)
    return answer


def _read(
    engine: Engine, feed: streams.Feed, after: int, end: int, limit: int
) -> tuple[list[dict[str, Any]], int]:
    """Records after `after`, and the sequence number to continue after."""
    records: list[dict[str, Any]] = []
    total = 0
    while len(records) < limit:
        entries = engine.journal.read(feed.number, after, end, min(SLICE, limit - len(records)))
        if not entries:
            return records, max(after, end)  # there are no more entries of this table up to here
        for entry in entries:
            record, size = stream_records.describe(engine, feed, entry)
            if records and total + size > PAGE_BYTES:
                return records, after
            records.append(record)
            total, after = total + size, entry.seq
    return records, after
