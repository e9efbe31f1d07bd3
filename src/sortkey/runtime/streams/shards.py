"""Streams and their shards, and which shards may be read: parents before children."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sortkey.errors import ModelError, NotConfigured, ResourceNotFoundException
from sortkey.model.changes import Record
from sortkey.runtime.streams.state import Follow, Shard

Call = Callable[[str, dict[str, Any]], dict[str, Any]]
Start = Literal["TRIM_HORIZON", "LATEST"] | str | datetime
"""Where a new worker begins: at the oldest change, at the next one, at a sequence number, or at an
instant. Later it resumes from its checkpoint.
"""

AT = "AT"


@dataclass(frozen=True, slots=True)
class ShardInfo:
    """A shard. `last` is its last sequence number once it is closed."""

    id: str
    parent: str | None
    last: int | None


def start_text(start: Start) -> str:
    """A start as it is stored. Raises ModelError if it is not valid."""
    if isinstance(start, datetime):
        if start.tzinfo is None:
            raise ModelError(
                f"start={start!r} has no time zone: use datetime.now(UTC), or .replace(tzinfo=UTC)"
            )
        return AT
    if start in ("TRIM_HORIZON", "LATEST") or (start.isascii() and start.isdigit()):
        return start
    raise ModelError(f"start={start!r}: TRIM_HORIZON, LATEST, a sequence number or a datetime")


def latest_stream(call: Call, table: str) -> str:
    """The ARN of a table's stream. Raises NotConfigured if there is none."""
    try:
        described = call("DescribeTable", {"TableName": table})["Table"]
    except ResourceNotFoundException:
        raise NotConfigured(
            f"there is no table {table}: create it with store.ensure(model)"
        ) from None
    if "LatestStreamArn" not in described:
        raise NotConfigured(
            f"the table {table} has no stream: declare it with Table(..., "
            "stream='NEW_AND_OLD_IMAGES'), "
            "and enable it if the table exists"
        )
    return described["LatestStreamArn"]


def describe(call: Call, arn: str) -> list[ShardInfo] | None:
    """The shards of a stream, or None if it no longer exists."""
    request: dict[str, Any] = {"StreamArn": arn}
    shards: list[ShardInfo] = []
    while True:
        try:
            description = call("DescribeStream", request)["StreamDescription"]
        except ResourceNotFoundException:
            return None
        shards += [_info(shard) for shard in description["Shards"]]
        last = description.get("LastEvaluatedShardId")
        if last is None:
            return shards
        request["ExclusiveStartShardId"] = last


def _info(shard: Mapping[str, Any]) -> ShardInfo:
    last = shard["SequenceNumberRange"].get("EndingSequenceNumber")
    return ShardInfo(
        shard["ShardId"], shard.get("ParentShardId"), None if last is None else int(last)
    )


def readable(shards: Sequence[ShardInfo], known: Mapping[str, Shard]) -> list[ShardInfo]:
    """Shards that are not done, and whose parents are done or no longer in the stream."""
    there = {shard.id for shard in shards}

    def is_done(id: str) -> bool:
        return id in known and known[id].is_done

    return [
        shard
        for shard in shards
        if not is_done(shard.id) and (shard.parent not in there or is_done(shard.parent))
    ]


def is_before_start(follow: Follow, shard: ShardInfo, *, first_look: bool) -> bool:
    """Whether a whole shard is before the start of a worker."""
    if shard.last is None:
        return False
    if follow.start.isdigit():
        return shard.last < int(follow.start)
    return follow.start == "LATEST" and first_look


def is_skipped(follow: Follow, record: Record) -> bool:
    """Whether a record is before the start of a worker."""
    content = record["dynamodb"]
    if follow.start.isdigit():
        return int(content["SequenceNumber"]) < int(follow.start)
    if follow.start == "TRIM_HORIZON":
        return False
    # Records tell their instant cut to the second, some services to the minute: what may be younger
    # is not skipped.
    at = int(content["ApproximateCreationDateTime"])
    start = int(follow.start_at.timestamp())
    return at < (start - start % 60 if at % 60 == 0 else start)
