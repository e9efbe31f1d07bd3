"""Attribute values for display: plain values, short texts for cells, sizes, times."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

from sortkey.values.attributes import AttributeValue

CELL = 80


def plain(value: AttributeValue) -> Any:
    """An attribute value as JSON. Sets become lists, binary data base64."""
    kind, content = next(iter(value.items()))
    match kind:
        case "N":
            return _number(str(content))
        case "NULL":
            return None
        case "L":
            return [plain(member) for member in cast(list[AttributeValue], content)]
        case "M":
            return {
                name: plain(member)
                for name, member in cast(Mapping[str, AttributeValue], content).items()
            }
        case "NS":
            return [_number(str(member)) for member in cast(list[str], content)]
        case _:
            return content


def plain_item(item: Mapping[str, AttributeValue]) -> dict[str, Any]:
    return {name: plain(value) for name, value in item.items()}


def cell(value: AttributeValue | None) -> str:
    """A value as one line in a table."""
    if value is None:
        return ""
    content = plain(value)
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def size(count: float) -> str:
    """A number of bytes with a unit."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024 or unit == "GB":
            return f"{count:,.0f} {unit}" if unit == "B" or count >= 100 else f"{count:,.1f} {unit}"
        count /= 1024
    raise AssertionError


def clock(at: float) -> str:
    """A time without its date."""
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M:%S")


def moment(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def _number(text: str) -> int | float | str:
    number = Decimal(text)
    if number == number.to_integral_value() and abs(number) < 10**15:
        return int(number)
    return float(number) if Decimal(repr(float(number))) == number else text
