"""A store without buckets: entities without payloads never notice, and those with payloads get a
clear error.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import sortkey
from sortkey import AsyncStore, Delete, ItemKey, Objects, Payload, Put, Store
from sortkey.connect.embedded import AsyncEmbeddedBackend
from sortkey.engine import Engine
from sortkey.errors import NotConfigured
from tests.runtime.payloads.runs import Asset, Run, model, run

KEY = Asset.key(database_id="d", asset_id="a")
ASSET = Asset(database_id="d", asset_id="a", note=Payload("text"))

WRITES: dict[str, Callable[[Store], Any]] = {
    "create": lambda store: store.create(ASSET),
    "put": lambda store: store.put(ASSET),
    "update": lambda store: store.update(KEY, set={"note": Payload("other")}),
    "transact": lambda store: store.transact(Put(ASSET)),
    "batch_write": lambda store: store.batch_write([ASSET]),
    "delete": lambda store: store.delete(KEY),
    "delete in a transaction": lambda store: store.transact(Delete(KEY)),
    "delete in a batch": lambda store: store.batch_write(deletes=[KEY]),
    "load": lambda store: store.load(store.get(KEY).note or Payload("")),
}


@pytest.fixture
def bare(store: Store) -> Store:
    """The same tables as `store`, without its buckets."""
    return Store(store.backend)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_whoever_meets_a_payload_hears_which_bucket_is_missing(
    store: Store, bare: Store, write: Callable[[Store], Any]
) -> None:
    # An item without its payload would lose it silently, and a delete would leave the object behind
    # forever.
    stored = store.put(ASSET)
    with pytest.raises(NotConfigured, match=r"no bucket 'artifacts' \(it has: none\).*objects="):
        write(bare)
    assert store.get(KEY) == stored
    assert stored.note is not None
    assert store.load(stored.note) == "text"


def test_what_touches_no_object_needs_no_bucket(store: Store, bare: Store) -> None:
    # A program that only changes the status of a run does not have to know where its artifacts are.
    made = store.create(run(graph=Payload({"nodes": []})))
    key = ItemKey.of_entity(made)
    assert bare.move(key, Run.status, "COMPLETE").graph == made.graph
    assert bare.update(key, set={"node_count": 3}).node_count == 3
    assert bare.create(run("without")).graph is None
    assert made.graph is not None
    assert store.load(made.graph) == {"nodes": []}


def test_an_async_store_says_the_same(engine: Engine) -> None:
    async def story() -> None:
        store = AsyncStore(AsyncEmbeddedBackend(engine))
        await store.ensure(model)
        with pytest.raises(NotConfigured, match="no bucket 'artifacts'"):
            await store.create(ASSET)
        assert await store.find(KEY) is None

    asyncio.run(story())


def test_buckets_that_were_opened_by_the_caller_stay_open(
    store: Store, buckets: dict[str, Objects]
) -> None:
    # Several stores may share them, and the caller closes what it opened.
    store.close()
    assert buckets["artifacts"].put("a/b/note.txt", b"text").size == 4


def test_a_store_without_payloads_loads_nothing_of_them() -> None:
    # The price of payloads is paid by those who have some: imports are most of the start of a small
    # program.
    program = """
import sys, sortkey
from sortkey import Entity, Table, key
class Note(Entity, table=Table("notes", key=("pk",), pitr=False)):
    pk: str
    text: str = ""
    @key("{pk}")
    def key(*, pk: str): ...
with sortkey.open(":memory:") as store:
    store.ensure(Note.__layout__.table)
    store.create(Note(pk="a"))
    store.update(Note.key(pk="a"), set={"text": "b"})
    store.batch_write([Note(pk="b")], [Note.key(pk="c")])
    store.delete(Note.key(pk="a"))
rooms = ("sortkey.runtime.payloads", "sortkey.runtime.objects", "zstandard", "asyncio")
print([name for name in rooms if name in sys.modules])
"""
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


def test_a_store_of_an_address_closes_the_buckets_that_it_opened(tmp_path: Any) -> None:
    with sortkey.open(":memory:", objects=tmp_path / "{bucket}") as store:
        opened = store.payloads.bucket("artifacts")
        opened.put("a/b/note.txt", b"text")
    with pytest.raises(Exception, match="closed"):
        opened.put("a/b/note.txt", b"text")
