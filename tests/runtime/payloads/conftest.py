"""Stores with payloads: on an engine in memory, with buckets in folders, and with buckets on S3."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey import Objects, Store, open_objects
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.engine import Engine
from sortkey.testing import FrozenClock
from tests.contract.objects_adapters import ADAPTERS, new_s3_bucket, s3_endpoint
from tests.runtime.payloads.runs import model

__all__ = ["s3_endpoint"]

BUCKETS = ("artifacts", "job-reports")


@pytest.fixture
def buckets(tmp_path: Path, clock: FrozenClock) -> Iterator[dict[str, Objects]]:
    """In folders, with the clock that the store has."""
    made = {name: open_objects(tmp_path / name, clock=clock) for name in BUCKETS}
    yield made
    for bucket in made.values():
        bucket.close()


@pytest.fixture
def store(engine: Engine, clock: FrozenClock, buckets: dict[str, Objects]) -> Store:
    made = Store(EmbeddedBackend(engine), objects=buckets, clock=clock)
    made.ensure(model)
    return made


@pytest.fixture(params=ADAPTERS)
def any_store(request: pytest.FixtureRequest, engine: Engine) -> Iterator[Store]:
    """One store for each kind of bucket, by the true time, which S3 has."""
    if request.param == "s3":
        endpoint = request.getfixturevalue("s3_endpoint")
        buckets: dict[str, Objects] = {name: new_s3_bucket(endpoint) for name in BUCKETS}
    else:
        buckets = {
            name: open_objects(request.getfixturevalue("tmp_path") / name) for name in BUCKETS
        }
    made = Store(EmbeddedBackend(engine), objects=buckets)
    made.ensure(model)
    yield made
    for bucket in buckets.values():
        bucket.close()
