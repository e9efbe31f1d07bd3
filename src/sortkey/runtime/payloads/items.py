"""What items show of payloads, read from their attributes alone."""

from __future__ import annotations

from typing import Any

from sortkey.model.layout import Layout
from sortkey.model.payloads import Pointer
from sortkey.runtime.steps import Call, Steps
from sortkey.values.attributes import Item


def is_shown(layout: Layout, pointer: Pointer) -> Steps[bool]:
    """Whether the item that an object belongs to shows it at this moment, in its place or in the
    archive.
    """
    if pointer.owner is None:
        return False
    for key in _places(layout, pointer.owner):
        request: dict[str, Any] = {
            "TableName": layout.table.name,
            "Key": key,
            "ConsistentRead": True,
        }
        answer = yield Call("GetItem", request, f"{layout.entity.__name__}.payloads")
        if shows(layout, answer.get("Item"), pointer):
            return True
    return False


def shows(layout: Layout, item: Item | None, pointer: Pointer) -> bool:
    return item is not None and any(
        (shown_pointer.bucket, shown_pointer.key, shown_pointer.version_id)
        == (pointer.bucket, pointer.key, pointer.version_id)
        for shown_pointer in pointers(layout, item)
    )


def pointers(layout: Layout, item: Item) -> list[Pointer]:
    """The pointers in an item, also in one that its entity could not read."""
    result: list[Pointer] = []
    stripped, _ = layout.without_archive_mark(item)
    for place, payload in layout.payloads:
        if len(place.path) > 1 and "M" not in item.get(str(place.path[0]), {}):
            continue
        pointer = payload.read(layout.members(place, item), layout.key_in(stripped))
        if pointer is not None:
            result.append(pointer)
    return result


def _places(layout: Layout, key: Item) -> list[Item]:
    """An item's key, and the one that it has in the archive."""
    if layout.archive is None:
        return [key]
    partition = layout.primary.attributes.partition
    return [key, {**key, partition: {"S": key[partition]["S"] + layout.archive}}]
