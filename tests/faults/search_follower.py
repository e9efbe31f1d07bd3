"""Writes notes with payloads, and a worker indexes their changes, until it is killed, by itself, in
between.

Forked by tests.faults.forks; prints the number of each change that was stored.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from typing import Annotated, Any

import sortkey
from sortkey import (
    Entity,
    EntitySource,
    Instant,
    Integer,
    Payload,
    Search,
    Searchable,
    Store,
    StoredIn,
    StreamWorker,
    Table,
    Text,
    Updated,
    document,
    follow,
    key,
)

NAMES = 40
WORKER = "search"
PLACES = (
    "between pointer and index",
    "in the handler",
    "before the commit",
    "before the checkpoint",
    "anywhere",
)
table = Table("notes", key=("name",), stream="NEW_AND_OLD_IMAGES", pitr=False)


class Note(Entity, table=table):
    """A note whose text lies in an object."""

    name: str
    number: int
    text: Annotated[Payload[str] | None, StoredIn("texts", "notes/{name}")] = None
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{name}")
    def key(*, name: str):
        """A note."""


@document(Note, "notes", id="{name}", fields={"number": Integer(), "hash": Text()})
def notes(note: Note) -> Searchable:
    return {"number": note.number, "hash": note.text.sha256 if note.text else ""}


def text_of(number: int) -> str:
    return f"the text of change {number} " * (number % 5 + 1)


def opened(folder: str) -> tuple[Store, Search[Note]]:
    store = sortkey.open(f"{folder}/data", objects=f"{folder}/buckets/{{bucket}}")
    search = sortkey.open_search(notes, f"{folder}/search")
    store.ensure(table)
    search.ensure()
    return store, search


def worker(store: Store, search: Search[Note], **settings: Any) -> StreamWorker:
    return StreamWorker(
        store, [follow(search, EntitySource(store, notes))], name=WORKER, **settings
    )


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Death:
    """Comes at the so-manieth time that a place is passed, or after a while."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.place = PLACES[seed % len(PLACES)]
        self._left = chance.randrange(1, 60 if self.place == PLACES[0] else 12)
        if self.place == "anywhere":
            threading.Timer(chance.random() * 0.3, die).start()

    def at(self, place: str) -> None:
        self._left -= place == self.place
        if self._left <= 0:
            die()

    def before(self, place: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def deadly(*arguments: Any) -> Any:
            self.at(place)
            return function(*arguments)

        return deadly


def main(folder: str, seed: int, first: int) -> None:
    store, search = opened(folder)
    death = Death(seed)
    search.write = death.before("in the handler", search.write)
    search.flush = death.before("before the commit", search.flush)
    running = worker(store, search, batch_records=random.Random(seed).choice((1, 10, 100)))
    leases: Any = running._sharing.leases
    leases.checkpoint = death.before("before the checkpoint", leases.checkpoint)
    running.start()
    for number in range(first, first + 100_000):
        name = f"note-{random.Random(number).randrange(NAMES)}"
        if number % 7 == 3:
            store.delete(Note.key(name=name))
        else:
            store.put(Note(name=name, number=number, text=Payload(text_of(number))))
        os.write(1, b"%d\n" % number)
        death.at("between pointer and index")
        time.sleep(0.001)
