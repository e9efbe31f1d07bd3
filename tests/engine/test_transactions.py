"""Tokens of transactions: good for ten minutes, then forgotten."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from sortkey.engine import Engine, own, transactions
from sortkey.errors import IdempotentParameterMismatchException
from sortkey.testing import FrozenClock


@pytest.fixture
def engine(sortkey_clock: FrozenClock) -> Generator[Engine]:
    with own(clock=sortkey_clock) as engine:
        engine.call(
            "CreateTable",
            {
                "TableName": "things",
                "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        yield engine


def add(engine: Engine, token: str, name: str = "a") -> None:
    update = {
        "TableName": "things",
        "Key": {"p": {"S": name}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    engine.call(
        "TransactWriteItems", {"TransactItems": [{"Update": update}], "ClientRequestToken": token}
    )


def count(engine: Engine) -> str:
    return engine.call("GetItem", {"TableName": "things", "Key": {"p": {"S": "a"}}})["Item"]["n"][
        "N"
    ]


@pytest.mark.parametrize("start", range(0, 600, 150))
def test_a_token_is_good_for_ten_minutes_whenever_it_came(
    engine: Engine, sortkey_clock: FrozenClock, start: int
) -> None:
    # A client tries again with the same token after a time-out; the second try must do nothing.
    sortkey_clock.advance(start)
    add(engine, "once")
    for wait in (0, 299, 300):
        sortkey_clock.advance(wait)
        engine.work()
        add(engine, "once")
        assert count(engine) == "1"
    with pytest.raises(IdempotentParameterMismatchException):
        add(engine, "once", "b")
    sortkey_clock.advance(2)
    add(engine, "once")
    assert count(engine) == "2"


def test_tokens_that_ran_out_are_forgotten(
    engine: Engine, sortkey_clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # SDKs send one with every transaction: kept for ever, they would fill the disk.
    monkeypatch.setattr(transactions, "TRIM_ROWS", 3)
    for number in range(10):
        add(engine, f"token-{number}")
    sortkey_clock.advance(1300)
    add(engine, "kept")
    for _ in range(5):
        engine.work()
    kept = engine.database.execute("select id from record where kind like 'token%'").fetchall()
    assert kept == [("kept",)]
