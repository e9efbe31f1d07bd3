"""Requests that nest more deeply than any that means something: refused whole, wherever the depth
is.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.engine.request_bodies import read_request
from sortkey.errors import SerializationException
from tests.engine.tables import failure, table

NESTING = (
    "ValidationException: Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(levels):
        value = {"L": [value]}
    return value


@pytest.fixture
def made(engine: Engine) -> Engine:
    engine.call("CreateTable", table())
    return engine


@pytest.mark.parametrize("levels", [32, 100])
def test_a_value_that_nests_too_deeply_is_refused_for_that(made: Engine, levels: int) -> None:
    # Every way in which a value can come: AWS has one message for all of them.
    key, deep = {"a": {"S": "k"}}, nested(levels + 1)
    for operation, members in (
        ("PutItem", {"Item": {**key, "b": nested(levels)}}),
        ("PutItem", {"Item": key, "Expected": {"b": {"Value": deep}}}),
        ("UpdateItem", {"Key": key, "AttributeUpdates": {"b": {"Value": deep}}}),
        ("Scan", {"ScanFilter": {"b": {"ComparisonOperator": "EQ", "AttributeValueList": [deep]}}}),
        (
            "Query",
            {"KeyConditions": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [deep]}}},
        ),
        ("GetItem", {"Key": {"a": nested(levels)}}),
    ):
        assert failure(made, operation, {"TableName": "tbl", **members}) == NESTING
    assert failure(
        made,
        "ExecuteStatement",
        {"Statement": "SELECT * FROM tbl WHERE a = ?", "Parameters": [deep]},
    ) == (NESTING)


@pytest.mark.parametrize("levels", [300, 1000, 50_000])
def test_a_body_deeper_than_can_be_written_again_is_not_read(levels: int) -> None:
    # Such a request failed as soon as something of it was stored or compared, though AWS ignores
    # the unknown member.
    body = b'{"TransactItems":[],"Unknown":' + b"[" * levels + b"]" * levels + b"}"
    with pytest.raises(SerializationException):
        read_request(body)


def test_a_wide_body_is_read(made: Engine) -> None:
    # The number of brackets decides nothing but whether their depth is looked at.
    item = {"a": {"S": "k"}, "b": {"L": [{"L": []} for _ in range(500)]}}
    made.call("PutItem", {"TableName": "tbl", "Item": item})
    assert made.call("GetItem", {"TableName": "tbl", "Key": {"a": {"S": "k"}}})["Item"] == item


def test_a_program_that_asks_for_what_json_cannot_hold_is_told_so(made: Engine) -> None:
    # In the process there is no wire to refuse it.
    for value in (nested(200), {"B": b"raw"}):
        assert failure(
            made, "PutItem", {"TableName": "tbl", "Item": {"a": {"S": "k"}, "b": value}}
        ).startswith("SerializationException: The request cannot be written as JSON: ")
