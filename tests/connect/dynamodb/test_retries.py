"""Answers that are errors: their class, whether they are tried again, how often, how soon, and the
last word.
"""

from __future__ import annotations

import json

import pytest

from sortkey.connect.dynamodb.retries import BUDGET_TOKENS
from sortkey.errors import (
    ClientError,
    ConditionalCheckFailedException,
    InternalServerError,
    LimitExceededException,
    ProvisionedThroughputExceededException,
    ResourceNotFoundException,
    Throttled,
    ThrottlingException,
    TransactionCanceledException,
    Unreachable,
)
from tests.connect.conftest import Connect
from tests.connect.scripted import Act, answer, error, scripted, silence

DONE = answer(b'{"done":true}')


@pytest.mark.parametrize(
    "passing",
    [
        error("InternalServerError", 500),
        error("ServiceUnavailable", 503),
        answer(b"<html>Bad gateway</html>", 502),
        answer(b"", 504),
        answer(b"", 429),
        error("ProvisionedThroughputExceededException"),
        error("ThrottlingException"),
        error("RequestLimitExceeded"),
        error("TransactionInProgressException"),
        error("LimitExceededException"),
        error("ReplicatedWriteConflictException", 409),
    ],
    ids=lambda said: said[-70:].decode(),
)
def test_what_passes_is_tried_again_on_the_same_connection(
    connect: Connect, passing: bytes
) -> None:
    # AWS's SDKs do so; a program written for them counts on it.
    with scripted([passing, passing, DONE]) as server:
        caller = connect(server.url)
        assert caller.call() == {"done": True}
    assert (server.connections, caller.slept) == (1, [0.05, 0.1])


@pytest.mark.parametrize(
    ("said", "kind", "message"),
    [
        (error("ResourceNotFoundException"), ResourceNotFoundException, "because"),
        (error("ConditionalCheckFailedException"), ConditionalCheckFailedException, "because"),
        (error("ExpiredTokenException"), ClientError, "ExpiredTokenException: because"),
        (answer(b'{"Message":"Capital"}', 400), ClientError, "HTTP 400: Capital"),
        (answer(b"<html>No</html>", 404), ClientError, "HTTP 404: '<html>No</html>'"),
        (answer(b"", 301, Location="https://elsewhere"), ClientError, "HTTP 301: ''"),
        (error("SomethingNew", 501), InternalServerError, "SomethingNew: because"),
    ],
)
def test_what_does_not_pass_is_raised_at_once(
    connect: Connect, said: bytes, kind: type, message: str
) -> None:
    # Trying again would only take time.
    with scripted([said]) as server:
        caller = connect(server.url)
        with pytest.raises(kind) as raised:
            caller.call()
    assert (type(raised.value), raised.value.message, caller.slept) == (kind, message, [])
    assert raised.value.__suppress_context__, "how we got to it is of no interest"


def test_an_error_carries_what_came_with_it(connect: Connect) -> None:
    # The item that failed the condition, and the reasons of a transaction: stores make their own
    # errors of them.
    with scripted(
        [
            error("ConditionalCheckFailedException", more=',"Item":{"pk":{"S":"a"}}'),
            error("TransactionCanceledException", more=',"CancellationReasons":[{"Code":"None"}]'),
            error("ThrottlingException", more=',"throttlingReasons":[{"reason":"x"}]'),
        ]
    ) as server:
        caller = connect(server.url, attempts_max=1)
        with pytest.raises(ConditionalCheckFailedException) as failed:
            caller.call("PutItem")
        with pytest.raises(TransactionCanceledException, match="because") as cancelled:
            caller.call("TransactWriteItems")
        with pytest.raises(Throttled) as throttled:
            caller.call()
    assert failed.value.extra == {"Item": {"pk": {"S": "a"}}}
    assert cancelled.value.extra == {"CancellationReasons": [{"Code": "None"}]}
    assert isinstance(throttled.value.__cause__, ThrottlingException)
    assert throttled.value.__cause__.extra == {"throttlingReasons": [{"reason": "x"}]}


def test_throttling_to_the_end_is_throttled(connect: Connect) -> None:
    # Pauses double, from 50 ms to 20 s; `random` is 1 here, so these are the longest that can be.
    with scripted([error("ProvisionedThroughputExceededException")] * 12) as server:
        caller = connect(server.url, attempts_max=12)
        with pytest.raises(
            Throttled, match=r"ProvisionedThroughputExceeded.*because \(attempt 12\)"
        ) as raised:
            caller.call()
    assert isinstance(raised.value.__cause__, ProvisionedThroughputExceededException)
    assert caller.slept == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 20, 20]


def test_ten_attempts_are_made_unless_configured_otherwise(connect: Connect) -> None:
    # What SDKs do for DynamoDB.
    failing: list[Act] = [error("InternalServerError", 500)] * 20
    with scripted(failing) as server, pytest.raises(InternalServerError, match="because"):
        connect(server.url).call()
    assert len(server.requests) == 10


def test_a_limit_to_the_end_keeps_its_name(connect: Connect) -> None:
    # Too many tables is not throttling, although AWS has one name for both.
    with (
        scripted([error("LimitExceededException")] * 2) as server,
        pytest.raises(LimitExceededException),
    ):
        connect(server.url, attempts_max=2).call("CreateTable")


def test_when_the_budget_is_spent_there_are_no_retries(connect: Connect) -> None:
    # A service that is down gets one request a call from us, not ten, until it answers again.
    failing: list[Act] = [error("InternalServerError", 500)] * 113
    with scripted([*failing, *[DONE] * 5, *failing]) as server:
        caller = connect(server.url)
        made: list[int] = []
        for _ in range(
            13
        ):  # 500 tokens are 100 retries: 11 calls with nine, one with one, one with none
            before = len(server.requests)
            with pytest.raises(InternalServerError):
                caller.call()
            made.append(len(server.requests) - before)
        assert made == [10] * 11 + [2, 1]
        for _ in range(5):  # each success gives one token back, five are another retry
            caller.call()
        before = len(server.requests)
        with pytest.raises(InternalServerError):
            caller.call()
        assert len(server.requests) - before == 2


def test_a_retry_that_succeeds_gives_back_what_it_took(connect: Connect) -> None:
    # A hiccup now and then must not empty the budget over the days.
    with scripted([error("InternalServerError", 500), DONE] * 3) as server:
        caller = connect(server.url)
        left: list[int] = []
        for _ in range(3):
            caller.call()
            left.append(caller.client._calls.budget.left)
    assert left == [BUDGET_TOKENS] * 3


def test_a_timeout_costs_twice_as_much(connect: Connect) -> None:
    # It has held a connection and a caller for all that time.
    with scripted([silence]) as server:
        caller = connect(server.url, answer_seconds=0.02, attempts_max=3)
        with pytest.raises(Unreachable, match=r"no answer in time \(attempt 3\)"):
            caller.call()
    assert caller.client._calls.budget.left == BUDGET_TOKENS - 20


@pytest.mark.parametrize(
    ("operation", "member"),
    [
        ("TransactWriteItems", "ClientRequestToken"),
        ("ExecuteTransaction", "ClientRequestToken"),
        ("ImportTable", "ClientToken"),
        ("ExportTableToPointInTime", "ClientToken"),
    ],
)
def test_a_retry_of_what_must_happen_once_has_the_same_token(
    connect: Connect, operation: str, member: str
) -> None:
    # The first try may have been done although its answer was lost.
    with scripted([error("InternalServerError", 500), DONE, DONE, DONE]) as server:
        caller = connect(server.url)
        request: dict[str, object] = {}
        caller.call(operation, request)
        caller.call(operation, request)
        caller.call(operation, {member: "mine"})
    first, again, second, given = [json.loads(each.body)[member] for each in server.requests]
    assert request == {}
    assert first == again != second
    assert given == "mine"
