"""Fixtures of the comparison with DynamoDB Local. Without Java or npm these tests skip and
say so.
"""

import os
import secrets
from collections.abc import Iterator

import pytest

import sortkey.engine
from tests.oracle.cases import Arena
from tests.oracle.endpoints import Http, InProcess
from tests.oracle.pair import Pair
from tests.oracle.server import shared_port
from tools.downloads import Missing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "oracle" in item.path.parts:
            item.add_marker(pytest.mark.oracle)


@pytest.fixture(scope="session")
def oracle_port() -> int:
    try:
        return shared_port()
    except Missing as missing:
        pytest.skip(f"no DynamoDB Local to compare with: {missing}")


@pytest.fixture(scope="session")
def pair(oracle_port: int) -> Iterator[Pair]:
    engine = sortkey.engine.own()
    yield Pair(InProcess(engine), Http("DynamoDB Local", oracle_port))
    engine.close()


@pytest.fixture(scope="session")
def prefix() -> str:
    """Starts every table's name: workers share one DynamoDB Local."""
    return f"{os.environ.get('PYTEST_XDIST_WORKER', 'main')}-{secrets.token_hex(3)}"


@pytest.fixture(scope="module")
def arena(pair: Pair, prefix: str) -> Iterator[Arena]:
    made = Arena(pair, f"{prefix}-{secrets.token_hex(2)}")
    yield made
    made.close()
