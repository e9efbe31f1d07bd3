"""Handlers as they are declared: filters, conditions, names, and that they are still the functions
they were.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

import pytest

from sortkey import (
    AsyncStore,
    Change,
    Store,
    Update,
    apply_once,
    apply_once_async,
    attr,
    on_change,
    on_changes,
    once,
)
from sortkey.connect.embedded import AsyncEmbeddedBackend
from sortkey.engine import Engine
from sortkey.errors import ModelError, TransactionFailed
from sortkey.runtime.streams import streams_table
from sortkey.runtime.streams.dead_letters import Origin
from sortkey.runtime.streams.once import KEPT
from sortkey.runtime.streams.state import Applied, DeadLetterPart
from sortkey.testing import FrozenClock
from tests.runtime.streams.shop import Count, Order, Parcel, collector, put_orders, worker


def test_a_handler_is_still_a_function() -> None:
    # Its tests need no worker.
    @on_change(Order)
    def double(change: Any) -> Any:
        """Twice."""
        return 2 * change

    assert double(21) == 42
    assert (double.name, double.doc, double.entities) == ("double", "Twice.", (Order,))


def test_a_condition_is_tested_as_the_table_would(store: Store) -> None:
    # `when=` means the same here as in an update.
    put_orders(store, 1, status="new")
    put_orders(store, 2, status="paid")
    put_orders(store, 12, status="paid")
    condition = (Order.status == "paid") & attr(Order.number).between(2, 9)
    handler, seen = collector(when=condition)
    worker(store, handler).run_until_idle()
    assert [change.new and change.new.number for change in seen] == [2]


def test_a_condition_without_an_image_is_an_error_and_not_a_guess(store: Store) -> None:
    # The table of parcels shows new images only: a deletion has nothing to test.
    seen: list[str] = []

    @on_change(Parcel, when=Parcel.place == "depot")
    def at_depot(change: Change[Parcel]) -> None:
        seen.append(change.kind)

    store.put(Parcel(number=1, place="depot"))
    store.delete(Parcel.key(number=1))
    running = worker(store, at_depot)
    running.run_until_idle()
    assert seen == ["created"]
    (letter,) = running.dead_letters.list()
    assert "shows NEW_IMAGE" in letter.error


def test_a_filter_that_fails_is_a_handler_that_fails(store: Store) -> None:
    # It is the user's code too.
    handler, seen = collector(when=lambda change: change.new.no_such_field)
    put_orders(store, 1)
    running = worker(store, handler)
    running.run_until_idle()
    assert seen == []
    assert "no_such_field" in running.dead_letters.list()[0].error


def test_handlers_that_cannot_be_are_refused_where_they_are_declared() -> None:
    # A wrong filter that matches nothing looks like a quiet day.
    def nothing(change: Any) -> None: ...

    with pytest.raises(ModelError, match="needs the entities"):
        on_change()(nothing)
    with pytest.raises(ModelError, match="gone"):
        on_change(Order, kinds=["gone"])(nothing)  # type: ignore[list-item]
    with pytest.raises(ModelError, match="when= takes"):
        on_change(Order, when=True)(nothing)
    with pytest.raises(ModelError, match="is not a valid name of a handler"):
        on_change(Order, name="a#b")(nothing)


def test_an_item_that_no_longer_fits_becomes_a_dead_letter_without_a_try(store: Store) -> None:
    # Trying again does not help; a corrected entity does.
    item = {"PK": {"S": "CUSTOMER#ada"}, "SK": {"S": "ORDER#000001"}, "EntityType": {"S": "Order"}}
    store.backend.call(
        "PutItem", {"TableName": "orders", "Item": {**item, "number": {"S": "many"}}}
    )
    put_orders(store, 2)
    handler, seen = collector()
    batches: list[int] = []

    @on_changes(Order)
    def batch(changes: Sequence[Change[Order]]) -> None:
        batches.append(len(changes))

    running = worker(store, handler, batch)
    running.run_until_idle()
    letters = running.dead_letters.list()
    assert ([len(seen), batches], [letter.attempts for letter in letters]) == ([1, [1]], [0, 0])
    assert sorted(letter.handler for letter in letters) == ["batch", "collect"]
    assert "not a valid Order" in letters[0].error
    assert len(running.replay().failed) == 2


def test_a_letter_whose_handler_is_gone_stays(store: Store) -> None:
    # Renaming a function must not lose what failed under its old name.
    put_orders(store, 1)

    @on_change(Order)
    def old_name(change: Change[Order]) -> None:
        raise ValueError("no")

    worker(store, old_name).run_until_idle()
    handler, _ = collector()
    renamed = worker(store, handler)
    again = renamed.replay()
    assert (again.done, [letter.error for letter in again.failed]) == (
        [],
        ["LookupError: the worker has no handler old_name: add it, or drop the letter"],
    )
    renamed.dead_letters.drop(again.failed[0])
    assert renamed.dead_letters.list() == []


def test_a_letter_stays_whose_handler_has_turned_to_other_entities(store: Store) -> None:
    # It would be called with nothing, and the letter be gone as if that had helped.
    put_orders(store, 1)

    @on_change(Order, name="notified")
    def of_orders(change: Change[Order]) -> None:
        raise ValueError("no")

    @on_change(Parcel, name="notified")
    def of_parcels(change: Change[Parcel]) -> None: ...

    worker(store, of_orders).run_until_idle()
    turned = worker(store, of_parcels)
    again = turned.replay()
    assert (again.done, len(again.failed)) == ([], 1)
    assert "notified no longer accepts changes like this one" in turned.dead_letters.list()[0].error


def test_the_parts_of_a_large_letter_stay_while_another_one_needs_them(
    store: Store, clock: FrozenClock
) -> None:
    # A worker that was killed before its checkpoint buries the same change again.
    store.ensure(streams_table)
    letters = worker(store, collector()[0]).dead_letters
    record = {
        "eventID": "change-1",
        "dynamodb": {"SequenceNumber": "1", "large": os.urandom(400_000).hex()},
    }
    letter = ("collect", record, Origin("orders", "arn", "shard"), ValueError("no"), 5)
    first = letters.add(*letter)
    clock.advance(1)
    second = letters.add(*letter)
    letters.drop(first)
    assert letters.record(second) == record
    letters.drop(second)
    assert store.scan(DeadLetterPart) == []


def test_a_guard_is_part_of_the_transaction_and_expires(store: Store, clock: FrozenClock) -> None:
    # Both are there or neither: that is what makes it once.
    store.ensure(streams_table)
    more = Update(Count.key(customer="ada"), (attr(Count.orders).add(1),), upsert=True)
    impossible = Update(Count.key(customer="nobody"), (attr(Count.orders).add(1),))
    with pytest.raises(TransactionFailed):
        apply_once(store, "change-1", "count", more, impossible)
    assert apply_once(store, "change-1", "count", more)
    assert not apply_once(store, "change-1", "count", more)
    assert apply_once(store, "change-1", "another", more)
    assert apply_once(store, "change-2", "count", more)
    assert store.get(Count.key(customer="ada")).orders == 3
    put_orders(store, 1)
    handler, (change,) = collector()[0], _changes(store)
    assert handler.wants(change)
    guard = once(change, "count").entity
    assert guard == Applied(change_id=change.id, by="count", expires_at=change.at + KEPT)


def _changes(store: Store) -> list[Change[Order]]:
    handler, seen = collector()
    worker(store, handler, name="changes").run_until_idle()
    return seen


def test_the_same_awaited(engine: Engine, store: Store) -> None:
    # An async handler has an async store.
    store.ensure(streams_table)
    astore = AsyncStore(AsyncEmbeddedBackend(engine))
    more = Update(Count.key(customer="ada"), (attr(Count.orders).add(1),), upsert=True)
    bad = Update(Count.key(customer="nobody"), (attr(Count.orders).add(1),))

    async def run() -> list[bool]:
        with pytest.raises(TransactionFailed):
            await apply_once_async(astore, "change-1", "count", bad)
        return [await apply_once_async(astore, "change-1", "count", more) for _ in range(2)]

    assert asyncio.run(run()) == [True, False]


def test_async_handlers_of_a_worker_share_one_event_loop(store: Store) -> None:
    # Clients that belong to a loop would break with a new one for each change.
    loops: set[int] = set()

    @on_change(Order)
    async def collect(change: Change[Order]) -> None:
        await asyncio.sleep(0)
        loops.add(id(asyncio.get_running_loop()))

    put_orders(store, *range(10))
    running = worker(store, collect)
    running.run_until_idle()
    running.stop()
    assert len(loops) == 1
