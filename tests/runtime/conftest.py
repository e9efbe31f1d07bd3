"""An engine in memory, whose clock stands still until it is moved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sortkey.engine import Engine, own
from sortkey.testing import FrozenClock


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(1_800_000_000.0)


@pytest.fixture
def engine(clock: FrozenClock) -> Iterator[Engine]:
    with own(clock=clock) as owned:
        yield owned
