"""A store on an engine of its own for each test, whose clock stands still until it is moved."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from sortkey import Model, Store
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine, own
from sortkey.testing import FrozenClock


def embedded(model: Model, at: datetime) -> tuple[Any, Any]:
    """The fixtures `engine` and `store` of a module: `store` has the tables of a model, and the
    time is `at`.
    """

    @pytest.fixture
    def engine(sortkey_clock: FrozenClock) -> Iterator[Engine]:
        sortkey_clock.now = at.timestamp()
        with own(clock=sortkey_clock) as owned:
            yield owned

    @pytest.fixture
    def store(engine: Engine, sortkey_clock: FrozenClock) -> Store:
        made = Store(EmbeddedBackend(engine), clock=sortkey_clock)
        made.ensure(model)
        return made

    return engine, store
