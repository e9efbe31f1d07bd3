"""A shop on an engine in memory, whose clock stands still until it is moved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sortkey import Store
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine, own
from sortkey.runtime.metrics import Metrics
from sortkey.testing import FrozenClock
from tests.runtime.streams.shop import orders, parcels


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(1_800_000_000.0)


@pytest.fixture
def engine(clock: FrozenClock) -> Iterator[Engine]:
    with own(clock=clock) as owned:
        yield owned


@pytest.fixture
def store(engine: Engine, clock: FrozenClock) -> Store:
    made = Store(EmbeddedBackend(engine), clock=clock, metrics=Metrics())
    made.ensure(orders)
    made.ensure(parcels)
    return made
