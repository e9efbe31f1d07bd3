"""For the tests of those who use Sortkey: pytest finds these fixtures by itself once Sortkey is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sortkey.engine import Engine


@pytest.fixture
def sortkey_engine() -> Iterator[Engine]:
    """A clean DynamoDB in memory, gone after the test. `sortkey_engine.call("PutItem", {...})`."""
    from sortkey.engine import own  # here, so that test runs without Sortkey pay nothing for the plugin

    with own() as engine:
        yield engine


@pytest.fixture
def sortkey_clock() -> FrozenClock:
    """A clock that stands still until told: `sortkey.engine.own(clock=sortkey_clock)`."""
    return FrozenClock()


class FrozenClock:
    """Gives the same instant until it is moved."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds
