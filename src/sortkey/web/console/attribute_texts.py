"""Attribute values as texts to edit, and back: maps and lists as plain JSON, wherever that loses no
type.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NoReturn, cast

from sortkey.values.attributes import AttributeValue

AS_THEY_ARE = ("S", "N", "B")


def is_plain(value: AttributeValue) -> bool:
    """Whether plain JSON says all of it. A set, binary data, or a number that JSON would round, is
    not plain inside.
    """
    kind, held = next(iter(value.items()))
    if kind == "L":
        return all(_is_plain_inside(each) for each in cast(list[AttributeValue], held))
    if kind == "M":
        return all(
            _is_plain_inside(each) for each in cast(Mapping[str, AttributeValue], held).values()
        )
    return True


def text_of(value: AttributeValue) -> str:
    """A value as somebody edits it: maps and lists indented, as plain JSON, or as DynamoDB's where
    that says more.
    """
    kind, held = next(iter(value.items()))
    if kind in AS_THEY_ARE:
        return str(held)
    shown = _plain(value) if kind in ("L", "M") and is_plain(value) else held
    return json.dumps(shown, indent=2 if kind in ("L", "M") else None, ensure_ascii=False)


def value_of(text: str, like: AttributeValue) -> AttributeValue:
    """The value that a text stands for, in the notation of the value that was shown. Raises
    ValueError for no JSON.
    """
    kind = next(iter(like))
    if kind in AS_THEY_ARE:
        return {kind: text}
    if kind not in ("L", "M") or not is_plain(like):
        return {kind: json.loads(text)}
    read = json.loads(text, parse_float=_Digits, parse_int=_Digits, parse_constant=_no_number)
    value = _typed(read)
    if kind not in value:
        raise ValueError(f"this must stay a {'list: [ … ]' if kind == 'L' else 'map: { … }'}")
    return value


class _Digits(str):
    """A number as it was written: DynamoDB keeps 38 digits, which a float does not."""


def _is_plain_inside(value: AttributeValue) -> bool:
    kind, held = next(iter(value.items()))
    if kind == "N":
        return isinstance(_number(str(held)), int | float)
    return kind in ("S", "BOOL", "NULL", "L", "M") and is_plain(value)


def _plain(value: AttributeValue) -> Any:
    kind, held = next(iter(value.items()))
    if kind == "N":
        return _number(str(held))
    if kind == "NULL":
        return None
    if kind == "L":
        return [_plain(each) for each in cast(list[AttributeValue], held)]
    if kind == "M":
        return {
            name: _plain(each) for name, each in cast(Mapping[str, AttributeValue], held).items()
        }
    return held


def _number(text: str) -> int | float | None:
    """None where JSON's numbers, as Python writes them, would lose digits."""
    if text.lstrip("-").isdigit():
        return int(text)
    number = float(text)
    return number if Decimal(repr(number)) == Decimal(text) else None


def _typed(read: Any) -> AttributeValue:
    match read:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": read}
        case _Digits():
            return {"N": str(read)}
        case str():
            return {"S": read}
        case list():
            return {"L": [_typed(each) for each in cast(list[Any], read)]}
        case _:
            return {"M": {name: _typed(each) for name, each in cast(dict[str, Any], read).items()}}


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number that DynamoDB keeps")
