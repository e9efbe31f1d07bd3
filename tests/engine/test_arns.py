"""A table that a request names by its ARN: AWS answers with the ARN where it else answers with the
name.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import ARN, index, table

KEY = {"a": {"S": "x"}, "b": {"S": "y"}}
TBL = ARN + "tbl"
VALUES = {":x": {"S": "x"}}

REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("PutItem", {"TableName": TBL, "Item": KEY}),
    ("GetItem", {"TableName": TBL, "Key": KEY}),
    (
        "Query",
        {"TableName": TBL, "KeyConditionExpression": "a = :x", "ExpressionAttributeValues": VALUES},
    ),
    ("Scan", {"TableName": TBL}),
    ("BatchGetItem", {"RequestItems": {TBL: {"Keys": [KEY]}}}),
    ("BatchWriteItem", {"RequestItems": {TBL: [{"PutRequest": {"Item": KEY}}]}}),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": TBL, "Key": KEY}}]}),
    ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": TBL, "Item": KEY}}]}),
]


@pytest.mark.parametrize(("operation", "request_"), REQUESTS)
def test_consumed_capacity_names_the_table_as_the_request_did(
    engine: Engine, operation: str, request_: dict[str, Any]
) -> None:
    # The API reference: "If you had specified the ARN of a table in the input, you'll see the table
    # ARN".
    engine.call(
        "CreateTable", table("tbl", "a b", "a b c", LocalSecondaryIndexes=[index("by_c", "a c")])
    )

    more = {"ReturnItemCollectionMetrics": "SIZE"} if "WriteItem" in operation else {}
    answer = engine.call(operation, {**request_, **more, "ReturnConsumedCapacity": "TOTAL"})

    capacity = answer["ConsumedCapacity"]
    assert [
        entry["TableName"] for entry in (capacity if isinstance(capacity, list) else [capacity])
    ] == [TBL]
    if more:
        assert list(answer["ItemCollectionMetrics"]) == [TBL]
