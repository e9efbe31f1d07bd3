"""An engine in memory for each test, and one with a table for PartiQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sortkey.engine import Engine
from tests.engine.statements import filled, run
from tests.engine.tables import Clock, new_engine

__all__ = ["clock", "engine", "filled", "run"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with new_engine(clock=clock) as opened:
        yield opened
