"""Expired items are hidden from reads that ask for it, before the sweep has deleted them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import sortkey
from sortkey import GSI, Entity, EpochSeconds, Model, Store, Table, index, key, query
from sortkey.errors import ModelError, NotFound

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SECRET = b"of this test"
model = Model("sessions")
table = model.add(
    Table(
        "FreshSessions",
        key=("pk", "sk"),
        indexes=[
            GSI("whole", "wpk"),
            GSI("thin", "tpk", projection="KEYS_ONLY"),
            GSI("some", "spk", projection=("ends",)),
        ],
        ttl="ends",
    )
)
plain = model.add(Table("FreshNothing", key=("pk",)))


class Session(Entity, table=table, kind="Session"):
    """Something that ends."""

    user: str
    number: int
    ends: EpochSeconds | None = None

    @key("USER#{user}", "SESSION#{number:03d}")
    def key(*, user: str, number: int):
        """One session."""

    @query(key)
    def of_user(*, user: str):
        """The sessions of a user."""

    @index("whole", "{user}")
    def whole(*, user: str):
        """The same in an index."""

    @index("thin", "{user}")
    def thin(*, user: str):
        """The same in an index of keys."""

    @index("some", "{user}")
    def some(*, user: str):
        """The same in an index that shows when they end."""


class Thing(Entity, table=plain):
    """Something that stays."""

    name: str

    @key("{name}")
    def key(*, name: str):
        """One thing."""


@model.collection(Session)
def everything(*, user: str):
    """All of a user."""


@pytest.fixture
def store() -> Iterator[Store]:
    # Without background work nothing is ever swept: what is hidden is hidden by the read.
    with sortkey.open(":memory:", clock=NOW.timestamp, background=False, secret=SECRET) as opened:
        opened.ensure(model)
        seconds = (-10, 10, 0, None, 100, -1, 1)
        for number, after in enumerate(seconds):
            ends = None if after is None else NOW + timedelta(seconds=after)
            opened.put(Session(user="ada", number=number, ends=ends))
        yield opened


LIVE = [1, 3, 4, 6]
"""An item is gone from the second that it names on, as the sweep counts."""


def numbers(found: Any) -> list[int]:
    return [item.number for item in found]


def test_an_item_that_has_expired_is_not_found(store: Store) -> None:
    # A session that has ended must not open a door because a sweep is late.
    assert store.find(Session.key(user="ada", number=0)) is not None
    assert store.find(Session.key(user="ada", number=0), fresh=True) is None
    assert store.find(Session.key(user="ada", number=2), fresh=True) is None
    assert store.find(Session.key(user="ada", number=1), fresh=True) is not None
    assert store.find(Session.key(user="ada", number=3), fresh=True) is not None
    with pytest.raises(NotFound):
        store.get(Session.key(user="ada", number=0), fresh=True)


def test_a_query_leaves_out_what_has_expired(store: Store) -> None:
    # Lists, counts, pages and iterators agree with each other.
    fresh = Session.of_user(user="ada").fresh()
    assert numbers(store.query(Session.of_user(user="ada"))) == list(range(7))
    assert numbers(store.query(fresh)) == LIVE
    assert numbers(store.query(fresh.limit(2))) == [1, 3]
    assert numbers(store.query(fresh.descending().limit(3))) == [6, 4, 3]
    assert numbers(store.iterate(fresh, size=2)) == LIVE
    assert store.count(fresh) == 4
    assert numbers([store.first(fresh)]) == [1]
    assert numbers(store.collection(everything(user="ada").fresh())) == LIVE
    assert len(store.keys(fresh)) == 4


def test_pages_are_full_and_go_on_while_time_goes_on(store: Store) -> None:
    # A cursor is bound to its query, not to the instant at which the first page was read.
    fresh = Session.of_user(user="ada").fresh()
    first = store.page(fresh, size=2)
    assert numbers(first.items) == [1, 3]
    later = Store(store.backend, clock=lambda: NOW.timestamp() + 5, secret=SECRET)
    second = later.page(fresh, size=2, cursor=first.cursor)
    assert numbers(second.items) == [4]


def test_indexes_hide_it_too_whatever_they_hold(store: Store) -> None:
    # An index of keys does not show when an item ends: the fetched items do.
    assert sorted(numbers(store.query(Session.whole(user="ada").fresh()))) == LIVE
    assert sorted(numbers(store.query(Session.thin(user="ada").hydrated().fresh()))) == LIVE
    assert (
        sorted(key.values["number"] for key in store.keys(Session.some(user="ada").fresh())) == LIVE
    )
    with pytest.raises(ModelError, match="does not hold the expiry of items"):
        store.keys(Session.thin(user="ada").fresh())


def test_batches_hide_it_too(store: Store) -> None:
    keys = [Session.key(user="ada", number=number) for number in range(7)]
    found = store.batch_get(keys, fresh=True)
    assert [number for number, item in enumerate(found) if item is not None] == LIVE
    assert None not in store.batch_get(keys)


def test_a_store_can_hide_it_from_all_reads(store: Store) -> None:
    # For a program that never wants to see them: one setting, and no read can forget it.
    hiding = Store(store.backend, clock=NOW.timestamp, hide_expired=True)
    assert hiding.find(Session.key(user="ada", number=0)) is None
    assert numbers(hiding.query(Session.of_user(user="ada"))) == LIVE
    assert sorted(numbers(hiding.query(Session.thin(user="ada").hydrated()))) == LIVE
    assert sorted(numbers(hiding.scan(Session))) == LIVE
    assert hiding.count(Session.of_user(user="ada")) == 4
    hiding.put(Thing(name="a"))
    assert hiding.get(Thing.key(name="a")).name == "a"


def test_what_claims_to_have_expired_long_ago_is_shown(store: Store) -> None:
    # The sweep leaves items alone that are more than five years over, as AWS does: the unit must be
    # wrong.
    store.put(Session(user="bob", number=1, ends=NOW - timedelta(days=5 * 365 + 1)))
    store.put(Session(user="bob", number=2, ends=NOW - timedelta(days=5 * 365 - 1)))
    assert numbers(store.query(Session.of_user(user="bob").fresh())) == [1]


def test_a_fresh_read_hides_what_the_sweep_deletes_and_nothing_else(store: Store) -> None:
    # Two rules for one thing would differ one day.
    before = set(numbers(store.query(Session.of_user(user="ada").fresh())))
    store.backend.engine.work()  # type: ignore[attr-defined]
    assert set(numbers(store.query(Session.of_user(user="ada")))) == before


def test_asking_where_nothing_expires_is_a_mistake(store: Store) -> None:
    # An argument that does nothing hides that the model has no TTL.
    with pytest.raises(ModelError, match="has no TTL"):
        store.find(Thing.key(name="a"), fresh=True)


def test_awaited_reads_hide_it_too() -> None:
    async def reads() -> None:
        async with sortkey.open_async(":memory:", clock=NOW.timestamp, background=False) as store:
            await store.ensure(model)
            await store.put(Session(user="ada", number=1, ends=NOW))
            await store.put(Session(user="ada", number=2))
            assert await store.find(Session.key(user="ada", number=1), fresh=True) is None
            assert numbers(await store.query(Session.of_user(user="ada").fresh())) == [2]
            assert await store.count(Session.of_user(user="ada").fresh()) == 1
            assert await store.batch_get([Session.key(user="ada", number=1)], fresh=True) == [None]

    asyncio.run(reads())
