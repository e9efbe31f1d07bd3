"""Writes to paths of an item: makes a new item in which only the changed maps and lists are copied.

Every change is computed from the old item. New list elements beyond the end are appended in the
order of their indexes. Removals come last, so that all indexes refer to the old list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sortkey.errors import ValidationException
from sortkey.expressions.paths import PathTree
from sortkey.values.attributes import AttributeValue, Item

# Takes the old item and the old value at the path. Returns the new value, or None to remove it.
Change = Callable[[Item, AttributeValue | None], AttributeValue | None]

INVALID_PATH = "The document path provided in the update expression is invalid for update"


def write(item: Item, tree: PathTree, changes: Sequence[Change]) -> Item:
    """The changed item. Changes are made in the tree's order, so that AWS's error comes first."""
    return _write_members(item, tree, changes, item)


def _write_members(
    members: dict[str, AttributeValue], tree: PathTree, changes: Sequence[Change], item: Item
) -> dict[str, AttributeValue]:
    result = dict(members)
    for part, below in tree.items():
        name = str(part)
        old = members.get(name)
        value = (
            changes[below](item, old)
            if isinstance(below, int)
            else _write(old, below, changes, item)
        )
        if value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result


def _write_elements(
    elements: list[Any], tree: PathTree, changes: Sequence[Change], item: Item
) -> list[AttributeValue]:
    values: dict[int, AttributeValue | None] = {}
    for index, below in tree.items():
        assert isinstance(index, int)
        old = elements[index] if index < len(elements) else None
        values[index] = (
            changes[below](item, old)
            if isinstance(below, int)
            else _write(old, below, changes, item)
        )
    result: list[AttributeValue | None] = list(elements)
    for index in sorted(values):
        if index < len(elements):
            result[index] = values[index]
        else:
            result.append(values[index])
    return [value for value in result if value is not None]


def _write(
    old: AttributeValue | None, tree: PathTree, changes: Sequence[Change], item: Item
) -> AttributeValue:
    """A changed copy of a map or list."""
    if isinstance(next(iter(tree)), str):
        if old is None or "M" not in old:
            raise ValidationException(INVALID_PATH)
        return {"M": _write_members(old["M"], tree, changes, item)}
    if old is None or "L" not in old:
        raise ValidationException(INVALID_PATH)
    return {"L": _write_elements(old["L"], tree, changes, item)}
