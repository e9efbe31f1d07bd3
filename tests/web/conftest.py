"""The shop behind the host, in memory, with a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

import sortkey
from sortkey import Store
from sortkey.testing import FrozenClock
from sortkey.web import ApiKeys, Tokens, make_app
from tests.web import shop

SECRET = b"a secret that is long enough for every hash, also for the one of 64 bytes"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(1_780_000_000.0)


@pytest.fixture
def store(clock: FrozenClock) -> Iterator[Store]:
    with sortkey.open(":memory:", background=False, clock=clock) as opened:
        yield opened


@pytest.fixture
def tokens(clock: FrozenClock) -> Tokens:
    return Tokens(SECRET, clock)


@pytest.fixture
def keys(store: Store, clock: FrozenClock) -> ApiKeys:
    made = ApiKeys(store, clock)
    assert made.ensure() == []
    return made


@pytest.fixture
def client(store: Store, tokens: Tokens, keys: ApiKeys) -> TestClient:
    return TestClient(
        make_app([shop.system(store)], tokens=tokens, keys=keys), raise_server_exceptions=False
    )


@pytest.fixture
def ada(tokens: Tokens) -> dict[str, str]:
    """The headers of a user who is signed in."""
    return {"Authorization": f"Bearer {tokens.issue('ada', system='shop')}"}
