"""Key values longer than any item can have, in reads that name a partition: refused, with AWS's
words for GetItem.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import failure, index, table

TOO_LONG = (
    "ValidationException: One or more parameter values were invalid: "
    "Size of hashkey has exceeded the maximum size limit of2048 bytes"
)


@pytest.fixture
def made(engine: Engine) -> Engine:
    indexes = [index("by_g", "g h"), index("by_b", "b"), index("joint", "g:H h:H")]
    engine.call(
        "CreateTable", table(key="a s", attributes="a s g h b:B", GlobalSecondaryIndexes=indexes)
    )
    return engine


def text(size: int) -> dict[str, str]:
    return {"S": "x" * size}


def query(condition: str, *values: dict[str, str], **members: Any) -> dict[str, Any]:
    given = {f":{number}": value for number, value in enumerate(values)}
    return {
        "TableName": "tbl",
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": given,
        **members,
    }


def queries(size: int) -> dict[str, dict[str, Any]]:
    older = {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [text(size)]}}
    blob = {"B": b64encode(b"x" * size).decode()}
    return {
        "table": query("a = :0", text(size)),
        "table and sort key": query("a = :0 AND s > :1", text(size), text(1)),
        "older parameters": {"TableName": "tbl", "KeyConditions": older},
        "index": query("g = :0", text(size), IndexName="by_g"),
        "binary index": query("b = :0", blob, IndexName="by_b"),
        "joint index": query("g = :0 AND h = :1", text(size - 1), text(1), IndexName="joint"),
    }


def statements(size: int) -> dict[str, dict[str, Any]]:
    texts = {
        "equal": "SELECT * FROM tbl WHERE a = ?",
        "one of": "SELECT * FROM tbl WHERE a IN ('y', ?)",
        "either": "SELECT * FROM tbl WHERE a = 'y' OR a = ?",
        "with a sort key": "SELECT * FROM tbl WHERE a = ? AND s > 'y'",
        "the whole key": "SELECT * FROM tbl WHERE a = ? AND s = 'y'",
        "of an index": 'SELECT * FROM "tbl"."by_g" WHERE g = ?',
    }
    return {name: {"Statement": each, "Parameters": [text(size)]} for name, each in texts.items()}


@pytest.mark.parametrize("size", [2049, 65_536])
@pytest.mark.parametrize("case", queries(1))
def test_a_query_refuses_a_partition_key_that_no_item_can_have(
    made: Engine, case: str, size: int
) -> None:
    # AWS answers so to Query as well. Beyond 64 KB the engine failed, for a key holds its length in
    # two bytes.
    assert failure(made, "Query", queries(size)[case]) == TOO_LONG
    assert made.call("Query", queries(2048)[case])["Items"] == []


@pytest.mark.parametrize("size", [2049, 65_536])
@pytest.mark.parametrize("case", statements(1))
def test_a_statement_refuses_a_partition_key_that_no_item_can_have(
    made: Engine, case: str, size: int
) -> None:
    # A SELECT is a query by another name.
    assert failure(made, "ExecuteStatement", statements(size)[case]) == TOO_LONG
    assert made.call("ExecuteStatement", statements(2048)[case])["Items"] == []


def test_bytes_are_counted_and_not_characters(made: Engine) -> None:
    # 1,025 characters of two bytes each are too long.
    assert failure(made, "Query", query("a = :0", {"S": "ü" * 1025})) == TOO_LONG
    assert made.call("Query", query("a = :0", {"S": "ü" * 1024}))["Items"] == []
