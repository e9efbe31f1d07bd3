"""Python values to DynamoDB JSON and back, without knowing any entity."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from sortkey.errors import ModelError, StoredValueError, ValidationException
from sortkey.values.attributes import AttributeValue
from sortkey.values.numbers import canonical

EXACT_DIGITS = 15
"""Numbers of up to this many digits survive a conversion to float and back."""


def encode(value: Any) -> AttributeValue:
    """The attribute value for a Python value."""
    encoder = _ENCODERS.get(value.__class__)
    return encoder(value) if encoder is not None else _encode_other(value)


def decode(value: Mapping[str, Any]) -> Any:
    """The Python value of an attribute value. A number is an int, else a float where that is exact,
    else a Decimal.
    """
    for kind, content in value.items():
        if kind == "S":
            return content
        return _DECODERS[kind](content)
    raise ModelError("an attribute value without a type")


def decode_members(members: Mapping[str, AttributeValue]) -> dict[str, Any]:
    return {
        name: member["S"] if "S" in member else decode(member) for name, member in members.items()
    }


def _decode_elements(elements: list[AttributeValue]) -> list[Any]:
    return [element["S"] if "S" in element else decode(element) for element in elements]


def _encode_other(value: Any) -> AttributeValue:
    if isinstance(value, Enum):
        return encode(value.value)
    if isinstance(value, UUID) or (isinstance(value, date) and not isinstance(value, datetime)):
        return {"S": str(value)}
    for kind, encoder in _ENCODERS.items():
        if isinstance(value, kind):
            return encoder(value)
    instead = (
        "Instant"
        if isinstance(value, datetime)
        else "a type that pydantic dumps as text, number, list or map"
    )
    raise ModelError(
        f"a {type(value).__name__} cannot be stored: {value!r}. Give the field {instead}"
    )


def _encode_float(value: float) -> AttributeValue:
    if value != value or value in (float("inf"), float("-inf")):
        raise StoredValueError(f"{value!r} cannot be stored: DynamoDB has no such number")
    if value.is_integer() and abs(value) < 1e15:
        return {"N": str(int(value))}
    text = repr(value)
    return {"N": _canonical(text) if "e" in text or text.endswith(".0") else text}


def _canonical(text: str) -> str:
    try:
        return canonical(text)
    except ValidationException as error:
        raise StoredValueError(f"{text} cannot be stored: {error}") from None


def _encode_map(value: dict[Any, Any]) -> AttributeValue:
    return {"M": {_member_name(name): encode(member) for name, member in value.items()}}


def _member_name(name: Any) -> str:
    """The name of a map's member. Numbers become text, which pydantic reads back as the field's
    type.
    """
    if name.__class__ is str:
        return name
    for text in () if isinstance(name, bool) else encode(name).values():
        if isinstance(text, str):
            return text
    raise ModelError(f"{name!r} cannot name a member of a map: use text")


def _encode_set(value: set[Any] | frozenset[Any]) -> AttributeValue:
    if not value:
        raise ModelError(
            "an empty set cannot be stored: DynamoDB has none. Use None, and the attribute is left "
            "out"
        )
    kinds = {next(iter(encode(element))) for element in value}
    if len(kinds) > 1 or not kinds <= {"S", "N", "B"}:
        raise ModelError("the elements of a set must be all text, all numbers or all bytes")
    (kind,) = kinds
    return {kind + "S": sorted(encode(element)[kind] for element in value)}


def _encode_bytes(value: bytes | bytearray) -> AttributeValue:
    return {"B": b64encode(value).decode()}


_ENCODERS: dict[type, Callable[[Any], AttributeValue]] = {
    str: lambda value: {"S": str(value)},
    bool: lambda value: {"BOOL": value},
    int: lambda value: {"N": str(value)},
    float: _encode_float,
    Decimal: lambda value: {"N": _canonical(str(value))},
    type(None): lambda value: {"NULL": True},
    dict: _encode_map,
    list: lambda value: {"L": [encode(element) for element in value]},
    tuple: lambda value: {"L": [encode(element) for element in value]},
    bytes: _encode_bytes,
    bytearray: _encode_bytes,
    set: _encode_set,
    frozenset: _encode_set,
}


def _decode_number(text: str) -> int | float | Decimal:
    if text.isdigit():
        return int(text)
    if len(text) <= EXACT_DIGITS and "." in text:
        return float(text)
    return _decode_other_number(text)


def _decode_other_number(text: str) -> int | float | Decimal:
    try:
        return int(text)
    except ValueError:
        exact = sum(character.isdigit() for character in text.partition("E")[0]) <= EXACT_DIGITS
        return float(text) if exact else Decimal(text)


_DECODERS: dict[str, Callable[[Any], Any]] = {
    "S": str,
    "N": _decode_number,
    "BOOL": bool,
    "NULL": lambda content: None,
    "M": decode_members,
    "L": _decode_elements,
    "B": b64decode,
    "SS": set,
    "NS": lambda content: {_decode_number(text) for text in content},
    "BS": lambda content: {b64decode(text) for text in content},
}
