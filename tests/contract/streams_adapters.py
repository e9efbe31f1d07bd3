"""Where the contract of streams runs: the embedded engine, our server, DynamoDB Local; and a model
for it.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sortkey
import sortkey.engine
from sortkey import Entity, Store, Table, camel, key, query
from sortkey.connect.dynamodb import Client, Credentials
from sortkey.wire.access import Access
from sortkey.wire.addresses import bind
from sortkey.wire.server import Server
from tests.oracle.server import shared_port

KEYS = Credentials("someone", "secret")


@contextmanager
def embedded(folder: Path) -> Iterator[Store]:
    with sortkey.open(folder / "data") as store:
        yield store


@contextmanager
def wire(folder: Path) -> Iterator[Store]:
    """A real server on a real folder, and the lean client."""
    with _served(folder / "served") as address, Store(Client(address, "us-east-1", KEYS)) as store:
        yield store


@contextmanager
def shared(folder: Path) -> Iterator[Store]:
    """The same folder that a server owns, opened as if it were one's own."""
    with _served(folder / "shared"), sortkey.open(folder / "shared") as store:
        yield store


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    loop = asyncio.new_event_loop()
    engine = sortkey.engine.own(folder)
    running = Server(engine, Access(None, "us-east-1", time.time, "token", own_tables=True))
    sockets = bind("127.0.0.1", 0)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(running.start(sockets), loop).result(10)
    address = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    engine.publish(address, "token")
    yield address
    asyncio.run_coroutine_threadsafe(running.stop(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()
    engine.close()


@contextmanager
def dynamodb_local() -> Iterator[Store]:
    """AWS's own emulator. Raises tools.downloads.Missing."""
    with Store(Client(f"http://127.0.0.1:{shared_port()}", "us-east-1", KEYS)) as store:
        yield store


@dataclass
class Shop:
    """Two kinds of entities in one table, whose name is of this test only: services may be
    shared.
    """

    name: str
    table: Table
    order: Any
    note: Any

    @property
    def worker(self) -> str:
        """A name for a worker that no other test has."""
        return f"worker-{self.name}"


def shop(name: str, view: Any = "NEW_AND_OLD_IMAGES") -> Shop:
    table = Table(f"shop-{name}", key=("PK", "SK"), stream=view, pitr=False)

    class Order(Entity, table=table, kind="Order", names=camel):
        """An order of a customer."""

        customer: str
        number: int
        status: str = "new"
        parts: dict[str, Any] = {}

        @key("CUSTOMER#{customer}", "ORDER#{number:06d}")
        def key(*, customer: str, number: int):
            """An order."""

        @query(key)
        def of_customer(*, customer: str):
            """The orders of a customer."""

    class Note(Entity, table=table, kind="Note", names=camel):
        """How many orders a customer has, and a text of any length."""

        customer: str
        orders: int = 0
        text: str = ""

        @key("CUSTOMER#{customer}", "NOTE")
        def key(*, customer: str):
            """The note on a customer."""

    return Shop(name, table, Order, Note)
