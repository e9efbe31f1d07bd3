"""Reads of single items and of batches of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from sortkey.errors import BatchIncomplete, ModelError, NotFound
from sortkey.model.entity import Entity
from sortkey.model.queries import ItemKey
from sortkey.runtime.context import Context, Live
from sortkey.runtime.steps import Call, Sleep, Steps
from sortkey.values.attributes import Item

E = TypeVar("E", bound=Entity)
BATCH_GET_MAX = 100


def getting(key: ItemKey[Any], consistent: bool) -> Call:
    """The call for the item under a key: one call, so that a store can make it without steps."""
    if not isinstance(key, ItemKey):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ModelError(
            f"a {type(key).__name__} is no key of an item: get() takes Stage.key(...), query() takes queries"
        )
    request: dict[str, Any] = {"TableName": key.table.name, "Key": key.item}
    if consistent:
        request["ConsistentRead"] = True
    return Call("GetItem", request, f"{key.entity.__name__}.key")


def found(key: ItemKey[E], answer: dict[str, Any], live: Live | None = None) -> E | None:
    """What the answer to it has; None also for an item that is not `live`."""
    item = answer.get("Item")
    return None if item is None or (live is not None and not live(item)) else key.entity.from_item(item)


def required(key: ItemKey[E], answer: dict[str, Any], live: Live | None = None) -> E:
    entity = found(key, answer, live)
    if entity is None:
        raise NotFound(f"there is no {key}")
    return entity


def find(key: ItemKey[E], *, consistent: bool = False) -> Steps[E | None]:
    """The item under a key, or None."""
    return found(key, (yield getting(key, consistent)))


def batch_get(
    context: Context, keys: Sequence[ItemKey[E]], *, consistent: bool = False, fresh: bool = False
) -> Steps[list[E | None]]:
    """Many items, in the order of their keys, None for what is not there."""
    lives = {table: context.live(table, fresh=fresh) for table in {key.table for key in keys}}
    wanted = {_place(key): key for key in keys}
    read: dict[Any, E] = {}
    places = list(wanted)
    for start in range(0, len(places), BATCH_GET_MAX):
        items = yield from _batch(context, [wanted[p] for p in places[start : start + BATCH_GET_MAX]], consistent)
        for place, item in items.items():
            live = lives[wanted[place].table]
            if live is None or live(item):
                read[place] = wanted[place].entity.from_item(item)
    return [read.get(_place(key)) for key in keys]


def _batch(context: Context, keys: Sequence[ItemKey[Any]], consistent: bool) -> Steps[dict[Any, Item]]:
    by_table: dict[str, dict[str, Any]] = {}
    key_names: dict[str, tuple[str, ...]] = {}
    for key in keys:
        by_table.setdefault(key.table.name, {"Keys": []})["Keys"].append(key.item)
        key_names[key.table.name] = key.table.key
        if consistent:
            by_table[key.table.name]["ConsistentRead"] = True
    found: dict[Any, Item] = {}
    for attempt in range(context.batch_attempts):
        answer = yield Call("BatchGetItem", {"RequestItems": by_table}, "batch_get")
        for table, items in answer.get("Responses", {}).items():
            for item in items:
                found[_place_of(table, {name: item[name] for name in key_names[table]})] = item
        by_table = answer.get("UnprocessedKeys") or {}
        if not by_table:
            return found
        yield Sleep(context.pause(attempt))
    left = [key for key in keys if key.table.name in by_table and key.item in by_table[key.table.name]["Keys"]]
    raise BatchIncomplete(f"{len(left)} of {len(keys)} items could not be read in time", left, list(found.values()))


def _place(key: ItemKey[Any]) -> Any:
    return _place_of(key.table.name, key.item)


def _place_of(table: str, item: Item) -> Any:
    return (table, *((name, *value.items()) for name, value in sorted(item.items())))
