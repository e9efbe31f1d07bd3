"""Queries and scans, over one partition or the shards of an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from sortkey.errors import ModelError
from sortkey.model.collections import CollectionQuery, Grouped
from sortkey.model.entity import Entity
from sortkey.model.queries import ItemKey, Query
from sortkey.model.query_requests import (
    check_whole,
    entity_of,
    fits,
    is_decided_by_key,
    is_held,
    key_of,
    query_request,
)
from sortkey.model.tables import Table
from sortkey.runtime import cursors
from sortkey.runtime.arguments import NO_COLLECTION, NO_QUERY, expect
from sortkey.runtime.batches import batch_get
from sortkey.runtime.context import Context, Live
from sortkey.runtime.steps import Call, Steps
from sortkey.runtime.walks import PAGE_SIZE, AnyWalk, MergedWalk, Walk, fill, sort_order
from sortkey.values.attributes import Item

__all__ = ["PAGE_SIZE", "Page"]

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True)
class Page(Generic[E]):
    """Some entities, and the cursor of the next page. `cursor` is None at the end."""

    items: list[E]
    cursor: str | None


def query_all(context: Context, query: Query[E]) -> Steps[list[E]]:
    """Every entity of a query, up to its limit."""
    expect(query, Query, NO_QUERY)
    items = yield from _items(context, query, query.limited_to)
    return (yield from _entities(context, query, items))


def first(context: Context, query: Query[E]) -> Steps[E | None]:
    expect(query, Query, NO_QUERY)
    entities = yield from query_all(context, query.limit(1))
    return entities[0] if entities else None


def keys(context: Context, query: Query[E]) -> Steps[list[ItemKey[E]]]:
    """The keys of the items that a query finds. A KEYS_ONLY index has nothing else."""
    expect(query, Query, NO_QUERY)
    if query.is_fresh and not _shows_expiry(query):
        raise ModelError(
            f"{query.key.index} does not hold the expiry of items: use .hydrated() and query()"
        )
    items = yield from _items(context, query, query.limited_to)
    return [key_of(query.entity, item) for item in items]


def page(context: Context, query: Query[E], cursor: str | None, size: int) -> Steps[Page[E]]:
    """A page of up to `size` entities. Filtered items do not count: a page is short only at the
    end.
    """
    expect(query, Query, NO_QUERY)
    if size < 1:
        raise ModelError(f"a page of {size} entities reads nothing: use 1 or more")
    if query.limited_to is not None:
        raise ModelError(
            f"{query.pattern or 'the query'} has a limit, and a page has a size: leave one of them "
            "out"
        )
    check_whole(query)
    requests = [query_request(query, partition) for partition in query.partitions()]
    bound_to = {"shards": requests} if query.key.shards else requests[0]
    walk = _walk(context, query, requests)
    if cursor is not None:
        walk.resume(cursors.read(context.secret, context.tenant, bound_to, cursor))
    items = yield from fill(walk, size)
    page_entities = yield from _entities(context, query, items)
    if walk.is_done:
        return Page(page_entities, None)
    return Page(
        page_entities, cursors.sign(context.secret, context.tenant, bound_to, walk.position)
    )


def count(context: Context, query: Query[Any]) -> Steps[int]:
    """How many items a query finds, up to its limit. Reading them costs capacity, but they are not
    sent.
    """
    expect(query, Query, NO_QUERY)
    limit, total = query.limited_to, 0
    for partition in query.partitions():
        request = query_request(query, partition)
        if _keep(context, query) is not None:
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
    """Every item of a table, or every entity of a kind. Reads, and pays for, the whole table."""
    expect(of, (type, Table), "an entity class: scan() takes a class, as Stage")
    table = of if isinstance(of, Table) else of.__layout__.table
    entities = table.entities if isinstance(of, Table) else [of]
    walk = Walk(
        Call("Scan", {"TableName": table.name}, "scan"), table.key, context.live(table, fresh=False)
    )
    items = yield from fill(walk, None)
    return [entity for item in items if (entity := entity_of(table, item, entities)) is not None]


def next_page(context: Context, query: Query[E], walk: AnyWalk, size: int | None) -> Steps[list[E]]:
    """The entities of one request, or of one request per shard, for iterators."""
    items = yield from walk.next(size)
    return (yield from _entities(context, query, items))


def walk_of(context: Context, query: Query[Any]) -> AnyWalk:
    expect(query, Query, NO_QUERY)
    check_whole(query)
    return _walk(
        context, query, [query_request(query, partition) for partition in query.partitions()]
    )


def _walk(context: Context, query: Query[Any], requests: Sequence[dict[str, Any]]) -> AnyWalk:
    names = tuple(dict.fromkeys((*query.table.key, *query.key.attributes.names)))
    keep = _keep(context, query)
    walks = [Walk(Call("Query", request, query.pattern), names, keep) for request in requests]
    if not query.key.shards:
        return walks[0]
    sort = query.key.attributes.sort
    order = sort_order(sort, "S" if sort is None else query.table.type_of(sort))
    return MergedWalk(walks, order, is_descending=query.is_descending)


def _keep(context: Context, query: Query[Any]) -> Live | None:
    """A test for items that the service cannot filter."""
    # What has expired is not filtered by the service: a cursor is bound to its request, which may
    # not hold the time.
    live = context.live(query.table, fresh=query.is_fresh) if _shows_expiry(query) else None
    return _both(partial(fits, query.layout) if is_decided_by_key(query) else None, live)


def _both(fitting: Live | None, live: Live | None) -> Live | None:
    if fitting is None or live is None:
        return fitting or live
    return lambda item: fitting(item) and live(item)


def _shows_expiry(query: Query[Any]) -> bool:
    """Whether the items that a query reads have the TTL attribute."""
    return query.table.ttl is None or is_held(query, query.table.ttl)


def _items(context: Context, query: Query[Any], limit: int | None) -> Steps[list[Item]]:
    walk = _walk(
        context, query, [query_request(query, partition) for partition in query.partitions()]
    )
    return (yield from fill(walk, limit))


def _entities(context: Context, query: Query[E], items: list[Item]) -> Steps[list[E]]:
    if not query.is_hydrated:
        check_whole(query)
        return query.entity.from_items(items)
    keys = [key_of(query.entity, item) for item in items]
    entities = yield from batch_get(context, keys, fresh=query.is_fresh)
    return [entity for entity in entities if entity is not None]
