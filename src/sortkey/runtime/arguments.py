"""The arguments of a store's methods as the operations that they ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sortkey.errors import ModelError
from sortkey.model.attributes import Action, attr
from sortkey.model.entity import Entity
from sortkey.model.operations import Test, Update, set_actions
from sortkey.model.queries import ItemKey

E = TypeVar("E", bound=Entity)


def update_of(
    key: ItemKey[E],
    actions: Sequence[Action],
    set: Mapping[str, Any] | None,
    when: Test,
    assuming: Mapping[str, Any] | None,
    upsert: bool,
) -> Update[E]:
    made = (*actions, *set_actions(key.entity, set or {}))
    return Update(key, made, when, dict(assuming or {}), upsert)


def move_of(key: ItemKey[E], field: Any, to: Any, set: Mapping[str, Any] | None) -> Update[E]:
    status = attr(field)
    if status.place.states is None:
        raise ModelError(f"{status!r} has no states to move between: declare them with States, or use update()")
    return Update(key, (status.set(to), *set_actions(key.entity, set or {})))


def key_of(of: ItemKey[E] | E) -> ItemKey[E]:
    """The key that was given, or that of the entity that was."""
    return of if isinstance(of, ItemKey) else ItemKey.of_entity(of)
