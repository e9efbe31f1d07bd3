"""Query: items of one partition of a table or an index, in the order of the range key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.capacity import Meter
from sortkey.engine.parameters import keep, project
from sortkey.engine.reads import Page, Span, check_select, find_index, position, read, reads_whole
from sortkey.engine.tables import Index, Table
from sortkey.errors import ValidationException
from sortkey.expressions import legacy
from sortkey.expressions.conditions import Condition
from sortkey.expressions.key_conditions import KeyCondition, check_filter
from sortkey.expressions.placeholders import Placeholders
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
    span = _span(table, index, key_condition)
    if condition is not None:
        # Conditions on the key belong into the key condition: a filter would be charged for what it drops.
        title = "Filter Expression" if "FilterExpression" in request else "QueryFilter"
        check_filter(condition, (table.key if index is None else index.key).names, title)
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
    legacy.check_mixing(request, LEGACY, EXPRESSIONS)
    context = Placeholders.of(request, EXPRESSIONS, EXPRESSIONS[:2])
    key_text = request.get("KeyConditionExpression")
    if key_text is None and request.get("KeyConditions") is None:
        raise ValidationException(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )
    condition = keep(context, request, "QueryFilter")
    projection = project(context, request)
    key = context.key_condition(key_text) if key_text is not None else legacy.key_conditions(request["KeyConditions"])
    context.finish()
    return key, condition, projection


def _span(table: Table, index: Index | None, condition: KeyCondition) -> Span:
    key = table.key if index is None else index.key
    wanted = condition.resolve(key.hash, key.range, table.types)
    schema = table.schema if index is None else table.index_schemas[index.name]
    operator: Any = wanted.operator
    return Span(*schema.bounds(schema.partition(wanted.hash_values), wanted.equals, operator, wanted.operands))
