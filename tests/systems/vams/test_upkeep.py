"""What is done from time to time."""

from __future__ import annotations

import time

from sortkey.testing import FrozenClock
from sortkey_systems.vams.upkeep import FIRST_SECONDS, Upkeep


def test_each_task_is_called_at_its_interval_whatever_the_others_do() -> None:
    # One that fails must not end the upkeep of the others.
    clock, calls = FrozenClock(), list[str]()

    def failing() -> None:
        calls.append("failing")
        raise OSError("the disk is away")

    upkeep = Upkeep(clock)
    upkeep.every(60, "failing", failing)
    upkeep.every(600, "seldom", lambda: calls.append("seldom"))
    assert upkeep.run_due() == ["failing", "seldom"]
    assert upkeep.run_due() == []
    clock.advance(61)
    assert upkeep.run_due() == ["failing"]
    clock.advance(600)
    assert upkeep.run_due() == ["failing", "seldom"]
    assert calls == ["failing", "seldom", "failing", "failing", "seldom"]


def test_it_stops_at_once() -> None:
    # A server that is stopped waits for its workers.
    upkeep = Upkeep()
    upkeep.every(60, "never", lambda: None)
    upkeep.start()
    start = time.monotonic()
    upkeep.stop()
    assert time.monotonic() - start < FIRST_SECONDS / 2
    assert upkeep.run_due() == []
