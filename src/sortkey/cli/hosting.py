"""What `sortkey rest` and `sortkey up` share: systems on a store, opened, served until a signal, and closed again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sortkey.cli.listening import named, own

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI

    from sortkey.connect.buckets import Buckets
    from sortkey.engine import Engine
    from sortkey.origins import OriginPolicy
    from sortkey.runtime.metrics import Metrics
    from sortkey.runtime.store import Store
    from sortkey.web.app import Worker
    from sortkey.web.hosting import Host
    from sortkey.wire.second_openers import SecondOpeners


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything lies: a folder, and what of it lies elsewhere."""

    data: str
    store: str | None = None
    objects: str | None = None

    def __post_init__(self) -> None:
        named(self.data)

    @property
    def tables(self) -> str:
        """For people to read."""
        return self.store or os.path.join(os.path.abspath(self.data), "")

    @property
    def folder_option(self) -> str:
        """What other commands need that work on the folder."""
        return "" if self.data == "data" else f" --data {shlex.quote(self.data)}"

    @property
    def tables_option(self) -> str:
        """What other commands need that work on the tables."""
        return f" --data {shlex.quote(self.store)}" if self.store else self.folder_option

    @property
    def keys_option(self) -> str:
        """What `sortkey keys create` needs: the tables, and the folder that has the secret."""
        return self.tables_option + (f" --folder {shlex.quote(self.data)}" if self.store else "")


@dataclass(frozen=True, slots=True)
class House:
    """What runs: systems with REST on a store. `engine` is that of the folder, if the tables are there."""

    host: Host
    store: Store
    engine: Engine | None
    secret: bytes


def names_of(systems: str | None, known: Sequence[str]) -> list[str]:
    """The systems of an option, with commas; without it all that are known."""
    return [each.strip() for each in systems.split(",")] if systems else [*known]


@contextmanager
def opened(
    place: Place,
    address: str,
    systems: Sequence[str],
    *,
    origins: OriginPolicy,
    unlimited: Sequence[str] = (),
    metrics: Metrics | None = None,
) -> Generator[House]:
    """Systems on their store, which is closed with the block. `address` is where callers reach them."""
    from sortkey.connect.buckets import Buckets
    from sortkey.web.hosting import Host, objects_url
    from sortkey.web.server_secret import secret_for, server_secret

    secret = server_secret(place.data)
    buckets = Buckets(place.objects or os.path.join(place.data, "buckets", "{bucket}"), url=objects_url(address))
    engine = None if place.store else own(place.data)
    cursors = secret_for("cursors", secret)  # so that they are good after a restart too
    store = _store(place, engine, buckets, cursors, metrics)
    try:
        host = Host(store, buckets, place.data, secret=secret, systems=systems, unlimited=unlimited, origins=origins)
        yield House(host, store, engine, secret)
    finally:
        store.close()
        buckets.close()


def _store(place: Place, engine: Engine | None, buckets: Buckets, cursors: bytes, metrics: Metrics | None) -> Store:
    import sortkey
    from sortkey.connect.embedded import EmbeddedBackend
    from sortkey.runtime.store import Store

    if engine is None:
        return sortkey.open(place.store or "", objects=buckets, secret=cursors, metrics=metrics)
    return Store(EmbeddedBackend(engine), objects=buckets, secret=cursors, metrics=metrics)


async def serve(
    app: FastAPI,
    sockets: Sequence[socket.socket],
    openers: SecondOpeners | None,
    ready: Callable[[], None],
    *,
    workers: Sequence[Worker] = (),
    later: Sequence[Worker] = (),
) -> None:
    """Until a signal. `ready` is called when everything answers; `later` are workers that nobody waits for.

    The end goes backwards: no more requests, then no more jobs, then nobody else at the folder.
    """
    from sortkey.cli.loops import stop_signal
    from sortkey.web.serving import RestServer

    signalled = stop_signal()
    async with AsyncExitStack() as running:
        if openers is not None:
            await openers.start()
            running.push_async_callback(openers.stop)
        await _start(workers, running)
        rest = RestServer(app, sockets)
        await rest.start()
        running.push_async_callback(rest.stop)
        ready()
        await _start(later, running)
        await signalled.wait()


async def _start(workers: Sequence[Worker], running: AsyncExitStack) -> None:
    from asyncio import to_thread

    for worker in workers:
        running.push_async_callback(to_thread, worker.stop)
        await to_thread(worker.start)
