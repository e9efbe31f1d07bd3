"""Keys of global indexes that have several attributes: how long they may be together."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import definitions, failure, index, table

MANY = index("many", "a:H b:H c:R d:R")
LONG = (
    "ValidationException: Aggregate size for {} has exceeded limit {} bytes, with actual size {} "
    "bytes"
)
UPDATED = (
    "ValidationException: The update expression attempted to update the secondary index key beyond "
    "allowed size limits"
)


def put(**lengths: int) -> dict[str, Any]:
    item = {name: {"S": "x" * lengths.get(name, 1)} for name in "abcd"}
    return {"TableName": "tbl", "Item": {"pk": {"S": "one"}, **item}}


@pytest.fixture
def indexed(engine: Engine) -> Engine:
    engine.call("CreateTable", table("tbl", "pk", "pk a b c d", GlobalSecondaryIndexes=[MANY]))
    return engine


def test_each_side_of_a_key_has_a_length_for_all_its_attributes(indexed: Engine) -> None:
    # The limits of a key are those of its side, however many attributes make it.
    indexed.call("PutItem", put(a=1024, b=1024, c=512, d=512))

    assert failure(indexed, "PutItem", put(a=1024, b=1025)) == LONG.format(
        "HASH key attributes a, b of index many", 2048, 2049
    )
    assert failure(indexed, "PutItem", put(c=513, d=512)) == LONG.format(
        "RANGE key attributes c, d of index many", 1024, 1025
    )


def test_an_update_cannot_make_a_key_longer_either(indexed: Engine) -> None:
    indexed.call("PutItem", put(a=1024, b=1024))
    update = {"TableName": "tbl", "Key": {"pk": {"S": "one"}}, "UpdateExpression": "SET b = :b"}

    assert (
        failure(
            indexed,
            "UpdateItem",
            {**update, "ExpressionAttributeValues": {":b": {"S": "x" * 1025}}},
        )
        == UPDATED
    )


def test_an_index_made_later_leaves_out_what_is_too_long(engine: Engine) -> None:
    engine.call("CreateTable", table("tbl", "pk"))
    engine.call("PutItem", put(a=1024, b=1025))
    engine.call("PutItem", {**put(), "Item": {**put()["Item"], "pk": {"S": "two"}}})
    create = {
        "GlobalSecondaryIndexUpdates": [{"Create": MANY}],
        "AttributeDefinitions": definitions("pk a b c d"),
    }
    engine.call("UpdateTable", {"TableName": "tbl", **create})

    assert engine.call("Scan", {"TableName": "tbl", "IndexName": "many"})["Count"] == 1


def test_a_hash_key_that_an_index_sorts_by_is_as_short_as_a_sort_key(engine: Engine) -> None:
    # It could not be written to the index, so no item may have it, whether it is in the index or
    # not.
    by_s = [index("by_s", "s pk")]
    engine.call("CreateTable", table("tbl", "pk", "pk s", GlobalSecondaryIndexes=by_s))
    too_long = (
        "ValidationException: One or more parameter values were invalid: "
        "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    )
    key = {"pk": {"S": "x" * 1025}}
    named = {"TableName": "tbl"}
    update = {"UpdateExpression": "SET s = :v", "ExpressionAttributeValues": {":v": {"S": "v"}}}

    for item in (key, {**key, "s": {"S": "v"}}):
        assert failure(engine, "PutItem", {**named, "Item": item}) == too_long
        assert (
            failure(
                engine,
                "BatchWriteItem",
                {"RequestItems": {"tbl": [{"PutRequest": {"Item": item}}]}},
            )
            == too_long
        )
    for members in (update, {"UpdateExpression": "REMOVE z"}, {}):
        assert failure(engine, "UpdateItem", {**named, "Key": key, **members}) == too_long
    assert (
        failure(
            engine,
            "ExecuteStatement",
            {"Statement": f"INSERT INTO tbl VALUE {{'pk': '{'x' * 1025}'}}"},
        )
        == too_long
    )
    short = {"pk": {"S": "x" * 1024}}
    engine.call("PutItem", {**named, "Item": {**short, "s": {"S": "v"}}})
    engine.call("UpdateItem", {**named, "Key": short, **update})
    assert engine.call("GetItem", {**named, "Key": key}) == {}
