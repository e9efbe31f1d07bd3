"""Predicates of conditions over canonical values. None stands for a missing value."""

from __future__ import annotations

import operator
from binascii import a2b_base64
from collections.abc import Callable
from typing import Any

from sortkey.values.attributes import AttributeValue
from sortkey.values.compare import order
from sortkey.values.numbers import as_number

MaybeValue = AttributeValue | None

ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# A number, string or binary as a Python value that sorts as in DynamoDB. Strings sort by code
# point, like UTF-8.
COMPARABLE: dict[str, Callable[[str], Any]] = {"N": as_number, "S": str, "B": a2b_base64}


def same(left: MaybeValue, right: MaybeValue) -> bool:
    """Equality. A missing value equals nothing, not even another missing one."""
    return left is not None and left == right


def ordered(comparator: str, left: MaybeValue, right: MaybeValue) -> bool:
    """Whether `left < right` (or <=, >, >=). Values of different types have no order, so the answer
    is False.
    """
    if left is None or right is None:
        return False
    compared = order(left, right)
    return compared is not None and ORDERINGS[comparator](compared, 0)


def within(value: MaybeValue, low: MaybeValue, high: MaybeValue) -> bool:
    return ordered(">=", value, low) and ordered("<=", value, high)


def starts_with(value: MaybeValue, prefix: MaybeValue) -> bool:
    if value is None or prefix is None:
        return False
    if "S" in value and "S" in prefix:
        return value["S"].startswith(prefix["S"])
    if "B" in value and "B" in prefix:
        return a2b_base64(value["B"]).startswith(a2b_base64(prefix["B"]))
    return False


def contains(container: MaybeValue, element: MaybeValue) -> bool:
    """A substring, an element of a set, or an element of a list."""
    if container is None or element is None:
        return False
    ((kind, content),) = container.items()
    match kind:
        case "S":
            return "S" in element and element["S"] in content
        case "B":
            return "B" in element and a2b_base64(element["B"]) in a2b_base64(content)
        case "SS" | "NS" | "BS":
            return element.get(kind[0]) in content
        case "L":
            return element in content
        case _:
            return False


def size_of(value: MaybeValue) -> MaybeValue:
    """The result of size(): UTF-16 units of a string, bytes of a binary, members of a collection.
    None for other types.
    """
    if value is None:
        return None
    ((kind, content),) = value.items()
    match kind:
        case "S":
            size = len(content) if content.isascii() else len(content.encode("utf-16-le")) // 2
        case "B":
            size = len(a2b_base64(content))
        case "SS" | "NS" | "BS" | "L" | "M":
            size = len(content)
        case _:
            return None
    return {"N": str(size)}
