"""Many changes, and workers that come and go in threads: nothing lost, nothing twice, every key in
order.
"""

from __future__ import annotations

import random
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest

import sortkey
from sortkey import Change, Store, StreamWorker, on_change, on_changes
from tests.runtime.streams.shop import Order, Parcel, orders, worker

CHANGES = 100_000
PATIENCE = 60.0


@pytest.mark.slow
def test_a_hundred_thousand_changes_go_through_handlers(tmp_path: Path) -> None:
    # A day of a small business, caught up with after a night.
    with sortkey.open(tmp_path) as store:
        store.ensure(orders)
        for first in range(0, CHANGES, 10_000):
            store.batch_write([Order(number=number) for number in range(first, first + 10_000)])
        single, batched = [0] * CHANGES, [0] * CHANGES

        @on_change(Order)
        def one(change: Change[Order]) -> None:
            assert change.new is not None
            single[change.new.number] += 1

        @on_changes(Order)
        def many(changes: Sequence[Change[Order]]) -> None:
            for change in changes:
                assert change.new is not None
                batched[change.new.number] += 1

        assert worker(store, one, many, batch_records=500).run_until_idle() == CHANGES
    assert single == batched == [1] * CHANGES


def test_workers_that_come_and_go_keep_every_key_in_order(store: Store) -> None:
    # Real threads, real races: shards change hands while changes come.
    values: dict[tuple[str, int], list[str]] = defaultdict(list)
    chance = random.Random(3)
    steps, keys = 150, 4

    @on_change(Order)
    def order(change: Change[Order]) -> None:
        assert change.new is not None
        values["order", change.new.number].append(change.new.status)

    @on_change(Parcel)
    async def parcel(change: Change[Parcel]) -> None:
        assert change.new is not None
        values["parcel", change.new.number].append(change.new.place)

    def fresh(owner: str) -> StreamWorker:
        return StreamWorker(store, [order, parcel], name="shop", owner=owner, lease_seconds=0.03)

    def write() -> None:
        for step in range(steps):
            for number in range(keys):
                store.put(Order(number=number, status=str(step)))
                store.put(Parcel(number=number, place=str(step)))

    writing = threading.Thread(target=write)
    running = [fresh("a").start(), fresh("b").start()]
    writing.start()
    while writing.is_alive():
        place = chance.randrange(2)
        time.sleep(0.003)
        running[place].stop()
        running[place].start()
    deadline = time.monotonic() + PATIENCE
    while {texts[-1] for texts in list(values.values())} != {
        str(steps - 1)
    } and time.monotonic() < deadline:
        time.sleep(0.002)
    for one in running:
        one.stop()
    # Under leases of 30 ms a busy machine may be taken for a dead one: then some come twice, but
    # none too early.
    wanted = [str(step) for step in range(steps)]
    assert {key: list(dict.fromkeys(texts)) for key, texts in values.items()} == {
        (kind, number): wanted for kind in ("order", "parcel") for number in range(keys)
    }
