"""SELECT: one item by its key, partitions of a table or index, or a scan: what reads least."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
from orjson import Fragment

from sortkey.engine.capacity import Meter, read_units
from sortkey.engine.item_keys import encode_key
from sortkey.engine.partiql.conditions import Translator
from sortkey.engine.partiql.keys import (
    Term,
    check_filter,
    check_key_value,
    conjuncts,
    read_term,
    together,
)
from sortkey.engine.partiql.projections import Lifted, read_projection
from sortkey.engine.partiql.sources import read_source
from sortkey.engine.partiql.syntax import Ordering, Reference, Select
from sortkey.engine.partiql.values import Parameters
from sortkey.engine.reads import Page, Span, check_filtered, find_index, position, read, reads_whole
from sortkey.engine.tables import Index, KeySchema, Table
from sortkey.errors import ValidationException
from sortkey.expressions.conditions import Condition
from sortkey.expressions.key_ranges import check_hash_size
from sortkey.expressions.paths import Parts, check_key_paths
from sortkey.expressions.syntax import Condition as Tree
from sortkey.values.attributes import AttributeValue, Item
from sortkey.values.keys import plain

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

HASH_VALUES_MAX = 50
MANY_PARTITIONS = 10
"""A page over more has no more items than this: "Results are returned in pages of up to 10 items".
"""
_NO_INDEX = "The table does not have the specified index"
_HASH_NEEDED = (
    "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY "
    "clause."
)
_SEVERAL_ATTRIBUTES = (
    "PartiQL statements cannot be executed on tables with composite HASH keys or composite RANGE "
    "keys."
)
_RANGE_OPERATORS = frozenset(("=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"))


@dataclass(slots=True)
class Selection:
    """A SELECT that was checked without its table. `plan` matches it to the table."""

    table_name: str
    index_name: str | None
    projection: Lifted | None
    where: Tree | None
    read_paths: tuple[Parts, ...]
    order: tuple[Ordering, ...]
    translator: Translator

    @property
    def paths(self) -> Iterable[Parts]:
        """All paths that it reads."""
        columns = () if self.projection is None else self.projection.columns
        return (*(parts for _, parts in columns), *self.read_paths)


@dataclass(slots=True)
class Plan:
    """What to read: the item under `key`, or all spans in order."""

    table: Table
    index: Index | None
    projection: Lifted | None
    condition: Condition | None
    key: bytes | None = None
    key_item: Item | None = None
    spans: list[tuple[bytes, Span]] = field(default_factory=list[tuple[bytes, Span]])
    """With each partition's hash value, to find where a page continues."""
    partitions_descending: bool = False


def read_select(select: Select, parameters: Parameters) -> Selection:
    """Finds every error that does not depend on the table."""
    if select.refusal is not None:
        raise ValidationException(select.refusal)
    table_name, index_name = read_source(select.source)
    projection = read_projection(select.projection)
    translator = Translator(parameters)
    where = None if select.where is None else translator.where(select.where)
    read_paths = () if where is None else translator.compile(where).paths
    if select.order and where is None:
        raise ValidationException(
            "Must have WHERE clause in the statement when using ORDER BY clause."
        )
    return Selection(
        table_name, index_name, projection, where, read_paths, select.order, translator
    )


def plan(engine: Engine, selection: Selection, consistent: bool = False) -> Plan:
    table = engine.catalog.readable(selection.table_name)
    if selection.index_name is not None and table.index(selection.index_name) is None:
        raise ValidationException(_NO_INDEX)
    index = find_index(table, {"IndexName": selection.index_name, "ConsistentRead": consistent})
    key = table.key if index is None else index.key
    if len(key.hash) > 1 or len(key.range) > 1:
        raise ValidationException(_SEVERAL_ATTRIBUTES)
    check_key_paths(selection.paths, (*table.key.names, *key.names))
    terms = [(tree, read_term(tree, selection.translator)) for tree in conjuncts(selection.where)]
    if selection.order and not any(term is not None and term.name in key.hash for _, term in terms):
        raise ValidationException(_HASH_NEEDED)
    order = _read_order(key, selection)
    partitions = _partitions(table, key, terms)
    ranges = [] if partitions is None else _ranges(table, key, terms)
    used = {id(tree) for tree, _ in ranges}
    if partitions is not None:
        used.add(id(partitions.tree))
    rest = together([tree for tree, _ in terms if id(tree) not in used])
    condition = None if rest is None else _filter(table, key, rest, selection)
    if condition is not None and partitions is not None:
        check_filtered(table, index, condition)
    planned = Plan(table, index, selection.projection, condition)
    planned.partitions_descending = any(order.get(name, False) for name in key.hash)
    if partitions is None:
        planned.spans = [(b"", Span(b"", None))]
        return planned
    exact = partitions.is_equal and len(ranges) == len(key.range) and rest is None
    if index is None and exact and all(term.operator == "=" for _, term in ranges):
        values = [partitions.values[0], *(term.operands[0] for _, term in ranges)]
        planned.key_item = dict(zip(key.names, values, strict=True))
        planned.key = encode_key(table, planned.key_item)
        return planned
    descending = any(order.get(name, False) for name in key.range)
    planned.spans = _spans(
        table, index, partitions.values, [term for _, term in ranges], descending
    )
    planned.spans.sort(key=lambda pair: pair[0], reverse=planned.partitions_descending)
    return planned


def _filter(table: Table, key: KeySchema, rest: Tree, selection: Selection) -> Condition:
    check_filter(table, frozenset((*table.key.names, *key.names)), rest, selection.translator)
    return selection.translator.compile(rest)


# -- the key conditions of the WHERE clause

_Terms = list[tuple[Tree, Term | None]]


@dataclass(slots=True)
class _Partitions:
    """The values of the hash attribute, one per partition, and their condition."""

    values: list[AttributeValue]
    tree: Tree
    is_equal: bool
    """By "=", which names one. AWS does not accept an IN of one value as a key."""


def _partitions(table: Table, key: KeySchema, terms: _Terms) -> _Partitions | None:
    """The partitions named by = or IN. None for a scan."""
    (name,) = key.hash
    usable = [
        (tree, term)
        for tree, term in terms
        if term and term.name == name and term.operator in ("=", "IN")
    ]
    if not usable:
        return None
    tree, term = min(usable, key=lambda pair: pair[1].operator == "IN")
    if len(term.operands) > HASH_VALUES_MAX:
        raise ValidationException(
            "The IN operator is provided with too many operands; number of operands: "
            f"{len(term.operands)}"
        )
    for value in term.operands:
        check_key_value(table, name, value)
        check_hash_size((value,))
    distinct = {plain(value): value for value in term.operands}
    return _Partitions(list(distinct.values()), tree, term.operator == "=")


def _ranges(table: Table, key: KeySchema, terms: _Terms) -> list[tuple[Tree, Term]]:
    """The term that bounds the range attribute, if there is one. An equality wins over any other
    comparison.
    """
    for name in key.range:
        usable = [
            (t, term)
            for t, term in terms
            if term and term.name == name and term.operator in _RANGE_OPERATORS
        ]
        for _, term in usable:
            for value in term.operands:
                check_key_value(table, name, value)
        if usable:
            return [min(usable, key=lambda pair: pair[1].operator != "=")]
    return []


def _spans(
    table: Table,
    index: Index | None,
    partitions: list[AttributeValue],
    ranges: list[Term],
    desc: bool,
) -> list[tuple[bytes, Span]]:
    schema = table.schema if index is None else table.index_schemas[index.name]
    equals = [term.operands[0] for term in ranges if term.operator == "="]
    last = ranges[-1] if ranges and ranges[-1].operator != "=" else None
    operator: Any = None if last is None else last.operator
    operands = () if last is None else last.operands
    return [
        (
            plain(value),
            Span(*schema.bounds(schema.partition((value,)), equals, operator, operands), desc),
        )
        for value in partitions
    ]


def _read_order(key: KeySchema, selection: Selection) -> dict[str, bool]:
    """The key attributes of ORDER BY, and whether they are descending."""
    order: dict[str, bool] = {}
    for element in selection.order:
        node = element.node
        if not isinstance(node, Reference) or len(node.steps) != 1:
            kind = (
                "PATH"
                if isinstance(node, Reference)
                else getattr(node, "content", type(node).__name__)
            )
            raise ValidationException(
                f"Argument to ORDER BY must be of type VariableReference. Type: {kind}"
            )
        name = str(node.steps[0])
        if name not in key.names:
            raise ValidationException(
                f"Variable reference {name} in ORDER BY clause must be part of the primary key"
            )
        order[name] = element.descending
    return order


# -- reading


def fetch(planned: Plan) -> tuple[Any, int]:
    """The one item that is read by its key, or None if there is none, and its whole size."""
    assert planned.key is not None
    row = planned.table.rows.get(planned.key)
    if row is None:
        return None, 0
    item, size = row
    return (
        Fragment(item) if planned.projection is None else planned.projection(orjson.loads(item))
    ), size


def read_page(
    planned: Plan, request: dict[str, Any], start: Item | None
) -> tuple[list[Any], Item | None, Meter]:
    """A page of items, where the next one starts, and what it cost."""
    meter = Meter(request.get("ReturnConsumedCapacity"))
    consistent = bool(request.get("ConsistentRead"))
    if planned.key is not None:
        return *_read_one(planned, request, meter, start), meter
    table, index = planned.table, planned.index
    projection: Any = planned.projection
    whole = reads_whole(table, index, request, projection)
    limit = request.get("Limit")
    if len(planned.spans) > MANY_PARTITIONS:
        limit = min(limit or MANY_PARTITIONS, MANY_PARTITIONS)
    page = Page(table, index, limit, planned.condition, projection, False, consistent, whole)
    items: list[Any] = []
    for span in _from(planned, start):
        answer = read(page, span, meter)
        items += answer["Items"]
        if "LastEvaluatedKey" in answer:
            return items, answer["LastEvaluatedKey"], meter
        if page.limit is not None:
            page.limit -= answer["ScannedCount"]
    return items, None, meter


def _read_one(
    planned: Plan, request: dict[str, Any], meter: Meter, start: Item | None
) -> tuple[list[Any], Item | None]:
    """A page with the item under a key. With a limit of one it has a next, empty page, like any
    full page.
    """
    item, size = (None, 0) if start is not None else fetch(planned)
    meter.read(planned.table, read_units(size, bool(request.get("ConsistentRead"))))
    if item is None:
        return [], None
    return [item], planned.key_item if request.get("Limit") == 1 else None


def _from(planned: Plan, start: Item | None) -> list[Span]:
    """The remaining spans after the item where the last page stopped."""
    if start is None:
        return [span for _, span in planned.spans]
    key = planned.table.key if planned.index is None else planned.index.key
    at, after = plain(start[key.hash[0]]), position(planned.table, planned.index, start)
    spans: list[Span] = []
    for hash_value, span in planned.spans:
        if hash_value == at or not hash_value:
            span.after = after
            spans.append(span)
        elif (hash_value < at) == planned.partitions_descending:
            spans.append(span)
    return spans
