"""The same handlers behind AWS Lambda: the answer for a batch decides what is sent again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sortkey import Change, Store, lambda_handler, on_change, on_changes
from sortkey.errors import ChangeRefused
from sortkey.runtime.streams import DeadLetters, streams_table
from sortkey.testing import FrozenClock
from tests.runtime.streams.shop import Order, collector, put_orders, worker

ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/{}/stream/2026-01-01T00:00:00.000"


@pytest.fixture
def event(store: Store) -> dict[str, Any]:
    """Five new orders, as Lambda would bring them."""
    handler, seen = collector()
    put_orders(store, *range(5))
    worker(store, handler, name="recorder").run_until_idle()
    return {
        "Records": [{**change.record, "eventSourceARN": ARN.format("orders")} for change in seen]
    }


def failures(*records: dict[str, Any]) -> dict[str, Any]:
    return {
        "batchItemFailures": [
            {"itemIdentifier": record["dynamodb"]["SequenceNumber"]} for record in records
        ]
    }


def test_a_batch_that_succeeds_has_no_failures(event: dict[str, Any]) -> None:
    # An empty list means to Lambda that all is well.
    handler, seen = collector()
    assert lambda_handler([handler])(event, None) == {"batchItemFailures": []}
    assert [change.new and change.new.number for change in seen] == list(range(5))


def test_it_stops_at_the_first_failure_and_names_it(event: dict[str, Any]) -> None:
    # Lambda goes on there: what was done before is not done again, and nothing after it came too
    # early.
    seen: list[int] = []
    batched: list[int] = []

    @on_change(Order)
    def fragile(change: Change[Order]) -> None:
        assert change.new is not None
        if change.new.number == 3:
            raise ValueError("no")
        seen.append(change.new.number)

    @on_changes(Order)
    def batch(changes: Sequence[Change[Order]]) -> None:
        batched.extend(change.key.values["number"] for change in changes)

    assert lambda_handler([fragile, batch])(event, None) == failures(event["Records"][3])
    assert seen == batched == [0, 1, 2]


def test_a_batch_handler_is_halved_until_the_bad_one_is_found(event: dict[str, Any]) -> None:
    # The good ones before it are done, those after it wait for their turn.
    done: list[int] = []

    @on_changes(Order)
    def batch(changes: Sequence[Change[Order]]) -> None:
        numbers = [change.key.values["number"] for change in changes]
        if 2 in numbers:
            raise ValueError("no")
        done.extend(numbers)

    assert lambda_handler([batch])(event, None) == failures(event["Records"][2])
    assert done == [0, 1]


def test_async_handlers_run(event: dict[str, Any]) -> None:
    # As in the worker.
    seen: list[str] = []

    @on_change(Order)
    async def collect(change: Change[Order]) -> None:
        seen.append(change.id)

    assert lambda_handler([collect])(event) == {"batchItemFailures": []}
    assert len(seen) == 5


def test_streams_in_one_event_fail_for_themselves(event: dict[str, Any]) -> None:
    # One table's bad record is not the other's.
    event["Records"][0]["eventSourceARN"] = ARN.format("others")  # a table of no handler
    seen: list[str] = []

    @on_change(Order)
    def fragile(change: Change[Order]) -> None:
        seen.append(change.id)
        raise ValueError("no")

    assert lambda_handler([fragile])(event, None) == failures(event["Records"][1])
    assert len(seen) == 1


def test_what_no_try_can_help_is_kept_and_does_not_block_the_shard(
    event: dict[str, Any], store: Store, clock: FrozenClock
) -> None:
    # Lambda would try it for a day, and everything behind it would wait.
    store.ensure(streams_table)
    event["Records"][1]["dynamodb"]["NewImage"]["number"] = {"S": "many"}
    seen: list[int] = []

    @on_change(Order)
    def strict(change: Change[Order]) -> None:
        assert change.new is not None
        if change.new.number == 3:
            raise ChangeRefused("not ours")
        seen.append(change.new.number)

    letters = DeadLetters(store, "orders-lambda", clock)
    assert lambda_handler([strict], dead_letters=letters)(event, None) == {"batchItemFailures": []}
    assert seen == [0, 2, 4]
    assert sorted(letter.error.partition(":")[0] for letter in letters.list()) == [
        "ChangeRefused",
        "InvalidItem",
    ]
    assert lambda_handler([strict])(event, None) == failures(event["Records"][1])
