"""Unique values: taken and given back with the items that have them, whoever is faster."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sortkey import Store
from sortkey.errors import (
    AlreadyExists,
    ConditionFailed,
    ModelError,
    StaleVersion,
    TransactionFailed,
)
from tests.contract.store.models import Task, User


def user(name: str, **values: Any) -> User:
    return User(user_id=name, **values)


def test_a_value_is_one_items(store: Store, fresh: str) -> None:
    # The second is refused with the name of the field, and leaves nothing behind.
    store.create(user(f"{fresh}-1", email=fresh))
    with pytest.raises(AlreadyExists, match="another item has this email"):
        store.create(user(f"{fresh}-2", email=fresh, nickname=fresh))
    assert store.find(User.key(user_id=f"{fresh}-2")) is None
    assert store.create(user(f"{fresh}-2", nickname=fresh)).nickname == fresh


def test_values_of_two_fields_are_unique_together(store: Store, fresh: str) -> None:
    # A nickname in a team; another team may have the same.
    store.create(user(f"{fresh}-1", team="red", nickname=fresh))
    store.create(user(f"{fresh}-2", team="blue", nickname=fresh))
    with pytest.raises(AlreadyExists, match="another item has this team and nickname"):
        store.create(user(f"{fresh}-3", team="red", nickname=fresh))


def test_what_joins_the_values_does_not_matter(store: Store, fresh: str) -> None:
    # "a#b" with "c" is not "a" with "b#c".
    store.create(user(f"{fresh}-1", team=f"{fresh}#b", nickname="c"))
    store.create(user(f"{fresh}-2", team=fresh, nickname="b#c"))


def test_a_missing_value_is_nobodys(store: Store, fresh: str) -> None:
    # Any number of users without an address.
    for number in range(3):
        store.create(user(f"{fresh}-{number}"))


def test_a_save_moves_the_guard(store: Store, fresh: str) -> None:
    # The old value is free for others, the new one is taken.
    first = store.create(user(f"{fresh}-1", email=f"{fresh}-a"))
    first = store.save(first.changed(email=f"{fresh}-b"))
    store.create(user(f"{fresh}-2", email=f"{fresh}-a"))
    with pytest.raises(AlreadyExists):
        store.create(user(f"{fresh}-3", email=f"{fresh}-b"))
    with pytest.raises(AlreadyExists, match="another item has this email"):
        store.save(first.changed(email=f"{fresh}-a"))
    assert store.get(User.key(user_id=f"{fresh}-1")) == first
    freed = store.save(first.changed(email=None))
    store.create(user(f"{fresh}-3", email=f"{fresh}-b"))
    assert freed.version == 3


def test_a_save_that_changes_no_value_keeps_the_guard(store: Store, fresh: str) -> None:
    # It must not trip over its own.
    first = store.create(user(f"{fresh}-1", email=fresh))
    assert store.save(first.changed(team="blue")).team == "blue"
    with pytest.raises(AlreadyExists):
        store.create(user(f"{fresh}-2", email=fresh))


def test_a_stale_save_moves_no_guard(store: Store, fresh: str) -> None:
    # It fails as a whole: the value it wanted stays free, the one it had stays taken.
    first = store.create(user(f"{fresh}-1", email=f"{fresh}-a"))
    store.save(first.changed(team="blue"))
    with pytest.raises(StaleVersion):
        store.save(first.changed(email=f"{fresh}-b"))
    store.create(user(f"{fresh}-2", email=f"{fresh}-b"))
    with pytest.raises(AlreadyExists):
        store.create(user(f"{fresh}-3", email=f"{fresh}-a"))


def test_a_delete_gives_the_values_back(store: Store, fresh: str) -> None:
    # All of them; deleting twice is fine.
    first = store.create(user(f"{fresh}-1", email=fresh, nickname=fresh))
    assert store.delete(first) == first
    assert store.delete(first) is None
    store.create(user(f"{fresh}-2", email=fresh, nickname=fresh))


def test_what_another_program_has_left_out_is_no_change(store: Store, fresh: str) -> None:
    # It is read as the default of its field, and compared as such: else the item could never be
    # saved or deleted.
    key, given = User.key(user_id=fresh), {"userId": fresh, "EntityType": "User", "nickname": fresh}
    item = {
        **key.item,
        **{name: {"S": text} for name, text in given.items()},
        "version": {"N": "1"},
    }
    store.backend.call("PutItem", {"TableName": key.table.name, "Item": item})
    saved = store.save(store.get(key).changed(email=fresh))
    assert saved.team == "red"
    store.backend.call("PutItem", {"TableName": key.table.name, "Item": item})
    assert store.delete(key) is not None
    assert store.find(key) is None


def test_a_delete_with_a_condition_keeps_the_values_when_it_fails(store: Store, fresh: str) -> None:
    # And says that it was the condition.
    first = store.create(user(f"{fresh}-1", email=fresh))
    with pytest.raises(ConditionFailed) as failed:
        store.delete(first, when=User.team == "blue")
    assert not isinstance(failed.value, StaleVersion)
    assert failed.value.item == first
    with pytest.raises(AlreadyExists):
        store.create(user(f"{fresh}-2", email=fresh))


def test_guards_are_no_entities(store: Store, fresh: str) -> None:
    # They lie in the table, and nobody meets them.
    store.create(user(fresh, email=fresh))
    assert [user.user_id for user in store.scan(User) if user.email == fresh] == [fresh]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda store, made: store.put(made), r"put\(\) cannot guard"),
        (
            lambda store, made: store.update(User.key(user_id=made.user_id), set={"email": "x"}),
            "email is unique",
        ),
    ],
)
def test_what_cannot_be_guarded_is_refused(
    store: Store, fresh: str, call: Any, message: str
) -> None:
    # put() knows nothing of what was there; an update changes one item, not its guards.
    made = store.create(user(fresh, email=fresh))
    with pytest.raises(ModelError, match=message):
        call(store, made)


def test_of_many_who_want_a_value_one_gets_it(store: Store, fresh: str, is_shared: bool) -> None:
    # At the same time. The losers learn that it is taken, or that they met another transaction.
    if not is_shared:
        pytest.skip("threads cannot share an event loop")

    def attempt(number: int) -> bool:
        try:
            store.create(user(f"{fresh}-{number}", email=fresh))
        except (AlreadyExists, TransactionFailed):
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(attempt, range(12))) == 1


def test_of_many_who_save_nobody_is_lost(store: Store, fresh: str, is_shared: bool) -> None:
    # Optimistic locking: read, change, save, and again when somebody was faster.
    if not is_shared:
        pytest.skip("threads cannot share an event loop")
    store.create(Task(board=fresh, task_id="1"))

    def count(_: int) -> None:
        while True:
            read = store.get(Task.key(board=fresh, task_id="1"), consistent=True)
            try:
                store.save(read.changed(hits=read.hits + 1))
            except StaleVersion:
                continue
            return

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count, range(20)))
    assert store.get(Task.key(board=fresh, task_id="1"), consistent=True).hits == 20
