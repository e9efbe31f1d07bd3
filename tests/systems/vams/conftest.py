"""A store in memory with the tables of VAMS, one for each module of tests."""

from collections.abc import Iterator

import pytest

import sortkey
from sortkey_systems.vams.model import model


@pytest.fixture(scope="module")
def store() -> Iterator[sortkey.Store]:
    with sortkey.open(":memory:") as opened:
        opened.ensure(model)
        yield opened
