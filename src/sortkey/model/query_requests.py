"""Query requests, and the entities of the items they return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from sortkey.errors import ModelError
from sortkey.model.codec import decode
from sortkey.model.expressions import Names
from sortkey.model.layout import IndexKey, Layout
from sortkey.model.queries import ItemKey, Query, SortCondition
from sortkey.model.tables import Table
from sortkey.model.templates import Template
from sortkey.values.attributes import AttributeValue, Item

if TYPE_CHECKING:
    from sortkey.model.entity import Entity

E = TypeVar("E", bound="Entity")


def query_request(query: Query[Any], partition: AttributeValue) -> dict[str, Any]:
    """The Query request for one partition, without its page."""
    table, names = query.table, Names()
    request: dict[str, Any] = {"TableName": table.name}
    if query.key.index is not None:
        request["IndexName"] = query.key.index
    request["KeyConditionExpression"] = key_condition(query, partition, names)
    check_held(query)
    tests = [] if query.filter is None else [query.filter.render(names)]
    layout = query.layout
    if is_filtered_by_kind(query) and is_shared(layout, query.key, query.sort):
        tests.append(f"{names.name(table.kind_attribute)} = {names.value({'S': layout.kind})}")
    if tests:
        request["FilterExpression"] = (
            tests[0] if len(tests) == 1 else " AND ".join(f"({test})" for test in tests)
        )
    if query.is_descending:
        request["ScanIndexForward"] = False
    if query.is_consistent:
        request["ConsistentRead"] = True
    names.put_into(request)
    return request


def key_condition(query: Query[Any], partition: AttributeValue, names: Names) -> str:
    attributes, table = query.key.attributes, query.table
    text = f"{names.name(attributes.partition)} = {names.value(partition)}"
    sort = query.sort
    if sort is None or attributes.sort is None:
        return text
    at = names.name(attributes.sort)
    kind = table.type_of(attributes.sort)
    values = [
        names.value({kind: value if isinstance(value, str) else str(value)})
        for value in sort.values
    ]
    if sort.operator == "begins_with":
        return f"{text} AND begins_with({at}, {values[0]})"
    if sort.operator == "between":
        return f"{text} AND {at} BETWEEN {values[0]} AND {values[1]}"
    return f"{text} AND {at} {sort.operator} {values[0]}"


def check_whole(query: Query[Any]) -> None:
    """Refuse to read entities from an index that does not hold whole items."""
    if query.key.index is None or query.is_hydrated:
        return
    projection = query.table.index(query.key.index).projection
    if projection != "ALL":
        raise ModelError(
            f"{query.key.index} does not hold whole items (its projection is {projection}): "
            ".hydrated() fetches them, store.keys() returns their keys"
        )


def whole(query: Query[E]) -> Query[E]:
    """The query, hydrated if its index does not hold whole items."""
    try:
        check_whole(query)
    except ModelError:
        return query.hydrated()
    return query


def check_held(query: Query[Any]) -> None:
    """Refuse a filter by attributes that the index does not hold: it would find nothing."""
    for attr in () if query.filter is None else query.filter.attrs:
        if not is_held(query, str(attr.path[0])):
            raise ModelError(
                f"{query.key.index} does not hold {attr!r}, so it cannot filter by it: test what "
                "it gives"
            )


def is_held(query: Query[Any], attribute: str) -> bool:
    """Whether a query reads an attribute. An index has only its projection and the keys."""
    if query.key.index is None:
        return True
    projection = query.table.index(query.key.index).projection
    named = projection if isinstance(projection, tuple) else ()
    return projection == "ALL" or attribute in (
        *query.table.key,
        *query.key.attributes.names,
        *named,
    )


def is_filtered_by_kind(query: Query[Any]) -> bool:
    """Whether the service can filter by the entity's kind. Otherwise the form of the keys
    decides.
    """
    return (
        query.by_kind
        and query.layout.kind is not None
        and is_held(query, query.table.kind_attribute)
    )


def is_decided_by_key(query: Query[Any]) -> bool:
    return query.by_kind and not is_filtered_by_kind(query) and len(query.table.entities) > 1


def is_shared(layout: Layout, key: IndexKey, sort: SortCondition | None) -> bool:
    """Whether a query for this entity may also read items of other kinds."""
    prefix = sort.values[0] if sort is not None and sort.operator in ("=", "begins_with") else ""
    mine = str(prefix) or (key.sort.literal_prefix if key.sort else "")
    for other in layout.table.entities:
        theirs = other.__layout__
        if theirs is layout or key.index not in theirs.keys:
            continue
        their_key = theirs.keys[key.index]
        if _meet(key.partition, their_key.partition) and _prefixes_meet(mine, their_key.sort):
            return True
    return False


def _meet(one: Template, other: Template) -> bool:
    """Whether two partition templates may render the same key, judged by their literal beginnings
    and ends.
    """
    ones, others = one.skeleton.split("{}"), other.skeleton.split("{}")
    begin = ones[0].startswith(others[0]) or others[0].startswith(ones[0])
    end = ones[-1].endswith(others[-1]) or others[-1].endswith(ones[-1])
    return begin and end and (len(ones) > 1 or len(others) > 1 or ones == others)


def _prefixes_meet(mine: str, theirs: Template | None) -> bool:
    text = theirs.literal_prefix if theirs is not None else ""
    return mine.startswith(text) or text.startswith(mine)


def entity_of(table: Table, item: Item, entities: Sequence[type[Entity]]) -> Entity | None:
    """An item as one of some entities, or None if it is of another kind."""
    entity = class_of(table, item, entities)
    return None if entity is None else entity.from_item(item)


def class_of(table: Table, item: Item, entities: Sequence[type[Entity]]) -> type[Entity] | None:
    """The class among some entities that an item belongs to."""
    kind = item.get(table.kind_attribute, {}).get("S")
    for entity in entities:
        layout = entity.__layout__
        if layout.kind == kind if layout.kind is not None else kind is None and fits(layout, item):
            return entity
    return None


def fits(layout: Layout, item: Mapping[str, AttributeValue]) -> bool:
    """Whether an item's key matches an entity's template. This distinguishes entities without a
    kind.
    """
    for attribute, template in layout.primary.templates:
        text = str(next(iter(item.get(attribute, {"S": ""}).values())))
        if layout.archive is not None and attribute == layout.primary.attributes.partition:
            text = text.removesuffix(layout.archive)
        if not template.matches(text):
            return False
    return True


def key_of(entity: type[E], item: Mapping[str, AttributeValue]) -> ItemKey[E]:
    """The key of an item that may consist of keys only."""
    layout = entity.__layout__
    stripped, archived = layout.without_archive_mark(item)
    values: dict[str, Any] = {}
    for attribute, template in layout.primary.templates:
        stored = stripped[attribute]
        values.update(
            template.parse(stored["S"]) if "S" in stored else {template.names[0]: decode(stored)}
        )
    key = ItemKey.of(entity, values)
    return key.archived() if archived else key
