"""Batches, which are many writes of their own; and transactions, which are one."""

from __future__ import annotations

import random
import secrets
from typing import Any

import pytest

from sortkey import Check, Delete, ItemKey, Put, Store, Update, attr
from sortkey.errors import ModelError, StaleVersion, TransactionFailed
from sortkey.model.operations import set_actions
from tests.contract.store.models import Asset, Reading, Rule, Stage, Task, User


def task(board: str, number: int, **values: Any) -> Task:
    return Task(board=board, task_id=f"{number:03d}", **values)


def key_of(board: str, number: int) -> ItemKey[Task]:
    return Task.key(board=board, task_id=f"{number:03d}")


# -- batches


def test_a_batch_gets_many_items_in_the_order_of_their_keys(store: Store, fresh: str) -> None:
    # More than a hundred, some twice, some that are not there; the answer lines up with the
    # question.
    store.batch_write([task(fresh, number) for number in range(0, 250, 2)])
    wanted = [*range(230), 4, 4, 6]
    random.Random(1).shuffle(wanted)
    found = store.batch_get([key_of(fresh, number) for number in wanted])
    assert [task_ and int(task_.task_id) for task_ in found] == [
        None if n % 2 else n for n in wanted
    ]
    assert len(store.batch_get([key_of(fresh, 0)], consistent=True)) == 1
    assert store.batch_get([]) == []


def test_a_batch_gets_items_of_several_tables(store: Store, fresh: str) -> None:
    # Numbers in keys are matched by what they are, not by how they were written.
    store.put(task(fresh, 1))
    store.put(Asset(database_id=fresh, asset_id="a"))
    store.put(Reading(device=fresh, second=2.50))
    keys: list[ItemKey[Any]] = [
        Reading.key(device=fresh, second=2.5),
        key_of(fresh, 1),
        Asset.key(database_id=fresh, asset_id="a"),
        Reading.key(device=fresh, second=2),
    ]
    assert [type(each).__name__ for each in store.batch_get(keys)] == [
        "Reading",
        "Task",
        "Asset",
        "NoneType",
    ]


def test_a_batch_writes_many_items_and_deletes_others(store: Store, fresh: str) -> None:
    # More than 25 of both; what comes back is what was stored.
    made = store.batch_write([task(fresh, number) for number in range(60)])
    assert [task_.version for task_ in made] == [1] * 60  # type: ignore[attr-defined]
    store.batch_write([task(fresh, 100)], deletes=[key_of(fresh, number) for number in range(40)])
    left = store.query(Task.of_board(board=fresh))
    assert [int(each.task_id) for each in left] == [*range(40, 60), 100]
    assert store.batch_get([key_of(fresh, 41)]) == [made[41]]
    assert store.batch_write([]) == []


@pytest.mark.parametrize(
    ("puts", "deletes", "message"),
    [
        (lambda f: [task(f, 1), task(f, 1)], lambda f: [], "occurs in it twice"),
        (lambda f: [task(f, 1)], lambda f: [key_of(f, 1)], "occurs in it twice"),
        (
            lambda f: [User(user_id=f)],
            lambda f: [],
            "User has unique fields, which a batch cannot guard",
        ),
        (
            lambda f: [],
            lambda f: [User.key(user_id=f)],
            "User has unique fields, which a batch cannot guard",
        ),
    ],
)
def test_a_batch_that_cannot_be_right_is_refused_whole(
    store: Store, fresh: str, puts: Any, deletes: Any, message: str
) -> None:
    # Before the first of it is sent.
    with pytest.raises(ModelError, match=message):
        store.batch_write([task(fresh, 9), *puts(fresh)], deletes=deletes(fresh))
    assert store.find(key_of(fresh, 9)) is None


# -- transactions


def test_a_transaction_writes_all(store: Store, fresh: str) -> None:
    # Of every kind, with keys, instants and versions as single writes have them.
    store.create(task(fresh, 1))
    store.create(task(fresh, 2))
    store.create(Rule(journey_id=fresh, rule_id="r", title="x"))
    store.transact(
        Put(task(fresh, 3), "create"),
        Put(Stage(journey_id=fresh, order=1, stage_id="s")),
        Update(key_of(fresh, 1), (attr(Task.hits).add(1), *set_actions(Task, {"reason": "y"}))),
        Delete(key_of(fresh, 2)),
        Check(Rule.key(journey_id=fresh, rule_id="r"), Rule.title == "x"),
    )
    assert [
        each and (each.hits, each.version)
        for each in store.batch_get([key_of(fresh, n) for n in (1, 2, 3)])
    ] == [
        (1, 2),
        None,
        (0, 1),
    ]
    assert len(store.query(Stage.in_status(journey_id=fresh, status="pending"))) == 1


def test_a_transaction_that_fails_says_which_operation_and_with_which_item(
    store: Store, fresh: str
) -> None:
    # By number, with the reason and with what is stored; and nothing is written.
    store.create(task(fresh, 1, title="there"))
    operations = [
        Put(task(fresh, 5), "create"),
        Put(task(fresh, 1), "create"),
        Update(key_of(fresh, 6), (attr(Task.hits).add(1),)),
        Check(key_of(fresh, 1), Task.title == "elsewhere"),
    ]
    with pytest.raises(TransactionFailed) as failed:
        store.transact(*operations[:3])
    first, second = failed.value.reasons
    assert (first.index, first.operation, first.code) == (
        1,
        operations[1],
        "ConditionalCheckFailed",
    )
    assert first.item.title == "there"
    assert (second.index, second.operation, second.item) == (2, operations[2], None)
    assert "operation 1 (create Task" in str(failed.value)
    with pytest.raises(TransactionFailed) as failed:
        store.transact(operations[0], operations[3])
    assert [(reason.index, reason.item.title) for reason in failed.value.reasons] == [(1, "there")]
    assert store.find(key_of(fresh, 5)) is None


def test_a_transaction_checks_versions_and_transitions(store: Store, fresh: str) -> None:
    # The same rules as for single writes.
    made = store.create(task(fresh, 1))
    store.save(made.changed(hits=1))
    with pytest.raises(TransactionFailed) as failed:
        store.transact(Put(made.changed(hits=2), "save"))
    assert failed.value.reasons[0].item.hits == 1
    stage = store.create(Stage(journey_id=fresh, order=1, stage_id="s"))
    with pytest.raises(TransactionFailed):
        store.transact(Update(ItemKey.of_entity(stage), (attr(Stage.status).set("done"),)))
    assert store.get(ItemKey.of_entity(stage)) == stage


def test_a_transaction_with_a_token_is_done_once(store: Store, fresh: str) -> None:
    # Sent again after a lost answer, it must not count twice.
    store.create(task(fresh, 1))
    token = secrets.token_hex(16)
    update = Update(key_of(fresh, 1), (attr(Task.hits).add(1),))
    for _ in range(2):
        store.transact(update, token=token)
    assert store.get(key_of(fresh, 1)).hits == 1


@pytest.mark.parametrize("count", [0, 101])
def test_a_transaction_has_1_to_100_operations(store: Store, fresh: str, count: int) -> None:
    # The service's limit, reported before a request is sent.
    with pytest.raises(ModelError, match=f"1 to 100 operations, not {count}"):
        store.transact(*(Put(task(fresh, number)) for number in range(count)))


def test_a_transaction_guards_unique_values_of_what_it_creates(store: Store, fresh: str) -> None:
    # And says whose value it was that another item has.
    store.transact(Put(User(user_id=f"{fresh}-1", email=fresh), "create"))
    with pytest.raises(
        TransactionFailed, match=r"operation 1 .*another item has this email"
    ) as failed:
        store.transact(
            Put(task(fresh, 1), "create"), Put(User(user_id=f"{fresh}-2", email=fresh), "create")
        )
    (reason,) = failed.value.reasons
    assert (reason.index, reason.is_guard) == (1, True)
    assert store.find(key_of(fresh, 1)) is None


@pytest.mark.parametrize(
    "operation",
    [
        lambda f: Put(User(user_id=f)),
        lambda f: Put(User(user_id=f, version=1), "save"),
        lambda f: Delete(User.key(user_id=f)),
    ],
)
def test_a_transaction_refuses_what_it_could_not_guard(
    store: Store, fresh: str, operation: Any
) -> None:
    # Which value the item had before only a look at it can tell.
    with pytest.raises(ModelError, match="User has unique fields"):
        store.transact(operation(fresh))


def test_a_stale_save_loses_to_a_transaction(store: Store, fresh: str) -> None:
    # Whoever read before it must read again.
    read = store.create(task(fresh, 1))
    store.transact(Update(key_of(fresh, 1), (attr(Task.hits).add(1),)), Put(task(fresh, 2)))
    with pytest.raises(StaleVersion):
        store.save(read.changed(title="x"))
