"""Query: items of one partition of a table or an index, in the order of the range key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.answers import Answer
from sortkey.engine.parameters import keep, project
from sortkey.engine.reads import (
    Span,
    answer,
    check_filtered,
    check_paths,
    check_select,
    find_index,
    position,
    read_start_key,
)
from sortkey.engine.tables import Index, Table
from sortkey.errors import ValidationException
from sortkey.expressions import legacy
from sortkey.expressions.conditions import Condition
from sortkey.expressions.key_conditions import KeyCondition, check_filter
from sortkey.expressions.key_ranges import KeyRange
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projections import Projection
from sortkey.values.attributes import Item
from sortkey.values.keys import KeySchema, plain

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

LEGACY = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")
EXPRESSIONS = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"
NO_RANGE_MATCH = "The provided starting key does not match the range key predicate"


def run(engine: Engine, request: dict[str, Any]) -> Answer:
    key_condition, condition, projection = _read_expressions(request)
    check_select(request)
    start = read_start_key(request)
    table = engine.catalog.table(request["TableName"])
    index = find_index(table, request)
    after = None if start is None else position(table, index, start)
    span = _span(
        table, index, key_condition, start, descending=request.get("ScanIndexForward") is False
    )
    span.after = after
    check_paths(table, condition, projection)
    if condition is not None:
        # Conditions on the key belong in the key condition: a filter would be charged for what it
        # drops.
        title = "Filter Expression" if "FilterExpression" in request else "QueryFilter"
        check_filter(condition, (table.key if index is None else index.key).names, title)
        check_filtered(table, index, condition)
    return answer(request, table, index, span, condition, projection, of_partition=True)


def _read_expressions(
    request: dict[str, Any],
) -> tuple[KeyCondition, Condition | None, Projection | None]:
    legacy.check_mixing(request, LEGACY, EXPRESSIONS)
    context = Placeholders.of(request, EXPRESSIONS, EXPRESSIONS[1:])
    key_text = request.get("KeyConditionExpression")
    if key_text is None and request.get("KeyConditions") is None:
        raise ValidationException(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
            "request."
        )
    condition = keep(context, request, "QueryFilter")
    projection = project(context, request)
    key = (
        context.key_condition(key_text)
        if key_text is not None
        else legacy.key_conditions(request["KeyConditions"])
    )
    context.finish()
    return key, condition, projection


def _span(
    table: Table,
    index: Index | None,
    condition: KeyCondition,
    start: Item | None,
    *,
    descending: bool,
) -> Span:
    key = table.key if index is None else index.key
    key_range = condition.resolve(
        key.hash, key.range, table.types, None if index is None else index.name
    )
    schema = table.schema if index is None else table.index_schemas[index.name]
    operator: Any = key_range.operator
    partition = schema.partition(key_range.hash_values)
    span = Span(
        *schema.bounds(partition, key_range.equals, operator, key_range.operands), descending
    )
    if index is None and operator is not None:
        span.end = _end(partition, key_range, descending)
    if start is not None:
        _check_start(
            span,
            partition,
            schema,
            start,
            whole=key_range.operator is None and not key_range.equals,
        )
    return span


def _end(partition: bytes, key_range: KeyRange, descending: bool) -> bytes | None:
    """The inclusive bound at which a query of a table ends. In an index, items may share it."""
    if key_range.operator == "BETWEEN":
        return partition + plain(key_range.operands[0 if descending else 1])
    return (
        partition + plain(key_range.operands[0])
        if key_range.operator == (">=" if descending else "<=")
        else None
    )


def _check_start(span: Span, partition: bytes, schema: KeySchema, start: Item, whole: bool) -> None:
    """Check that the start key is within the query and not at its very end: first the range key,
    then the partition.
    """
    own = schema.partition([start[name] for name, _ in schema.hash_attributes])
    at = partition + (schema.encode(start) or b"")[len(own) :]
    if not whole and (
        at < span.lower or (span.upper is not None and at >= span.upper) or at == span.end
    ):
        raise ValidationException(NO_RANGE_MATCH)
    if own != partition:
        raise ValidationException(OUTSIDE)
