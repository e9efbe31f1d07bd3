"""Scan: every item of a table or an index, or of one segment of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.answers import Answer
from sortkey.engine.item_keys import MISMATCH
from sortkey.engine.parameters import keep, project
from sortkey.engine.reads import (
    START_INVALID,
    Span,
    answer,
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
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projections import Projection
from sortkey.values.attributes import Item
from sortkey.values.keys import segment_bounds

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

LEGACY = ("AttributesToGet", "ScanFilter", "ConditionalOperator")
EXPRESSIONS = ("ProjectionExpression", "FilterExpression")


def run(engine: Engine, request: dict[str, Any]) -> Answer:
    condition, projection = _read_expressions(request)
    check_select(request)
    _check_segment(request)
    start = read_start_key(request)
    table = engine.catalog.table(request["TableName"])
    index = find_index(table, request)
    span = _span(table, index, request, start)
    check_paths(table, condition, projection)
    return answer(request, table, index, span, condition, projection)


def _read_expressions(request: dict[str, Any]) -> tuple[Condition | None, Projection | None]:
    legacy.check_mixing(request, LEGACY, EXPRESSIONS)
    context = Placeholders.of(request, EXPRESSIONS, EXPRESSIONS[1:])
    condition = keep(context, request, "ScanFilter")
    projection = project(context, request)
    context.finish()
    return condition, projection


def _check_segment(request: dict[str, Any]) -> None:
    segment, total = request.get("Segment"), request.get("TotalSegments")
    if segment is None and total is None:
        return
    if total is None:
        raise ValidationException(
            "The TotalSegments parameter is required but was not present in the request "
            "when Segment parameter is present"
        )
    if segment is None:
        raise ValidationException(
            "The Segment parameter is required but was not present in the request "
            "when parameter TotalSegments is present"
        )
    if segment >= total:
        raise ValidationException(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}"
        )


def _span(table: Table, index: Index | None, request: dict[str, Any], start: Item | None) -> Span:
    segment, total = request.get("Segment"), request.get("TotalSegments")
    span = (
        Span(b"", None)
        if segment is None or total is None
        else Span(*segment_bounds(segment, total))
    )
    if start is not None:
        mismatch = f"{START_INVALID}: {MISMATCH}" if index is None else START_INVALID
        span.after = position(table, index, start, mismatch)
        at = span.after[1] if index is None else span.after[0]
        if at is None or at < span.lower or (span.upper is not None and at >= span.upper):
            raise ValidationException(
                f"{START_INVALID}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
                "correct Segment. "
                f"TotalSegments: {total} Segment: {segment}"
            )
    return span
