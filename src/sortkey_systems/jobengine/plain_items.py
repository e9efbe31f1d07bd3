"""Items as plain JSON, as documents show them, and back without loss.

Bytes and sets, which JSON does not have, are written as `{"$dynamodb": {"NS": ["1"]}}`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

EXACT = "$dynamodb"
Value = Mapping[str, Any]
"""`{"S": "text"}`: one value as DynamoDB JSON."""


def to_plain(item: Mapping[str, Value]) -> dict[str, Any]:
    """An item as plain JSON."""
    return {name: _plain(value) for name, value in item.items()}


def from_plain(item: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """An item from plain JSON. Raises ValueError for values that an item cannot have."""
    return {name: _typed(value) for name, value in item.items()}


def number(text: str) -> float | Decimal:
    """A JSON number as it was written; a float if that is exact."""
    exact = Decimal(text)
    result = float(text)
    return result if math.isfinite(result) and Decimal(repr(result)) == exact else exact


def _plain(value: Value) -> Any:
    ((kind, content),) = value.items()
    if kind in ("S", "BOOL"):
        return content
    if kind == "NULL":
        return None
    if kind == "N":
        return _plain_number(content)
    if kind == "L":
        return [_plain(member) for member in content]
    if kind == "M" and EXACT not in content:
        return {name: _plain(member) for name, member in content.items()}
    return {EXACT: dict(value)}


def _plain_number(text: str) -> Any:
    result = int(text) if text.lstrip("-").isdigit() else number(text)
    return result if isinstance(result, (int, float)) else {EXACT: {"N": text}}


def _typed(value: Any) -> dict[str, Any]:
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, (int, float, Decimal)):
        return {"N": _number_text(value)}
    if isinstance(value, list):
        return {"L": [_typed(member) for member in cast("list[Any]", value)]}
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not a valid DynamoDB value")
    return _typed_map(cast("dict[str, Any]", value))


def _typed_map(value: dict[str, Any]) -> dict[str, Any]:
    if value.keys() == {EXACT} and isinstance(value[EXACT], dict):
        return dict(cast("dict[str, Any]", value[EXACT]))
    return {"M": {name: _typed(member) for name, member in value.items()}}


def _number_text(value: float | Decimal) -> str:
    """As DynamoDB writes numbers: 45, not 45.0."""
    if isinstance(value, int):
        return str(value)
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    if not exact.is_finite():
        raise ValueError(f"{value!r} is not a valid DynamoDB number")
    return format(exact.normalize(), "f")
