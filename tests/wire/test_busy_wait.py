"""Waiting awake: only where the client asked again at once, and only for a moment."""

from collections.abc import Callable

import pytest

from sortkey.wire.busy_wait import MOMENT_SECONDS, ShortWaits


class Loop:
    """A clock that is set by hand, and turns that are taken by hand."""

    def __init__(self, cores: int = 2) -> None:
        self.now = 0.0
        self.scheduled: list[Callable[[], None]] = []
        self.waits = ShortWaits(self.scheduled.append, lambda: self.now, cores)

    def request(self, after: float) -> None:
        self.now += after
        self.waits.on_request()
        self.waits.on_answer()

    def turn(self) -> None:
        for each in [self.scheduled.pop(0) for _ in list(self.scheduled)]:
            each()


@pytest.fixture
def loop() -> Loop:
    return Loop()


def test_a_client_that_asks_again_at_once_is_waited_for_awake(loop: Loop) -> None:
    loop.request(0)
    loop.request(MOMENT_SECONDS / 2)
    loop.turn()
    assert loop.scheduled


def test_the_wait_ends_after_a_moment(loop: Loop) -> None:
    # An idle server must not spin.
    loop.request(0)
    loop.request(MOMENT_SECONDS / 2)
    loop.now += MOMENT_SECONDS * 2
    loop.turn()
    assert not loop.scheduled


def test_a_client_with_pauses_is_not_waited_for(loop: Loop) -> None:
    loop.request(0)
    loop.request(MOMENT_SECONDS * 2)
    assert not loop.scheduled


def test_one_look_a_turn_however_many_requests(loop: Loop) -> None:
    for _ in range(5):
        loop.request(MOMENT_SECONDS / 2)
    assert len(loop.scheduled) == 1


def test_a_machine_with_one_core_leaves_it_to_the_client() -> None:
    loop = Loop(cores=1)
    loop.request(0)
    loop.request(MOMENT_SECONDS / 2)
    assert not loop.scheduled
