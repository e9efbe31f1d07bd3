"""The contract of streams: the same handlers see the same changes on every service that has
DynamoDB's streams.
"""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sortkey import (
    Change,
    Retries,
    Store,
    StreamWorker,
    Update,
    apply_once,
    attr,
    lambda_handler,
    on_change,
    on_changes,
)
from sortkey.errors import ChangeRefused
from sortkey.testing import FrozenClock
from tests.contract.streams_adapters import Shop, dynamodb_local, embedded, shared, shop, wire
from tools.downloads import Missing

PATIENCE = 20.0
Changes = list[Change[Any]]
ADAPTERS: dict[str, Any] = {
    "embedded": embedded,
    "shared": shared,
    "wire": wire,
    "dynamodb-local": lambda folder: dynamodb_local(),
}


@pytest.fixture(
    scope="module",
    params=[
        "embedded",
        "shared",
        "wire",
        pytest.param("dynamodb-local", marks=[pytest.mark.slow, pytest.mark.oracle]),
    ],
)
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("streams")
    with ExitStack() as stack:
        try:
            yield stack.enter_context(ADAPTERS[request.param](folder))
        except Missing as missing:
            pytest.skip(f"no DynamoDB Local: {missing}")


@pytest.fixture
def new_shop(store: Store) -> Iterator[Callable[..., Shop]]:
    made: list[Shop] = []

    def make(view: str = "NEW_AND_OLD_IMAGES") -> Shop:
        one = shop(f"{secrets.token_hex(6)}", view)
        store.ensure(one.table)
        made.append(one)
        return one

    yield make
    for one in made:
        store.backend.call("DeleteTable", {"TableName": one.table.name})


@pytest.fixture
def our(new_shop: Callable[..., Shop]) -> Shop:
    return new_shop()


def collector(our: Shop, **filters: Any) -> tuple[Any, Changes]:
    """A handler of orders that keeps what it gets."""
    seen: Changes = []

    @on_change(our.order, **filters)
    def collect(change: Change[Any]) -> None:
        seen.append(change)

    return collect, seen


def worker(
    store: Store, our: Shop, *handlers: Any, name: str = "", **settings: Any
) -> StreamWorker:
    """A worker that does not sleep between tries."""
    given: dict[str, Any] = {"sleep": lambda seconds: None, **settings}
    return StreamWorker(store, handlers, name=name or our.worker, **given)


def run(store: Store, our: Shop, *handlers: Any, **settings: Any) -> StreamWorker:
    """Let a worker do what there is, and stop."""
    made = worker(store, our, *handlers, **settings)
    made.run_until_idle()
    made.stop()
    return made


def seen_numbers(seen: Changes) -> list[int]:
    return [change.key.values["number"] for change in seen]


def test_a_handler_sees_the_life_of_an_item_typed_and_in_order(store: Store, our: Shop) -> None:
    # What streams are for: who reacts to a change knows what it was, and what it is.
    key = our.order.key(customer="ada", number=7)
    store.create(our.order(customer="ada", number=7, parts={"a": {}, "b": [1, {"c": {}}]}))
    store.update(key, set={"status": "paid"})
    store.delete(key)
    store.put(our.note(customer="ada"))  # of another kind: not for this handler
    collect, seen = collector(our)
    run(store, our, collect)
    assert [change.kind for change in seen] == ["created", "changed", "deleted"]
    created, changed, deleted = seen
    assert (created.old, created.new.status, created.new.parts) == (
        None,
        "new",
        {"a": {}, "b": [1, {"c": {}}]},
    )
    assert (changed.old.status, changed.new.status) == ("new", "paid")
    assert (deleted.old.status, deleted.new) == ("paid", None)
    assert all(type(change.latest) is our.order and change.key == key for change in seen)
    assert {change.by for change in seen} == {"user"}
    assert changed.became(our.order.status, "paid")
    assert not changed.touched(our.order.number)
    assert changed.touched(our.order.status)
    numbers = [int(change.sequence_number) for change in seen]
    assert numbers == sorted(set(numbers))
    assert abs(datetime.now(UTC) - seen[0].at) < timedelta(minutes=2)


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        ("KEYS_ONLY", [(False, False), (False, False), (False, False)]),
        ("NEW_IMAGE", [(False, True), (False, True), (False, False)]),
        ("OLD_IMAGE", [(False, False), (True, False), (True, False)]),
        ("NEW_AND_OLD_IMAGES", [(False, True), (True, True), (True, False)]),
    ],
)
def test_what_the_view_hides_is_none_and_the_key_is_always_there(
    store: Store, new_shop: Callable[..., Shop], view: str, shown: list[tuple[bool, bool]]
) -> None:
    # Seven of VAMS's tables show new images only: a deletion then tells the key and nothing else.
    our = new_shop(view)
    key = our.order.key(customer="ada", number=7)
    store.create(our.order(customer="ada", number=7))
    store.update(key, set={"status": "paid"})
    store.delete(key)
    collect, seen = collector(our)
    run(store, our, collect)
    assert [change.kind for change in seen] == ["created", "changed", "deleted"]
    assert [(change.old is not None, change.new is not None) for change in seen] == shown
    assert [change.key for change in seen] == [key] * 3


def test_a_worker_goes_on_where_it_was_and_another_name_reads_for_itself(
    store: Store, our: Shop
) -> None:
    # A restart must neither skip nor repeat; an indexer and a notifier must not share their place.
    for number in range(3):
        store.put(our.order(customer="ada", number=number))
    collect, seen = collector(our)
    run(store, our, collect)
    store.put(our.order(customer="ada", number=3))
    again, later = collector(our)
    run(store, our, again)
    assert (seen_numbers(seen), seen_numbers(later)) == ([0, 1, 2], [3])
    other, everything = collector(our)
    run(store, our, other, name=f"other-{our.name}")
    assert seen_numbers(everything) == [0, 1, 2, 3]
    assert [change.id for change in everything] == [change.id for change in seen + later]


def test_a_new_worker_starts_where_it_is_configured(store: Store, our: Shop) -> None:
    # A notifier does not want yesterday's changes; a repair wants those from a certain one on.
    for number in range(4):
        store.put(our.order(customer="ada", number=number))
    collect, everything = collector(our)
    run(store, our, collect)

    def begun(start: Any, name: str) -> list[int]:
        handler, seen = collector(our)
        one = worker(store, our, handler, name=f"{name}-{our.name}", start=start)
        one.run_until_idle()
        store.put(our.order(customer="ada", number=9, status=name))
        one.run_until_idle()
        one.stop()
        return seen_numbers(seen)

    assert begun("LATEST", "latest") == [9]
    assert begun(everything[2].sequence_number, "number") == [2, 3, 9, 9]
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    assert begun(long_ago, "long-ago") == [0, 1, 2, 3, 9, 9, 9]
    in_an_hour = datetime.now(UTC) + timedelta(hours=1)
    assert begun(in_an_hour, "future") == []


def test_the_latest_of_a_worker_that_died_before_its_first_change_is_still_where_it_was(
    store: Store, our: Shop
) -> None:
    # It had no checkpoint yet; what came while it was down must not be lost.
    handler, seen = collector(our)
    first = worker(store, our, handler, start="LATEST")
    first.run_until_idle()
    first.stop()
    store.put(our.order(customer="ada", number=1))
    run(store, our, handler, start="LATEST")
    assert seen_numbers(seen) == [1]


def test_a_rewound_worker_sees_everything_again(store: Store, our: Shop) -> None:
    # After a bug in a handler is fixed, its changes are wanted once more.
    for number in range(3):
        store.put(our.order(customer="ada", number=number))
    handler, seen = collector(our)
    run(store, our, handler)
    rewound = worker(store, our, handler)
    rewound.rewind("TRIM_HORIZON")
    rewound.run_until_idle()
    rewound.stop()
    assert seen_numbers(seen) == [0, 1, 2, 0, 1, 2]


def test_changes_of_a_key_come_in_order_under_any_load(store: Store, our: Shop) -> None:
    # A status that goes back in time is a wrong status.
    chance = random.Random(7)
    state = dict.fromkeys(range(5), 0)
    for _ in range(120):
        number = chance.randrange(5)
        state[number] += 1
        store.put(our.order(customer="ada", number=number, status=str(state[number])))
    handler, seen = collector(our)
    run(store, our, handler)
    for number, last in state.items():
        statuses = [change.new.status for change in seen if change.new.number == number]
        assert statuses == [str(number) for number in range(1, last + 1)]


def test_a_handler_that_fails_is_tried_again_before_the_next_change(
    store: Store, our: Shop
) -> None:
    # Order for a key holds also when something goes wrong for a moment.
    for number in range(3):
        store.put(our.order(customer="ada", number=number))
    calls: list[int] = []
    pauses: list[float] = []

    @on_change(our.order)
    def unlucky(change: Change[Any]) -> None:
        calls.append(change.new.number)
        if calls.count(1) < 3 and change.new.number == 1:
            raise ConnectionError("busy")

    made = run(store, our, unlucky, sleep=pauses.append, random=lambda: 1.0)
    assert calls == [0, 1, 1, 1, 2]
    assert pauses == [0.1, 0.2]
    assert made.dead_letters.list() == []


def test_what_fails_for_good_is_kept_and_can_be_replayed(store: Store, our: Shop) -> None:
    # One bad change must not stop the others, and must not be lost.
    for number in range(3):
        store.put(our.order(customer="ada", number=number))
    done: list[int] = []
    is_broken = True

    @on_change(our.order)
    def fragile(change: Change[Any]) -> None:
        if is_broken and change.new.number == 1:
            raise ValueError("no such colour")
        done.append(change.new.number)

    made = run(store, our, fragile, retries=Retries(attempts=3))
    assert done == [0, 2]
    (letter,) = made.dead_letters.list()
    assert (letter.handler, letter.attempts, letter.error) == (
        "fragile",
        3,
        "ValueError: no such colour",
    )
    assert letter.table == our.table.name
    assert "no such colour" in letter.trace
    again = made.replay()
    assert [letter.attempts for letter in again.failed] == [4]
    is_broken = False
    assert len(made.replay().done) == 1
    assert done == [0, 2, 1]
    assert made.dead_letters.list() == []


def test_a_refused_change_is_not_tried_again(store: Store, our: Shop) -> None:
    # A handler that knows better saves everyone the time.
    store.put(our.order(customer="ada", number=1))
    calls: list[int] = []

    @on_change(our.order)
    def strict(change: Change[Any]) -> None:
        calls.append(change.new.number)
        raise ChangeRefused("not of this shop")

    made = run(store, our, strict)
    assert calls == [1]
    assert [letter.attempts for letter in made.dead_letters.list()] == [1]


def test_a_record_of_the_largest_size_becomes_a_dead_letter_whole(store: Store, our: Shop) -> None:
    # A record holds two images of up to 400 KB; an item, which the letter is, holds one.
    chance = random.Random(1)
    texts = ["".join(chr(chance.randrange(33, 0x7F)) for _ in range(395_000)) for _ in range(2)]
    for text in texts:
        store.put(our.note(customer="ada", text=text))
    found: Changes = []
    is_broken = True

    @on_change(our.note, kinds=["changed"])
    def heavy(change: Change[Any]) -> None:
        if is_broken:
            raise ChangeRefused("too heavy")
        found.append(change)

    made = run(store, our, heavy)
    (letter,) = made.dead_letters.list()
    assert letter.parts > 0
    is_broken = False
    made.replay()
    (change,) = found
    assert [change.old.text, change.new.text] == texts
    assert made.dead_letters.list() == []


def test_a_batch_handler_gets_changes_in_order_and_loses_none_to_a_bad_one(
    store: Store, our: Shop
) -> None:
    # A search index wants hundreds at once; one that it cannot take must not cost it the others.
    for number in range(30):
        store.put(our.order(customer="ada", number=number))
    batches: list[list[int]] = []

    @on_changes(our.order)
    def index(changes: Any) -> None:
        numbers = [change.new.number for change in changes]
        if 17 in numbers:
            raise ValueError("a document that cannot be")
        batches.append(numbers)

    made = run(store, our, index, batch_records=10, retries=Retries(attempts=2))
    assert batches[:2] in ([list(range(10)), list(range(10, 17))], [list(range(10)), [10]])
    assert [number for batch in batches for number in batch] == [
        number for number in range(30) if number != 17
    ]
    assert len(made.dead_letters.list()) == 1


def test_async_handlers_and_filters_work_the_same(store: Store, our: Shop) -> None:
    # The handler is the user's; how it is written is too.
    store.put(our.order(customer="ada", number=1))
    store.put(our.order(customer="ada", number=2, status="paid"))
    store.delete(our.order.key(customer="ada", number=2))
    seen: list[tuple[str, int]] = []

    @on_change(our.order, when=our.order.status == "paid")
    async def of_condition(change: Change[Any]) -> None:
        seen.append(("condition", change.latest.number))

    @on_change(our.order, when=lambda change: change.latest.number == 1)
    async def of_function(change: Change[Any]) -> None:
        seen.append(("function", change.latest.number))

    @on_change(our.order, kinds=["deleted"])
    def of_kind(change: Change[Any]) -> None:
        seen.append(("kind", change.latest.number))

    run(store, our, of_condition, of_function, of_kind)
    assert seen == [("function", 1), ("condition", 2), ("condition", 2), ("kind", 2)]


def test_a_change_that_comes_twice_is_applied_once(store: Store, our: Shop) -> None:
    # After a crash the last changes come again; a count must not.
    for number in range(5):
        store.put(our.order(customer="ada", number=number))
    outcomes: list[bool] = []

    @on_change(our.order, kinds=["created"])
    def count(change: Change[Any]) -> None:
        key = our.note.key(customer=change.new.customer)
        more = Update(
            key, (attr(our.note.orders).add(1), attr(our.note.text).set("counted")), upsert=True
        )
        outcomes.append(apply_once(store, change, "count", more))

    run(store, our, count)
    run(store, our, count, name=f"again-{our.name}")
    assert outcomes == [True] * 5 + [False] * 5
    assert store.get(our.note.key(customer="ada"), consistent=True).orders == 5


def test_one_process_reads_a_shard_at_a_time_and_another_takes_over(
    store: Store, our: Shop
) -> None:
    # Two processes for safety must not mean everything twice.
    clock = FrozenClock(time.time())
    first_handler, first_seen = collector(our)
    second_handler, second_seen = collector(our)
    first, second = (
        worker(store, our, each, clock=clock) for each in (first_handler, second_handler)
    )
    for number in range(3):
        store.put(our.order(customer="ada", number=number))
        second.run_until_idle() if number else first.run_until_idle()
        clock.advance(10)  # both look around again
        first.run_until_idle()
    assert (seen_numbers(first_seen), seen_numbers(second_seen)) == ([0, 1, 2], [])
    first.stop()
    store.put(our.order(customer="ada", number=3))
    clock.advance(10)
    second.run_until_idle()
    second.stop()
    assert (seen_numbers(first_seen), seen_numbers(second_seen)) == ([0, 1, 2], [3])


def test_it_runs_in_threads_until_it_is_stopped(store: Store, our: Shop) -> None:
    # How programs use it.
    arrived = threading.Event()
    seen: list[int] = []

    @on_change(our.order)
    def collect(change: Change[Any]) -> None:
        seen.append(change.new.number)
        if len(seen) == 20:
            arrived.set()

    with worker(store, our, collect, poll_seconds=0.005) as running:
        for number in range(20):
            store.put(our.order(customer="ada", number=number))
        assert arrived.wait(PATIENCE)
        assert set(running.lag_seconds) == {our.table.name}
    store.put(our.order(customer="ada", number=20))
    assert seen == list(range(20))


def test_the_same_handler_takes_the_same_records_as_a_lambda_function(
    store: Store, our: Shop
) -> None:
    # What runs here as a worker is deployed there as a function.
    for number in range(3):
        store.put(our.order(customer="ada", number=number))
    handler, seen = collector(our)
    run(store, our, handler)
    arn = store.backend.call("DescribeTable", {"TableName": our.table.name})["Table"][
        "LatestStreamArn"
    ]
    event = {"Records": [{**change.record, "eventSourceARN": arn} for change in seen]}
    entry, statuses = collector(our)
    assert lambda_handler([entry])(event, None) == {"batchItemFailures": []}
    assert statuses == seen
