"""An item of an older version is brought up to date in its place before it is updated: an update speaks of the fields
of today, and would leave an item that is half old and half new."""

from __future__ import annotations

from typing import Any

from sortkey.errors import ConditionalCheckFailedException
from sortkey.model.entity import Entity
from sortkey.model.expressions import Names
from sortkey.model.upgrading import version_of
from sortkey.runtime.steps import Call, Steps
from sortkey.values.attributes import Item


def is_older(entity: type[Entity], item: Item) -> bool:
    return version_of(item) < entity.__layout__.schema_version


def upgrade(entity: type[Entity], item: Item) -> Steps[None]:
    """Store an item as its entity has it today; not where somebody has changed it since."""
    names = Names()
    request: dict[str, Any] = {
        "TableName": entity.__layout__.table.name,
        "Item": entity.from_item(item).to_item(),
        "ConditionExpression": " AND ".join(f"{names.name(n)} = {names.value(value)}" for n, value in item.items()),
    }
    names.put_into(request)
    try:
        yield Call("PutItem", request, f"{entity.__name__}.upgrade")
    except ConditionalCheckFailedException:
        return  # whoever tries again will find what is there now
