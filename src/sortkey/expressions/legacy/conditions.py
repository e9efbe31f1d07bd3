"""Expected, and QueryFilter and ScanFilter, with their ConditionalOperator: to conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sortkey.errors import ValidationException
from sortkey.expressions.conditions import Condition, Test
from sortkey.expressions.legacy.comparisons import (
    check_arguments,
    check_name,
    comparison,
    read_comparison,
    read_named,
)
from sortkey.values.attributes import INVALID, read_value

Conditions = Mapping[str, Mapping[str, Any] | None]


def expected(
    conditions: Conditions | None, conditional_operator: str | None = None
) -> Condition | None:
    """The condition of Expected. None if it is missing or empty."""
    check_operator(conditions, conditional_operator)
    if not conditions:
        return None
    tests = [_expectation(name, condition) for name, condition in conditions.items()]
    return _joined(conditions, tests, conditional_operator)


def legacy_filter(
    conditions: Conditions | None, conditional_operator: str | None = None
) -> Condition | None:
    """The condition of QueryFilter or ScanFilter. None if it is missing or empty."""
    check_operator(conditions, conditional_operator)
    if not conditions:
        return None
    tests = [
        comparison(name, *read_named(name, condition)) for name, condition in conditions.items()
    ]
    return _joined(conditions, tests, conditional_operator)


def check_operator(conditions: Conditions | None, conditional_operator: str | None) -> None:
    """Refuse a ConditionalOperator that joins nothing."""
    if conditional_operator is not None and not conditions:
        raise ValidationException("ConditionalOperator cannot be used without Filter or Expected")


def _joined(
    conditions: Conditions, tests: list[Test], conditional_operator: str | None
) -> Condition:
    if conditional_operator is not None and len(conditions) < 2:
        raise ValidationException(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )
    if len(tests) == 1:
        test = tests[0]
    elif conditional_operator == "OR":
        test = _some(tests)
    else:
        test = _every(tests)
    return Condition(test, tuple((name,) for name in conditions), frozenset(conditions))


def _some(tests: list[Test]) -> Test:
    return lambda item: any(test(item) for test in tests)


def _every(tests: list[Test]) -> Test:
    return lambda item: all(test(item) for test in tests)


def _expectation(name: str, condition: Mapping[str, Any] | None) -> Test:
    check_name(name)
    if condition is None:
        raise _misused("ExpectedAttributeValue must not be null", name)
    value, arguments = condition.get("Value"), condition.get("AttributeValueList")
    exists, operator = condition.get("Exists"), condition.get("ComparisonOperator")
    if value is not None and arguments is not None:
        raise _misused("Value and AttributeValueList cannot be used together", name)
    if operator is None:
        if arguments is not None:
            raise _misused("AttributeValueList can only be used with a ComparisonOperator", name)
        return _existence(name, exists, value)
    if exists is not None:
        raise _misused("Exists and ComparisonOperator cannot be used together", name)
    if value is None and arguments is None and operator not in ("NULL", "NOT_NULL"):
        raise _misused(
            f"Value or AttributeValueList must be used with ComparisonOperator: {operator}", name
        )
    if value is None:
        return comparison(name, *read_comparison(condition))
    arguments = [read_value(value)[0]]
    check_arguments(operator, arguments)
    return comparison(name, operator, arguments)


def _existence(name: str, exists: bool | None, value: Any) -> Test:
    """The oldest form: Value alone, or Exists."""
    if exists is False:
        if value is not None:
            raise _misused("Value cannot be used when Exists is false", name)
        return comparison(name, "NULL", ())
    if value is None:
        raise _misused(
            f"Value must be provided when Exists is {'null' if exists is None else 'true'}", name
        )
    return comparison(name, "EQ", [read_value(value)[0]])


def _misused(fault: str, name: str) -> ValidationException:
    return ValidationException(INVALID + f"{fault} for Attribute: {name}")
