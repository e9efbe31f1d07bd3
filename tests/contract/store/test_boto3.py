"""boto3 reads what stores write, and the reverse: the table belongs to nobody's library."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from sortkey import ItemKey, Store, attr
from sortkey.testing import FrozenClock
from tests.contract.store.models import (
    Asset,
    Counts,
    Journey,
    Reading,
    Stage,
    Task,
    files,
    model,
    readings,
    table,
)
from tests.contract.store.stores import opened, served

boto3 = pytest.importorskip("boto3")
conditions = pytest.importorskip("boto3.dynamodb.conditions")

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = datetime(2096, 1, 2, 3, 4, 5, tzinfo=UTC)  # the server sweeps what has expired


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as found:
        yield found


@pytest.fixture(scope="module")
def ours(address: str) -> Iterator[Store]:
    with opened(address, FrozenClock(AT.timestamp())) as store:
        store.ensure(model)
        yield store


@pytest.fixture(scope="module")
def theirs(address: str, ours: Store) -> Any:
    return boto3.resource(
        "dynamodb",
        endpoint_url=address,
        region_name="us-east-1",
        aws_access_key_id="someone",
        aws_secret_access_key="secret",
    )


def test_boto3_reads_what_a_store_wrote(ours: Store, theirs: Any, fresh: str) -> None:
    # Every attribute as a document of the table would show it; nothing of ours is in it that is not
    # in the model.
    ours.create(
        Task(
            board=fresh,
            task_id="1",
            owner="ann",
            tags={"a", "b"},
            notes=["x"],
            hits=3,
            counts=Counts(total_jobs=2, last_at=AT),
            expires_at=LATER,
        )
    )
    found = theirs.Table(table.name).get_item(Key={"PK": f"BOARD#{fresh}", "SK": "TASK#1"})["Item"]
    assert found == {
        "PK": f"BOARD#{fresh}",
        "SK": "TASK#1",
        "EntityType": "Task",
        "board": fresh,
        "taskId": "1",
        "title": "untitled",
        "status": "open",
        "shown": "WAITING",
        "owner": "ann",
        "hits": Decimal(3),
        "tags": {"a", "b"},
        "notes": ["x"],
        "reason": None,
        "counts": {"totalJobs": Decimal(2), "lastAt": "2026-01-02T03:04:05.000000Z"},
        "createdAt": "2026-01-02T03:04:05.000000Z",
        "updatedAt": "2026-01-02T03:04:05.000000Z",
        "expiresAt": Decimal(int(LATER.timestamp())),
        "version": Decimal(1),
        "label": "untitled (open)",
        "GSI1PK": f"BOARD#{fresh}#OWNER#ann",
        "GSI1SK": "WAITING#1",
        "LSK": "2026-01-02T03:04:05.000000Z",
    }


def test_a_store_reads_what_boto3_wrote(ours: Store, theirs: Any, fresh: str) -> None:
    # Sparse, with an attribute more, numbers as Decimals; by key, by query and through an index.
    item = {
        "PK": f"JOURNEY#{fresh}",
        "SK": "STAGE#03#map",
        "EntityType": "Stage",
        "GSI1PK": f"JOURNEY#{fresh}#STATUS#running",
        "GSI1SK": "03",
        "Data": {
            "order": Decimal(3),
            "stageId": "map",
            "status": "running",
            "later": Decimal("1.5"),
        },
    }
    theirs.Table(table.name).put_item(Item=item)
    key = Stage.key(journey_id=fresh, order=3, stage_id="map")
    expected = Stage(journey_id=fresh, order=3, stage_id="map", status="running")
    assert ours.get(key) == expected
    assert ours.query(Stage.of_journey(journey_id=fresh)) == [expected]
    assert ours.query(Stage.in_status(journey_id=fresh, status="running")) == [expected]
    ours.move(key, Stage.status, "done")
    after = theirs.Table(table.name).get_item(Key={"PK": item["PK"], "SK": item["SK"]})["Item"]
    assert after["Data"] == {
        "order": 3,
        "stageId": "map",
        "status": "done",
        "later": Decimal("1.5"),
    }
    assert after["GSI1PK"] == f"JOURNEY#{fresh}#STATUS#done"


def test_boto3_finds_through_an_index_what_a_store_moved(
    ours: Store, theirs: Any, fresh: str
) -> None:
    # The keys of the index are the contract between programs that do not share code.
    made = ours.create(Task(board=fresh, task_id="1", owner="ann"))
    ours.update(ItemKey.of_entity(made), set={"owner": "bob"})

    def of(owner: str) -> list[str]:
        wanted = conditions.Key("GSI1PK").eq(f"BOARD#{fresh}#OWNER#{owner}")
        return [
            item["taskId"]
            for item in theirs.Table(table.name).query(
                IndexName="GSI1", KeyConditionExpression=wanted
            )["Items"]
        ]

    assert (of("ann"), of("bob")) == ([], ["1"])


def test_both_count_in_one_item(ours: Store, theirs: Any, fresh: str) -> None:
    # ADD here and there: no number is lost, and numbers in keys are the same number.
    ours.put(Asset(database_id=fresh, asset_id="a"))
    ours.update(Asset.key(database_id=fresh, asset_id="a"), attr(Asset.count).add(2))
    theirs.Table(files.name).update_item(
        Key={"databaseId": fresh, "assetId": "a"},
        UpdateExpression="ADD #c :one",
        ExpressionAttributeNames={"#c": "count"},
        ExpressionAttributeValues={":one": 1},
    )
    assert [each.count for each in ours.query(Asset.ranked(database_id=fresh))] == [3]
    theirs.Table(readings.name).put_item(
        Item={"device": fresh, "second": Decimal("2.50"), "value": Decimal("0.1")}
    )
    assert ours.get(Reading.key(device=fresh, second=2.5)).value == 0.1
    assert (
        theirs.Table(readings.name).get_item(Key={"device": fresh, "second": Decimal("2.5")})[
            "Item"
        ]["device"]
        == fresh
    )


def test_what_boto3_put_into_a_map_survives(ours: Store, theirs: Any, fresh: str) -> None:
    # Every type that DynamoDB has, in a part and beside it.
    more = {
        "set": {Decimal(1), Decimal(2)},
        "none": None,
        "list": [True, {"deep": Decimal("1E+20")}],
    }
    item = Journey(journey_id=fresh, name="n", counts=Counts()).to_item()
    head = theirs.Table(table.name)
    head.put_item(
        Item={
            "PK": item["PK"]["S"],
            "SK": "METADATA",
            "EntityType": "Journey",
            "extra": more,
            "Data": {"name": "n", "counts": {"totalJobs": 1, **more}, "other": more},
        }
    )
    read = ours.get(Journey.key(journey_id=fresh))
    ours.put(read.changed(name="m"))
    ours.update(Journey.key(journey_id=fresh), attr(Journey.counts).total_jobs.add(1))
    after = head.get_item(Key={"PK": item["PK"]["S"], "SK": "METADATA"})["Item"]
    assert (after["extra"], after["Data"]["other"]) == (more, more)
    assert after["Data"]["counts"] == {"totalJobs": 2, **more}


def test_a_transaction_of_boto3_and_one_of_ours_meet(ours: Store, theirs: Any, fresh: str) -> None:
    # Versions are attributes like others: a program without the model can honour them.
    made = ours.create(Task(board=fresh, task_id="1"))
    theirs.meta.client.transact_write_items(
        TransactItems=[
            {
                "Update": {
                    "TableName": table.name,
                    "Key": {"PK": f"BOARD#{fresh}", "SK": "TASK#1"},
                    "UpdateExpression": "SET version = version + :one, hits = :hits",
                    "ConditionExpression": "version = :read",
                    "ExpressionAttributeValues": {":one": 1, ":hits": 9, ":read": made.version},
                }
            }
        ]
    )
    assert ours.get(ItemKey.of_entity(made)).hits == 9
