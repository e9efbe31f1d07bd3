"""Writing to paths of an item: a new item is made, of which only the touched maps and lists are copies.

Every change is worked out on the item as it was. New list elements beyond the end are appended in the order of their
indexes; removed ones leave last, so that all indexes mean places in the old list.
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
    return _write_members(item, tree, changes, item)


def _write_members(
    members: dict[str, AttributeValue], tree: PathTree, changes: Sequence[Change], item: Item
) -> dict[str, AttributeValue]:
    written = dict(members)
    for part, below in tree.items():
        name = str(part)
        value = _write(members.get(name), below, changes, item)
        if value is None:
            written.pop(name, None)
        else:
            written[name] = value
    return written


def _write_elements(elements: list[Any], tree: PathTree, changes: Sequence[Change], item: Item) -> list[AttributeValue]:
    written: list[AttributeValue | None] = list(elements)
    for index in sorted(part for part in tree if isinstance(part, int)):
        old = elements[index] if index < len(elements) else None
        value = _write(old, tree[index], changes, item)
        if index < len(elements):
            written[index] = value
        else:
            written.append(value)
    return [value for value in written if value is not None]


def _write(
    old: AttributeValue | None, below: int | PathTree, changes: Sequence[Change], item: Item
) -> AttributeValue | None:
    if isinstance(below, int):
        return changes[below](item, old)
    if isinstance(next(iter(below)), str):
        if old is None or "M" not in old:
            raise ValidationException(INVALID_PATH)
        return {"M": _write_members(old["M"], below, changes, item)}
    if old is None or "L" not in old:
        raise ValidationException(INVALID_PATH)
    return {"L": _write_elements(old["L"], below, changes, item)}
