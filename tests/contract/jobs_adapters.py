"""What the contract of jobs runs on: the engine in the process, our own server, and DynamoDB Local.

Each test has a queue of its own, so that they share one table.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import sortkey
from sortkey import JobQueue, JobWorker, Metrics, Store
from sortkey.testing import FrozenClock
from tests.contract.store.stores import served
from tests.oracle.server import shared_port
from tools.downloads import Missing

ADAPTERS = [
    "embedded",
    "wire",
    pytest.param(
        "DynamoDB Local",
        marks=[pytest.mark.slow, pytest.mark.oracle, pytest.mark.xdist_group("jobs-local")],
    ),
]


class Yard:
    """A store, a queue of its own, and workers on it; time and chance are the test's."""

    def __init__(self, store: Store) -> None:
        self.store, self.clock = store, FrozenClock()
        self.slept: list[float] = []
        self.queue_name = f"q-{secrets.token_hex(4)}"
        self.queue = JobQueue(store, self.queue_name, clock=self.clock, sleep=self._sleep)

    def worker(self, *jobs: Any, **settings: Any) -> JobWorker:
        given: dict[str, Any] = {
            "clock": self.clock,
            "sleep": self._sleep,
            "random": lambda: 0.0,
            "lease_seconds": 30.0,
        }
        return JobWorker(self.store, jobs, queue=self.queue_name, **{**given, **settings})

    def real_worker(self, *jobs: Any, **settings: Any) -> JobWorker:
        """With the real time, for threads."""
        return JobWorker(self.store, jobs, queue=self.queue_name, **settings)

    def real_queue(self) -> JobQueue:
        return JobQueue(self.store, self.queue_name)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)


@contextmanager
def opened(adapter: str) -> Generator[Store]:
    metrics = Metrics()
    if adapter == "embedded":
        with sortkey.open(":memory:", metrics=metrics) as store:
            yield store
    elif adapter == "wire":
        with served() as address, sortkey.open(address, metrics=metrics) as store:
            yield store
    else:
        try:
            port = shared_port()
        except Missing as missing:
            pytest.skip(f"no DynamoDB Local: {missing}")
        with sortkey.open(f"http://127.0.0.1:{port}", metrics=metrics) as store:
            yield store


@pytest.fixture(scope="module", params=ADAPTERS)
def jobs_store(request: pytest.FixtureRequest) -> Iterator[Store]:
    with opened(request.param) as store:
        assert JobQueue(store).ensure() == []
        yield store


@pytest.fixture
def yard(jobs_store: Store) -> Yard:
    return Yard(jobs_store)
