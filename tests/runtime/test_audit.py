"""The audit: appended to, never overwritten, found by subject and by day, and part of a transaction
where wanted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

import sortkey
from sortkey import (
    AuditRecord,
    Entity,
    Put,
    Store,
    Table,
    Update,
    attr,
    audit,
    audit_async,
    audit_write,
    key,
)
from sortkey.errors import AlreadyExists, TransactionFailed
from sortkey.runtime.audit import audit_table

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)

assets = Table("audited-assets", key=("id",))


class Asset(Entity, table=assets):
    """Something that is changed."""

    id: str
    name: str

    @key("{id}")
    def key(*, id: str):
        """An asset."""


@pytest.fixture
def store() -> Iterator[Store]:
    with sortkey.open(":memory:") as opened:
        opened.ensure(audit_table)
        opened.ensure(assets)
        yield opened


def test_what_happened_to_a_subject_is_found_in_order(store: Store) -> None:
    # "Who deleted my asset?" is asked by the asset.
    for minutes, action in ((3, "asset.delete"), (1, "asset.create"), (2, "asset.share")):
        audit(store, "ada", action, "asset/7", {"n": minutes}, at=NOON + timedelta(minutes=minutes))
    audit(store, "ada", "asset.create", "asset/77", at=NOON)
    found = store.query(AuditRecord.of_subject(subject="asset/7"))
    assert [record.action for record in found] == ["asset.create", "asset.share", "asset.delete"]
    assert [record.detail for record in found] == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_a_day_is_one_of_utc_and_has_pages(store: Store) -> None:
    # A day that depends on where somebody sits is no day to compare.
    evening = datetime(
        2026, 11, 1, 23, 30, tzinfo=timezone(timedelta(hours=-5))
    )  # the second of November in UTC
    audit(store, "bob", "login", "user/bob", at=evening)
    for number in range(5):
        audit(
            store,
            "ada",
            "login",
            f"user/{number}",
            at=NOON + timedelta(seconds=number),
            outcome="denied",
        )
    first = store.page(AuditRecord.of_day(day="2026-11-01"), size=3)
    second = store.page(AuditRecord.of_day(day="2026-11-01"), size=3, cursor=first.cursor)
    assert [record.subject for record in first.items + second.items] == [
        f"user/{number}" for number in range(5)
    ]
    assert {record.outcome for record in first.items} == {"denied"}
    assert [record.actor for record in store.query(AuditRecord.of_day(day="2026-11-02"))] == ["bob"]


def test_a_record_never_takes_the_place_of_another(store: Store) -> None:
    # What can be overwritten proves nothing.
    audit(store, "ada", "asset.delete", "asset/7", at=NOON, id="one")
    with pytest.raises(AlreadyExists):
        audit(store, "eve", "asset.read", "asset/7", at=NOON, id="one")
    audit(store, "bob", "asset.read", "asset/7", at=NOON)  # the same instant, another id
    found = store.query(AuditRecord.of_subject(subject="asset/7"))
    assert {record.actor for record in found} == {"ada", "bob"}


def test_a_record_and_what_it_tells_of_are_written_together_or_not_at_all(store: Store) -> None:
    # A change without a record, or a record of what never happened, are both lies.
    store.put(Asset(id="7", name="old"))
    rename = Update(Asset.key(id="7"), (attr(Asset.name).set("new"),))
    store.transact(
        rename, audit_write("ada", "asset.rename", "asset/7", {"from": "old", "to": "new"})
    )
    assert len(store.query(AuditRecord.of_subject(subject="asset/7"))) == 1
    with pytest.raises(TransactionFailed):
        store.transact(
            Put(Asset(id="7", name="x"), "create"), audit_write("eve", "asset.create", "asset/7")
        )
    assert len(store.query(AuditRecord.of_subject(subject="asset/7"))) == 1


def test_the_same_awaited() -> None:
    # Services that await audit too.
    async def run() -> list[AuditRecord]:
        async with sortkey.open_async(":memory:") as store:
            await store.ensure(audit_table)
            await audit_async(store, "ada", "login", "user/ada", outcome="failed")
            return await store.query(AuditRecord.of_subject(subject="user/ada"))

    (record,) = asyncio.run(run())
    assert (record.actor, record.outcome) == ("ada", "failed")
