"""A backfill that holds back: by a rate, and where the service is throttled. Time is counted, never
waited for.
"""

from __future__ import annotations

import pytest

from sortkey import GSI, Entity, Store, Table, index, key
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine
from sortkey.errors import Throttled
from sortkey.runtime.evolution.write_rate import Pace
from sortkey.testing.faults import Faults

things = Table("Things", key=("PK",), indexes=[GSI("ByColour", "GSI1PK")], pitr=False)


class Thing(Entity, table=things):
    id: str
    colour: str = "red"

    @key("THING#{id}")
    def key(*, id: str): ...

    @index("ByColour", "COLOUR#{colour}")
    def of_colour(*, colour: str): ...


class Clock:
    """Moves on with each pause that is slept, and with what is done between them."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def stored(engine: Engine, count: int) -> None:
    store = Store(EmbeddedBackend(engine))
    store.ensure(things)
    for n in range(count):
        store.backend.call(
            "PutItem",
            {"TableName": "Things", "Item": {"PK": {"S": f"THING#{n}"}, "id": {"S": f"{n}"}}},
        )


@pytest.mark.parametrize("segments", [1, 4])
def test_a_rate_is_kept_over_all_segments(sortkey_engine: Engine, segments: int) -> None:
    # 40 writes at 10 a second are 4 seconds, whoever does them: the others' capacity is theirs.
    stored(sortkey_engine, 40)
    clock = Clock()
    store = Store(EmbeddedBackend(sortkey_engine), clock=clock, sleep=clock.sleep)
    done = store.backfill(Thing, segments=segments, writes_per_second=10)
    assert done.written == 40
    assert clock.now - 1000.0 == pytest.approx(4.0)


def test_what_takes_its_time_is_not_waited_for_again() -> None:
    # A write that took longer than its share is followed by no pause but a share's.
    clock = Clock()
    pace = Pace(clock, 2.0)
    for _ in range(3):
        clock.now += 5.0
        for pause in pace.wait():
            clock.sleep(pause.seconds)  # type: ignore[union-attr]
    assert clock.pauses == [0.5, 0.5, 0.5]


def test_a_clock_that_stands_still_makes_no_longer_pauses() -> None:
    # As that of a test does: each pause counts as slept.
    pace = Pace(lambda: 1000.0, 4.0)
    pauses = [pause.seconds for _ in range(5) for pause in pace.wait()]  # type: ignore[union-attr]
    assert pauses == [0.25] * 5


def test_throttling_makes_it_wait_and_not_fail(sortkey_engine: Engine) -> None:
    # The client has given up after its own tries; hours of work are not thrown away for that.
    stored(sortkey_engine, 5)
    faults, clock = Faults(), Clock()
    store = Store(faults.around(EmbeddedBackend(sortkey_engine)), clock=clock, sleep=clock.sleep)
    faults.throttle(3, "Scan")
    assert store.backfill(Thing, segments=1).written == 5
    assert len(clock.pauses) == 3
    faults.throttle(100, "Scan")
    with pytest.raises(Throttled):
        store.backfill(Thing, segments=1)
    faults.pending.clear()
    assert store.backfill(Thing, segments=1).is_resumed


def test_throttled_writes_are_tried_again_too(sortkey_engine: Engine) -> None:
    stored(sortkey_engine, 5)
    faults, clock = Faults(), Clock()
    store = Store(faults.around(EmbeddedBackend(sortkey_engine)), clock=clock, sleep=clock.sleep)
    store.backfill(Thing, segments=1, dry_run=True)
    faults.throttle(2, "UpdateItem")
    assert store.backfill(Thing, segments=1).written == 5


def test_a_write_whose_answer_was_lost_is_found_to_be_done(sortkey_engine: Engine) -> None:
    # The error ends the run; the next one writes what is left, and nothing twice.
    stored(sortkey_engine, 5)
    faults = Faults()
    store = Store(faults.around(EmbeddedBackend(sortkey_engine)))
    faults.crash_after_commit("UpdateItem")
    with pytest.raises(Exception, match="crashed after it was stored"):
        store.backfill(Thing, segments=1)
    done = store.backfill(Thing, segments=1)
    assert (done.written, done.unchanged, done.is_complete) == (4, 1, True)
