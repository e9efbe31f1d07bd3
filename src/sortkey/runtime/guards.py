"""Guard items: one for each unique value, in the entity's table, under a key that no template
renders.

A guard holds the key of the item that has the value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.changes import GUARD
from sortkey.model.entity import Entity
from sortkey.model.layout import Layout
from sortkey.model.operations import Delete, Put, Write
from sortkey.model.queries import ItemKey
from sortkey.values.attributes import Item

GUARD_KIND = "UniqueGuard"
Group = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Guarding:
    """A member of a transaction that takes or releases a unique value for the operation with the
    index `owner`.
    """

    member: dict[str, Any]
    group: Group
    owner: int = 0

    @property
    def message(self) -> str:
        return f"another item has this {' and '.join(self.group)}"


def guards_to_take(layout: Layout, group: Group, entity: Entity, owner: int = 0) -> list[Guarding]:
    """The write that creates the guard of an entity's values. Empty if a value is missing."""
    key = guard_key(layout, group, entity)
    if key is None:
        return []
    kind = {layout.table.kind_attribute: {"S": GUARD_KIND}}
    request = {
        "TableName": layout.table.name,
        "Item": {**kind, **key, "guards": {"M": ItemKey.of_entity(entity).item}},
        "ConditionExpression": "attribute_not_exists(#k)",
        "ExpressionAttributeNames": {"#k": layout.table.key[0]},
    }
    return [Guarding({"Put": request}, group, owner)]


def guards_to_release(layout: Layout, group: Group, entity: Entity) -> list[Guarding]:
    """The write that deletes the guard of an entity's values."""
    key = guard_key(layout, group, entity)
    return (
        []
        if key is None
        else [Guarding({"Delete": {"TableName": layout.table.name, "Key": key}}, group)]
    )


def guard_key(layout: Layout, group: Group, entity: Entity) -> Item | None:
    """The key of the guard of an entity's values, or None if a value is missing."""
    values = [getattr(entity, name) for name in group]
    if any(value is None for value in values):
        return None
    stored = (
        str(layout.stored(layout.place(name).attribute, getattr(entity, name))) for name in group
    )
    escaped = "#".join(text.replace("%", "%25").replace("#", "%23") for text in stored)
    text = f"{GUARD}{layout.kind or layout.entity.__name__}#{'+'.join(group)}#{escaped}"
    return {name: {"S": text} for name in layout.table.key}


def guards_of(operation: Write[Any], number: int, now: float) -> list[Guarding]:
    """The guards that an operation of a transaction needs. Only for a creation they are known
    without reading.
    """
    layout = operation.entity_class.__layout__
    if not layout.unique or not isinstance(operation, (Put, Delete)):
        return []
    if isinstance(operation, Put) and operation.is_creating:
        entity = operation.stamped(now)
        return [
            guard
            for group in layout.unique
            for guard in guards_to_take(layout, group, entity, number)
        ]
    raise ModelError(
        f"{operation.describe()}: {layout.entity.__name__} has unique fields, and a transaction "
        "cannot know "
        "which values "
        "were taken before. Use save() or delete()"
    )
