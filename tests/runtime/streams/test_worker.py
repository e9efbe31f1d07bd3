"""The worker: checkpoints, stopping, expiry, gaps, streams that are replaced, metrics, and what it
refuses.
"""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta
from typing import Any

import pytest

from sortkey import Change, Retries, Store, StreamWorker, on_change, on_changes
from sortkey.engine import Engine
from sortkey.errors import ModelError, NotConfigured
from sortkey.runtime.metrics import Metrics
from sortkey.runtime.streams.delivery import CHANGES, DEAD, FAILURES, SECONDS
from sortkey.runtime.streams.shard_reader import GAPS
from sortkey.runtime.streams.state import Shard
from sortkey.runtime.streams.work import LAG
from sortkey.testing import FrozenClock
from tests.runtime.streams.shop import Order, Parcel, collector, numbers, orders, put_orders, worker

PATIENCE = 20.0
HOURS = 3600.0


class Crash(BaseException):
    """Nothing catches it: as far as the worker is concerned the process is gone."""


def checkpoint(store: Store, name: str = "shop") -> str | None:
    arn = store.backend.call("DescribeTable", {"TableName": orders.name})["Table"][
        "LatestStreamArn"
    ]
    (shard,) = store.query(Shard.of_stream(worker=name, stream_arn=arn))
    return shard.sequence_number


def test_after_a_crash_the_changes_since_the_last_checkpoint_come_again(
    store: Store, clock: FrozenClock
) -> None:
    # At least once: none is lost, and not more than a chunk is repeated.
    put_orders(store, *range(25))
    seen: list[int] = []

    @on_change(Order)
    def collect(change: Change[Order]) -> None:
        if len(seen) == 17:
            raise Crash
        seen.append(change.key.values["number"])

    with pytest.raises(Crash):
        worker(store, collect, batch_records=5, clock=clock).run_until_idle()
    handler, later = collector()
    clock.advance(60)  # the lease of the dead has run out
    worker(store, handler, clock=clock).run_until_idle()
    assert seen == list(range(17))
    assert numbers(later) == list(range(15, 25))


def test_a_slow_handler_moves_the_checkpoint_by_the_clock(store: Store, clock: FrozenClock) -> None:
    # A page has a thousand records; at a minute each, nobody wants to do them twice.
    put_orders(store, *range(3))
    marks: list[str | None] = []
    seen: list[str] = []

    @on_change(Order)
    def slow(change: Change[Order]) -> None:
        marks.append(checkpoint(store))
        seen.append(change.sequence_number)
        clock.advance(60)

    worker(store, slow, clock=clock, lease_seconds=3600).run_until_idle()
    assert marks == [None, *seen[:2]]


def test_stopping_finishes_the_call_under_way_and_keeps_its_place(store: Store) -> None:
    # A deployment stops workers all day; it must cost nothing.
    put_orders(store, *range(10))
    seen: list[int] = []
    batches: list[int] = []
    entered, leave = threading.Event(), threading.Event()

    @on_change(Order)
    def collect(change: Change[Order]) -> None:
        number = change.key.values["number"]
        if number == 4 and not leave.is_set():
            entered.set()
            leave.wait(PATIENCE)
        seen.append(number)

    @on_changes(Order)
    def batch(changes: Any) -> None:
        batches.extend(change.key.values["number"] for change in changes)

    running = worker(store, collect, batch).start()
    assert entered.wait(PATIENCE)
    stopping = threading.Thread(target=running.stop)
    stopping.start()
    time.sleep(0.005)
    leave.set()
    stopping.join(PATIENCE)
    assert seen == batches == list(range(len(seen)))  # five, unless this machine is slow to stop it
    worker(store, collect, batch).run_until_idle()
    assert seen == batches == list(range(10))


def test_stopping_does_not_wait_for_the_next_try(store: Store) -> None:
    # A pause may be half a minute.
    put_orders(store, 1)
    failed = threading.Event()

    @on_change(Order)
    def hopeless(change: Change[Order]) -> None:
        failed.set()
        raise ConnectionError("down")

    running = StreamWorker(
        store, [hopeless], name="shop", retries=Retries(first_seconds=600, max_seconds=600)
    )
    running.start()
    assert failed.wait(PATIENCE)
    running.stop()
    assert running.dead_letters.list() == []
    handler, seen = collector()
    worker(store, handler).run_until_idle()
    assert numbers(seen) == [1]


def test_an_item_that_expires_is_deleted_by_ttl(
    store: Store, engine: Engine, clock: FrozenClock
) -> None:
    # A session that ran out must take its browser with it: the handler has to know.
    store.put(Order(number=1, expires_at=datetime.fromtimestamp(clock() + 10).astimezone()))
    put_orders(store, 2)
    store.delete(Order.key(customer="ada", number=2))
    clock.advance(60)
    engine.work()
    handler, seen = collector(kinds=["deleted"])
    worker(store, handler, clock=clock).run_until_idle()
    assert [(change.key.values["number"], change.by) for change in seen] == [
        (2, "user"),
        (1, "ttl"),
    ]
    assert seen[1].old is not None


def test_a_stream_that_was_replaced_is_read_to_its_end_before_the_new_one(
    store: Store, clock: FrozenClock
) -> None:
    # Switching a stream off and on makes another one; the order of a key must survive it.
    put_orders(store, 1)
    handler, seen = collector()
    running = worker(store, handler, clock=clock)
    running.run_until_idle()
    put_orders(store, 2)
    for specification in (
        {"StreamEnabled": False},
        {"StreamEnabled": True, "StreamViewType": orders.stream},
    ):
        store.backend.call(
            "UpdateTable", {"TableName": orders.name, "StreamSpecification": specification}
        )
    put_orders(store, 3)
    for _ in range(5):
        clock.advance(10)
        running.run_until_idle()
    assert numbers(seen) == [1, 2, 3]


def test_a_deleted_table_is_read_to_the_end_and_does_not_disturb_the_others(
    store: Store, clock: FrozenClock
) -> None:
    # A worker serves many tables; one that goes must not take it along.
    places: list[str] = []

    @on_change(Parcel)
    def track(change: Change[Parcel]) -> None:
        places.append(change.new.place if change.new else "gone")

    handler, seen = collector()
    running = worker(store, handler, track, clock=clock)
    running.run_until_idle()
    put_orders(store, 1)
    store.backend.call("DeleteTable", {"TableName": orders.name})
    store.put(Parcel(number=1, place="depot"))
    for _ in range(5):
        clock.advance(10)
        running.run_until_idle()
    assert (numbers(seen), places) == ([1], ["depot"])


def test_changes_that_the_stream_forgot_are_reported_as_lost(
    store: Store, engine: Engine, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    # A stream keeps a day. A worker that was down for longer must say so: its index is no longer
    # the table's.
    put_orders(store, 1)
    handler, seen = collector()
    first = worker(store, handler, clock=clock)
    first.run_until_idle()
    first.stop()
    put_orders(store, 2)
    clock.advance(25 * HOURS)
    while engine.work() == 0.0:
        pass
    put_orders(store, 3)
    running = worker(store, handler, clock=clock)
    for _ in range(4):
        running.run_until_idle()
        clock.advance(10)
    assert numbers(seen) == [1, 3]
    assert "may be lost" in caplog.text
    assert isinstance(store.metrics, Metrics)
    assert store.metrics.value(GAPS, worker="shop", table="orders") == 1


def test_an_iterator_that_expired_is_made_anew(store: Store, clock: FrozenClock) -> None:
    # They are good for a quarter of an hour; a handler may take longer.
    handler, seen = collector()
    running = worker(store, handler, clock=clock)
    put_orders(store, 1)
    running.run_until_idle()
    put_orders(store, 2)
    clock.advance(3600)
    running.run_until_idle()
    assert numbers(seen) == [1, 2]


def test_lag_and_counts_are_metrics(store: Store, clock: FrozenClock) -> None:
    # Who looks at a dashboard wants to know whether it keeps up, and what fails.
    metrics = store.metrics
    assert isinstance(metrics, Metrics)
    put_orders(store, 1, 2, 3)
    clock.advance(90)

    @on_change(Order)
    def picky(change: Change[Order]) -> None:
        if change.key.values["number"] == 2:
            raise ValueError("no")

    running = worker(store, picky, clock=clock, retries=Retries(attempts=2))
    running.run_once()
    about = {"worker": "shop", "handler": "picky"}
    assert running.lag_seconds == {"orders": 90.0}
    assert metrics.value(LAG, worker="shop", table="orders") == 90.0
    assert [metrics.value(each, **about) for each in (CHANGES, FAILURES, DEAD)] == [2, 2, 1]
    assert metrics.observed(SECONDS, **about) == 2
    running.run_once()
    assert running.lag_seconds == {"orders": 0.0}
    assert metrics.value(LAG, worker="shop", table="orders") == 0.0


def test_a_change_reaches_a_running_worker_at_once_and_it_sleeps_otherwise(store: Store) -> None:
    # The engine in the process wakes it: no polling, so no delay and no CPU.
    times: list[float] = []
    arrived = threading.Event()

    @on_change(Order)
    def stamp(change: Change[Order]) -> None:
        times.append(time.perf_counter())
        arrived.set()

    delays: list[float] = []
    with worker(store, stamp):
        for number in range(50):
            arrived.clear()
            began = time.perf_counter()
            put_orders(store, number)
            assert arrived.wait(PATIENCE)
            delays.append(times[-1] - began)
        before = time.process_time()
        time.sleep(0.05)
        idle = time.process_time() - before
    assert sorted(delays)[25] < 0.02
    assert idle < 0.03


def test_a_failing_backend_is_asked_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # A worker outlives the service's bad minutes.
    handler, seen = collector()
    failures = iter(range(3))
    real = store.backend.call

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "GetRecords" and next(failures, None) is not None:
            raise ConnectionError("down")
        return real(operation, request)

    monkeypatch.setattr(store.backend, "call", call)
    running = worker(store, handler, poll_seconds=0.001).start()
    put_orders(store, 1)
    deadline = time.monotonic() + PATIENCE
    while not seen and time.monotonic() < deadline:
        time.sleep(0.001)
    running.stop()
    assert numbers(seen) == [1]


def test_what_cannot_work_is_refused_at_once(store: Store) -> None:
    # A worker that runs and does nothing is found by its silence, weeks later.
    handler, _ = collector()
    with pytest.raises(ModelError, match="no handlers"):
        StreamWorker(store, [], name="shop")
    with pytest.raises(ModelError, match="two handlers have the name collect"):
        worker(store, handler, collector()[0])
    with pytest.raises(ModelError, match="name="):
        worker(store, handler, name="a#b")
    with pytest.raises(ModelError, match="TRIM_HORIZON"):
        worker(store, handler, start="yesterday")
    with pytest.raises(ModelError, match="time zone"):
        worker(store, handler, start=datetime(2026, 1, 1))
    with pytest.raises(ModelError, match="attempt"):
        Retries(attempts=0)
    store.backend.call("DeleteTable", {"TableName": orders.name})
    with pytest.raises(
        NotConfigured, match=r"there is no table orders: create it with store\.ensure"
    ):
        worker(store, handler).start()
    store.backend.call(
        "CreateTable", {**orders.definition(), "StreamSpecification": {"StreamEnabled": False}}
    )
    with pytest.raises(NotConfigured, match="has no stream"):
        worker(store, handler).run_once()


def test_it_goes_step_by_step_or_in_threads_not_both(store: Store, clock: FrozenClock) -> None:
    # Two readers of one shard in one worker would break its order.
    handler, _ = collector()
    with worker(store, handler, clock=clock) as running:
        assert running.start() is running
        with pytest.raises(ModelError, match="threads"):
            running.run_once()
    other = worker(store, handler, clock=clock)
    other.run_once()
    with pytest.raises(ModelError, match="is run by"):
        running.rewind("LATEST")
    other.stop()
    running.rewind(datetime.fromtimestamp(clock()).astimezone() - timedelta(days=1))
