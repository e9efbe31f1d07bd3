"""AttributeUpdates: to an update of whole attributes. The names in it are not paths: "a.b" is one
name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sortkey.errors import ValidationException
from sortkey.expressions.legacy.comparisons import check_name
from sortkey.expressions.paths import PathTree
from sortkey.expressions.update_checks import TYPE_TITLES
from sortkey.expressions.update_paths import Change
from sortkey.expressions.update_values import SETS, add, delete
from sortkey.expressions.updates import Update, put, remove
from sortkey.values.attributes import INVALID, AttributeValue, read_value

TYPE_MISMATCH = "Type mismatch for attribute to update"


def attribute_updates(updates: Mapping[str, Mapping[str, Any]]) -> Update:
    """The update. An empty one changes nothing, but still creates a missing item."""
    changes = [_change(name, update) for name, update in updates.items()]
    paths = tuple((name,) for name in updates)
    only_removes = bool(updates) and all(
        update.get("Action") == "DELETE" for update in updates.values()
    )
    tree: PathTree = {name: number for number, name in enumerate(updates)}
    assigned = tuple(
        (name, update["Value"])
        for name, update in updates.items()
        if update.get("Action") != "DELETE"
    )
    return Update(paths, tree, tuple(changes), only_removes, frozenset(updates), assigned=assigned)


def _change(name: str, update: Mapping[str, Any] | None) -> Change:
    check_name(name)
    update = update or {}
    action, raw_value = update.get("Action") or "PUT", update.get("Value")
    if raw_value is None:
        if action != "DELETE":
            raise ValidationException(
                INVALID + "Only DELETE action is allowed when no attribute value is specified"
            )
        return remove
    value = read_value(raw_value)[0]
    kind = next(iter(value))
    if action == "PUT":
        return put(value)
    if action == "ADD":
        if kind not in SETS and kind not in ("N", "L"):
            raise ValidationException(
                INVALID + f"ADD action is not supported for the type {TYPE_TITLES[kind]}"
            )
        return lambda item, old: _added(old, value)
    if kind not in SETS:
        raise ValidationException(
            INVALID + f"DELETE action with value is not supported for the type {TYPE_TITLES[kind]}"
        )
    return lambda item, old: delete(old, value, TYPE_MISMATCH)


def _added(old: AttributeValue | None, value: AttributeValue) -> AttributeValue:
    """ADD, which unlike the ADD of an update expression also appends to lists."""
    if old is not None and "L" in old and "L" in value:
        return {"L": old["L"] + value["L"]}
    return add(old, value, TYPE_MISMATCH)
