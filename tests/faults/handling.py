"""A program that writes orders and handles their changes until it is killed, by itself, in the
middle of something.

Forked by tests.faults.forks; prints the number of each order that was stored.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sortkey
from sortkey import (
    Change,
    Entity,
    Store,
    StreamWorker,
    Table,
    Update,
    apply_once,
    attr,
    camel,
    key,
    on_change,
    on_changes,
)

CUSTOMERS = ("ada", "bob", "eve")
table = Table("orders", key=("PK", "SK"), stream="NEW_AND_OLD_IMAGES", pitr=False)


class Order(Entity, table=table, kind="Order", names=camel):
    """An order. Every customer has one, which is changed again and again, and many that are only
    created.
    """

    customer: str
    number: int
    step: int = 0

    @key("CUSTOMER#{customer}", "ORDER#{number:08d}")
    def key(*, customer: str, number: int):
        """An order."""


class Count(Entity, table=table, kind="Count", names=camel):
    """How many changes a customer had, and the sum of their steps: wrong as soon as one is counted
    twice or not.
    """

    customer: str
    changes: int = 0
    steps: int = 0

    @key("CUSTOMER#{customer}", "COUNT")
    def key(*, customer: str):
        """The count of a customer."""


def handlers(store: Store, journal: Path, at_call: Callable[[str], None]) -> list[Any]:
    """One that must count once, one that may say things twice but must not skip or mix them, and
    one in batches.
    """

    @on_change(Order)
    def count(change: Change[Order]) -> None:
        assert change.new is not None
        at_call("before")
        more = (attr(Count.changes).add(1), attr(Count.steps).add(change.new.step))
        apply_once(
            store,
            change,
            "count",
            Update(Count.key(customer=change.new.customer), more, upsert=True),
        )
        at_call("after")

    @on_change(Order)
    def tell(change: Change[Order]) -> None:
        _append(journal, "tell", [change])
        at_call("journal")

    @on_changes(Order)
    def batch(changes: Any) -> None:
        at_call("batch")
        _append(journal, "batch", changes)

    return [count, tell, batch]


def _append(journal: Path, handler: str, changes: Any) -> None:
    lines = [
        f"{handler} {change.new.customer} {change.new.number} {change.new.step}\n"
        for change in changes
    ]
    file = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, "".join(lines).encode())
    os.close(file)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(place: str, first: int, seed: int) -> None:
    folder, chance = Path(place), random.Random(seed)
    where, left = (
        chance.choice(("before", "after", "journal", "batch", "timer")),
        chance.randrange(1, 60),
    )

    def at_call(place: str) -> None:
        nonlocal left
        left -= place == where
        if left <= 0:
            die()

    store = sortkey.open(folder / "data")
    store.ensure(table)
    made = handlers(store, folder / "journal", at_call)
    StreamWorker(store, made, name="shop", batch_records=chance.choice((1, 7, 100))).start()
    if where == "timer":
        threading.Timer(chance.random() * 0.1, die).start()
    for number in range(first, first + 100_000):
        customer = CUSTOMERS[number % 3]
        if number % 4 == 0:
            store.put(Order(customer=customer, number=0, step=number))
        else:
            store.put(Order(customer=customer, number=number))
        os.write(1, f"{number}\n".encode())
        time.sleep(0.0005)
