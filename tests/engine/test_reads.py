"""Query: where a page goes on, and where it does not because the key condition ends there."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import failure, index, put, table

NO_MATCH = "ValidationException: The provided starting key does not match the range key predicate"
VALUES = {":a": {"S": "k"}, ":g": {"S": "g"}, ":1": {"N": "1"}, ":3": {"N": "3"}}


@pytest.fixture
def filled(engine: Engine) -> Engine:
    """Five items, b from 0 to 4, in a table and in an index with the same sort key; two partitions
    share it there.
    """
    by_g = [index("by_g", "g b")]
    engine.call("CreateTable", table(key="a b", attributes="a b:N g", GlobalSecondaryIndexes=by_g))
    for a in ("k", "other"):
        for number in range(5):
            put(engine, {"a": {"S": a}, "b": {"N": str(number)}, "g": {"S": "g"}})
    return engine


def query(condition: str, **members: Any) -> dict[str, Any]:
    values = {name: value for name, value in VALUES.items() if name in condition}
    return {
        "TableName": "tbl",
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": values,
        **members,
    }


def key(number: int) -> dict[str, Any]:
    return {"a": {"S": "k"}, "b": {"N": str(number)}}


ENDS: list[
    tuple[str, bool, int, int]
] = [  # the condition, whether it reads upwards, its last key, how many items
    ("a = :a AND b <= :3", True, 3, 4),
    ("a = :a AND b >= :1", False, 1, 4),
    ("a = :a AND b BETWEEN :1 AND :3", True, 3, 3),
    ("a = :a AND b BETWEEN :1 AND :3", False, 1, 3),
]


@pytest.mark.parametrize(("condition", "forward", "last", "count"), ENDS)
def test_no_page_goes_on_from_the_bound_at_which_a_query_ends(
    filled: Engine, condition: str, forward: bool, last: int, count: int
) -> None:
    # A client that pages until there is no LastEvaluatedKey must not be sent to a start key that
    # AWS refuses.
    full = filled.call("Query", query(condition, ScanIndexForward=forward, Limit=count))
    short = filled.call("Query", query(condition, ScanIndexForward=forward, Limit=count - 1))

    assert (full["Count"], full.get("LastEvaluatedKey")) == (count, None)
    assert filled.call(
        "Query",
        query(condition, ScanIndexForward=forward, ExclusiveStartKey=short["LastEvaluatedKey"]),
    )["Items"] == [full["Items"][-1]]
    assert (
        failure(
            filled, "Query", query(condition, ScanIndexForward=forward, ExclusiveStartKey=key(last))
        )
        == NO_MATCH
    )


@pytest.mark.parametrize(("condition", "forward", "last", "count"), ENDS)
def test_a_query_may_start_after_the_same_bound_read_the_other_way(
    filled: Engine, condition: str, forward: bool, last: int, count: int
) -> None:
    request = query(condition, ScanIndexForward=not forward, ExclusiveStartKey=key(last))

    assert filled.call("Query", request)["Count"] == count - 1


@pytest.mark.parametrize("condition", ["a = :a", "a = :a AND b > :1", "a = :a AND b = :3"])
def test_a_full_page_goes_on_where_the_condition_names_no_last_key(
    filled: Engine, condition: str
) -> None:
    # Whether more follows is not known without looking; so AWS says where to look.
    count = filled.call("Query", query(condition))["Count"]
    page = filled.call("Query", query(condition, Limit=count))

    assert (
        filled.call("Query", query(condition, ExclusiveStartKey=page["LastEvaluatedKey"]))["Items"]
        == []
    )


@pytest.mark.parametrize("forward", [True, False])
def test_items_that_share_the_bound_in_an_index_are_all_found(
    filled: Engine, forward: bool
) -> None:
    found: list[dict[str, Any]] = []
    request = query(
        "g = :g AND b BETWEEN :1 AND :3", IndexName="by_g", ScanIndexForward=forward, Limit=1
    )
    while True:
        page = filled.call("Query", request)
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    assert [item["b"]["N"] for item in found] == (
        ["1", "1", "2", "2", "3", "3"] if forward else list("332211")
    )
