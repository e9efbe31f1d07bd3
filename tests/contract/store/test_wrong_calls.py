"""Calls with arguments of a wrong type: the error says what the method takes, for those who have
no type checker.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey import Store, attr, collection
from sortkey.errors import ModelError
from tests.contract.store.models import Journey, Stage, Task, model


@collection(Journey, Stage)
def everything(*, journey_id: str): ...


TASK = Task(board="b", task_id="1")
KEY = Task.key(board="b", task_id="1")
QUERY = Task.of_board(board="b")

CALLS: list[tuple[str, Any, str]] = [
    ("a query for a key", lambda s: s.get(QUERY), "a Query is not the key of an item"),
    ("a method for a key", lambda s: s.get(Task.key), "a BoundKey is not the key of an item"),
    (
        "an entity for a key",
        lambda s: s.update(TASK, set={"title": "x"}),
        "a Task is not the key of an item",
    ),
    (
        "an entity to move",
        lambda s: s.move(TASK, Task.status, "done"),
        "a Task is not the key of an item",
    ),
    (
        "a field to move that has no states",
        lambda s: s.move(KEY, Task.status, "done"),
        "has no states to move between",
    ),
    ("a class to delete", lambda s: s.delete(Task), "Task is not the key of an item"),
    (
        "entities in a batch of reads",
        lambda s: s.batch_get([TASK]),
        "a Task is not the key of an item",
    ),
    (
        "entities to delete in a batch",
        lambda s: s.batch_write(deletes=[TASK]),
        "a Task is not the key of an item",
    ),
    ("a key to create", lambda s: s.create(KEY), "an ItemKey is not an entity"),
    ("a dict to put", lambda s: s.put({"board": "b"}), "a dict is not an entity"),
    ("keys to put in a batch", lambda s: s.batch_write([KEY]), "an ItemKey is not an entity"),
    ("a key for a query", lambda s: s.query(KEY), "an ItemKey is not a query"),
    ("a method for a query", lambda s: s.query(Task.of_board), "a BoundQuery is not a query"),
    (
        "a collection for a query",
        lambda s: s.query(everything(journey_id="j")),
        "a CollectionQuery is not a query",
    ),
    ("a key for the first", lambda s: s.first(KEY), "an ItemKey is not a query"),
    ("a key for a page", lambda s: s.page(KEY), "an ItemKey is not a query"),
    ("a key to count", lambda s: s.count(KEY), "an ItemKey is not a query"),
    ("a key for keys", lambda s: s.keys(KEY), "an ItemKey is not a query"),
    ("a key to iterate", lambda s: list(s.iterate(KEY)), "an ItemKey is not a query"),
    ("a query for a collection", lambda s: s.collection(QUERY), "a Query is not a collection"),
    ("a dict for an action", lambda s: s.update(KEY, {"title": "x"}), "a dict is not an action"),
    (
        "a condition for an action",
        lambda s: s.update(KEY, attr(Task.hits) == 1),
        "a Condition is not an action",
    ),
    (
        "an entity in a transaction",
        lambda s: s.transact(TASK),
        "a Task is not an operation of a transaction",
    ),
    ("an entity to scan", lambda s: s.scan(TASK), "a Task is not an entity class"),
]


@pytest.fixture
def store(sortkey_store: Store) -> Store:
    sortkey_store.ensure(model)
    return sortkey_store


@pytest.mark.parametrize(
    ("call", "message"), [call[1:] for call in CALLS], ids=[call[0] for call in CALLS]
)
def test_an_argument_of_a_wrong_type_is_answered_with_what_the_method_takes(
    store: Store, call: Any, message: str
) -> None:
    # An AttributeError from the inside of a library teaches nobody anything.
    with pytest.raises(ModelError, match=message):
        call(store)
