"""GetShardIterator: a place in a shard from which GetRecords reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import stream_iterators, streams
from sortkey.engine.streams import Feed, Shard
from sortkey.errors import TrimmedDataAccessException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

INVALID = "One or more parameter values were invalid: "
TRIMMED = "The data you are trying to access has been trimmed"
_BY_NUMBER = ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER")


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    kind = request["ShardIteratorType"]
    _check_parameters(kind, request)
    feed = streams.find(engine, request["StreamArn"])
    shard = feed.shard(request["ShardId"])
    after = _place(engine, feed, shard, kind, request)
    return {
        "ShardIterator": stream_iterators.write(
            engine, stream_iterators.Iterator(feed.arn, shard.id, after)
        )
    }


def _check_parameters(kind: str, request: dict[str, Any]) -> None:
    number = request.get("SequenceNumber")
    if kind in _BY_NUMBER and (number is None or not (number.isascii() and number.isdigit())):
        raise ValidationException(INVALID + "Invalid SequenceNumber")
    if kind not in _BY_NUMBER and number is not None:
        raise ValidationException(
            INVALID + "SequenceNumber should not be passed for this iterator type"
        )
    if kind == "AT_TIMESTAMP" and "Timestamp" not in request:
        raise ValidationException(INVALID + "Timestamp is required for this iterator type")
    if kind != "AT_TIMESTAMP" and "Timestamp" in request:
        raise ValidationException(INVALID + "Timestamp should not be passed for this iterator type")


def _place(engine: Engine, feed: Feed, shard: Shard, kind: str, request: dict[str, Any]) -> int:
    """The sequence number after which reading starts."""
    newest = engine.journal.last if shard.last is None else shard.last
    oldest = max(shard.first - 1, feed.trimmed)
    match kind:
        case "TRIM_HORIZON":
            return oldest
        case "LATEST":
            return newest
        case "AT_TIMESTAMP":
            if request["Timestamp"] > engine.clock():
                raise ValidationException(INVALID + "Timestamp cannot be in the future")
            return max(oldest, engine.journal.at(feed.number, int(request["Timestamp"] * 1000) - 1))
        case _:
            number = int(request["SequenceNumber"])
            if not shard.first <= number <= newest:
                raise ValidationException("Invalid SequenceNumber for the shard")
            after = number if kind == "AFTER_SEQUENCE_NUMBER" else number - 1
            if after < feed.trimmed:
                raise TrimmedDataAccessException(TRIMMED)
            return after
