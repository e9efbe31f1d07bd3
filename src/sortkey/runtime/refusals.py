"""Why a write was refused, in terms of the model."""

from __future__ import annotations

from typing import Any

from sortkey.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidItem,
    ItemTooLarge,
    StaleVersion,
    TransitionRefused,
)
from sortkey.model.operations import Put, Update, Write
from sortkey.values.attributes import Item
from sortkey.values.sizes import ITEM_BYTES_MAX, text_size, value_size

LARGEST_SHOWN = 5


def refusal(operation: Write[Any], item: Item | None) -> ConditionFailed:
    """The error for a failed condition, with the stored item."""
    stored = as_entity(operation, item)
    if isinstance(operation, Put):
        return _put_refusal(operation, stored)
    if isinstance(operation, Update):
        return _update_refusal(operation, stored)
    if stored is None:
        return ConditionFailed(f"{operation.describe()}: there is no such item", None)
    return ConditionFailed(f"{operation.describe()}: its condition does not hold", stored)


def as_entity(operation: Write[Any], item: Item | None) -> Any:
    """The stored item as an entity, or as it is if it cannot be read: that must not hide the
    refusal.
    """
    try:
        return None if item is None else operation.entity_class.from_item(item)
    except InvalidItem:
        return item


def too_large(item: Item | None, operation: Write[Any]) -> ItemTooLarge:
    """The error with the sizes of the attributes. They are unknown for an update."""
    if item is None:
        return ItemTooLarge(
            f"{operation.describe()}: the item would have more than {ITEM_BYTES_MAX:,} bytes", []
        )
    sizes = sorted(
        ((name, text_size(name) + value_size(value)) for name, value in item.items()),
        key=lambda s: -s[1],
    )
    total = sum(size for _, size in sizes)
    largest_text = ", ".join(f"{name} {size:,}" for name, size in sizes[:LARGEST_SHOWN])
    copies = ", its copies in local indexes included" if total <= ITEM_BYTES_MAX else ""
    limit = f"an item has at most {ITEM_BYTES_MAX:,}{copies}"
    return ItemTooLarge(
        f"{operation.describe()}: {total:,} bytes, and {limit}. The largest: {largest_text}", sizes
    )


def _put_refusal(operation: Put[Any], stored: Any) -> ConditionFailed:
    if operation.is_creating and stored is not None:
        return AlreadyExists(f"{operation.describe()}: it exists already", stored)
    if operation.mode == "save" and not operation.is_creating:
        version = operation.entity_class.__layout__.version
        assert version is not None
        if stored is None:
            return StaleVersion(f"{operation.describe()}: it is gone", None)
        if getattr(stored, version.name, None) != getattr(operation.entity, version.name):
            return StaleVersion(f"{operation.describe()}: it was changed since it was read", stored)
    refused = None if stored is None else _transition_refused(operation, operation.states, stored)
    return refused or ConditionFailed(
        f"{operation.describe()}: its condition does not hold", stored
    )


def _update_refusal(operation: Update[Any], stored: Any) -> ConditionFailed:
    if stored is None:
        missing = (
            "its condition does not hold"
            if operation.upsert
            else "there is no such item; pass upsert=True to create it"
        )
        return ConditionFailed(f"{operation.describe()}: {missing}", None)
    refused = _transition_refused(operation, operation.target_states, stored)
    if refused is not None:
        return refused
    limited = [action.attr.place.name for action in operation.actions if action.within is not None]
    limits = f", or {', '.join(limited)} would leave its limits" if limited else ""
    return ConditionFailed(f"{operation.describe()}: its condition does not hold{limits}", stored)


def _transition_refused(
    operation: Put[Any] | Update[Any], targets: Any, stored: Any
) -> TransitionRefused | None:
    for place, target in targets:
        present = getattr(stored, place.name, None)
        allowed = place.states.sources(target)
        if present not in allowed and not (isinstance(operation, Put) and present == target):
            return TransitionRefused(
                f"{operation.describe()}: {place.name} is {present!r}, which {target!r} cannot "
                "follow",
                stored,
            )
    return None
