"""A shop on an engine in memory, whose clock stands still until it is moved."""

from __future__ import annotations

import pytest

from sortkey import Store
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine
from sortkey.runtime.metrics import Metrics
from sortkey.testing import FrozenClock
from tests.runtime.streams.shop import orders, parcels


@pytest.fixture
def store(engine: Engine, clock: FrozenClock) -> Store:
    made = Store(EmbeddedBackend(engine), clock=clock, metrics=Metrics())
    made.ensure(orders)
    made.ensure(parcels)
    return made
