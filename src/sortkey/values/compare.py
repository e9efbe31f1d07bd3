"""How DynamoDB compares two attribute values. Both are canonical, so equality is that of their
JSON.
"""

from __future__ import annotations

from binascii import a2b_base64
from typing import Any

from sortkey.values import numbers


def equal(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Same type and same content: numbers by value, sets whatever their order was, lists and maps
    deeply.
    """
    return a == b


def order(a: dict[str, Any], b: dict[str, Any]) -> int | None:
    """-1, 0 or 1. None for types without an order: different ones, or other than S, N and B."""
    ((kind, left),) = a.items()
    right = b.get(kind)
    if right is None:
        return None
    if left == right:
        return 0 if kind in ("S", "N", "B") else None
    match kind:
        case "S":  # by code point, which is the order of the UTF-8 bytes
            return -1 if left < right else 1
        case "N":
            return numbers.compare(left, right)
        case "B":
            return -1 if a2b_base64(left) < a2b_base64(right) else 1
        case _:
            return None
