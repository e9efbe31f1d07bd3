"""GetRecords: what of each change a stream shows, page by page."""

from __future__ import annotations

import pytest

from tests.engine.streaming import iterator, numbers, read, records, shards, stream_arn, streamed
from tests.engine.tables import failure, put, table


def change_thrice(engine):
    put(engine, {"a": {"S": "x"}, "n": {"N": "0"}})
    put(engine, {"a": {"S": "x"}, "n": {"N": "1"}})
    engine.call("DeleteItem", {"TableName": "tbl", "Key": {"a": {"S": "x"}}})


def test_a_record_says_what_happened_to_which_item(engine, clock):
    # Handlers are written against these members; each is there with AWS's spelling.
    engine.call("CreateTable", streamed())
    clock.now += 0.75
    put(engine, {"a": {"S": "x"}, "n": {"N": "0"}})
    (record,) = records(engine, stream_arn(engine))
    assert len(record.pop("eventID")) == 32
    number = record["dynamodb"].pop("SequenceNumber")
    assert len(number) >= 21
    assert number.isdigit()
    assert record == {
        "eventName": "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "us-east-1",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_800_000_000,
            "Keys": {"a": {"S": "x"}},
            "NewImage": {"a": {"S": "x"}, "n": {"N": "0"}},
            "SizeBytes": 6,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }


@pytest.mark.parametrize(
    ("view", "images", "sizes"),
    [
        ("KEYS_ONLY", [[], [], []], [2, 2, 2]),
        ("NEW_IMAGE", [["NewImage"], ["NewImage"], []], [6, 7, 2]),
        ("OLD_IMAGE", [[], ["OldImage"], ["OldImage"]], [2, 6, 7]),
        ("NEW_AND_OLD_IMAGES", [["NewImage"], ["NewImage", "OldImage"], ["OldImage"]], [6, 11, 7]),
    ],
)
def test_a_view_shows_its_images_and_counts_only_those(engine, view, images, sizes):
    # A consumer that asked for keys must not be sent the items; sizes are those of DynamoDB Local.
    engine.call("CreateTable", streamed(view=view))
    change_thrice(engine)
    found = records(engine, stream_arn(engine))
    assert [record["eventName"] for record in found] == ["INSERT", "MODIFY", "REMOVE"]
    shown = [sorted({"NewImage", "OldImage"} & set(record["dynamodb"])) for record in found]
    assert shown == images
    assert [record["dynamodb"]["SizeBytes"] for record in found] == sizes


def test_a_write_that_changes_nothing_has_no_record(engine):
    # AWS documents it, and loops of handlers that write back rely on it.
    engine.call("CreateTable", streamed())
    put(engine, {"a": {"S": "x"}})
    put(engine, {"a": {"S": "x"}})
    engine.call("DeleteItem", {"TableName": "tbl", "Key": {"a": {"S": "other"}}})
    assert len(records(engine, stream_arn(engine))) == 1


def test_an_expired_item_is_removed_by_the_service(engine, clock):
    # userIdentity is how a handler tells expiry from a user's delete.
    engine.call("CreateTable", streamed())
    ttl = {"Enabled": True, "AttributeName": "ttl"}
    engine.call("UpdateTimeToLive", {"TableName": "tbl", "TimeToLiveSpecification": ttl})
    put(engine, {"a": {"S": "x"}, "ttl": {"N": str(int(clock.now) + 10)}})
    clock.now += 3600
    while engine.work() == 0:
        pass
    clock.now += 3600
    engine.work()
    removed = records(engine, stream_arn(engine))[-1]
    assert removed["eventName"] == "REMOVE"
    assert removed["userIdentity"] == {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


def test_pages_follow_each_other_without_gap_or_double(engine):
    # At-least-once is the consumers' burden already; the pages must not add to it.
    engine.call("CreateTable", streamed())
    for number in range(7):
        put(engine, {"a": {"S": str(number)}})
    place, seen = iterator(engine, stream_arn(engine)), []
    for _ in range(4):
        page = read(engine, place, Limit=2)
        seen += [record["dynamodb"]["Keys"]["a"]["S"] for record in page["Records"]]
        place = page["NextShardIterator"]
    assert seen == [str(number) for number in range(7)]
    put(engine, {"a": {"S": "late"}})
    assert [record["dynamodb"]["Keys"]["a"]["S"] for record in read(engine, place)["Records"]] == [
        "late"
    ]


def test_a_page_ends_at_a_megabyte(engine):
    # The limit is on bytes as well: a thousand large items must not become one answer.
    engine.call("CreateTable", streamed(view="NEW_IMAGE"))
    for number in range(5):
        put(engine, {"a": {"S": str(number)}, "fill": {"S": "x" * 300_000}})
    page = read(engine, iterator(engine, stream_arn(engine)))
    assert len(page["Records"]) == 3
    assert len(read(engine, page["NextShardIterator"])["Records"]) == 2


def test_changes_of_other_tables_are_not_in_the_stream(engine):
    # All tables share one journal.
    engine.call("CreateTable", streamed())
    engine.call("CreateTable", streamed("other"))
    put(engine, {"a": {"S": "theirs"}}, "other")
    put(engine, {"a": {"S": "ours"}})
    assert [r["dynamodb"]["Keys"]["a"]["S"] for r in records(engine, stream_arn(engine))] == [
        "ours"
    ]


def test_a_record_has_the_same_id_at_every_reading(engine):
    # Consumers drop doubles by it.
    engine.call("CreateTable", streamed())
    put(engine, {"a": {"S": "x"}})
    first, second = (records(engine, stream_arn(engine)) for _ in range(2))
    assert first == second


def test_the_end_of_a_closed_shard_has_no_next_iterator(engine):
    # This is how a consumer learns that it must go on with the child shard.
    engine.call("CreateTable", streamed())
    put(engine, {"a": {"S": "x"}})
    arn = stream_arn(engine)
    open_place = iterator(engine, arn, kind="LATEST")
    engine.call(
        "UpdateTable", {"TableName": "tbl", "StreamSpecification": {"StreamEnabled": False}}
    )
    page = read(engine, iterator(engine, arn))
    assert len(page["Records"]) == 1
    assert "NextShardIterator" not in page
    assert read(engine, open_place) == {"Records": []}


def test_a_stream_enabled_after_recovery_begins_with_its_own_first_change(engine):
    # Recovery journals too; what it wrote before the stream is not the stream's.
    engine.call("CreateTable", table())
    recovery = {"PointInTimeRecoveryEnabled": True}
    engine.call(
        "UpdateContinuousBackups",
        {"TableName": "tbl", "PointInTimeRecoverySpecification": recovery},
    )
    put(engine, {"a": {"S": "before"}})
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    engine.call("UpdateTable", {"TableName": "tbl", "StreamSpecification": stream})
    put(engine, {"a": {"S": "after"}})
    arn = stream_arn(engine)
    engine.call(
        "UpdateTable", {"TableName": "tbl", "StreamSpecification": {"StreamEnabled": False}}
    )
    put(engine, {"a": {"S": "too late"}})
    assert [r["dynamodb"]["Keys"]["a"]["S"] for r in records(engine, arn)] == ["after"]


def test_an_iterator_is_good_for_fifteen_minutes(engine, clock):
    # AWS's limit; a consumer that works on it must find it here first.
    engine.call("CreateTable", streamed())
    place = iterator(engine, stream_arn(engine))
    clock.now += 15 * 60
    assert read(engine, place)["Records"] == []
    clock.now += 1
    assert failure(engine, "GetRecords", {"ShardIterator": place}).startswith(
        "ExpiredIteratorException: "
    )


def test_an_iterator_that_was_tampered_with_is_refused(engine):
    # It names a stream and a place; a forged one would read another tenant's table.
    engine.call("CreateTable", streamed())
    engine.call("CreateTable", streamed("other"))
    place = iterator(engine, stream_arn(engine))
    for forged in (
        "x",
        place[:-4],
        place + "AAAA",
        place.replace("table/tbl", "table/other"),
        place.split("|1|")[0],
    ):
        assert (
            failure(engine, "GetRecords", {"ShardIterator": forged})
            == "ValidationException: Invalid ShardIterator"
        )


def test_an_iterator_outlives_a_restart(tmp_path, clock):
    # The signing key is kept with the data.
    from tests.engine.tables import new_engine

    with new_engine(tmp_path, clock) as engine:
        engine.call("CreateTable", streamed())
        place = iterator(engine, stream_arn(engine))
        put(engine, {"a": {"S": "x"}})
    with new_engine(tmp_path, clock) as engine:
        assert len(read(engine, place)["Records"]) == 1


def test_more_than_a_thousand_records_cannot_be_asked_for(engine):
    engine.call("CreateTable", streamed())
    request = {"ShardIterator": iterator(engine, stream_arn(engine)), "Limit": 1001}
    assert failure(engine, "GetRecords", request) == (
        "ValidationException: One or more parameter values were invalid: Limit should be less than "
        "or equal to 1000"
    )


def test_sequence_numbers_rise_and_lie_in_their_shard(engine):
    # Checkpoints are compared as numbers, and as text by some.
    engine.call("CreateTable", streamed())
    change_thrice(engine)
    arn = stream_arn(engine)
    found = numbers(records(engine, arn))
    assert found == sorted(found)
    assert shards(engine, arn)[0]["SequenceNumberRange"]["StartingSequenceNumber"] <= found[0]
