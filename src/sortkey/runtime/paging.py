"""Queries and scans: pages, all of it, the first, a count; over one partition or the shards of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from heapq import merge
from typing import Any, Generic, TypeVar

from sortkey.errors import ModelError
from sortkey.model.collections import CollectionQuery, Grouped
from sortkey.model.entity import Entity
from sortkey.model.queries import ItemKey, Query
from sortkey.model.reading import check_whole, entity_of, fits, is_held, is_told_by_form, key_of, query_request
from sortkey.model.tables import Table
from sortkey.runtime import cursors
from sortkey.runtime.arguments import NO_COLLECTION, NO_QUERY, expect
from sortkey.runtime.batches import batch_get
from sortkey.runtime.context import Context, Live
from sortkey.runtime.steps import Call, Steps
from sortkey.values.attributes import Item

E = TypeVar("E", bound=Entity)
PAGE_SIZE = 100


@dataclass(frozen=True)
class Page(Generic[E]):
    """Some entities, and where to go on; `cursor` is None at the end."""

    items: list[E]
    cursor: str | None


@dataclass(slots=True)
class Walk:
    """A request that is sent again and again with the place where the last answer ended.

    `keep` drops what no filter of the service can: items that only the form of their key tells from those wanted.
    """

    call: Call
    key_names: tuple[str, ...]
    keep: Callable[[Item], bool] | None = None
    start: Item | None = None
    is_done: bool = False

    def next(self, size: int | None) -> Steps[list[Item]]:
        request = dict(self.call.request)
        if self.start is not None:
            request["ExclusiveStartKey"] = self.start
        if size is not None:
            request["Limit"] = size
        answer = yield Call(self.call.operation, request, self.call.pattern)
        self.start = answer.get("LastEvaluatedKey")
        self.is_done = self.start is None
        items: list[Item] = answer["Items"]
        return items if self.keep is None else [item for item in items if self.keep(item)]

    @property
    def is_filtered(self) -> bool:
        return self.keep is not None or "FilterExpression" in self.call.request


def query_all(context: Context, query: Query[E]) -> Steps[list[E]]:
    """Every entity of a query, up to its limit."""
    expect(query, Query, NO_QUERY)
    items = yield from _items(context, query, query.limited_to)
    return (yield from _entities(context, query, items))


def first(context: Context, query: Query[E]) -> Steps[E | None]:
    expect(query, Query, NO_QUERY)
    found = yield from query_all(context, query.limit(1))
    return found[0] if found else None


def keys(context: Context, query: Query[E]) -> Steps[list[ItemKey[E]]]:
    """The keys of what a query finds: all that a KEYS_ONLY index has."""
    expect(query, Query, NO_QUERY)
    if query.is_fresh and not _shows_expiry(query):
        raise ModelError(f"{query.key.index} does not show when an item expires: .hydrated() and query() do")
    items = yield from _items(context, query, query.limited_to)
    return [key_of(query.entity, item) for item in items]


def page(context: Context, query: Query[E], cursor: str | None, size: int) -> Steps[Page[E]]:
    """A page of up to `size` entities. Filtered items do not count: a page is short only at the end."""
    expect(query, Query, NO_QUERY)
    if size < 1:
        raise ModelError(f"a page of {size} entities reads nothing")
    if query.limited_to is not None:
        raise ModelError(f"{query.pattern or 'the query'} has a limit, and a page its size: leave one of them out")
    if query.key.shards:
        raise ModelError(f"{query.key.index} is spread over shards, which have no common page: use a limit")
    check_whole(query)
    (partition,) = query.partitions()
    request = query_request(query, partition)
    walk = _walk(context, query, request)
    if cursor is not None:
        walk.start = cursors.read(context.secret, context.tenant, request, cursor)
    items = yield from _fill(walk, size)
    found = yield from _entities(context, query, items)
    if walk.is_done:
        return Page(found, None)
    return Page(found, cursors.sign(context.secret, context.tenant, request, walk.start))


def count(context: Context, query: Query[Any]) -> Steps[int]:
    """How many items a query finds, up to its limit. They are read, and paid for, but not sent."""
    expect(query, Query, NO_QUERY)
    limit, total = query.limited_to, 0
    for partition in query.partitions():
        request = query_request(query, partition)
        if _walk(context, query, request).keep is not None:
            return len((yield from _items(context, query, limit)))
        request["Select"] = "COUNT"
        while True:
            answer = yield Call("Query", request, query.pattern)
            total += answer["Count"]
            if limit is not None and total >= limit:
                return limit
            if answer.get("LastEvaluatedKey") is None:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
    return total


def collect(context: Context, collection: CollectionQuery) -> Steps[Grouped]:
    """All entities of a collection, in the order of the sort key."""
    expect(collection, CollectionQuery, NO_COLLECTION)
    query = collection.query
    check_whole(query)
    items = yield from _items(context, query, query.limited_to)
    entities = (entity_of(query.table, item, collection.members) for item in items)
    return Grouped([entity for entity in entities if entity is not None])


def scan(context: Context, of: type[E] | Table) -> Steps[list[Any]]:
    """Every item of a table, or every entity of a kind in it: reads, and pays for, all of the table."""
    expect(of, (type, Table), "no kind of entity: scan() takes a class, as Stage")
    table = of if isinstance(of, Table) else of.__layout__.table
    entities = table.entities if isinstance(of, Table) else [of]
    walk = Walk(Call("Scan", {"TableName": table.name}, "scan"), table.key, context.live(table, fresh=False))
    items = yield from _fill(walk, None)
    return [entity for item in items if (entity := entity_of(table, item, entities)) is not None]


def next_page(context: Context, query: Query[E], walks: list[Walk], size: int | None) -> Steps[list[E]]:
    """One answer's worth of entities of the first walk that is not done: how iterators go on."""
    walk = next(each for each in walks if not each.is_done)
    items = yield from walk.next(size)
    return (yield from _entities(context, query, items))


def walks_of(context: Context, query: Query[Any]) -> list[Walk]:
    expect(query, Query, NO_QUERY)
    check_whole(query)
    return [_walk(context, query, query_request(query, each)) for each in query.partitions()]


def _walk(context: Context, query: Query[Any], request: dict[str, Any]) -> Walk:
    names = dict.fromkeys((*query.table.key, *query.key.attributes.names))
    by_form = is_told_by_form(query)
    # What has expired is not filtered by the service: a cursor is bound to its request, which may not hold the time.
    live = context.live(query.table, fresh=query.is_fresh) if _shows_expiry(query) else None
    keep = _both(partial(fits, query.layout) if by_form else None, live)
    return Walk(Call("Query", request, query.pattern), tuple(names), keep)


def _both(fitting: Live | None, live: Live | None) -> Live | None:
    if fitting is None or live is None:
        return fitting or live
    return lambda item: fitting(item) and live(item)


def _shows_expiry(query: Query[Any]) -> bool:
    """Whether the items that a query reads have the attribute that says when they expire."""
    return query.table.ttl is None or is_held(query, query.table.ttl)


def _items(context: Context, query: Query[Any], limit: int | None) -> Steps[list[Item]]:
    walks = [_walk(context, query, query_request(query, each)) for each in query.partitions()]
    parts: list[list[Item]] = []
    for walk in walks:
        parts.append((yield from _fill(walk, limit)))
    if len(parts) == 1:
        return parts[0]
    merged: Iterable[Item] = merge(*parts, key=_sort_key(query), reverse=query.is_descending)
    return list(merged)[:limit]


def _fill(walk: Walk, size: int | None) -> Steps[list[Item]]:
    """Items until there are `size` of them, or no more. What a filter drops is made up for by reading on."""
    items: list[Item] = []
    asked = size
    while not walk.is_done and (size is None or len(items) < size):
        left = None if size is None else size - len(items)
        found = yield from walk.next(asked if walk.is_filtered else left)
        asked = None if asked is None else min(asked * 4, max(asked, PAGE_SIZE))  # a filter that drops much reads on
        room = len(found) if left is None else left
        items += found[:room]
        if len(found) > room:
            # Go on behind the last that is taken, not the last that was read.
            walk.start = {name: found[room - 1][name] for name in walk.key_names}
            walk.is_done = False
    return items


def _entities(context: Context, query: Query[E], items: list[Item]) -> Steps[list[E]]:
    if not query.is_hydrated:
        check_whole(query)
        return query.entity.from_items(items)
    wanted = [key_of(query.entity, item) for item in items]
    found = yield from batch_get(context, wanted, fresh=query.is_fresh)
    return [entity for entity in found if entity is not None]


def _sort_key(query: Query[Any]) -> Callable[[Item], Any]:
    name = query.key.attributes.sort
    if name is None:
        return lambda item: 0
    if query.table.type_of(name) == "N":
        return lambda item: Decimal(item[name]["N"])
    return lambda item: next(iter(item[name].values()))
