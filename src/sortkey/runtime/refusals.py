"""What a write was refused for, told in the words of the model."""

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
    """The error for a condition that did not hold, with what is stored."""
    stored = as_entity(operation, item)
    if isinstance(operation, Put):
        return _put_refusal(operation, stored)
    if isinstance(operation, Update):
        return _update_refusal(operation, stored)
    if stored is None:
        return ConditionFailed(f"{operation.describe()}: there is no such item", None)
    return ConditionFailed(f"{operation.describe()}: its condition does not hold", stored)


def as_entity(operation: Write[Any], item: Item | None) -> Any:
    """What is stored, as an entity; as it is where it cannot be read, so that an old fault hides no
    new one.
    """
    try:
        return None if item is None else operation.entity_class.from_item(item)
    except InvalidItem:
        return item


def too_large(item: Item | None, operation: Write[Any]) -> ItemTooLarge:
    """With the sizes of its attributes; of an item that an update has made too large only the
    service knows them.
    """
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
            else "there is no such item; an upsert would make it"
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
                f"{operation.describe()}: {place.name} is {present!r}, and {target!r} cannot follow it",
                stored,
            )
    return None
