"""Item collections of a table with a local index: the limit, here made small, and the metrics of
their sizes.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.errors import TransactionCanceledException
from tests.engine.tables import failure, index, put, scan, table

TOO_LARGE = "Collection size exceeded."


def item(number: int, size: int = 100) -> dict[str, Any]:
    return {"a": {"S": "k"}, "b": {"S": str(number)}, "x": {"S": "x" * size}}


@pytest.fixture
def nearly_full(engine: Engine) -> Engine:
    engine.call(
        "CreateTable",
        table(key="a b", attributes="a b c", LocalSecondaryIndexes=[index("lsi", "a c")]),
    )
    engine.item_collection_limit_bytes = 250
    put(engine, item(1))
    put(engine, item(2))
    return engine


GROWING: list[tuple[str, dict[str, Any]]] = [
    ("PutItem", {"TableName": "tbl", "Item": item(3)}),
    (
        "UpdateItem",
        {
            "TableName": "tbl",
            "Key": {"a": {"S": "k"}, "b": {"S": "2"}},
            "UpdateExpression": "SET y = x",
        },
    ),
    ("BatchWriteItem", {"RequestItems": {"tbl": [{"PutRequest": {"Item": item(3)}}]}}),
    (
        "ExecuteStatement",
        {"Statement": f"INSERT INTO tbl VALUE {{'a':'k','b':'3','x':'{'x' * 100}'}}"},
    ),
]


@pytest.mark.parametrize(
    ("operation", "request_"), GROWING, ids=[operation for operation, _ in GROWING]
)
def test_a_collection_grows_no_further_than_its_limit(
    nearly_full: Engine, operation: str, request_: dict[str, Any]
) -> None:
    before = scan(nearly_full)

    assert (
        failure(nearly_full, operation, request_)
        == f"ItemCollectionSizeLimitExceededException: {TOO_LARGE}"
    )
    assert scan(nearly_full) == before
    # What makes it smaller, and what lies in another collection, is taken.
    put(nearly_full, item(2, 10))
    put(nearly_full, {**item(1, 200), "a": {"S": "other"}})


def test_a_full_collection_is_the_reason_of_a_cancelled_transaction(nearly_full: Engine) -> None:
    actions = [
        {"Put": {"TableName": "tbl", "Item": {**item(1), "a": {"S": "other"}}}},
        {"Put": {"TableName": "tbl", "Item": item(3)}},
    ]
    with pytest.raises(TransactionCanceledException) as raised:
        nearly_full.call("TransactWriteItems", {"TransactItems": actions})

    full = {"Code": "ItemCollectionSizeLimitExceeded", "Message": TOO_LARGE}
    assert raised.value.extra["CancellationReasons"] == [{"Code": "None"}, full]
    assert len(scan(nearly_full)) == 2
