"""A store in memory with the tables of VAMS, one for each module of tests."""

from collections.abc import Iterator

import pytest

import sortkey
from sortkey_systems.vams.model import model
from tests.systems.vams.command_runs import data, run, url
from tests.systems.vams.host import Requests, hosted

__all__ = ["data", "run", "url"]


@pytest.fixture(scope="module")
def store() -> Iterator[sortkey.Store]:
    with sortkey.open(":memory:") as opened:
        opened.ensure(model)
        yield opened


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("vams")) as opened:
        yield opened
