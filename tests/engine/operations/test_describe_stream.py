"""DescribeStream and ListStreams: which streams there are, and their shards over time."""

from __future__ import annotations

import pytest

from tests.engine.streaming import records, shards, stream_arn, streamed
from tests.engine.tables import ARN, failure, put

HOUR = 3600


def switch(engine, view=None, name="tbl"):
    wanted = {"StreamEnabled": True, "StreamViewType": view} if view else {"StreamEnabled": False}
    engine.call("UpdateTable", {"TableName": name, "StreamSpecification": wanted})


def listed(engine, **members):
    return engine.call("ListStreams", members)


def test_a_stream_is_described_with_its_table_and_open_shard(engine):
    # Consumers begin here.
    engine.call("CreateTable", streamed(key="a b"))
    arn = stream_arn(engine)
    description = engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]
    (shard,) = description.pop("Shards")
    assert description == {
        "StreamArn": arn,
        "StreamLabel": "2027-01-15T08:00:00.000",
        "StreamStatus": "ENABLED",
        "StreamViewType": "NEW_AND_OLD_IMAGES",
        "CreationRequestDateTime": 1_800_000_000.0,
        "TableName": "tbl",
        "KeySchema": [
            {"AttributeName": "a", "KeyType": "HASH"},
            {"AttributeName": "b", "KeyType": "RANGE"},
        ],
    }
    assert len(shard["ShardId"]) >= 28
    assert set(shard["SequenceNumberRange"]) == {"StartingSequenceNumber"}


def test_a_shard_is_followed_by_its_child_every_four_hours(engine, clock):
    # As on AWS; a consumer that has never seen it loses the child's records.
    engine.call("CreateTable", streamed())
    arn = stream_arn(engine)
    put(engine, {"a": {"S": "parent"}})
    clock.now += 4 * HOUR
    engine.work()
    put(engine, {"a": {"S": "child"}})
    parent, child = shards(engine, arn)
    assert child["ParentShardId"] == parent["ShardId"]
    assert (
        parent["SequenceNumberRange"]["EndingSequenceNumber"]
        < child["SequenceNumberRange"]["StartingSequenceNumber"]
    )
    assert "EndingSequenceNumber" not in child["SequenceNumberRange"]
    held = [
        [r["dynamodb"]["Keys"]["a"]["S"] for r in records(engine, arn, s["ShardId"])]
        for s in (parent, child)
    ]
    assert held == [["parent"], ["child"]]
    assert shards(
        engine, arn, ShardFilter={"Type": "CHILD_SHARDS", "ShardId": parent["ShardId"]}
    ) == [child]
    assert (
        shards(engine, arn, ShardFilter={"Type": "CHILD_SHARDS", "ShardId": child["ShardId"]}) == []
    )


def test_shards_come_in_pages_and_go_after_a_day(engine, clock):
    engine.call("CreateTable", streamed())
    arn = stream_arn(engine)
    for _ in range(8):
        clock.now += 4 * HOUR
        engine.work()
    everything = shards(engine, arn)
    assert len(everything) == 8  # the open one, those closed within the day, one at its edge
    first = engine.call("DescribeStream", {"StreamArn": arn, "Limit": 3})["StreamDescription"]
    assert first["Shards"] == everything[:3]
    assert first["LastEvaluatedShardId"] == everything[2]["ShardId"]
    assert (
        shards(engine, arn, ExclusiveStartShardId=first["LastEvaluatedShardId"]) == everything[3:]
    )


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"Limit": 101},
            "ValidationException: One or more parameter values were invalid: "
            "Limit cannot be greater than the maximum: 100",
        ),
        (
            {"ShardFilter": {"ShardId": "shardId-" + "0" * 20}},
            "ValidationException: 1 validation error detected: Value 'null' at 'shardFilter.type' "
            "failed to satisfy "
            "constraint: Member must be CHILD_SHARDS",
        ),
        (
            {"StreamArn": "neither an ARN nor too short to be one"},
            "ValidationException: Invalid StreamArn",
        ),
        (
            {"StreamArn": f"{ARN}tbl"},
            "ValidationException: Invalid StreamArn",
        ),
        (
            {"StreamArn": f"{ARN}tbl/stream/nonsense"},
            "ResourceNotFoundException: Requested resource not found: Stream: "
            f"{ARN}tbl/stream/nonsense not found",
        ),
    ],
)
def test_a_description_that_cannot_be_is_refused(engine, members, message):
    engine.call("CreateTable", streamed())
    assert (
        failure(engine, "DescribeStream", {"StreamArn": stream_arn(engine), **members}) == message
    )


def test_a_stream_that_ended_is_kept_for_a_day(engine, clock):
    # Whether it was switched off, replaced or lost its table.
    engine.call("CreateTable", streamed())
    old = stream_arn(engine)
    put(engine, {"a": {"S": "x"}})
    switch(engine)
    switch(engine, "KEYS_ONLY")
    new = stream_arn(engine)
    assert old != new  # in the same millisecond
    put(engine, {"a": {"S": "y"}})
    engine.call("DeleteTable", {"TableName": "tbl"})
    assert [stream["StreamArn"] for stream in listed(engine, TableName="tbl")["Streams"]] == [
        new,
        old,
    ]
    assert (
        engine.call("DescribeStream", {"StreamArn": old})["StreamDescription"]["StreamStatus"]
        == "DISABLED"
    )
    assert [
        [r["dynamodb"]["Keys"]["a"]["S"] for r in records(engine, arn)] for arn in (old, new)
    ] == [["x"], ["y"]]
    clock.now += 24 * HOUR + 1
    engine.work()
    assert listed(engine)["Streams"] == []
    assert engine.journal.tables() == []


def test_a_table_of_the_same_name_has_its_own_stream(engine):
    # The old table's records must not turn up in it.
    engine.call("CreateTable", streamed())
    put(engine, {"a": {"S": "old"}})
    engine.call("DeleteTable", {"TableName": "tbl"})
    engine.call("CreateTable", streamed())
    assert records(engine, stream_arn(engine)) == []
    assert len(listed(engine)["Streams"]) == 2


def test_streams_are_listed_by_table_a_page_at_a_time(engine):
    for name in ("tbl3", "tbl1", "tbl2"):
        engine.call("CreateTable", streamed(name))
    first = listed(engine, Limit=2)
    assert [stream["TableName"] for stream in first["Streams"]] == ["tbl1", "tbl2"]
    rest = listed(engine, ExclusiveStartStreamArn=first["LastEvaluatedStreamArn"])
    assert [stream["TableName"] for stream in rest["Streams"]] == ["tbl3"]
    assert "LastEvaluatedStreamArn" not in rest
    assert listed(engine, TableName="nothing") == {"Streams": []}
