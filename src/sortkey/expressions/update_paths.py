"""Writing to paths of an item: a new item is made, of which only the touched maps and lists are
copies.

Every change is worked out on the item as it was. New list elements beyond the end are appended in
the order of their indexes; removed ones leave last, so that all indexes mean places in the old
list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sortkey.errors import ValidationException
from sortkey.expressions.paths import PathTree
from sortkey.values.attributes import AttributeValue, Item

# From the old item and the old value at the path: the new value, or None to remove it.
Change = Callable[[Item, AttributeValue | None], AttributeValue | None]

INVALID_PATH = "The document path provided in the update expression is invalid for update"


def write(item: Item, tree: PathTree, changes: Sequence[Change]) -> Item:
    """The item with the changes made; those of a tree in its order, which decides the error where
    several fail.
    """
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
    """A map or list with the changes made in it."""
    if isinstance(next(iter(tree)), str):
        if old is None or "M" not in old:
            raise ValidationException(INVALID_PATH)
        return {"M": _write_members(old["M"], tree, changes, item)}
    if old is None or "L" not in old:
        raise ValidationException(INVALID_PATH)
    return {"L": _write_elements(old["L"], tree, changes, item)}
