"""Attribute values as texts to edit, and back. Maps and lists are plain JSON where possible."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NoReturn, cast

from sortkey.values.attributes import AttributeValue

AS_THEY_ARE = ("S", "N", "B")


def is_plain(value: AttributeValue) -> bool:
    """Whether plain JSON can represent it. It cannot if the value contains a set, binary data, or a
    number that JSON would round.
    """
    kind, content = next(iter(value.items()))
    if kind == "L":
        return all(_is_plain_inside(member) for member in cast(list[AttributeValue], content))
    if kind == "M":
        return all(
            _is_plain_inside(member)
            for member in cast(Mapping[str, AttributeValue], content).values()
        )
    return True


def text_of(value: AttributeValue) -> str:
    """A value as text to edit. Maps and lists are indented JSON, plain if possible, otherwise
    DynamoDB JSON.
    """
    kind, content = next(iter(value.items()))
    if kind in AS_THEY_ARE:
        return str(content)
    plain = _plain(value) if kind in ("L", "M") and is_plain(value) else content
    return json.dumps(plain, indent=2 if kind in ("L", "M") else None, ensure_ascii=False)


def value_of(text: str, like: AttributeValue) -> AttributeValue:
    """The value of an edited text. `like` is the original value. Raises ValueError for invalid
    JSON.
    """
    kind = next(iter(like))
    if kind in AS_THEY_ARE:
        return {kind: text}
    if kind not in ("L", "M") or not is_plain(like):
        return {kind: json.loads(text)}
    parsed = json.loads(text, parse_float=_Digits, parse_int=_Digits, parse_constant=_no_number)
    value = _typed(parsed)
    if kind not in value:
        raise ValueError(f"this must remain a {'list: [ … ]' if kind == 'L' else 'map: { … }'}")
    return value


class _Digits(str):
    """A number as written. DynamoDB keeps 38 digits, a float does not."""


def _is_plain_inside(value: AttributeValue) -> bool:
    kind, content = next(iter(value.items()))
    if kind == "N":
        return isinstance(_number(str(content)), int | float)
    return kind in ("S", "BOOL", "NULL", "L", "M") and is_plain(value)


def _plain(value: AttributeValue) -> Any:
    kind, content = next(iter(value.items()))
    if kind == "N":
        return _number(str(content))
    if kind == "NULL":
        return None
    if kind == "L":
        return [_plain(member) for member in cast(list[AttributeValue], content)]
    if kind == "M":
        return {
            name: _plain(member)
            for name, member in cast(Mapping[str, AttributeValue], content).items()
        }
    return content


def _number(text: str) -> int | float | None:
    """The number, or None if a Python number would lose digits."""
    if text.lstrip("-").isdigit():
        return int(text)
    number = float(text)
    return number if Decimal(repr(number)) == Decimal(text) else None


def _typed(parsed: Any) -> AttributeValue:
    match parsed:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": parsed}
        case _Digits():
            return {"N": str(parsed)}
        case str():
            return {"S": parsed}
        case list():
            return {"L": [_typed(member) for member in cast(list[Any], parsed)]}
        case _:
            return {
                "M": {name: _typed(member) for name, member in cast(dict[str, Any], parsed).items()}
            }


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a valid DynamoDB number")
