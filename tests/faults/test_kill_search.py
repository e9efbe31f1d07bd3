"""`kill -9` of a process that indexes: what a refresh has acknowledged is found, and reconcile
repairs the rest.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Annotated

import pytest

import sortkey
from sortkey import (
    Entity,
    EntitySource,
    Instant,
    Integer,
    PutDocument,
    Search,
    Searchable,
    Store,
    Table,
    Text,
    Updated,
    document,
    key,
    open_search,
    reconcile,
    reindex,
)
from tests.faults.forks import Forks

KEYS = 150
notes_table = Table("Notes", key=("name",))


class Note(Entity, table=notes_table):
    """An item that says by which operation it was written."""

    name: str
    number: int
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{name}")
    def key(*, name: str):
        """A note."""


@document(Note, "notes", id="{name}", fields={"number": Integer(), "text": Text()})
def notes(note: Note) -> Searchable:
    return {"number": note.number, "text": f"the note {note.name}"}


def name_of(number: int) -> str:
    return f"note-{random.Random(number).randrange(KEYS):03d}"


def is_delete(number: int) -> bool:
    return number % 7 == 3


def main(place: str, number: int) -> None:
    """Operations by their numbers; a number on the standard output says that all up to it are found
    from now on.
    """
    chance, folder = random.Random(number), Path(place)
    with sortkey.open(folder / "data") as store, open_search(notes, folder / "search") as search:
        store.ensure(notes_table)
        search.ensure()
        print("begun", flush=True)
        while True:
            write(store, search, number)
            if chance.random() < 0.02:
                search.refresh()
                print(number, flush=True)
            if chance.random() < 0.001:
                reindex(search, EntitySource(store, notes))
            number += 1


def write(store: Store, search: Search[Note], number: int) -> None:
    if is_delete(number):
        old = store.delete(Note.key(name=name_of(number)))
        if old is not None:
            search.write([notes.removal_of(old)])
    else:
        search.put(store.put(Note(name=name_of(number), number=number)))


def kill_once(forks: Forks, folder: Path, start: int, seconds: float) -> int:
    """Let a process write for a while, then kill it; the number that it acknowledged last."""
    fork = forks.start(str(folder), start)
    lines = fork.lines()
    assert next(lines) == "begun"
    time.sleep(seconds)
    fork.kill()
    expected = list(lines)
    assert fork.was_killed()
    return int(expected[-1]) if expected else start - 1


def check(folder: Path, acknowledged: int) -> int:
    """Nothing acknowledged is lost, and reconcile repairs the rest. Returns the number of the last operation that
    was done.
    """
    with sortkey.open(folder / "data") as store, open_search(notes, folder / "search") as search:
        search.ensure()
        shown = {hit.id: hit.fields["number"] for hit in search.iterate()}
        stored = {note.name: note.number for note in store.scan(Note)}
        for name, number in last_writes(acknowledged).items():
            if stored.get(name) == number:
                assert shown.get(name) == number, f"{name} was acknowledged with {number}"
        source = EntitySource(store, notes)
        reconcile(search, source)
        writes = [notes.write_of(note) for note in store.scan(Note)]
        expected = {write.id: write.fields for write in writes if isinstance(write, PutDocument)}
        assert {hit.id: hit.fields for hit in search.iterate()} == expected
        assert reconcile(search, source).count == 0
        return max(stored.values(), default=0)


def last_writes(acknowledged: int) -> dict[str, int]:
    """For each note the last operation on it, of those that were acknowledged."""
    return {
        name_of(number): number for number in range(max(0, acknowledged - 2000), acknowledged + 1)
    }


def kill_again_and_again(folder: Path, times: int) -> None:
    chance, start = random.Random(times), 0
    with Forks("tests.faults.test_kill_search") as forks:
        for _ in range(times):
            acknowledged = kill_once(forks, folder, start, chance.random() * 0.4)
            start = max(check(folder, acknowledged), acknowledged) + 10
    assert start > times


@pytest.mark.slow
def test_fifty_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    # The promise of `refresh`; in some rounds the index is being rebuilt when the process dies.
    kill_again_and_again(tmp_path, 50)


def test_two_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 2)
