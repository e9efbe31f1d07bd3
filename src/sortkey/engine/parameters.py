"""Parameters that several operations share: conditions, projections and updates, in their new and their old form."""

from __future__ import annotations

from typing import Any

from sortkey.errors import ValidationException
from sortkey.expressions import legacy
from sortkey.expressions.conditions import Condition
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projections import Projection
from sortkey.expressions.updates import Update

_PLACEHOLDERS = ("ExpressionAttributeNames", "ExpressionAttributeValues")


def check_return_values(request: dict[str, Any], *allowed: str) -> str:
    """ReturnValues, refused when this operation does not have it."""
    wanted = request.get("ReturnValues") or "NONE"
    if wanted not in allowed:
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")
    return wanted


def placeholders(request: dict[str, Any]) -> Placeholders:
    return Placeholders(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))


def read_condition(request: dict[str, Any]) -> Condition | None:
    """The condition of a put or a delete."""
    if not _has_any(request, "ConditionExpression", "Expected", "ConditionalOperator", *_PLACEHOLDERS):
        return None
    legacy.check_not_mixed(request, ("Expected", "ConditionalOperator"), ("ConditionExpression",))
    context = placeholders(request)
    text = request.get("ConditionExpression")
    condition = context.condition(text, "ConditionExpression") if text is not None else legacy.expected(request)
    context.finish()
    return condition


def read_condition_and_update(request: dict[str, Any]) -> tuple[Condition | None, Update | None]:
    """What an UpdateItem asks for, by expressions or by AttributeUpdates and Expected."""
    legacy.check_not_mixed(
        request,
        ("AttributeUpdates", "Expected", "ConditionalOperator"),
        ("UpdateExpression", "ConditionExpression"),
    )
    context = placeholders(request)
    update_text, condition_text = request.get("UpdateExpression"), request.get("ConditionExpression")
    update = context.update(update_text) if update_text is not None else legacy.attribute_updates(request)
    if condition_text is not None:
        condition = context.condition(condition_text, "ConditionExpression")
    else:
        condition = legacy.expected(request)
    context.finish()
    return condition, update


def read_projection(request: dict[str, Any]) -> Projection | None:
    """What of an item a read wants; None for all."""
    if not _has_any(request, "ProjectionExpression", "AttributesToGet", *_PLACEHOLDERS):
        return None
    legacy.check_not_mixed(request, ("AttributesToGet",), ("ProjectionExpression",))
    context = placeholders(request)
    text = request.get("ProjectionExpression")
    projection = context.projection(text) if text is not None else legacy.attributes_to_get(request)
    context.finish()
    return projection


def _has_any(request: dict[str, Any], *names: str) -> bool:
    return any(name in request for name in names)
