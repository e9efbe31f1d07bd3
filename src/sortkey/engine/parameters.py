"""Parameters that several operations share: conditions, projections and updates, as expressions or
in their legacy form.
"""

from __future__ import annotations

from typing import Any

from sortkey.errors import ValidationException
from sortkey.expressions import legacy
from sortkey.expressions.conditions import Condition
from sortkey.expressions.placeholders import NAMES, VALUES, Placeholders, check_wanted
from sortkey.expressions.projections import Projection
from sortkey.expressions.updates import Update

_CONDITION = ("ConditionExpression",)
_UPDATE = ("UpdateExpression", "ConditionExpression")
_PROJECTION = ("ProjectionExpression",)
_OF_CONDITIONS = frozenset(
    ("ConditionExpression", "Expected", "ConditionalOperator", NAMES, VALUES)
)
_OF_PROJECTIONS = frozenset(("ProjectionExpression", "AttributesToGet", NAMES))


def check_return_values(request: dict[str, Any], *allowed: str) -> str:
    """ReturnValues. Refuses values that this operation does not support."""
    return_values = request.get("ReturnValues") or "NONE"
    if return_values not in allowed:
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")
    return return_values


def has_condition(request: dict[str, Any]) -> bool:
    """Whether a put or a delete has a condition. Refuses conflicting parameters, which AWS checks
    before the item.
    """
    if request.keys().isdisjoint(_OF_CONDITIONS):
        return False
    legacy.check_mixing(request, ("Expected", "ConditionalOperator"), _CONDITION)
    check_wanted(request, _CONDITION, _CONDITION)
    return True


def read_condition(request: dict[str, Any]) -> Condition | None:
    """The condition of a put or a delete."""
    context = Placeholders(request.get(NAMES), request.get(VALUES))
    text = request.get("ConditionExpression")
    condition = (
        context.condition(text, "ConditionExpression")
        if text is not None
        else legacy.expected(request.get("Expected"), request.get("ConditionalOperator"))
    )
    context.finish()
    return condition


def check_update_parameters(request: dict[str, Any]) -> None:
    """Refuse conflicting parameters of an update. AWS checks this before the key."""
    legacy.check_mixing(request, ("AttributeUpdates", "Expected", "ConditionalOperator"), _UPDATE)
    check_wanted(request, _UPDATE, _UPDATE)
    legacy.check_operator(request.get("Expected"), request.get("ConditionalOperator"))


def read_condition_and_update(request: dict[str, Any]) -> tuple[Condition | None, Update | None]:
    """The update and condition of an UpdateItem, from expressions or legacy parameters."""
    context = Placeholders(request.get(NAMES), request.get(VALUES))
    update_text, condition_text = (
        request.get("UpdateExpression"),
        request.get("ConditionExpression"),
    )
    updates = request.get("AttributeUpdates")
    update = context.update(update_text) if update_text is not None else None
    if updates is not None:
        update = legacy.attribute_updates(updates)
    if condition_text is not None:
        condition = context.condition(condition_text, "ConditionExpression")
    else:
        condition = legacy.expected(request.get("Expected"), request.get("ConditionalOperator"))
    context.finish()
    return condition, update


def has_projection(request: dict[str, Any]) -> bool:
    """Whether a read has a projection, which has no values. Refuses conflicting parameters."""
    if request.keys().isdisjoint(_OF_PROJECTIONS):
        return False
    legacy.check_mixing(request, ("AttributesToGet",), _PROJECTION)
    check_wanted(request, _PROJECTION)
    return True


def read_projection(request: dict[str, Any]) -> Projection | None:
    """The projection of a read, or None for whole items."""
    if not has_projection(request):
        return None
    context = Placeholders(request.get(NAMES))
    projection = project(context, request)
    context.finish()
    return projection


def project(context: Placeholders, request: dict[str, Any]) -> Projection | None:
    """ProjectionExpression or AttributesToGet."""
    text, names = request.get("ProjectionExpression"), request.get("AttributesToGet")
    if text is not None:
        return context.projection(text)
    return None if names is None else legacy.attributes_to_get(names)


def keep(context: Placeholders, request: dict[str, Any], older: str) -> Condition | None:
    """FilterExpression, or its legacy form: QueryFilter or ScanFilter."""
    text = request.get("FilterExpression")
    if text is not None:
        return context.condition(text, "FilterExpression")
    return legacy.legacy_filter(request.get(older), request.get("ConditionalOperator"))
