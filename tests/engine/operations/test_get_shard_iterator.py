"""GetShardIterator: the five ways to say where in a shard to begin."""

from __future__ import annotations

import pytest

from tests.engine.streaming import iterator, numbers, read, records, shards, stream_arn, streamed
from tests.engine.tables import ARN, failure, put

DAY = 24 * 3600
INVALID = "ValidationException: One or more parameter values were invalid: "


@pytest.fixture
def arn(engine, clock):
    engine.call("CreateTable", streamed())
    for name in "xyz":
        clock.now += 1
        put(engine, {"a": {"S": name}})
    return stream_arn(engine)


def names(engine, place):
    return [record["dynamodb"]["Keys"]["a"]["S"] for record in read(engine, place)["Records"]]


def test_each_kind_begins_at_its_place(engine, arn, clock):
    # One off, and a consumer repeats or loses a change at every restart.
    second = numbers(records(engine, arn))[1]
    assert names(engine, iterator(engine, arn)) == ["x", "y", "z"]
    assert names(engine, iterator(engine, arn, kind="LATEST")) == []
    assert names(
        engine, iterator(engine, arn, kind="AT_SEQUENCE_NUMBER", SequenceNumber=second)
    ) == ["y", "z"]
    assert names(
        engine, iterator(engine, arn, kind="AFTER_SEQUENCE_NUMBER", SequenceNumber=second)
    ) == ["z"]
    assert names(engine, iterator(engine, arn, kind="AT_TIMESTAMP", Timestamp=clock.now - 1)) == [
        "y",
        "z",
    ]
    assert names(engine, iterator(engine, arn, kind="AT_TIMESTAMP", Timestamp=clock.now - 0.5)) == [
        "z"
    ]


def test_a_shard_can_be_read_from_its_starting_sequence_number(engine, arn):
    # The number that DescribeStream shows is a valid place even though no record has it.
    first = shards(engine, arn)[0]["SequenceNumberRange"]["StartingSequenceNumber"]
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        assert names(engine, iterator(engine, arn, kind=kind, SequenceNumber=first)) == [
            "x",
            "y",
            "z",
        ]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"ShardIteratorType": "AT_SEQUENCE_NUMBER"}, INVALID + "Invalid SequenceNumber"),
        (
            {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "x" * 21},
            INVALID + "Invalid SequenceNumber",
        ),
        (
            {"ShardIteratorType": "LATEST", "SequenceNumber": "0" * 21},
            INVALID + "SequenceNumber should not be passed for this iterator type",
        ),
        (
            {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": "0" * 21},
            "ValidationException: Invalid SequenceNumber for the shard",
        ),
        (
            {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "9" * 30},
            "ValidationException: Invalid SequenceNumber for the shard",
        ),
        (
            {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": 3e9},
            INVALID + "Timestamp cannot be in the future",
        ),
    ],
)
def test_a_place_that_cannot_be_is_refused(engine, arn, members, message):
    request = {"StreamArn": arn, "ShardId": shards(engine, arn)[0]["ShardId"], **members}
    assert failure(engine, "GetShardIterator", request) == message


def test_an_unknown_stream_or_shard_is_not_found(engine, arn):
    unknown = f"{ARN}tbl/stream/2020-01-01T00:00:00.000"
    request = {
        "StreamArn": unknown,
        "ShardId": "shardId-" + "0" * 20,
        "ShardIteratorType": "LATEST",
    }
    assert failure(engine, "GetShardIterator", request) == (
        f"ResourceNotFoundException: Requested resource not found: Stream: {unknown} not found"
    )
    request["StreamArn"] = arn
    assert failure(engine, "GetShardIterator", request) == (
        "ResourceNotFoundException: Requested resource not found: Shard does not exist"
    )


def test_what_is_older_than_a_day_is_trimmed(engine, arn, clock):
    # Both the number of a trimmed record and an iterator from before the trimming are refused, as
    # AWS does.
    first, _, last = numbers(records(engine, arn))
    trimmed = "TrimmedDataAccessException: The data you are trying to access has been trimmed"
    clock.now += DAY - 0.5
    place = iterator(engine, arn)
    engine.work()
    assert names(engine, iterator(engine, arn)) == []  # the newest shard is a new one
    oldest = shards(engine, arn)[0]["ShardId"]
    assert names(engine, iterator(engine, arn, oldest)) == ["z"]
    request = {
        "StreamArn": arn,
        "ShardId": oldest,
        "ShardIteratorType": "AT_SEQUENCE_NUMBER",
        "SequenceNumber": first,
    }
    assert failure(engine, "GetShardIterator", request) == trimmed
    assert failure(engine, "GetRecords", {"ShardIterator": place}) == trimmed
    assert names(
        engine, iterator(engine, arn, oldest, "AT_SEQUENCE_NUMBER", SequenceNumber=last)
    ) == ["z"]
