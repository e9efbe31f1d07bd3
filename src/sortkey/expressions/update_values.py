"""The arithmetic of updates on single values: sums, list_append, ADD and DELETE."""

from __future__ import annotations

from sortkey.errors import ValidationException
from sortkey.values import numbers
from sortkey.values.attributes import AttributeValue, read_value

MISSING_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
SETS = frozenset(("SS", "NS", "BS"))


def calculate(operator: str, left: AttributeValue, right: AttributeValue) -> AttributeValue:
    combine = numbers.add if operator == "+" else numbers.subtract
    return {"N": combine(left["N"], right["N"])}


def required(value: AttributeValue | None, kind: str | None = None) -> AttributeValue:
    """An operand that must exist and, if a kind is passed, have that type."""
    if value is None:
        raise ValidationException(MISSING_ATTRIBUTE)
    if kind is not None and kind not in value:
        raise ValidationException(WRONG_TYPE)
    return value


def add(
    old: AttributeValue | None, operand: AttributeValue, wrong_type: str = WRONG_TYPE
) -> AttributeValue:
    """ADD: a sum of numbers or a union of sets. A missing value counts as zero or the empty set."""
    if old is None:
        return operand
    ((kind, content),) = operand.items()
    if kind not in old:
        raise ValidationException(wrong_type)
    if kind == "N":
        return {"N": numbers.add(old["N"], content)}
    missing = [element for element in content if element not in old[kind]]
    return read_value({kind: old[kind] + missing})[0] if missing else old


def delete(
    old: AttributeValue | None, operand: AttributeValue, wrong_type: str = WRONG_TYPE
) -> AttributeValue | None:
    """DELETE: a difference of sets. None if nothing is left, because there is no empty set."""
    if old is None:
        return None
    ((kind, content),) = operand.items()
    if kind not in old:
        raise ValidationException(wrong_type)
    remaining = [element for element in old[kind] if element not in content]
    return {kind: remaining} if remaining else None
