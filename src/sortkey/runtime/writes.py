"""Writes of single items: sent, and their refusals told in the words of the model."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from sortkey.errors import (
    AlreadyExists,
    ConditionalCheckFailedException,
    ConditionFailed,
    ItemTooLarge,
    ModelError,
    StaleVersion,
    TransitionRefused,
    ValidationException,
)
from sortkey.model import fields
from sortkey.model.attributes import Condition
from sortkey.model.codec import encode
from sortkey.model.entity import Entity
from sortkey.model.expressions import Names
from sortkey.model.operations import Delete, Put, PutMode, Update, Write
from sortkey.model.queries import ItemKey
from sortkey.runtime import uniqueness
from sortkey.runtime.context import Context
from sortkey.runtime.steps import Call, Steps
from sortkey.runtime.transactions import transact
from sortkey.values.attributes import Item
from sortkey.values.sizes import ITEM_BYTES_MAX, text_size, value_size

E = TypeVar("E", bound=Entity)
LARGEST_SHOWN = 5


def put(context: Context, entity: E, mode: PutMode, when: Any = None) -> Steps[E]:
    """Store a whole entity; gives it back with its instants and its version."""
    operation, now = Put(entity, mode, when), context.clock()
    layout = type(entity).__layout__
    if mode == "save" and layout.version is None:
        raise ModelError(f"{type(entity).__name__} has no version to check: mark a field with Version, or use put()")
    if layout.unique:
        yield from uniqueness.put(operation, now)
    else:
        yield from send(operation, "PutItem", now)
    return operation.stamped(now)


def update(context: Context, operation: Update[E]) -> Steps[E]:
    """Change some attributes; gives the whole entity as it is now."""
    answer = yield from send(operation, "UpdateItem", context.clock(), ReturnValues="ALL_NEW")
    return operation.entity_class.from_item(answer["Attributes"])


def delete(context: Context, operation: Delete[E]) -> Steps[E | None]:
    """Delete an item; gives what was there."""
    if operation.entity_class.__layout__.unique:
        return (yield from uniqueness.delete(context, operation))
    answer = yield from send(operation, "DeleteItem", context.clock(), ReturnValues="ALL_OLD")
    old = answer.get("Attributes")
    return operation.entity_class.from_item(old) if old else None


def archive(context: Context, entity: E, *, restore: bool) -> Steps[E]:
    """Move an item into the archive, or out of it, in one transaction. Gives it as it is there."""
    layout = type(entity).__layout__
    if layout.archive is None:
        raise ModelError(f"{type(entity).__name__} has no archive: declare it with archive='#deleted'")
    if entity.in_archive is not restore:
        raise ModelError(f"{ItemKey.of_entity(entity)} is {'in' if entity.in_archive else 'not in'} the archive")
    moved = entity.moved_to_archive(not restore)
    there = ItemKey.of_entity(entity)
    partition = layout.primary.attributes.partition
    is_free = Condition(lambda names: f"attribute_not_exists({names.name(partition)})", [])
    yield from transact(context, [Put(moved, "put", is_free), Delete(there, _as_read(entity))])
    return moved


def _as_read(entity: Entity) -> Condition:
    """That an item is there, and is what was read: by its version, or by its last change where it has these."""
    layout = type(entity).__layout__
    marks = [place for place in (layout.version, layout.marked(fields.Updated)) if place is not None]

    def render(names: Names) -> str:
        tests = [f"attribute_exists({names.name(layout.primary.attributes.partition)})"]
        for place in marks:
            value = layout.stored(place.attribute, getattr(entity, place.name))
            tests.append(f"{names.path(place.path)} = {names.value(encode(value))}")
        return " AND ".join(tests)

    return Condition(render, [])


def send(operation: Write[Any], name: str, now: float, **more: Any) -> Steps[dict[str, Any]]:
    """One write; its refusal becomes an error of the model."""
    request = {**operation.request(now), **more}
    try:
        return (yield Call(name, request, f"{operation.entity_class.__name__}.{name}"))
    except ConditionalCheckFailedException as error:
        refuse(operation, error.extra.get("Item"), error)
    except ValidationException as error:
        if "Item" in request and "Item size" in error.message:
            raise too_large(request["Item"], operation) from error
        raise


def refuse(operation: Write[Any], item: Item | None, cause: Exception | None) -> NoReturn:
    """Raise the error for a condition that did not hold."""
    raise refusal(operation, item) from cause


def refusal(operation: Write[Any], item: Item | None) -> ConditionFailed:
    """The error for a condition that did not hold, with what is stored."""
    stored = None if item is None else operation.entity_class.from_item(item)
    if isinstance(operation, Put):
        if operation.is_creating:
            return AlreadyExists(f"{operation.says()}: it exists already", stored)
        if operation.mode == "save":
            return StaleVersion(f"{operation.says()}: it was changed since it was read, or is gone", stored)
    if isinstance(operation, Update):
        if stored is None:
            return ConditionFailed(f"{operation.says()}: there is no such item; upsert=True would make it", None)
        for place, target in operation.target_states:
            assert place.states is not None
            present = getattr(stored, place.name)
            if present not in place.states.sources(target):
                message = f"{operation.says()}: {place.name} is {present!r}, and {target!r} cannot follow it"
                return TransitionRefused(message, stored)
    return ConditionFailed(f"{operation.says()}: its condition does not hold", stored)


def too_large(item: Item, operation: Write[Any]) -> ItemTooLarge:
    sizes = sorted(((name, text_size(name) + value_size(value)) for name, value in item.items()), key=lambda s: -s[1])
    total = sum(size for _, size in sizes)
    shown = ", ".join(f"{name} {size:,}" for name, size in sizes[:LARGEST_SHOWN])
    return ItemTooLarge(
        f"{operation.says()}: {total:,} bytes, and an item has at most {ITEM_BYTES_MAX:,}. The largest: {shown}", sizes
    )
