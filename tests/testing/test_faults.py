"""Faults on demand: each does what its docstring says, to the calls that it is for and to no
others.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import pytest

from sortkey import AsyncStore, Entity, KeyOnly, Put, Store, Table, Version, attr, key, query
from sortkey.connect.embedded import AsyncEmbeddedBackend
from sortkey.engine import own
from sortkey.errors import (
    BatchIncomplete,
    ConditionFailed,
    StaleVersion,
    Throttled,
    TransactionFailed,
    Unreachable,
)
from sortkey.testing import Faults, FrozenClock

table = Table("Accounts", key=("PK", "SK"))


class Account(Entity, table=table, kind="Account"):
    bank: KeyOnly[str]
    number: str
    balance: int = 0
    version: Annotated[int, Version] = 0

    @key("BANK#{bank}", "{number}")
    def key(*, bank: str, number: str): ...

    @query(key)
    def of_bank(*, bank: str): ...


def account(number: str, balance: int = 0) -> Account:
    return Account(bank="b", number=number, balance=balance)


def key_of(number: str) -> Any:
    return Account.key(bank="b", number=number)


@pytest.fixture
def store(sortkey_store: Store) -> Store:
    sortkey_store.ensure(table)
    return sortkey_store


def test_the_next_calls_are_throttled_and_those_after_them_not(
    store: Store, sortkey_faults: Faults
) -> None:
    # What a program does under load is seldom tried, because load is hard to make.
    sortkey_faults.throttle(2)
    for _ in range(2):
        with pytest.raises(Throttled):
            store.find(key_of("1"))
    assert store.find(key_of("1")) is None


def test_only_the_operation_that_was_named_is_throttled(
    store: Store, sortkey_faults: Faults
) -> None:
    # Otherwise the fault hits whatever the code under test happens to do first.
    sortkey_faults.throttle(1, "Query")
    store.create(account("1"))
    with pytest.raises(Throttled):
        store.query(Account.of_bank(bank="b"))
    assert len(store.query(Account.of_bank(bank="b"))) == 1


def test_a_lost_race_makes_the_condition_fail_with_what_the_rival_wrote(
    store: Store, sortkey_faults: Faults
) -> None:
    # Between the read and the write of every program lies a moment in which another one writes.
    mine = store.create(account("1", 10))
    sortkey_faults.lose_race(lambda: store.update(key_of("1"), set={"balance": 99}))
    with pytest.raises(StaleVersion) as lost:
        store.save(mine.changed(balance=11))
    assert lost.value.item.balance == 99
    assert store.get(key_of("1")).balance == 99


def test_a_race_is_lost_only_once(store: Store, sortkey_faults: Faults) -> None:
    # A program that reads again and tries again must get through.
    mine = store.create(account("1", 10))
    sortkey_faults.lose_race(lambda: store.update(key_of("1"), set={"balance": 99}))
    with pytest.raises(StaleVersion):
        store.save(mine.changed(balance=11))
    assert store.save(store.get(key_of("1")).changed(balance=12)).balance == 12


def test_a_crash_before_the_commit_stores_nothing(store: Store, sortkey_faults: Faults) -> None:
    # Of a transaction no part may be there.
    sortkey_faults.crash_before_commit()
    with pytest.raises(Unreachable):
        store.transact(Put(account("1"), "create"), Put(account("2"), "create"))
    assert store.query(Account.of_bank(bank="b")) == []


def test_a_crash_after_the_commit_stores_all_and_loses_the_answer(
    store: Store, sortkey_faults: Faults
) -> None:
    # The program cannot tell it from the other: trying again must be harmless, or be refused.
    sortkey_faults.crash_after_commit("TransactWriteItems")
    with pytest.raises(Unreachable):
        store.transact(Put(account("1"), "create"), Put(account("2"), "create"))
    assert len(store.query(Account.of_bank(bank="b"))) == 2
    with pytest.raises(TransactionFailed):
        store.transact(Put(account("1"), "create"), Put(account("2"), "create"))


def test_reads_are_no_writes(store: Store, sortkey_faults: Faults) -> None:
    # A crash waits for the write that it is for.
    sortkey_faults.crash_before_commit()
    assert store.find(key_of("1")) is None
    with pytest.raises(Unreachable):
        store.create(account("1"))


def test_what_a_batch_left_over_is_written_in_the_end(
    store: Store, sortkey_faults: Faults, sortkey_clock: FrozenClock
) -> None:
    # DynamoDB leaves items over under load; a program that does not send them again loses them.
    sortkey_faults.unprocessed(3)
    began = sortkey_clock.now
    store.batch_write([account(str(number)) for number in range(30)])
    assert len(store.query(Account.of_bank(bank="b"))) == 30
    assert sortkey_clock.now > began  # it paused, without anybody waiting


def test_what_a_batch_left_over_is_read_in_the_end(store: Store, sortkey_faults: Faults) -> None:
    # The same for reads: a missing item and an unread one must not look alike.
    store.batch_write([account(str(number), number) for number in range(30)])
    sortkey_faults.unprocessed(3, "BatchGetItem")
    found = store.batch_get([key_of(str(number)) for number in range(31)])
    assert [item and item.balance for item in found] == [*range(30), None]


def test_a_batch_that_is_never_finished_carries_what_is_left(
    store: Store, sortkey_faults: Faults
) -> None:
    # After eight tries; the caller decides what to do with the rest.
    sortkey_faults.unprocessed(8, "BatchWriteItem")
    with pytest.raises(BatchIncomplete) as failed:
        store.batch_write([account(str(number)) for number in range(10)], deletes=[key_of("gone")])
    left = {item.number if isinstance(item, Account) else item for item in failed.value.unprocessed}
    assert left == {"8", "9", key_of("gone")}
    assert {item.number for item in failed.value.processed} == {str(number) for number in range(8)}
    assert len(store.query(Account.of_bank(bank="b"))) == 8


def test_a_batch_of_reads_that_is_never_finished_carries_what_is_left(
    store: Store, sortkey_faults: Faults
) -> None:
    # What was read is there too; nobody pays for it twice.
    store.batch_write([account(str(number)) for number in range(10)])
    sortkey_faults.unprocessed(8, "BatchGetItem")
    with pytest.raises(BatchIncomplete) as failed:
        store.batch_get([key_of(str(number)) for number in range(10)])
    assert failed.value.unprocessed == [key_of("8"), key_of("9")]
    assert [item.number for item in failed.value.processed] == [str(number) for number in range(8)]


def test_a_fault_is_met_at_least_once(sortkey_faults: Faults) -> None:
    # One that cannot be met would fail the test only at its end.
    with pytest.raises(ValueError, match="at least once, not 0 times"):
        sortkey_faults.throttle(0)


def test_an_async_store_meets_the_same_faults(sortkey_faults: Faults) -> None:
    # One logic, one set of faults; the rival may be awaited too.
    async def scenario() -> None:
        backend = sortkey_faults.around_async(AsyncEmbeddedBackend(own()))
        async with AsyncStore(backend) as store:
            await store.ensure(table)
            mine = await store.create(account("1", 10))

            async def rival() -> None:
                await store.update(key_of("1"), attr(Account.balance).add(1))

            sortkey_faults.lose_race(rival)
            with pytest.raises(ConditionFailed):
                await store.save(mine.changed(balance=5))
            sortkey_faults.throttle()
            with pytest.raises(Throttled):
                await store.find(key_of("1"))
            sortkey_faults.crash_after_commit()
            with pytest.raises(Unreachable):
                await store.update(key_of("1"), set={"balance": 50})
            assert (await store.get(key_of("1"))).balance == 50

    asyncio.run(scenario())
