"""ExecuteTransaction: all or none."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.errors import IdempotentParameterMismatchException, TransactionCanceledException
from tests.engine.tables import Clock, failure

UPDATE = "UPDATE things SET v='y' WHERE pk='a' AND sk=1"


def _transact(engine: Engine, *statements: Any, **members: Any) -> list[dict[str, Any]]:
    return engine.call("ExecuteTransaction", _request(*statements, **members))["Responses"]


def _request(*statements: Any, **members: Any) -> dict[str, Any]:
    requests = [
        {"Statement": statement} if isinstance(statement, str) else statement
        for statement in statements
    ]
    return {"TransactStatements": requests, **members}


def _get(sk: int, more: str = "") -> str:
    return f"SELECT v FROM things WHERE pk='a' AND sk={sk}{more}"


def test_reads_are_answered_in_their_order(filled: Engine) -> None:
    # An item that is not there has an empty answer.
    assert _transact(filled, _get(1), _get(99)) == [{"Item": {"v": {"S": "x1"}}}, {}]


def test_writes_happen_together(filled: Engine) -> None:
    # Insert, update, delete and check in one transaction, on four items.
    exists = "EXISTS(SELECT * FROM things WHERE pk='a' AND sk=3 AND v='x3')"
    insert, delete = (
        "INSERT INTO things VALUE {'pk':'a','sk':50}",
        "DELETE FROM things WHERE pk='a' AND sk=2",
    )
    assert _transact(filled, exists, UPDATE, insert, delete) == []
    assert _transact(filled, _get(1), _get(2), _get(50)) == [
        {"Item": {"v": {"S": "y"}}},
        {},
        {"Item": {}},
    ]


CANCELLING = [
    (
        "INSERT INTO things VALUE {'pk':'a','sk':2}",
        "DuplicateItem",
        "Duplicate primary key exists in table",
    ),
    (
        "UPDATE things SET v=1 WHERE pk='a' AND sk=99",
        "ConditionalCheckFailed",
        "The conditional request failed",
    ),
    (
        "DELETE FROM things WHERE pk='a' AND sk=2 AND v='no'",
        "ConditionalCheckFailed",
        "The conditional request failed",
    ),
    (
        "EXISTS(SELECT * FROM things WHERE pk='a' AND sk=2 AND v='no')",
        "ConditionalCheckFailed",
        "The conditional request failed",
    ),
    (
        "EXISTS(SELECT * FROM things WHERE pk='a' AND sk=99 AND v IS MISSING)",
        "ConditionalCheckFailed",
        "The conditional request failed",
    ),
    (
        "INSERT INTO things VALUE {'pk':'x'}",
        "ValidationError",
        "Key attribute should be present in the item: Key sk",
    ),
    (
        "UPDATE things SET v=1 WHERE pk='a'",
        "ValidationError",
        "Where clause does not contain a mandatory equality on all key attributes",
    ),
]


@pytest.mark.parametrize(
    ("statement", "code", "message"), CANCELLING, ids=[each[0] for each in CANCELLING]
)
def test_one_failure_cancels_all_and_says_which(
    filled: Engine, statement: str, code: str, message: str
) -> None:
    # The reasons stand in the order of the statements, with "None" for those that were fine.
    with pytest.raises(TransactionCanceledException) as raised:
        _transact(filled, UPDATE, statement)
    assert raised.value.extra["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": code, "Message": message},
    ]
    assert _transact(filled, _get(1)) == [{"Item": {"v": {"S": "x1"}}}]


def test_a_failed_condition_shows_the_item_when_asked(filled: Engine) -> None:
    # ReturnValuesOnConditionCheckFailure belongs to the statement, not to the transaction.
    statement = {
        "Statement": f"{UPDATE} AND v='no'",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    with pytest.raises(TransactionCanceledException) as raised:
        _transact(filled, statement)
    assert raised.value.extra["CancellationReasons"][0]["Item"]["v"] == {"S": "x1"}


REFUSED = [
    (
        ("SELECT * FROM things WHERE pk IN ['a'] AND sk=1",),
        "Validation failed in TransactStatements[0]: Select statements within ExecuteTransaction "
        "must specify the "
        "primary key in the where clause.",
    ),
    (
        (_get(1), UPDATE),
        "ExecuteTransaction API does not support both read and write operations in the same "
        "request.",
    ),
    ((_get(1), _get(1)), "Transaction request cannot include multiple operations on one item"),
    ((UPDATE, UPDATE), "Transaction request cannot include multiple operations on one item"),
    (
        (_get(1), "SELECT * FROM things WHERE pk='a'"),
        "Validation failed in TransactStatements[1]: Select statements within ExecuteTransaction "
        "must specify the "
        "primary key in the where clause.",
    ),
    (
        ("SELECT sk FROM things.by_g WHERE g='G' AND sk=1",),
        "Validation failed in TransactStatements[0]: Reads on indices are not supported within "
        "transactions.",
    ),
    (
        (_get(1), "SELECT * FROM things WHERE pk='a' AND sk=?"),
        "Validation failed in TransactStatements[1]: Number of parameters in request and statement "
        "don't match.",
    ),
    (
        (f"{UPDATE} RETURNING ALL OLD *",),
        "Validation failed in TransactStatements[0]: RETURNING clause is not supported in "
        "ExecuteTransaction.",
    ),
    (
        ("EXISTS(SELECT * FROM things WHERE pk='a' AND sk=2)", UPDATE),
        "Validation failed in TransactStatements[0]: EXISTS() must contain a single item read with "
        "additional "
        "condition",
    ),
    (
        ("NOT EXISTS(SELECT * FROM things WHERE pk='a' AND sk=2)", UPDATE),
        "Unsupported operation in transaction.",
    ),
    ((_get(1), "FOO"), "Unsupported operation: VariableReference"),
    ((_get(1), "SELECT"), "Statement wasn't well formed, can't be processed: SELECT"),
]


@pytest.mark.parametrize(("statements", "message"), REFUSED, ids=[each[0][-1] for each in REFUSED])
def test_a_transaction_is_refused_in_awss_words(
    filled: Engine, statements: tuple[str, ...], message: str
) -> None:
    # An invalid request is not a cancellation.
    assert (
        failure(filled, "ExecuteTransaction", _request(*statements))
        == f"ValidationException: {message}"
    )


def test_a_token_makes_a_transaction_happen_once(filled: Engine, clock: Clock) -> None:
    # A client that lost the answer asks again; the insert must neither fail nor happen twice.
    insert = "INSERT INTO things VALUE {'pk':'a','sk':70}"
    assert _transact(filled, insert, ClientRequestToken="t") == []
    assert _transact(filled, insert, ClientRequestToken="t") == []
    with pytest.raises(IdempotentParameterMismatchException):
        _transact(filled, UPDATE, ClientRequestToken="t")
    clock.now += 601
    with pytest.raises(TransactionCanceledException):
        _transact(filled, insert, ClientRequestToken="t")


def test_a_transaction_costs_double(filled: Engine) -> None:
    # Two reads of half a unit would be one; a transaction's reads are consistent, and cost twice
    # that.
    answer = filled.call(
        "ExecuteTransaction", _request(_get(1), _get(2), ReturnConsumedCapacity="TOTAL")
    )
    assert answer["ConsumedCapacity"][0]["CapacityUnits"] == 4.0
    answer = filled.call("ExecuteTransaction", _request(UPDATE, ReturnConsumedCapacity="TOTAL"))
    assert answer["ConsumedCapacity"][0]["CapacityUnits"] == 2.0
