"""Query: items of one partition of a table or an index, in the order of the range key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.capacity import Meter
from sortkey.engine.item_keys import EMPTY_KEY
from sortkey.engine.parameters import placeholders
from sortkey.engine.reads import Page, Span, check_select, find_index, position, read, reads_whole
from sortkey.engine.tables import Index, Table
from sortkey.errors import ValidationException
from sortkey.expressions import legacy
from sortkey.expressions.conditions import Condition
from sortkey.expressions.key_conditions import KeyCondition, ResolvedKey
from sortkey.expressions.projections import Projection
from sortkey.values.attributes import read_item

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

LEGACY = ("KeyConditions", "QueryFilter", "AttributesToGet", "ConditionalOperator")
EXPRESSIONS = ("KeyConditionExpression", "FilterExpression", "ProjectionExpression")
OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    key_condition, condition, projection = _read_expressions(request)
    check_select(request)
    start, _ = read_item(request["ExclusiveStartKey"]) if request.get("ExclusiveStartKey") else (None, 0)
    table = engine.catalog.table(request["TableName"])
    index = find_index(table, request)
    resolved = _resolve(table, index, key_condition)
    if condition is not None:
        _check_filter(table, index, condition, request)
    span = _span(table, index, resolved)
    span.descending = request.get("ScanIndexForward") is False
    if start is not None:
        span.after = position(table, index, start)
        at = span.after[1] if index is None else span.after[0]
        if at is None or at < span.lower or (span.upper is not None and at >= span.upper):
            raise ValidationException(OUTSIDE)
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
    return read(page, span, Meter(request.get("ReturnConsumedCapacity")))


def _read_expressions(request: dict[str, Any]) -> tuple[KeyCondition, Condition | None, Projection | None]:
    legacy.check_not_mixed(request, LEGACY, EXPRESSIONS)
    context = placeholders(request)
    key_text, filter_text, projection_text = (request.get(name) for name in EXPRESSIONS)
    if key_text is None and not request.get("KeyConditions"):
        raise ValidationException(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )
    condition = (
        context.condition(filter_text, "FilterExpression") if filter_text is not None else legacy.query_filter(request)
    )
    projection = (
        context.projection(projection_text) if projection_text is not None else legacy.attributes_to_get(request)
    )
    key = context.key_condition(key_text) if key_text is not None else legacy.key_conditions(request)
    context.finish()
    return key, condition, projection


def _resolve(table: Table, index: Index | None, condition: KeyCondition) -> ResolvedKey:
    key = table.key if index is None else index.key
    resolved = condition.resolve(key.hash, key.range, table.types)
    for name, value in zip(key.hash, resolved.hash_values, strict=True):
        ((kind, content),) = value.items()
        if not content:
            raise ValidationException(EMPTY_KEY.format("string" if kind == "S" else "binary", name))
    return resolved


def _span(table: Table, index: Index | None, resolved: ResolvedKey) -> Span:
    schema = table.schema if index is None else table.index_schemas[index.name]
    partition = schema.partition(resolved.hash_values)
    return Span(*schema.bounds(partition, resolved.equals, resolved.operator, resolved.operands))


def _check_filter(table: Table, index: Index | None, condition: Condition, request: dict[str, Any]) -> None:
    """Conditions on the key belong into the key condition: a filter would be charged for what it drops."""
    words = "Filter Expression" if "FilterExpression" in request else "QueryFilter"
    for name in (table.key if index is None else index.key).names:
        if name in condition.top_level:
            raise ValidationException(
                f"{words} can only contain non-primary key attributes: Primary key attribute: {name}"
            )
