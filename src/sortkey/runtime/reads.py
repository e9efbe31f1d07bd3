"""Reads of single items and of batches of them."""

from __future__ import annotations

from typing import Any, TypeVar

from sortkey.errors import ModelError, NotFound
from sortkey.model.entity import Entity
from sortkey.model.queries import ItemKey
from sortkey.runtime.context import Live
from sortkey.runtime.steps import Call, Steps

E = TypeVar("E", bound=Entity)


def getting(key: ItemKey[Any], consistent: bool) -> Call:
    """The call for the item under a key. A store can make it without steps."""
    if not isinstance(key, ItemKey):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ModelError(
            f"a {type(key).__name__} is not the key of an item: get() takes Stage.key(...), "
            "query() "
            "takes queries"
        )
    request: dict[str, Any] = {"TableName": key.table.name, "Key": key.item}
    if consistent:
        request["ConsistentRead"] = True
    return Call("GetItem", request, f"{key.entity.__name__}.key")


def entity_of(key: ItemKey[E], answer: dict[str, Any], live: Live | None = None) -> E | None:
    """The entity in an answer. None if it is missing or not `live`."""
    item = answer.get("Item")
    return (
        None
        if item is None or (live is not None and not live(item))
        else key.entity.from_item(item)
    )


def required(key: ItemKey[E], answer: dict[str, Any], live: Live | None = None) -> E:
    entity = entity_of(key, answer, live)
    if entity is None:
        raise NotFound(f"there is no {key}")
    return entity


def find(key: ItemKey[E], *, consistent: bool = False) -> Steps[E | None]:
    """The item under a key, or None."""
    return entity_of(key, (yield getting(key, consistent)))
