"""What all systems of a host share, opened in one order and closed in the reverse one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sortkey.connect.buckets import Buckets
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.connect.searches import Searches, open_searches
from sortkey.connect.store_addresses import open as open_store
from sortkey.connect.topics import open_topics
from sortkey.engine import Engine
from sortkey.model.patterns import Model
from sortkey.runtime.metrics import Metrics
from sortkey.runtime.store import Store
from sortkey.runtime.topics import Topics
from sortkey.systems.data_folder import BUCKETS, FILES, OBJECTS_PATH, SEARCHES
from sortkey.systems.host_secret import derive, host_secret
from sortkey.systems.resources import Resources


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a host keeps everything: in a data folder, except for what has an address of
    its own.
    """

    data: str
    store: str | None = None
    objects: str | None = None
    search: str | None = None
    topics: str | None = None

    @property
    def bucket_pattern(self) -> str:
        """The address of the buckets, with `{bucket}` for their names."""
        return self.objects or os.path.join(self.data, BUCKETS, "{bucket}")

    @property
    def search_address(self) -> str | None:
        """None if the tables are elsewhere and no search address is set."""
        return self.search or (None if self.store else os.path.join(self.data, SEARCHES))


@dataclass(frozen=True, kw_only=True)
class SharedResources:
    """Open until the block of `open_resources` ends. `engine` is that of the data folder, if the
    tables are in it.
    """

    addresses: Addresses
    store: Store
    buckets: Buckets
    searches: Searches
    engine: Engine | None
    url: str
    secret: bytes = field(repr=False)
    closing: ExitStack = field(repr=False)
    clock: Callable[[], float] = time.time

    @cached_property
    def topics(self) -> Topics:
        """Opened when they are first used: most systems need none."""
        topics = open_topics(self.addresses.topics or self.addresses.data)
        self.closing.callback(topics.close)
        return topics

    @cached_property
    def files(self) -> Path:
        folder = Path(self.addresses.data) / FILES
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def of(self, system: str, *, at_root: bool = False) -> Resources:
        """The resources of one system. `at_root` if its routes are served without its name as a
        prefix.
        """
        return Resources(
            system=system,
            store=self.store,
            buckets=self.buckets,
            searches=self.searches,
            open_topics=lambda: self.topics,
            files=self.files,
            folder=Path(self.addresses.data).absolute() / system,
            url=self.url if at_root else f"{self.url}/{system}",
            secret=self.secret,
            clock=self.clock,
            delay_expiry=self._delay_expiry,
        )

    def _delay_expiry(self, table_name: str, seconds: int) -> None:
        if self.engine is not None:
            from sortkey.engine import expiry

            expiry.delay(self.engine, table_name, seconds)


@contextmanager
def open_resources(
    addresses: Addresses,
    models: Sequence[Model] = (),
    *,
    url: str,
    engine: Engine | None = None,
    metrics: Metrics | None = None,
) -> Generator[SharedResources]:
    """Open the resources of a host. `url` is where callers reach the host; the documents of
    `models` can be searched.

    Without `engine` and without an address of a store, the engine of the data folder is opened:
    this process then owns the folder. Either way it is closed with the block.
    """
    url, secret = url.rstrip("/"), host_secret(addresses.data)
    with ExitStack() as closing:
        buckets = Buckets(addresses.bucket_pattern, url=f"{url}{OBJECTS_PATH}")
        closing.callback(buckets.close)
        if addresses.store is None and engine is None:
            from sortkey.engine import own

            engine = own(addresses.data)
        store = _open_store(addresses, engine, buckets, derive(secret, "cursors"), metrics)
        closing.callback(store.close)
        yield SharedResources(
            addresses=addresses,
            store=store,
            buckets=buckets,
            searches=open_searches(store, models, addresses.search_address),
            engine=engine,
            url=url,
            secret=secret,
            closing=closing,
        )


def _open_store(
    addresses: Addresses,
    engine: Engine | None,
    buckets: Buckets,
    cursors: bytes,
    metrics: Metrics | None,
) -> Store:
    """Its cursors are signed with the host's secret, so they stay valid after a restart."""
    if engine is not None:
        return Store(EmbeddedBackend(engine), objects=buckets, secret=cursors, metrics=metrics)
    return open_store(addresses.store or "", objects=buckets, secret=cursors, metrics=metrics)
