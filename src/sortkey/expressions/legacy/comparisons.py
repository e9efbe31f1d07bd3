"""The thirteen comparison operators of the legacy parameters: their arguments and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sortkey.errors import ValidationException
from sortkey.expressions.conditions import Test
from sortkey.expressions.predicates import MaybeValue, contains, ordered, same, starts_with, within
from sortkey.values.attributes import EMPTY_NAME, INVALID, AttributeValue, read_value
from sortkey.values.compare import order

_SCALARS = frozenset(("S", "N", "B"))
_ALLOWED_TYPES = {
    "LE": _SCALARS,
    "LT": _SCALARS,
    "GE": _SCALARS,
    "GT": _SCALARS,
    "IN": _SCALARS,
    "BETWEEN": _SCALARS,
    "CONTAINS": _SCALARS | {"BOOL", "NULL"},
    "NOT_CONTAINS": _SCALARS | {"BOOL", "NULL"},
    "BEGINS_WITH": frozenset(("S", "B")),
}
# The minimum and maximum number of arguments of each operator; IN has no maximum.
_COUNTS = {"NULL": (0, 0), "NOT_NULL": (0, 0), "BETWEEN": (2, 2), "IN": (1, None)}

Question = Callable[[MaybeValue, Sequence[AttributeValue]], bool]
_QUESTIONS: dict[str, Question] = {
    "EQ": lambda value, arguments: same(value, arguments[0]),
    "NE": lambda value, arguments: not same(value, arguments[0]),
    "LE": lambda value, arguments: ordered("<=", value, arguments[0]),
    "LT": lambda value, arguments: ordered("<", value, arguments[0]),
    "GE": lambda value, arguments: ordered(">=", value, arguments[0]),
    "GT": lambda value, arguments: ordered(">", value, arguments[0]),
    "NOT_NULL": lambda value, arguments: value is not None,
    "NULL": lambda value, arguments: value is None,
    "CONTAINS": lambda value, arguments: contains(value, arguments[0]),
    # Unlike NOT contains(…), this does not hold for a missing attribute.
    "NOT_CONTAINS": lambda value, arguments: (
        value is not None and not contains(value, arguments[0])
    ),
    "BEGINS_WITH": lambda value, arguments: starts_with(value, arguments[0]),
    "IN": lambda value, arguments: value in arguments,
    "BETWEEN": lambda value, arguments: within(value, arguments[0], arguments[1]),
}


def read_named(name: str, condition: Mapping[str, Any] | None) -> tuple[str, list[AttributeValue]]:
    """`read_comparison` of an entry of KeyConditions or of a filter, which has a name and is not
    null.
    """
    check_name(name)
    if condition is None:
        raise ValidationException(f"The filter condition for an attribute cannot be null: {name}")
    return read_comparison(condition)


def read_comparison(condition: Mapping[str, Any]) -> tuple[str, list[AttributeValue]]:
    """ComparisonOperator and AttributeValueList, both checked."""
    operator = condition.get("ComparisonOperator")
    arguments = [read_value(value)[0] for value in condition.get("AttributeValueList") or ()]
    if operator not in _QUESTIONS:
        raise ValidationException("Comparison type does not exist in DynamoDB")
    check_arguments(operator, arguments)
    return operator, arguments


def check_arguments(operator: str, arguments: Sequence[AttributeValue]) -> None:
    least, most = _COUNTS.get(operator, (1, 1))
    if len(arguments) < least or (most is not None and len(arguments) > most):
        raise ValidationException(
            INVALID + f"Invalid number of argument(s) for the {operator} ComparisonOperator"
        )
    kinds = [next(iter(value)) for value in arguments]
    allowed = _ALLOWED_TYPES.get(operator)
    for kind in kinds:
        if allowed is not None and kind not in allowed:
            raise ValidationException(
                INVALID
                + f"ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
            )
    if len(set(kinds)) > 1:
        raise ValidationException(
            INVALID + "AttributeValues inside AttributeValueList must be of same type"
        )
    if operator == "BETWEEN" and order(arguments[0], arguments[1]) == 1:
        raise ValidationException(
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound"
        )


def comparison(name: str, operator: str, arguments: Sequence[AttributeValue]) -> Test:
    ask = _QUESTIONS[operator]
    return lambda item: ask(item.get(name), arguments)


def check_name(name: str) -> None:
    if not name:
        raise ValidationException(EMPTY_NAME)
