"""BatchExecuteStatement: each statement for itself."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import failure


def _get(sk: int, more: str = "") -> dict[str, Any]:
    return {"Statement": f"SELECT sk FROM things WHERE pk='a' AND sk={sk}{more}"}


def _insert(sk: int) -> dict[str, Any]:
    return {"Statement": f"INSERT INTO things VALUE {{'pk':'a','sk':{sk}}}"}


def _batch(engine: Engine, *statements: Any, **members: Any) -> list[dict[str, Any]]:
    requests = [
        {"Statement": statement} if isinstance(statement, str) else statement
        for statement in statements
    ]
    return engine.call("BatchExecuteStatement", {"Statements": requests, **members})["Responses"]


def test_reads_are_answered_in_their_order_with_their_table(filled: Engine) -> None:
    # An item that is not there has an answer too, so that positions match.
    assert _batch(filled, _get(1), _get(99), _get(3)) == [
        {"TableName": "things", "Item": {"sk": {"N": "1"}}},
        {"TableName": "things"},
        {"TableName": "things", "Item": {"sk": {"N": "3"}}},
    ]


FAILING_READS = [
    ("SELECT", "ValidationError", "Statement wasn't well formed, can't be processed: SELECT"),
    (
        "FOO",
        "ValidationError",
        "Invalid operation. Only select, insert, update and delete operations are valid",
    ),
    (
        "EXISTS(SELECT * FROM things WHERE pk='a' AND sk=1)",
        "ValidationError",
        "EXISTS can only be used in ExecuteTransaction write requests.",
    ),
    (
        "SELECT * FROM things WHERE pk='a' AND sk=?",
        "ValidationError",
        "Number of parameters in request and statement don't match.",
    ),
    ("SELECT * FROM nowhere WHERE pk='a'", "ResourceNotFound", "Requested resource not found"),
]


@pytest.mark.parametrize(
    ("statement", "code", "message"), FAILING_READS, ids=[each[0] for each in FAILING_READS]
)
def test_a_statement_that_fails_leaves_the_others_alone(
    filled: Engine, statement: str, code: str, message: str
) -> None:
    # One bad statement of 25 must not cost the other 24.
    first, second = _batch(filled, _get(1), statement)
    assert first["Item"] == {"sk": {"N": "1"}}
    assert second == {"Error": {"Code": code, "Message": message}}


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM things WHERE pk='a'",
        "SELECT * FROM things WHERE pk='a' AND sk=3 AND v='x3'",
        "SELECT * FROM things WHERE pk IN ['a'] AND sk=3",
        "SELECT * FROM things.by_g WHERE g='G' AND sk=1",
    ],
)
def test_a_select_of_a_batch_names_one_item_by_its_key(filled: Engine, statement: str) -> None:
    # A batch fetches items; a query or a filter would make it something else.
    message = (
        "Select statements within BatchExecuteStatement must specify the primary key in the where "
        "clause."
    )
    (only,) = _batch(filled, statement)
    assert only == {"TableName": "things", "Error": {"Code": "ValidationError", "Message": message}}


def test_writes_go_on_after_one_that_failed(filled: Engine) -> None:
    # Failures at the item name the table; the item itself comes when it was asked for.
    update = {"Statement": "UPDATE things SET v='y' WHERE pk='a' AND sk=2 AND v='no'"}
    answers = _batch(
        filled,
        _insert(1),
        {**update, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"},
        "UPDATE things SET v='y' WHERE pk='a' AND sk=3 RETURNING MODIFIED OLD *",
        _insert(50),
    )
    assert answers[0] == {
        "TableName": "things",
        "Error": {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"},
    }
    assert answers[1]["Error"]["Code"] == "ConditionalCheckFailed"
    assert answers[1]["Error"]["Item"]["v"] == {"S": "x2"}
    assert answers[2:] == [
        {"TableName": "things", "Item": {"v": {"S": "x3"}}},
        {"TableName": "things"},
    ]
    assert _batch(filled, _get(50))[0]["Item"] == {"sk": {"N": "50"}}


def test_a_write_whose_key_no_item_can_have_names_its_table(filled: Engine) -> None:
    # A key of another type does not: it is found before the item is looked for.
    empty, long, typed = _batch(
        filled,
        "DELETE FROM things WHERE pk='' AND sk=1",
        f"DELETE FROM things WHERE pk='{'x' * 2049}' AND sk=1",
        "DELETE FROM things WHERE pk=1 AND sk=1",
    )
    assert [each.get("TableName") for each in (empty, long, typed)] == ["things", "things", None]
    assert {each["Error"]["Code"] for each in (empty, long, typed)} == {"ValidationError"}


def test_a_batch_does_not_mix_reads_and_writes_nor_name_an_item_twice(filled: Engine) -> None:
    # Statements of a batch run in no order that a caller may rely on.
    assert failure(filled, "BatchExecuteStatement", {"Statements": [_get(1), _insert(60)]}) == (
        "ValidationException: Read and write requests together in the same batch is not supported."
    )
    for twice in ([_get(1), _get(1)], [_insert(60), _insert(60)]):
        assert failure(filled, "BatchExecuteStatement", {"Statements": twice}) == (
            "ValidationException: Provided list of item keys contains duplicates"
        )
    assert _batch(filled, _get(60)) == [{"TableName": "things"}]


def test_a_batch_reports_what_it_consumed_for_each_table(filled: Engine) -> None:
    # The same figures as for the single operations.
    consistent = {**_get(1), "ConsistentRead": True}
    request = {"Statements": [consistent, _get(2)], "ReturnConsumedCapacity": "TOTAL"}
    answer = filled.call("BatchExecuteStatement", request)
    assert answer["ConsumedCapacity"] == [{"TableName": "things", "CapacityUnits": 1.5}]
