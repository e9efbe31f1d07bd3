"""TransactGetItems, TransactWriteItems, ExecuteTransaction: how large one may be, and what refuses
it as a whole.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.errors import TransactionCanceledException
from tests.engine.tables import failure, index, table

KB = 1024
TOO_LARGE = (
    "ValidationException: Collection size of items in transaction has exceeded the maximum allowed "
    "size: 4 MB"
)


def item(number: int, size: int) -> dict[str, Any]:
    return {"a": {"S": f"{number:03}"}, "b": {"S": "x" * (size - len("a" + "000" + "b"))}}


def puts(count: int, size: int) -> list[dict[str, Any]]:
    return [{"Put": {"TableName": "tbl", "Item": item(number, size)}} for number in range(count)]


def gets(count: int, **members: Any) -> list[dict[str, Any]]:
    return [
        {"Get": {"TableName": "tbl", "Key": {"a": {"S": f"{number:03}"}}, **members}}
        for number in range(count)
    ]


@pytest.fixture
def filled(engine: Engine) -> Engine:
    """16 items, which make 4 MB and one byte."""
    engine.call("CreateTable", table())
    for number in range(16):
        engine.call(
            "PutItem", {"TableName": "tbl", "Item": item(number, 256 * KB + (number == 15))}
        )
    return engine


def test_a_transaction_writes_no_more_than_4_mb(engine: Engine) -> None:
    engine.call("CreateTable", table())

    assert failure(engine, "TransactWriteItems", {"TransactItems": puts(17, 256 * KB)}) == TOO_LARGE
    assert engine.call("Scan", {"TableName": "tbl"})["Count"] == 0
    engine.call("TransactWriteItems", {"TransactItems": puts(16, 256 * KB)})


@pytest.mark.parametrize("capacity", ["NONE", "TOTAL"])
def test_what_a_transaction_replaces_does_not_count(filled: Engine, capacity: str) -> None:
    # The old items are read for the capacity only; asking for it must not change what is accepted.
    request = {"TransactItems": puts(16, KB), "ReturnConsumedCapacity": capacity}

    filled.call("TransactWriteItems", request)


def test_members_that_aws_does_not_know_are_ignored_in_a_transaction(engine: Engine) -> None:
    # A newer SDK may send one. The engine took it for an action, and failed.
    engine.call("CreateTable", table())
    action = {
        "Put": {"TableName": "tbl", "Item": item(1, KB)},
        "Unknown": {"TableName": "tbl"},
        "": {"TableName": 7},
    }

    engine.call(
        "TransactWriteItems",
        {"TransactItems": [action], "ClientRequestToken": "once", "Unknown": None},
    )
    assert engine.call("Scan", {"TableName": "tbl"})["Count"] == 1
    assert failure(engine, "TransactWriteItems", {"TransactItems": [{"Unknown": {}}]}) == (
        "ValidationException: Invalid Request: TransactWriteRequest should contain Delete or Put "
        "or Update request"
    )


def test_a_transaction_reads_no_more_than_4_mb(filled: Engine) -> None:
    # AWS: "The aggregate size of the items in the transaction cannot exceed 4 MB", whatever of them
    # is asked for.
    assert failure(filled, "TransactGetItems", {"TransactItems": gets(16)}) == TOO_LARGE
    assert (
        failure(filled, "TransactGetItems", {"TransactItems": gets(16, ProjectionExpression="a")})
        == TOO_LARGE
    )
    assert len(filled.call("TransactGetItems", {"TransactItems": gets(15)})["Responses"]) == 15


def test_statements_read_no_more_than_4_mb(filled: Engine) -> None:
    statements = [
        {"Statement": f"SELECT a FROM tbl WHERE a = '{number:03}'"} for number in range(16)
    ]

    assert failure(filled, "ExecuteTransaction", {"TransactStatements": statements}) == TOO_LARGE
    assert (
        len(
            filled.call("ExecuteTransaction", {"TransactStatements": statements[1:15]})["Responses"]
        )
        == 14
    )


@pytest.mark.parametrize(("size", "units"), [(KB, 2.0), (4 * KB, 2.0), (5 * KB, 4.0)])
def test_a_repeated_transaction_costs_what_reading_its_items_does(
    engine: Engine, size: int, units: float
) -> None:
    # AWS: "subsequent calls with the same client token return the number of read capacity units
    # consumed in reading the item".
    engine.call("CreateTable", table())
    request = {
        "TransactItems": puts(1, size),
        "ClientRequestToken": "once",
        "ReturnConsumedCapacity": "TOTAL",
    }
    written = size / KB * 2

    first, second = (
        engine.call("TransactWriteItems", request),
        engine.call("TransactWriteItems", request),
    )

    assert first["ConsumedCapacity"] == [
        {"TableName": "tbl", "CapacityUnits": written, "WriteCapacityUnits": written}
    ]
    assert second["ConsumedCapacity"] == [
        {"TableName": "tbl", "CapacityUnits": units, "ReadCapacityUnits": units}
    ]


def test_a_repeated_transaction_of_statements_costs_reads(engine: Engine) -> None:
    engine.call("CreateTable", table())
    statement = {"Statement": f"INSERT INTO tbl VALUE {{'a': 'k', 'b': '{'x' * 5 * KB}'}}"}
    request = {
        "TransactStatements": [statement],
        "ClientRequestToken": "once",
        "ReturnConsumedCapacity": "TOTAL",
    }

    engine.call("ExecuteTransaction", request)

    again = engine.call("ExecuteTransaction", request)["ConsumedCapacity"]
    assert again == [{"TableName": "tbl", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}]


EMPTY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
    "contain an empty "
)
EMPTY_KEY = {"a": {"S": ""}}
EMPTY_KEYS: list[tuple[str, dict[str, Any]]] = [
    ("TransactWriteItems", {"Put": {"Item": EMPTY_KEY}}),
    ("TransactWriteItems", {"Delete": {"Key": EMPTY_KEY}}),
    ("TransactWriteItems", {"Update": {"Key": EMPTY_KEY, "UpdateExpression": "REMOVE b"}}),
    (
        "TransactWriteItems",
        {"ConditionCheck": {"Key": EMPTY_KEY, "ConditionExpression": "attribute_exists(a)"}},
    ),
]


@pytest.mark.parametrize(("operation", "action"), EMPTY_KEYS)
def test_an_empty_key_is_refused_before_a_transaction_of_writes(
    engine: Engine, operation: str, action: dict[str, Any]
) -> None:
    # A key of another type cancels the transaction, with its reason; AWS looks for empty ones
    # before, as for any item.
    engine.call("CreateTable", table())
    ((name, members),) = action.items()
    request = {"TransactItems": [{name: {"TableName": "tbl", **members}}]}

    assert (
        failure(engine, operation, request) == f"ValidationException: {EMPTY}string value. Key: a"
    )


def test_an_empty_key_cancels_a_transaction_of_reads(engine: Engine) -> None:
    # Unlike one of writes, as captured from AWS: the reason stands at the place of the read.
    engine.call("CreateTable", table())
    keys = ({"a": {"S": "k"}}, EMPTY_KEY)

    with pytest.raises(TransactionCanceledException) as cancelled:
        engine.call(
            "TransactGetItems",
            {"TransactItems": [{"Get": {"TableName": "tbl", "Key": key}} for key in keys]},
        )
    assert cancelled.value.extra["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": "ValidationError", "Message": f"{EMPTY}string value. Key: a"},
    ]


def test_a_projection_that_selects_nothing_answers_no_item_in_a_transaction(engine: Engine) -> None:
    # GetItem answers an empty Item there, unlike for a missing one; TransactGetItems
    # does not.
    engine.call("CreateTable", table())
    engine.call("PutItem", {"TableName": "tbl", "Item": item(0, KB)})

    assert engine.call(
        "TransactGetItems", {"TransactItems": gets(1, ProjectionExpression="zz")}
    ) == {"Responses": [{}]}
    one = {"TableName": "tbl", "Key": {"a": {"S": "000"}}, "ProjectionExpression": "zz"}
    assert engine.call("GetItem", one) == {"Item": {}}


def test_a_transaction_pays_twice_for_the_table_and_once_for_its_indexes(engine: Engine) -> None:
    # Captured from AWS; programs that budget by the figures would pay for writes that nobody makes.
    indexes = [index("all", "g"), index("keys", "g h", {"ProjectionType": "KEYS_ONLY"})]
    engine.call("CreateTable", table(attributes="a g h", GlobalSecondaryIndexes=indexes))
    put = {"TableName": "tbl", "Item": {"a": {"S": "k"}, "g": {"S": "g"}, "h": {"S": "h"}}}
    statement = {"Statement": "INSERT INTO tbl VALUE {'a': 'l', 'g': 'g', 'h': 'h'}"}
    for operation, members in (
        ("TransactWriteItems", {"TransactItems": [{"Put": put}]}),
        ("ExecuteTransaction", {"TransactStatements": [statement]}),
    ):
        (consumed,) = engine.call(operation, {**members, "ReturnConsumedCapacity": "INDEXES"})[
            "ConsumedCapacity"
        ]
        assert (consumed["CapacityUnits"], consumed["Table"]["CapacityUnits"]) == (4.0, 2.0)
        assert {
            name: each["CapacityUnits"] for name, each in consumed["GlobalSecondaryIndexes"].items()
        } == {
            "all": 1.0,
            "keys": 1.0,
        }


def test_an_empty_key_of_an_index_is_refused_before_the_transaction(engine: Engine) -> None:
    engine.call(
        "CreateTable", table("tbl", "a", "a g", GlobalSecondaryIndexes=[index("by_g", "g")])
    )
    failing = {
        "TableName": "tbl",
        "Key": {"a": {"S": "1"}},
        "ConditionExpression": "attribute_exists(a)",
    }
    put = {"TableName": "tbl", "Item": {"a": {"S": "x"}, "g": {"S": ""}}}
    request = {"TransactItems": [{"ConditionCheck": failing}, {"Put": put}]}

    message = failure(engine, "TransactWriteItems", request)
    assert message.startswith(
        "ValidationException: One or more parameter values are not valid. A value specified"
    )
