"""Unique fields: a guard item for each value, written and deleted in one transaction with the item that has it.

A guard lies in the table of its entity, under a key that no template makes. It holds the key of the item it guards.
"""

from __future__ import annotations

from typing import Any, TypeVar

from sortkey.errors import AlreadyExists, ConditionFailed, ModelError, StaleVersion, TransactionFailed
from sortkey.model.attributes import Condition, condition
from sortkey.model.codec import encode
from sortkey.model.entity import Entity
from sortkey.model.layout import Layout
from sortkey.model.operations import Delete, Put, Test
from sortkey.model.queries import ItemKey
from sortkey.runtime.context import Context
from sortkey.runtime.reads import find
from sortkey.runtime.steps import Steps
from sortkey.runtime.transactions import transact_raw
from sortkey.values.attributes import Item

E = TypeVar("E", bound=Entity)
GUARD = "UNIQUE"
Group = tuple[str, ...]


def put(operation: Put[Any], now: float) -> Steps[None]:
    """Create or save an entity with its guards. Those of values that it no longer has go."""
    entity, layout = operation.stamped(now), operation.entity_class.__layout__
    if operation.mode == "put":
        raise ModelError(
            f"{operation.entity_class.__name__} has unique fields, which put() cannot guard: create() or save()"
        )
    old = None if operation.is_creating else (yield from find(ItemKey.of_entity(entity), consistent=True))
    if old is None and not operation.is_creating:
        raise StaleVersion(f"{operation.says()}: it is gone", None)
    guards: list[dict[str, Any]] = []
    for group in layout.unique:
        before = None if old is None else guard_key(layout, group, old)
        after = guard_key(layout, group, entity)
        if before != after:
            guards += [] if before is None else [{"Delete": {"TableName": layout.table.name, "Key": before}}]
            guards += [] if after is None else [_guard(layout, after, entity)]
    if old is not None:
        operation = Put(operation.entity, operation.mode, _and(operation.when, _unchanged(layout, old)))
    yield from _transact(operation, now, guards)


def delete(context: Context, operation: Delete[E]) -> Steps[E | None]:
    """Delete an item with its guards."""
    old = yield from find(operation.key, consistent=True)
    if old is None:
        if operation.when is not None:
            raise ConditionFailed(f"{operation.says()}: there is no such item", None)
        return None
    layout = operation.entity_class.__layout__
    keys = [key for group in layout.unique if (key := guard_key(layout, group, old)) is not None]
    guards = [{"Delete": {"TableName": layout.table.name, "Key": key}} for key in keys]
    guarded = Delete(operation.key, _and(operation.when, _unchanged(layout, old)))
    yield from _transact(guarded, context.clock(), guards)
    return old


def guard_key(layout: Layout, group: Group, entity: Entity) -> Item | None:
    """The key of the guard of an entity's values; None where one of them is missing."""
    values = [getattr(entity, name) for name in group]
    if any(value is None for value in values):
        return None
    stored = (str(layout.stored(layout.place(name).attribute, getattr(entity, name))) for name in group)
    escaped = "#".join(text.replace("%", "%25").replace("#", "%23") for text in stored)
    text = f"{GUARD}#{layout.kind or layout.entity.__name__}#{'+'.join(group)}#{escaped}"
    return {name: {"S": text} for name in layout.table.key}


def _guard(layout: Layout, key: Item, entity: Entity) -> dict[str, Any]:
    owner = ItemKey.of_entity(entity).item
    item = {
        **key,
        "guards": {"M": owner},
        **({layout.table.kind_attribute: {"S": "UniqueGuard"}} if layout.kind else {}),
    }
    condition = {
        "ConditionExpression": "attribute_not_exists(#k)",
        "ExpressionAttributeNames": {"#k": layout.table.key[0]},
    }
    return {"Put": {"TableName": layout.table.name, "Item": item, **condition}}


def _unchanged(layout: Layout, old: Entity) -> Condition:
    """That the unique values are still those that were read."""
    places = [layout.place(name) for group in layout.unique for name in group]

    def render(names: Any) -> str:
        tests: list[str] = []
        for place in places:
            value, at = getattr(old, place.name), names.path(place.path)
            stored = None if value is None else encode(layout.stored(place.attribute, value))
            tests.append(f"attribute_not_exists({at})" if stored is None else f"{at} = {names.value(stored)}")
        return " AND ".join(tests)

    return Condition(render, [])


def _and(one: Test, other: Condition) -> Condition:
    return other if one is None else condition(one) & other


def _transact(operation: Put[Any] | Delete[Any], now: float, guards: list[dict[str, Any]]) -> Steps[None]:
    try:
        yield from transact_raw([operation], now, guards)
    except TransactionFailed as failed:
        if failed.reasons:
            stored = failed.reasons[0].item
            if isinstance(operation, Put) and operation.is_creating:
                raise AlreadyExists(f"{operation.says()}: it exists already", stored) from failed
            raise StaleVersion(f"{operation.says()}: it was changed in between", stored) from failed
        raise AlreadyExists(f"{operation.says()}: another item has one of its unique values", None) from failed
