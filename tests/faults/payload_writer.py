"""Writes entities with payloads until it is killed, and tells each write on its standard output
once it is done.

Forked by tests.faults.forks. With `call` it kills itself at that write of an item: before it for an
even number, right after it for an odd one. That is the moment between object and pointer, which a
kill from outside hits only by chance.
"""

from __future__ import annotations

import os
import random
import signal
from typing import Any

import sortkey
from sortkey import Payload, Store
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.errors import PreconditionFailed
from tests.runtime.payloads.runs import Asset, Run, model

WRITES = ("PutItem", "UpdateItem", "TransactWriteItems", "DeleteItem")


def text_of(name: str, number: int) -> str:
    """The value of a payload, which is computed from its name. Some are packed, some
    are not.
    """
    return f"{name}/{number} " * random.Random(f"{name}{number}").choice((1, 10, 3000, 200_000))


class Deadly(EmbeddedBackend):
    """Kills its process at a certain write."""

    last = 0

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        if operation not in WRITES or not self.last:
            return super().call(operation, request)
        self.last -= 2
        if self.last == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = super().call(operation, request)
        if self.last == -1:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer


def open_store(folder: str) -> Store:
    return sortkey.open(folder, objects=f"{folder}/buckets/{{bucket}}")


def main(folder: str, seed: str, call: int = 0) -> None:
    opened = open_store(folder)
    backend: Any = opened.backend
    deadly = Deadly(backend.engine)
    store = Store(deadly, objects=opened.payloads.buckets)
    store.ensure(model)
    deadly.last = call
    chance, number = random.Random(seed), 0
    while True:
        number += 1
        name = f"{seed}-{number}" if chance.random() < 0.5 else f"{chance.randrange(5)}"
        write = chance.choice((create, create, replace, replace, delete))
        print(f"trying {write.__name__} {name} {number}", flush=True)
        write(store, name, number)
        print("done", flush=True)


def create(store: Store, name: str, number: int) -> None:
    """A run with a graph that is written once; a second try finds what the first has left."""
    existing = [each for each in store.scan(Run) if each.run_id == name]
    if not existing:
        store.create(Run(user_id="u", run_id=name, graph=Payload({"text": text_of(name, number)})))
        return
    assert existing[0].created_at is not None
    key = Run.key(user_id="u", created_at=existing[0].created_at, run_id=name)
    try:
        store.update(key, set={"graph": Payload({"text": text_of(name, number)})})
    except PreconditionFailed:
        store.update(key, set={"iac": Payload(text_of(name, number).encode(), filename="main.tf")})


def replace(store: Store, name: str, number: int) -> None:
    store.put(
        Asset(
            database_id="d",
            asset_id=name,
            description=f"{number}",
            note=Payload(text_of(name, number)),
        )
    )


def delete(store: Store, name: str, number: int) -> None:
    store.delete(Asset.key(database_id="d", asset_id=name))
