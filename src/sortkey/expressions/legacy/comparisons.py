"""The thirteen comparison operators of the older parameters: their arguments, and what
they test.
"""

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
# The least and the most arguments of each operator; IN has no most.
_COUNTS = {"NULL": (0, 0), "NOT_NULL": (0, 0), "BETWEEN": (2, 2), "IN": (1, None)}

Question = Callable[[MaybeValue, Sequence[AttributeValue]], bool]
_QUESTIONS: dict[str, Question] = {
    "EQ": lambda value, given: same(value, given[0]),
    "NE": lambda value, given: not same(value, given[0]),
    "LE": lambda value, given: ordered("<=", value, given[0]),
    "LT": lambda value, given: ordered("<", value, given[0]),
    "GE": lambda value, given: ordered(">=", value, given[0]),
    "GT": lambda value, given: ordered(">", value, given[0]),
    "NOT_NULL": lambda value, given: value is not None,
    "NULL": lambda value, given: value is None,
    "CONTAINS": lambda value, given: contains(value, given[0]),
    # Unlike NOT contains(…), this does not hold of a missing attribute.
    "NOT_CONTAINS": lambda value, given: value is not None and not contains(value, given[0]),
    "BEGINS_WITH": lambda value, given: starts_with(value, given[0]),
    "IN": lambda value, given: value in given,
    "BETWEEN": lambda value, given: within(value, given[0], given[1]),
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
    given = [read_value(value)[0] for value in condition.get("AttributeValueList") or ()]
    if operator not in _QUESTIONS:
        raise ValidationException("Comparison type does not exist in DynamoDB")
    check_arguments(operator, given)
    return operator, given


def check_arguments(operator: str, given: Sequence[AttributeValue]) -> None:
    least, most = _COUNTS.get(operator, (1, 1))
    if len(given) < least or (most is not None and len(given) > most):
        raise ValidationException(
            INVALID + f"Invalid number of argument(s) for the {operator} ComparisonOperator"
        )
    kinds = [next(iter(value)) for value in given]
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
    if operator == "BETWEEN" and order(given[0], given[1]) == 1:
        raise ValidationException(
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound"
        )


def comparison(name: str, operator: str, given: Sequence[AttributeValue]) -> Test:
    ask = _QUESTIONS[operator]
    return lambda item: ask(item.get(name), given)


def check_name(name: str) -> None:
    if not name:
        raise ValidationException(EMPTY_NAME)
