"""A table's streams and their shards, and when they begin and end. The records come from the
journal.

A stream has one open shard at a time, replaced every four hours. A shard is a range of the
journal's sequence numbers.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sortkey.engine.tables import Stream, Table
from sortkey.errors import ResourceNotFoundException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "stream"
RETENTION_MS = 24 * 3600 * 1000
SHARD_MS = 4 * 3600 * 1000
_ARN = re.compile(r"arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table/[^/]+/stream/[^/]+")


@dataclass(frozen=True)
class Shard:
    """Sequence numbers from `first` to `last`, both included. `last` is None while the shard is
    open.
    """

    id: str
    first: int
    opened_ms: int
    parent: str | None = None
    last: int | None = None
    closed_ms: int | None = None

    def describe(self) -> dict[str, Any]:
        numbers = {"StartingSequenceNumber": sequence_text(self.first)}
        if self.last is not None:
            numbers["EndingSequenceNumber"] = sequence_text(self.last)
        parent = {"ParentShardId": self.parent} if self.parent else {}
        return {"ShardId": self.id, "SequenceNumberRange": numbers, **parent}


@dataclass(frozen=True)
class Feed:
    """A stored stream, whether its table still has it or not. `trimmed` is the newest trimmed
    sequence number.
    """

    arn: str
    table: str
    number: int
    label: str
    view: str
    created: float
    key_schema: list[dict[str, str]]
    shards: tuple[Shard, ...]
    disabled_ms: int | None = None
    trimmed: int = 0
    tags: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def id(self) -> str:
        return f"{self.table}/{self.label}"

    def shard(self, id: str) -> Shard:
        for shard in self.shards:
            if shard.id == id:
                return shard
        raise ResourceNotFoundException("Requested resource not found: Shard does not exist")


# -- beginning and ending


def enable(engine: Engine, table: Table, view: str) -> Table:
    """Create a new stream of the table, starting with the next change."""
    now_ms = _now_ms(engine)
    label_ms = now_ms
    while engine.records.get(KIND, f"{table.name}/{_label(label_ms)}") is not None:
        label_ms += 1  # two streams of one table in one millisecond
    label = _label(label_ms)
    feed = Feed(
        arn=f"{engine.catalog.arn(table.name)}/stream/{label}",
        table=table.name,
        number=table.number,
        label=label,
        view=view,
        created=label_ms / 1000,
        key_schema=table.key.describe(),
        shards=(_open_shard(engine, now_ms, None),),
    )
    save(engine, feed)
    return engine.catalog.save(replace(table, stream=Stream(label, view)))


def disable(engine: Engine, table: Table) -> Table:
    """End the table's stream. It can be read for another day, and stays the table's latest."""
    drop(engine, table)
    stream = replace(table.stream, enabled=False) if table.stream else None
    return engine.catalog.save(replace(table, stream=stream))


def drop(engine: Engine, table: Table) -> None:
    """End the stream of a table that is being deleted. It can be read for another day."""
    if table.stream is None or not table.stream.enabled:
        return
    feed = find(engine, f"{engine.catalog.arn(table.name)}/stream/{table.stream.label}")
    now_ms = _now_ms(engine)
    save(engine, replace(feed, shards=_close_last(engine, feed.shards, now_ms), disabled_ms=now_ms))


def rotate(engine: Engine, feed: Feed) -> Feed:
    """Close the open shard and continue in its child, as AWS does about every four hours."""
    now_ms = _now_ms(engine)
    closed = _close_last(engine, feed.shards, now_ms)
    feed = replace(feed, shards=(*closed, _open_shard(engine, now_ms, closed[-1])))
    save(engine, feed)
    return feed


# -- finding and keeping


def find(engine: Engine, arn: str) -> Feed:
    """The stream with an ARN."""
    feed = find_stream(engine, arn)
    if feed is None:
        if not _ARN.fullmatch(arn):
            raise ValidationException("Invalid StreamArn")
        raise ResourceNotFoundException(f"Requested resource not found: Stream: {arn} not found")
    return feed


def find_stream(engine: Engine, arn: str) -> Feed | None:
    record = engine.records.get(KIND, "/".join(arn.split(":table/", 1)[-1].split("/stream/", 1)))
    return None if record is None or record["arn"] != arn else _from_record(record)


def feeds(engine: Engine) -> list[Feed]:
    """All readable streams, by the name of their table, then newest first."""
    feeds = [_from_record(record) for _, record in engine.records.all(KIND)]
    feeds.sort(key=lambda feed: feed.label, reverse=True)
    feeds.sort(key=lambda feed: feed.table)
    return feeds


def save(engine: Engine, feed: Feed) -> None:
    engine.database.begin()
    engine.records.put(KIND, feed.id, asdict(feed))


def forget(engine: Engine, feed: Feed) -> None:
    engine.database.begin()
    engine.records.delete(KIND, feed.id)


def sequence_text(number: int) -> str:
    """A sequence number as the API shows it: at least 21 digits, in the same order as text and as
    number.
    """
    return f"{number:021d}"


def _open_shard(engine: Engine, now_ms: int, parent: Shard | None) -> Shard:
    # The id begins with its instant, which orders the shards of a stream.
    opened_ms = now_ms if parent is None else max(now_ms, parent.opened_ms + 1)
    id = f"shardId-{opened_ms:020d}-{engine.entropy(4).hex()}"
    return Shard(id, engine.journal.reserve(), opened_ms, parent.id if parent else None)


def _close_last(engine: Engine, shards: tuple[Shard, ...], now_ms: int) -> tuple[Shard, ...]:
    return (*shards[:-1], replace(shards[-1], last=engine.journal.last, closed_ms=now_ms))


def _from_record(record: dict[str, Any]) -> Feed:
    fields = dict(record)
    fields["shards"] = tuple(Shard(**shard) for shard in record["shards"])
    return Feed(**fields)


def _label(at_ms: int) -> str:
    instant = datetime.fromtimestamp(at_ms // 1000, UTC)
    return f"{instant:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03d}"


def _now_ms(engine: Engine) -> int:
    return int(engine.clock() * 1000)
