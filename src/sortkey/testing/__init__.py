"""Fixtures for the tests of programs that use Sortkey. pytest finds them once Sortkey is installed.

def test_an_order_is_paid_once(sortkey_store, sortkey_faults):
    sortkey_store.ensure(model)
    sortkey_faults.crash_after_commit()
    ...
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sortkey.testing.async_faulty_backend import AsyncFaultyBackend
from sortkey.testing.clock import FrozenClock
from sortkey.testing.faults import Faults
from sortkey.testing.faulty_backend import FaultyBackend

if TYPE_CHECKING:
    from sortkey.engine import Engine
    from sortkey.runtime.store import Store
    from sortkey.systems import Resources
    from sortkey.systems.shared import SharedResources

__all__ = ["AsyncFaultyBackend", "Faults", "FaultyBackend", "FrozenClock"]


@pytest.fixture
def sortkey_engine() -> Iterator[Engine]:
    """A clean DynamoDB in memory, gone after the test. `sortkey_engine.call("PutItem", {...})`."""
    from sortkey.engine import (
        own,
    )  # here, so that test runs without Sortkey pay nothing for the plugin

    with own() as engine:
        yield engine


@pytest.fixture
def sortkey_clock() -> FrozenClock:
    """A clock that stands still until it is advanced: `sortkey_clock.advance(60)`. It is that of
    `sortkey_store`.
    """
    return FrozenClock()


@pytest.fixture
def sortkey_faults() -> Iterator[Faults]:
    """Faults of `sortkey_store`. A fault that no call has met fails the test."""
    faults = Faults()
    yield faults
    if faults.pending:
        pytest.fail(
            f"the test ended before these faults were met: {'; '.join(map(str, faults.pending))}"
        )


@pytest.fixture
def sortkey_store(sortkey_clock: FrozenClock, sortkey_faults: Faults) -> Iterator[Store]:
    """A store on a clean engine in memory, gone after the test. Create the tables with
    `sortkey_store.ensure(model)`.

    Its clock is `sortkey_clock`, which its pauses advance, so no test waits. `sortkey_faults` makes
    it fail.
    """
    from sortkey.connect.embedded import EmbeddedBackend
    from sortkey.engine import own
    from sortkey.runtime.store import Store

    backend = sortkey_faults.around(EmbeddedBackend(own(clock=sortkey_clock)))
    with Store(
        backend, clock=sortkey_clock, sleep=sortkey_clock.advance, secret=b"the same in every test"
    ) as store:
        yield store


@pytest.fixture
def sortkey_shared(tmp_path: Path) -> Iterator[SharedResources]:
    """What the systems of a host share, in a temporary folder: `Host(sortkey_shared, [system])`."""
    from sortkey.systems.shared import Addresses, open_resources

    with open_resources(Addresses(str(tmp_path / "data")), url="http://localhost") as shared:
        yield shared


@pytest.fixture
def sortkey_resources(sortkey_shared: SharedResources) -> Resources:
    """The resources of one system. Create its tables with
    `sortkey_resources.store.ensure(model)`.
    """
    return sortkey_shared.of("test")
