"""The stores that the contract runs over, all behind the interface of `Store`."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sortkey
import sortkey.engine
from sortkey import AsyncStore, Store
from sortkey.testing import FrozenClock
from sortkey.wire.access import Access
from sortkey.wire.addresses import bind
from sortkey.wire.server import Server
from tests.oracle.server import shared_port

SECRET = b"the secret of the contract"


class Awaiting:
    """An async store as if it were none: every call is awaited on a loop of its own."""

    def __init__(self, store: AsyncStore, runner: asyncio.Runner) -> None:
        self._store, self._runner = store, runner

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._store, name)
        if inspect.isasyncgenfunction(member):
            return lambda *args, **kwargs: iter(
                self._runner.run(_collected(member(*args, **kwargs)))
            )
        if inspect.iscoroutinefunction(member):
            return lambda *args, **kwargs: self._runner.run(member(*args, **kwargs))
        return member

    @property
    def backend(self) -> Any:
        return Awaiting(self._store.backend, self._runner)  # type: ignore[arg-type]


async def _collected(entities: Any) -> list[Any]:
    return [entity async for entity in entities]


@contextmanager
def opened(address: str, clock: FrozenClock, **settings: Any) -> Iterator[Any]:
    with sortkey.open(address, clock=clock, secret=SECRET, **settings) as store:
        yield store


@contextmanager
def opened_async(address: str, clock: FrozenClock, **settings: Any) -> Iterator[Any]:
    with asyncio.Runner() as runner:
        store = sortkey.open_async(address, clock=clock, secret=SECRET, **settings)
        yield Awaiting(store, runner)
        runner.run(store.close())


@contextmanager
def served() -> Iterator[str]:
    """The address of a server of ours, on a free port."""
    loop = asyncio.new_event_loop()
    with sortkey.engine.own() as engine:
        server = Server(engine, Access(None, "us-east-1", time.time, own_tables=True))
        sockets = bind("127.0.0.1", 0)
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        asyncio.run_coroutine_threadsafe(server.start(sockets), loop).result(10)
        try:
            yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
        finally:
            asyncio.run_coroutine_threadsafe(server.stop(), loop).result(20)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()


@contextmanager
def store_called(name: str, clock: FrozenClock) -> Iterator[Store]:
    """One of the stores, by the name of its parameter. Raises tools.downloads.Missing for DynamoDB
    Local.
    """
    open_it = opened_async if name.endswith("-async") else opened
    if name.startswith("embedded"):
        with open_it(":memory:", clock, background=False) as store:
            yield store
    elif name.startswith("wire"):
        with served() as address, open_it(address, clock) as store:
            yield store
    else:
        with open_it(f"http://127.0.0.1:{shared_port()}", clock) as store:
            yield store
