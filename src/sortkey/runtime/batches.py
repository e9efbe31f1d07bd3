"""Batches of reads, puts and deletes, sent in the sizes that the service allows. Unprocessed parts
are sent again.

If something is left after the last try, the error has it, together with what was done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sortkey.errors import BatchIncomplete, ModelError
from sortkey.model.entity import Entity
from sortkey.model.operations import Put
from sortkey.model.queries import ItemKey
from sortkey.model.tables import Table
from sortkey.runtime.arguments import NO_KEY, expect
from sortkey.runtime.context import Context
from sortkey.runtime.steps import Call, Sleep, Steps
from sortkey.values.attributes import Item

E = TypeVar("E", bound=Entity)
BATCH_GET_MAX = 100
BATCH_WRITE_MAX = 25

Place = tuple[Any, ...]
"""The table and the hashable key of an item."""


def batch_get(
    context: Context, keys: Sequence[ItemKey[E]], *, consistent: bool = False, fresh: bool = False
) -> Steps[list[E | None]]:
    """Many items in the order of their keys, None for missing ones."""
    for key in keys:
        expect(key, ItemKey, NO_KEY)
    lives = {table: context.live(table, fresh=fresh) for table in {key.table for key in keys}}
    wanted = {_place(key.table, key.item): key for key in keys}
    items_found: dict[Place, Item] = {}
    left: list[Place] = []
    places = list(wanted)
    for start in range(0, len(places), BATCH_GET_MAX):
        several = {place: wanted[place] for place in places[start : start + BATCH_GET_MAX]}
        left += yield from _get(context, several, consistent, items_found)
    read: dict[Place, E] = {}
    for place, item in items_found.items():
        live = lives[wanted[place].table]
        if live is None or live(item):
            read[place] = wanted[place].entity.from_item(item)
    if left:
        unread = [wanted[place] for place in left]
        message = f"{len(unread)} of {len(places)} items could not be read in time"
        raise BatchIncomplete(message, list[Any](unread), list(read.values()))
    return [read.get(_place(key.table, key.item)) for key in keys]


def _get(
    context: Context,
    keys: Mapping[Place, ItemKey[Any]],
    consistent: bool,
    items_found: dict[Place, Item],
) -> Steps[list[Place]]:
    """Read some items into `items_found`. Returns the unprocessed keys."""
    tables = {key.table.name: key.table for key in keys.values()}
    more = {"ConsistentRead": True} if consistent else {}
    pending: dict[str, Any] = {name: {"Keys": [], **more} for name in tables}
    for key in keys.values():
        pending[key.table.name]["Keys"].append(key.item)
    for attempt in range(context.batch_attempts):
        if attempt:
            yield Sleep(context.pause(attempt - 1))
        answer = yield Call("BatchGetItem", {"RequestItems": pending}, "batch_get")
        for name, items in answer.get("Responses", {}).items():
            items_found.update({_place(tables[name], item): item for item in items})
        pending = answer.get("UnprocessedKeys") or {}
        if not pending:
            return []
    return [
        _place(tables[name], item) for name, several in pending.items() for item in several["Keys"]
    ]


def batch_write(
    context: Context, puts: Sequence[Entity], deletes: Sequence[ItemKey[Any]]
) -> Steps[list[Entity]]:
    """Many independent puts and deletes, in any order, without conditions. Returns the entities as
    stored.
    """
    now = context.clock()
    stamped = [Put(entity).stamped(now) for entity in puts]
    writes: dict[Place, tuple[Table, dict[str, Any], Entity | ItemKey[Any]]] = {}
    for entity in stamped:
        table, item = type(entity).__layout__.table, entity.to_item()
        _add(writes, table, item, {"PutRequest": {"Item": item}}, entity)
    for key in deletes:
        _add(writes, key.table, key.item, {"DeleteRequest": {"Key": key.item}}, key)
    left: list[Place] = []
    places = list(writes)
    for start in range(0, len(places), BATCH_WRITE_MAX):
        left += yield from _write(
            context, [writes[place][:2] for place in places[start : start + BATCH_WRITE_MAX]]
        )
    if left:
        undone = set(left)
        done = [of for place, (_, _, of) in writes.items() if place not in undone]
        message = f"{len(left)} of {len(places)} writes could not be done in time"
        raise BatchIncomplete(message, [writes[place][2] for place in left], done)
    return stamped


def _add(
    writes: dict[Place, Any],
    table: Table,
    item: Item,
    request: dict[str, Any],
    of: Entity | ItemKey[Any],
) -> None:
    entity = of.entity if isinstance(of, ItemKey) else type(of)
    if entity.__layout__.unique:
        raise ModelError(
            f"{entity.__name__} has unique fields, which a batch cannot guard: create(), save(), "
            "delete()"
        )
    place = _place(table, item)
    if place in writes:
        raise ModelError(
            f"a batch writes in any order, and {_key_text(table, item)} occurs in it twice"
        )
    writes[place] = (table, request, of)


def _write(
    context: Context, requests: Sequence[tuple[Table, dict[str, Any]]]
) -> Steps[list[Place]]:
    """Send some writes. Returns the unprocessed ones."""
    tables = {table.name: table for table, _ in requests}
    pending: dict[str, list[dict[str, Any]]] = {}
    for table, request in requests:
        pending.setdefault(table.name, []).append(request)
    for attempt in range(context.batch_attempts):
        if attempt:
            yield Sleep(context.pause(attempt - 1))
        answer = yield Call("BatchWriteItem", {"RequestItems": pending}, "batch_write")
        pending = answer.get("UnprocessedItems") or {}
        if not pending:
            return []
    return [
        _place(tables[name], _written(request))
        for name, several in pending.items()
        for request in several
    ]


def _written(request: Mapping[str, Any]) -> Item:
    return (
        request["PutRequest"]["Item"]
        if "PutRequest" in request
        else request["DeleteRequest"]["Key"]
    )


def _place(table: Table, item: Item) -> Place:
    return (table.name, *(next(iter(item[name].items())) for name in table.key))


def _key_text(table: Table, item: Item) -> str:
    return ", ".join(f"{name}={next(iter(item[name].values()))!r}" for name in table.key)
