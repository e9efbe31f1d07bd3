"""A page of a query or a scan: walks rows in key order until the limit or 1 MB, filters them, and
returns where it stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson
from orjson import Fragment

from sortkey.engine.answers import Answer, Finished
from sortkey.engine.capacity import OFF, Meter, entry, read_units
from sortkey.engine.item_keys import check_index_keys, check_scalar_keys, encode_key
from sortkey.engine.tables import Index, Table
from sortkey.errors import ValidationException
from sortkey.expressions.conditions import Condition
from sortkey.expressions.projections import Projection
from sortkey.values.attributes import INVALID, Item, read_item
from sortkey.values.keys import partition_of
from sortkey.values.sizes import item_size

PAGE_BYTES = 1024 * 1024
ROWS_AT_ONCE = 32
"""How many rows are read together, in C, without reading far beyond a page of large items."""


@dataclass(slots=True)
class Page:
    """What to read and how to return it. `whole` reads the table's item if an index holds only part
    of it.
    """

    table: Table
    index: Index | None
    limit: int | None
    condition: Condition | None
    projection: Projection | None
    count_only: bool
    consistent: bool
    whole: bool = False
    bytes_left: int = PAGE_BYTES
    """Counts down over the spans of one page."""


@dataclass(slots=True)
class Span:
    """A run of keys: lower inclusive, upper exclusive, `after` the start key's own position.

    `end` is the table's key, if the condition names it, after which nothing can follow, so that
    there is no next page.
    """

    lower: bytes
    upper: bytes | None
    descending: bool = False
    after: tuple[bytes | None, bytes] | None = None
    end: bytes | None = None


@dataclass(slots=True)
class Walk:
    """The result of a walk over a span. `last` is the item at which it stopped before the end."""

    items: list[Any]
    count: int
    scanned: int
    size_read: int
    fetched_units: int
    last: bytes | None


def answer(
    request: dict[str, Any],
    table: Table,
    index: Index | None,
    span: Span,
    condition: Condition | None,
    projection: Projection | None,
    *,
    of_partition: bool = False,
) -> Answer:
    """The answer of a Query (`of_partition`) or a Scan for a span."""
    page = Page(
        table,
        index,
        request.get("Limit"),
        condition,
        projection,
        count_only=request.get("Select") == "COUNT",
        consistent=bool(request.get("ConsistentRead")),
        whole=reads_whole(table, index, request, projection),
    )
    mode = request.get("ReturnConsumedCapacity")
    meter = Meter(mode, (request["TableName"],)) if mode else OFF
    as_stored = index is None and condition is None and projection is None
    if of_partition and as_stored and not page.count_only and not meter.on:
        return _finished(page, span, meter)
    return read(page, span, meter)


def _finished(page: Page, span: Span, meter: Meter) -> Finished:
    """A page of whole items of one partition, from the cache if nothing was written there since."""
    partition = partition_of(span.lower)
    which = (span.lower, span.upper, span.after, span.descending, span.end, page.limit)
    finished: Finished | None = page.table.rows.page(partition, which)
    if finished is None:
        finished = Finished.of(orjson.dumps(read(page, span, meter)))
        page.table.rows.keep_page(partition, which, finished, len(finished.body))
    return finished


def read(page: Page, span: Span, meter: Meter) -> dict[str, Any]:
    """One page of a span."""
    table, index = page.table, page.index
    rows = table.rows.items(
        span.lower,
        span.upper,
        column=index.column if index else None,
        after=span.after,
        descending=span.descending,
    )
    names = None if index is None else table.projected_names(index)
    as_stored = names is None and page.condition is None and page.projection is None
    walk = _walk_stored(page, rows) if as_stored else _walk_decoded(page, rows, names is not None)
    page.bytes_left -= walk.size_read
    _measure(page, meter, walk.size_read, walk.fetched_units)
    answer: dict[str, Any] = {} if page.count_only else {"Items": walk.items}
    answer["Count"], answer["ScannedCount"] = walk.count, walk.scanned
    if walk.last is not None:
        last = orjson.loads(walk.last)
        if span.end is None or table.encode(last) != span.end:
            answer["LastEvaluatedKey"] = start_key(table, index, last)
    if meter.on:
        answer.update(meter.report())
    return answer


def _walk_stored(page: Page, rows: Iterator[tuple[bytes, int]]) -> Walk:
    """Returns the stored bytes without decoding them, for most queries."""
    limit, bytes_left = page.limit or _NO_LIMIT, page.bytes_left
    stored: list[bytes] = []
    size_read = 0
    while rows_read := list(islice(rows, min(ROWS_AT_ONCE, limit - len(stored)))):
        items, sizes = zip(*rows_read, strict=True)
        size_read += sum(sizes)
        if size_read >= bytes_left:  # past the end of the page: drop the rest
            while size_read - sizes[len(items) - 1] >= bytes_left:
                size_read -= sizes[len(items) - 1]
                items = items[:-1]
        stored += items
        if size_read >= bytes_left or len(stored) == limit:
            return _stored_walk(page, stored, size_read, stored[-1])
    return _stored_walk(page, stored, size_read, None)


def _stored_walk(page: Page, stored: list[bytes], size_read: int, last: bytes | None) -> Walk:
    items = [] if page.count_only else [Fragment(item) for item in stored]
    return Walk(items, len(stored), len(stored), size_read, 0, last)


def _walk_decoded(page: Page, rows: Iterator[tuple[bytes, int]], partial: bool) -> Walk:
    """Decodes items to filter them, project them, or reduce them to what the index holds."""
    walk = Walk([], 0, 0, 0, 0, None)
    for stored, size in rows:
        item: Item = orjson.loads(stored)
        answered: Any = Fragment(stored)
        if partial and page.index is not None:
            entry_item = entry(page.table, page.index, item) or {}
            if page.whole:
                walk.fetched_units += int(read_units(size, True))
            else:
                answered = item = entry_item
            size = item_size(entry_item)
        walk.scanned += 1
        walk.size_read += size
        if page.condition is None or page.condition(item):
            walk.count += 1
            if not page.count_only:
                walk.items.append(answered if page.projection is None else page.projection(item))
        if walk.scanned == page.limit or walk.size_read >= page.bytes_left:
            walk.last = stored
            break
    return walk


_NO_LIMIT = 1 << 62
START_INVALID = "The provided starting key is invalid"
# AWS's messages about a value in a start key that do not mention the start key.
_SAID_ALONE = re.compile(
    "contains duplicates|number set|numeric value|significant digits|number with magnitude"
)


def start_key(table: Table, index: Index | None, item: Item) -> Item:
    """Where to continue: the table's key, and the index's if one is read."""
    names = table.key.names if index is None else (*table.key.names, *index.key.names)
    return {name: item[name] for name in names}


def read_start_key(request: dict[str, Any]) -> Item | None:
    """ExclusiveStartKey, with valid values."""
    raw = request.get("ExclusiveStartKey")
    if raw is None:
        return None
    try:
        return read_item(raw)[0]
    except ValidationException as error:
        if _SAID_ALONE.search(error.message):
            raise
        raise ValidationException(f"{START_INVALID}: {error.message}") from None


def position(
    table: Table, index: Index | None, key: Item, mismatch: str = START_INVALID
) -> tuple[bytes | None, bytes]:
    """The place of an ExclusiveStartKey in the order of the index and the table."""
    names = {*table.key.names} if index is None else {*table.key.names, *index.key.names}
    if key.keys() != names or any(table.types[name] not in key[name] for name in names):
        raise ValidationException(mismatch)
    try:
        encoded = encode_key(table, {name: key[name] for name in table.key.names})
        if index is not None:
            check_index_keys(table, key)
    except ValidationException as error:
        raise ValidationException(f"{START_INVALID}: {error.message}") from None
    return (None if index is None else table.index_schemas[index.name].encode(key)), encoded


def _measure(page: Page, meter: Meter, size_read: int, fetched: int) -> None:
    """Capacity: the index costs what it holds. Attributes that it lacks are fetched from the table,
    item by item.
    """
    if not meter.on:
        return
    index = page.index
    meter.read(page.table, read_units(size_read, page.consistent) if index is None else 0.0)
    if index is not None:
        meter.read(page.table, read_units(size_read, page.consistent), index)
        if fetched:
            meter.read(page.table, fetched if page.consistent else fetched / 2)


# -- parameters of Query and Scan


def find_index(table: Table, request: dict[str, Any]) -> Index | None:
    """The index that a read names, if it can be read."""
    name = request.get("IndexName")
    if name is None:
        return None
    index = table.index(name)
    if index is None or index.backfilling:
        raise ValidationException(
            f"The table does not have the specified index: {name}"
            if index is None
            else f"Cannot read from backfilling global secondary index: {name}"
        )
    if index.kind == "GSI" and request.get("ConsistentRead"):
        raise ValidationException("Consistent reads are not supported on global secondary indexes")
    return index


def check_select(request: dict[str, Any]) -> None:
    """Check what `Select` may be combined with."""
    select = request.get("Select")
    parameter = next(
        (n for n in ("ProjectionExpression", "AttributesToGet") if request.get(n) is not None), None
    )
    if select == "SPECIFIC_ATTRIBUTES" and parameter is None:
        raise ValidationException(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES"
        )
    if select in _EXCLUSIVE and parameter is not None:
        raise ValidationException(
            f"Cannot specify the {parameter} when choosing to get {_EXCLUSIVE[select]}"
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.get("IndexName") is None:
        raise ValidationException(
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )


_EXCLUSIVE = {
    "COUNT": "only the Count",
    "ALL_ATTRIBUTES": "ALL_ATTRIBUTES",
    "ALL_PROJECTED_ATTRIBUTES": "ALL_PROJECTED_ATTRIBUTES",
}


def check_paths(table: Table, condition: Condition | None, projection: Projection | None) -> None:
    """Refuse paths into a key in the filter or the projection."""
    if condition is not None:
        check_scalar_keys(table, condition.paths)
    if projection is not None:
        check_scalar_keys(table, projection.paths)


def check_filtered(table: Table, index: Index | None, condition: Condition) -> None:
    """A query's filter may only use what the index holds. A scan's may name other attributes, which
    are missing.
    """
    names = None if index is None else table.projected_names(index)
    missing = [] if names is None else sorted(condition.top_level - names)
    if index is not None and missing:
        raise ValidationException(
            f"{INVALID}Secondary index {index.name} does not project one or more filter "
            "attributes: "
            f"[{', '.join(missing)}]"
        )


def reads_whole(
    table: Table, index: Index | None, request: dict[str, Any], projection: Projection | None
) -> bool:
    """Whether items are fetched from the table, which only a local index supports."""
    names = None if index is None else table.projected_names(index)
    if index is None or names is None:
        return False
    everything = request.get("Select") == "ALL_ATTRIBUTES"
    missing = sorted(projection.top_level - names) if projection is not None else []
    if index.kind == "LSI":
        return everything or bool(missing)
    if everything:
        raise ValidationException(
            "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
            "supported for global "
            f"secondary index {index.name} because its projection type is not ALL"
        )
    if missing:
        raise ValidationException(
            f"One or more parameter values were invalid: Global secondary index {index.name} does "
            "not project "
            f"[{', '.join(missing)}]"
        )
    return False
