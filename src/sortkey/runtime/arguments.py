"""Turns the arguments of a store's methods into operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sortkey.errors import ModelError
from sortkey.model.attributes import Action, attr
from sortkey.model.entity import Entity
from sortkey.model.operations import Test, Update, Write, set_actions
from sortkey.model.queries import ItemKey

E = TypeVar("E", bound=Entity)


def expect(value: Any, kind: type | tuple[type, ...], what: str) -> None:
    """Raise ModelError for an argument of a wrong type, and say what the method takes."""
    if not isinstance(value, kind):
        name = type(value).__name__
        article = "an" if name[0] in "AEIOU" else "a"
        actual = value.__name__ if isinstance(value, type) else f"{article} {name}"
        raise ModelError(f"{actual} is not {what}")


NO_KEY = "the key of an item: pass Stage.key(...), or ItemKey.of_entity(stage)"
NO_ENTITY = "an entity: create one, as Stage(...)"
NO_QUERY = "a query: query() takes Stage.of_journey(...), get() keys, collection() collections"
NO_COLLECTION = "a collection: query() takes queries"
NO_ACTION = "an action: write attr(Stage.status).set(...), or set={...}"
NO_WRITE = "an operation of a transaction: use Put, Update, Delete or Check"


def expect_batch(puts: Sequence[Any], deletes: Sequence[Any]) -> None:
    for put in puts:
        expect(put, Entity, NO_ENTITY)
    for delete in deletes:
        expect(delete, ItemKey, NO_KEY)


def expect_writes(operations: Sequence[Any]) -> None:
    for operation in operations:
        expect(operation, Write, NO_WRITE)


def update_of(
    key: ItemKey[E],
    actions: Sequence[Action],
    set: Mapping[str, Any] | None,
    when: Test,
    assuming: Mapping[str, Any] | None,
    upsert: bool,
) -> Update[E]:
    expect(key, ItemKey, NO_KEY)
    for action in actions:
        expect(action, Action, NO_ACTION)
    all_actions = (*actions, *set_actions(key.entity, set or {}))
    return Update(key, all_actions, when, dict(assuming or {}), upsert)


def move_of(key: ItemKey[E], field: Any, to: Any, set: Mapping[str, Any] | None) -> Update[E]:
    expect(key, ItemKey, NO_KEY)
    status = attr(field)
    if status.place.states is None:
        raise ModelError(
            f"{status!r} has no states to move between: declare them with States, or use update()"
        )
    return Update(key, (status.set(to), *set_actions(key.entity, set or {})))


def key_of(of: ItemKey[E] | E) -> ItemKey[E]:
    """The key itself, or the key of an entity."""
    expect(of, (ItemKey, Entity), NO_KEY)
    return of if isinstance(of, ItemKey) else ItemKey.of_entity(of)
