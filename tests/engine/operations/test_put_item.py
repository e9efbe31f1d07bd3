"""The 400 KB of an item, with and without local indexes."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import ALL, failure, index, table

KB = 1024
PUT_TOO_LARGE = "ValidationException: Item size has exceeded the maximum allowed size"
UPDATE_TOO_LARGE = "ValidationException: Item size to update has exceeded the maximum allowed size"
KEY = {"a": {"S": "k"}, "b": {"S": "k"}}
KEYS_ONLY = {"ProjectionType": "KEYS_ONLY"}


def make(engine: Engine, *indexes: dict[str, Any]) -> None:
    engine.call(
        "CreateTable",
        table(key="a b", attributes="a b c", LocalSecondaryIndexes=list(indexes) or None),
    )


@pytest.fixture
def plain(engine: Engine) -> Engine:
    engine.call("CreateTable", table(key="a b"))
    return engine


@pytest.fixture
def indexed(engine: Engine) -> Engine:
    make(engine, index("lsi", "a c", ALL))
    return engine


def item(size: int, **members: Any) -> dict[str, Any]:
    """An item of this many bytes, whose other attributes have names of one letter and values of
    one.
    """
    return {**KEY, **members, "x": {"S": "x" * (size - 2 * len(members) - len("akbkx"))}}


def put(size: int, **members: Any) -> dict[str, Any]:
    return {"TableName": "tbl", "Item": item(size, **members)}


def test_400_kb_to_the_byte_fit(plain: Engine) -> None:
    plain.call("PutItem", put(400 * KB))
    assert failure(plain, "PutItem", put(400 * KB + 1)) == PUT_TOO_LARGE


def test_entries_of_local_indexes_count(indexed: Engine) -> None:
    # AWS: "a 400 KB limit on the total of … an item's data in the table" and its "entries in all
    # local secondary indexes". Whoever tests with a larger item here would meet the refusal in
    # production.
    indexed.call("PutItem", put(200 * KB, c={"S": "c"}))
    assert failure(indexed, "PutItem", put(200 * KB + 1, c={"S": "c"})) == PUT_TOO_LARGE
    indexed.call("PutItem", put(400 * KB))  # is not in the index


def test_entries_of_all_local_indexes_count_by_what_they_hold(engine: Engine) -> None:
    make(engine, index("all", "a c", ALL), index("keys", "a c", KEYS_ONLY))
    entry = len("ak" + "bk" + "cc")
    fits = (400 * KB - entry) // 2

    engine.call("PutItem", put(fits, c={"S": "c"}))
    assert failure(engine, "PutItem", put(fits + 1, c={"S": "c"})) == PUT_TOO_LARGE


def test_entries_count_in_updates_batches_and_transactions(indexed: Engine) -> None:
    indexed.call("PutItem", put(300 * KB))
    update = {
        "TableName": "tbl",
        "Key": KEY,
        "UpdateExpression": "SET c = :c",
        "ExpressionAttributeValues": {":c": {"S": "c"}},
    }
    large = item(300 * KB, c={"S": "c"})

    assert failure(indexed, "UpdateItem", update) == UPDATE_TOO_LARGE
    batch = {"RequestItems": {"tbl": [{"PutRequest": {"Item": large}}]}}
    assert failure(indexed, "BatchWriteItem", batch) == PUT_TOO_LARGE
    transaction = {"TransactItems": [{"Put": {"TableName": "tbl", "Item": large}}]}
    assert failure(indexed, "TransactWriteItems", transaction).endswith(
        "specific reasons [ValidationError]"
    )
    assert "c" not in indexed.call("GetItem", {"TableName": "tbl", "Key": KEY})["Item"]
