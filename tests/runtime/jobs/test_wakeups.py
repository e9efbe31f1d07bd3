"""Wake-up calls inside a process: none is missed, none is heard by those who left."""

from __future__ import annotations

import threading

from sortkey.runtime.jobs.wakeups import Wakeups, Watch


def test_a_ring_while_looking_is_not_missed() -> None:
    # The look was before the news, the wait is after it.
    with Wakeups().watch("queue/a") as watch:
        watch.clear()
        watch.wake()
        assert watch.wait(0, 0.0) is True


def test_only_those_who_listen_to_a_name_hear_it() -> None:
    wakeups = Wakeups()
    with (
        wakeups.watch("queue/a") as one,
        wakeups.watch("queue/a") as two,
        wakeups.watch("queue/b") as other,
    ):
        wakeups.notify("queue/a")
        assert (one.wait(0, 0.0), two.wait(0, 0.0), other.wait(0, 0.0)) == (True, True, False)
    wakeups.notify("queue/a")
    assert wakeups._listeners == {}


def test_an_alarm_shortens_the_wait_and_is_forgotten_when_it_was_due() -> None:
    # A delayed job is started on time, however rarely the table is looked at.
    watch = Watch()
    waited: list[float] = []
    watch._event = type(
        "Event", (threading.Event,), {"wait": lambda self, seconds: waited.append(seconds)}
    )()
    for at in (30.0, 20.0, 5.0):
        watch.wake(at)
    for now in (10.0, 20.0, 40.0):
        watch.clear(now)
        watch.wait(60.0, now)
    assert waited == [10.0, 10.0, 60.0]


def test_an_alarm_that_comes_due_while_looking_is_not_missed() -> None:
    # The look began before the job was due and did not see it: there must be another at once.
    watch = Watch()
    waited: list[float] = []
    watch._event = type(
        "Event", (threading.Event,), {"wait": lambda self, seconds: waited.append(seconds)}
    )()
    watch.wake(20.0)
    watch.clear(19.0)
    watch.wait(60.0, 21.0)
    assert waited == [0.0]
