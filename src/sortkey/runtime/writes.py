"""Writes of single items. Refusals become errors of the model."""

from __future__ import annotations

from typing import Any, TypeVar

from sortkey.errors import (
    ConditionalCheckFailedException,
    ConditionFailed,
    ModelError,
    ValidationException,
)
from sortkey.model import fields
from sortkey.model.attributes import Condition
from sortkey.model.entity import Entity
from sortkey.model.operations import Delete, Put, PutMode, Update, Write
from sortkey.model.queries import ItemKey
from sortkey.runtime import uniqueness
from sortkey.runtime.as_read import as_read
from sortkey.runtime.context import Context
from sortkey.runtime.refusals import refusal, too_large
from sortkey.runtime.steps import Call, Steps
from sortkey.runtime.transactions import transact_raw
from sortkey.runtime.upgrades import is_older, upgrade
from sortkey.values.attributes import Item

E = TypeVar("E", bound=Entity)
UPGRADES_MAX = 3
"""Attempts of an update that finds an item of an older version, which others may be changing."""


def put(context: Context, entity: E, mode: PutMode, when: Any = None) -> Steps[E]:
    """Store a whole entity. Returns it with its instants and its version."""
    operation, now = Put(entity, mode, when), context.clock()
    layout = type(entity).__layout__
    if mode == "save" and layout.version is None:
        raise ModelError(
            f"{type(entity).__name__} has no version to check: mark a field with Version, or use "
            "put()"
        )
    if layout.unique:
        yield from uniqueness.put(operation, now)
    else:
        yield from send(operation, "PutItem", now)
    return operation.stamped(now)


def update(context: Context, operation: Update[E]) -> Steps[E]:
    """Change some attributes. Returns the updated entity."""
    entity = operation.entity_class
    for attempt in range(UPGRADES_MAX):
        try:
            answer = yield from send(
                operation, "UpdateItem", context.clock(), ReturnValues="ALL_NEW"
            )
            return entity.from_item(answer["Attributes"])
        except ConditionFailed as failed:
            stored = _stored_item(failed)
            if stored is None or not is_older(entity, stored) or attempt == UPGRADES_MAX - 1:
                raise
            yield from upgrade(entity, stored)
    raise AssertionError("the last attempt returns or raises")


def _stored_item(failed: ConditionFailed) -> Item | None:
    cause = failed.__cause__
    return cause.extra.get("Item") if isinstance(cause, ConditionalCheckFailedException) else None


def delete(context: Context, operation: Delete[E]) -> Steps[E | None]:
    """Delete an item. Returns the deleted entity."""
    if operation.entity_class.__layout__.unique:
        return (yield from uniqueness.delete(context, operation))
    answer = yield from send(operation, "DeleteItem", context.clock(), ReturnValues="ALL_OLD")
    old = answer.get("Attributes")
    return operation.entity_class.from_item(old) if old else None


def archive(context: Context, entity: E, *, restore: bool) -> Steps[E]:
    """Move an item into the archive, or out of it, in one transaction. Returns the moved entity."""
    layout = type(entity).__layout__
    if layout.archive is None:
        raise ModelError(
            f"{type(entity).__name__} has no archive: declare it with archive='#deleted'"
        )
    if entity.in_archive is not restore:
        raise ModelError(
            f"{ItemKey.of_entity(entity)} is {'in' if entity.in_archive else 'not in'} the archive"
        )
    there, now = ItemKey.of_entity(entity), context.clock()
    partition = layout.primary.attributes.partition
    is_free = Condition(lambda names: f"attribute_not_exists({names.name(partition)})", [])
    moved = Put(entity.moved_to_archive(not restore), "put", is_free)
    # Guards are left alone: unique values stay taken while an item is archived.
    yield from transact_raw([moved, Delete(there, _last_write(entity))], now, [])
    return moved.stamped(now)


def _last_write(entity: Entity) -> Condition:
    """A condition that an item is unchanged since it was read, by its version or its last
    change.
    """
    layout = type(entity).__layout__
    marks = [
        place for place in (layout.version, layout.marked(fields.Updated)) if place is not None
    ]
    return as_read(layout, entity, marks)


def send(operation: Write[Any], name: str, now: float, **more: Any) -> Steps[dict[str, Any]]:
    """Send one write. A refusal becomes an error of the model."""
    request = {**operation.request(now), **more}
    try:
        return (yield Call(name, request, f"{operation.entity_class.__name__}.{name}"))
    except ConditionalCheckFailedException as error:
        raise refusal(operation, error.extra.get("Item")) from error
    except ValidationException as error:
        if "Item size" in error.message:
            raise too_large(request.get("Item"), operation) from error
        raise
