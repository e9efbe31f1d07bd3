"""Shards: parents before children, shared among processes without double work, taken over from
those that are gone.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from sortkey import Change, Entity, Store, StreamWorker, Table, camel, key, on_change
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine
from sortkey.runtime.streams.leases import share_of
from sortkey.runtime.streams.owners import is_gone, this_process
from sortkey.runtime.streams.state import Shard
from sortkey.testing import FrozenClock
from tests.runtime.streams.scripted import ARN, ScriptedStreams
from tests.runtime.streams.shop import Order, collector, numbers, orders, put_orders, worker

HOURS = 3600.0
LEASE = 20.0


@pytest.fixture
def streams(engine: Engine) -> ScriptedStreams:
    return ScriptedStreams(EmbeddedBackend(engine), orders)


@pytest.fixture
def scripted(streams: ScriptedStreams, clock: FrozenClock) -> Store:
    return Store(streams, clock=clock)


Process = Callable[[str], tuple[StreamWorker, list[Change[Order]]]]


@pytest.fixture
def process(scripted: Store, clock: FrozenClock) -> Process:
    """One of several processes that run the same worker."""

    def start(owner: str) -> tuple[StreamWorker, list[Change[Order]]]:
        handler, seen = collector()
        return worker(scripted, handler, clock=clock, owner=owner, lease_seconds=LEASE), seen

    return start


def test_children_wait_for_their_parents(
    streams: ScriptedStreams, process: Process, clock: FrozenClock
) -> None:
    # When a shard splits, the older changes of a key are in the parent.
    running, seen = process("only")
    streams.add("parent")
    streams.add("left", "parent")
    streams.add("right", "parent")
    for number in range(5):
        streams.put("parent", number)
    streams.put("left", 10)
    streams.put("right", 11)
    running.run_until_idle()
    assert numbers(seen) == [0, 1, 2, 3, 4]
    streams.put("parent", 5)
    streams.close_shard("parent")
    running.run_until_idle()
    assert numbers(seen)[5] == 5
    assert sorted(numbers(seen)[6:]) == [10, 11]
    streams.close_shard("left")
    streams.add("grandchild", "left")
    streams.put("grandchild", 20)
    running.run_until_idle()
    assert numbers(seen)[-1] == 20


def test_a_child_whose_parent_is_forgotten_is_read(
    streams: ScriptedStreams, process: Process
) -> None:
    # A stream keeps a shard for a day, and tells of the parent for as long as it tells of the
    # child.
    streams.add("child", "long-gone")
    streams.put("child", 1)
    running, seen = process("only")
    running.run_until_idle()
    assert numbers(seen) == [1]


def test_a_shard_that_went_before_it_was_read_does_not_block_its_children(
    streams: ScriptedStreams, process: Process, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    # The changes are gone, and said to be; what follows must still come.
    streams.add("parent")
    streams.put("parent", 1)
    first, seen = process("first")
    first.run_until_idle()
    first.stop()
    streams.forget("parent")
    streams.add("child", "parent")
    streams.put("child", 2)
    second, later = process("second")
    second.run_until_idle()
    assert (numbers(seen), numbers(later)) == ([1], [2])
    assert "may be lost" in caplog.text


def test_what_was_trimmed_is_skipped_and_said(
    streams: ScriptedStreams, process: Process, caplog: pytest.LogCaptureFixture
) -> None:
    # The checkpoint lies before the oldest record that is kept.
    streams.add("shard")
    streams.put("shard", 1)
    first, _ = process("first")
    first.run_until_idle()
    first.stop()
    for number in (2, 3, 4):
        streams.put("shard", number)
    streams.trim("shard", 3)
    second, seen = process("second")
    second.run_until_idle()
    assert numbers(seen) == [4]
    assert "may be lost" in caplog.text


def test_expired_iterators_and_empty_pages_lose_nothing(
    streams: ScriptedStreams, process: Process
) -> None:
    # Both are ordinary on AWS.
    streams.add("shard")
    running, seen = process("only")
    for number in range(7):
        running.run_once()
        streams.expire()
        streams.put("shard", number)
    running.run_until_idle()
    assert numbers(seen) == list(range(7))


def test_processes_share_the_shards_and_each_change_comes_once(
    streams: ScriptedStreams, process: Process, clock: FrozenClock
) -> None:
    # Two processes do half each; a third takes a third; one that stops leaves its part at once.
    shards = [f"shard-{number}" for number in range(6)]
    for shard in shards:
        streams.add(shard)
    everyone = [process(name) for name in ("a", "b", "c")]

    def round_of(running: list[tuple[StreamWorker, list[Change[Order]]]], first: int) -> list[int]:
        for _ in range(4):  # those with too much let go, then the others take
            clock.advance(LEASE / 3)
            for one, _ in running:
                one.run_once()
        before = [len(seen) for _, seen in running]
        for number, shard in enumerate(shards, first):
            streams.put(shard, number)
        for one, _ in running:
            one.run_until_idle()
        return [len(seen) - count for (_, seen), count in zip(running, before, strict=True)]

    assert round_of(everyone[:1], 0) == [6]
    assert round_of(everyone[:2], 10) == [3, 3]
    assert round_of(everyone, 20) == [2, 2, 2]
    everyone[0][0].stop()
    assert round_of(everyone[1:], 30) == [3, 3]
    received = sorted(number for _, seen in everyone for number in numbers(seen))
    assert received == [first + place for first in (0, 10, 20, 30) for place in range(6)]


def test_a_process_that_hangs_loses_its_shards_and_cannot_move_their_checkpoints(
    streams: ScriptedStreams, process: Process, scripted: Store, clock: FrozenClock
) -> None:
    # It may wake up at any time; what others have done since must stand.
    streams.add("shard")
    streams.put("shard", 1)
    streams.put("shard", 2)
    healthy, seen = process("healthy")
    received: list[int] = []

    @on_change(Order)
    def hangs(change: Change[Order]) -> None:
        received.append(change.key.values["number"])
        clock.advance(LEASE + 1)  # longer than its lease; the other process goes on meanwhile
        healthy.run_until_idle()

    stuck = worker(scripted, hangs, clock=clock, owner="stuck", lease_seconds=LEASE)
    stuck.run_once()
    stuck.run_once()
    assert received == [1]
    assert numbers(seen) == [1, 2]
    shard = scripted.get(Shard.key(worker="shop", stream_arn=ARN, shard_id="shard"))
    assert (shard.owner, shard.sequence_number) == ("healthy", str(10**20 + 2))
    streams.put("shard", 3)
    healthy.run_until_idle()
    stuck.run_once()
    assert (received, numbers(seen)) == ([1], [1, 2, 3])


def test_the_order_of_a_key_holds_while_shards_go_from_hand_to_hand(
    streams: ScriptedStreams, process: Process, clock: FrozenClock
) -> None:
    # Processes come, go and split the shards: a key's changes still come in order.
    chance = random.Random(11)
    log: list[tuple[int, str]] = []

    @on_change(Order)
    def write_down(change: Change[Order]) -> None:
        assert change.new is not None
        log.append((change.new.number, change.new.status))

    streams.add("root-0")
    streams.add("root-1")
    open_shards = {0: "root-0", 1: "root-1"}  # by the key's last bit
    running = {name: _named(streams, write_down, clock, name) for name in ("a", "b")}
    made: dict[int, int] = {}
    for step in range(400):
        number = chance.randrange(8)
        made[number] = made.get(number, 0) + 1
        streams.put(open_shards[number % 2], number, str(made[number]))
        if step % 50 == 49:
            side = chance.randrange(2)
            child = f"shard-{step}"
            streams.close_shard(open_shards[side])
            streams.add(child, open_shards[side])
            open_shards[side] = child
        clock.advance(chance.random() * 4)
        name = chance.choice(("a", "b"))
        if chance.random() < 0.05:
            running[name].stop()
        running[name].run_once()
    for _ in range(40):
        clock.advance(LEASE)
        for one in running.values():
            one.run_until_idle()
    for number, last in made.items():
        assert [status for each, status in log if each == number] == [
            str(n) for n in range(1, last + 1)
        ]


def _named(streams: ScriptedStreams, handler: Any, clock: FrozenClock, owner: str) -> StreamWorker:
    return worker(
        Store(streams, clock=clock), handler, clock=clock, owner=owner, lease_seconds=LEASE
    )


def test_the_engine_replaces_its_shards_every_four_hours(
    store: Store, engine: Engine, clock: FrozenClock
) -> None:
    # The real thing: a day of an embedded worker has six shards.
    handler, seen = collector()
    running = worker(store, handler, clock=clock)
    for hour in range(0, 24, 2):
        put_orders(store, hour)
        running.run_until_idle()
        put_orders(store, hour + 1)
        clock.advance(2 * HOURS)
        engine.work()
    running.run_until_idle()
    assert numbers(seen) == list(range(24))


def test_shares_are_even_and_shards_stay_where_they_are() -> None:
    # Handing a shard over costs time; nobody should do it for the order of names.
    def shard(owner: str | None) -> Shard:
        return Shard(worker="w", stream_arn="a", shard_id="s", owner=owner)

    assert [share_of(name, ["a", "b"], [shard(None)] * 5) for name in ("a", "b")] == [3, 2]
    assert [share_of(name, ["a", "b"], [shard("b")]) for name in ("a", "b")] == [0, 1]
    assert share_of("c", ["a", "b"], [shard(None)] * 5) == 0
    assert [share_of(name, ["a", "b", "c"], []) for name in ("a", "b", "c")] == [0, 0, 0]


def test_a_process_that_was_killed_is_known_to_be_gone() -> None:
    # The next start on the same machine need not wait for its lease to run out.
    script = (
        "from sortkey.runtime.streams.owners import this_process; print(this_process('x'), "
        "flush=True); input()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    owner = child.stdout.readline().strip()
    assert not is_gone(owner)
    child.kill()
    child.wait()
    assert is_gone(owner)
    assert child.stdin is not None
    child.stdin.close()
    child.stdout.close()
    assert not is_gone(this_process("me"))
    assert not is_gone("somebody on another machine")
    host, _, pid, start, nonce = this_process("me").split(".")
    assert not is_gone(f"{host}.{'0' * 12}.{pid}.{start}.{nonce}")
    assert is_gone(f"{host}.{this_process('me').split('.')[1]}.{pid}.{int(start) + 1}.{nonce}")


def test_two_tables_are_shared_among_two_processes(store: Store, clock: FrozenClock) -> None:
    # On the embedded engine a table has one shard; two processes still share the work.
    other_table = Table("others", key=("PK",), stream="NEW_IMAGE", pitr=False)

    class Other(Entity, table=other_table, names=camel):
        """Something in another table."""

        number: int

        @key("OTHER#{number:03d}")
        def key(*, number: int):
            """One of them."""

    store.ensure(other_table)
    received: dict[str, list[str]] = {"a": [], "b": []}

    def process(owner: str) -> StreamWorker:
        @on_change(Order, Other)
        def collect(change: Change[Order | Other]) -> None:
            received[owner].append(change.entity.__name__)

        return worker(store, collect, clock=clock, owner=owner, lease_seconds=LEASE)

    both = [process("a"), process("b")]
    for _ in range(4):
        clock.advance(LEASE / 3)
        for one in both:
            one.run_once()
    put_orders(store, 1, 2)
    store.put(Other(number=1))
    for one in both:
        one.run_until_idle()
    assert sorted(received.values()) == [["Order", "Order"], ["Other"]]
