"""One suite, every store: what is written for one of them holds for all."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from sortkey import Store
from sortkey.testing import FrozenClock
from tests.contract.store.models import model
from tests.contract.store.stores import store_called
from tools.downloads import Missing

LOCAL = [pytest.mark.slow, pytest.mark.oracle]
STORES = [
    "embedded",
    "embedded-async",
    "wire",
    "wire-async",
    pytest.param("dynamodb-local", marks=LOCAL),
    pytest.param("dynamodb-local-async", marks=LOCAL),
]


@pytest.fixture(scope="session")
def clock() -> FrozenClock:
    """The time of all stores; tests move it on, never back."""
    return FrozenClock(float(int(time.time())))


@pytest.fixture(scope="session", params=STORES)
def store(request: pytest.FixtureRequest, clock: FrozenClock) -> Iterator[Store]:
    """A store with all tables of the model. Tests keep apart by `fresh` names, not by stores of
    their own.
    """
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(store_called(request.param, clock))
        except Missing as missing:
            pytest.skip(f"no DynamoDB Local: {missing}")
        opened.ensure(model)
        yield opened
        for table in model.tables:  # DynamoDB Local is shared, and lives on
            opened.backend.call("DeleteTable", {"TableName": table.name})


@pytest.fixture
def is_shared(request: pytest.FixtureRequest) -> bool:
    """Whether threads may share the store: the loop of an async one belongs to one of them."""
    return "async" not in request.node.callspec.id


@pytest.fixture
def fresh() -> str:
    """A name that no other test has used."""
    return secrets.token_hex(6)
