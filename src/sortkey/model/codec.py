"""Python values to DynamoDB JSON and back, without knowing any entity."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any, cast

from sortkey.errors import ModelError
from sortkey.values.attributes import AttributeValue

EXACT_DIGITS = 15
"""Every number of so many digits is the same as a float: what goes in comes out."""


def encode(value: Any) -> AttributeValue:
    """The attribute value for a Python value."""
    encoder = _ENCODERS.get(value.__class__)
    return encoder(value) if encoder is not None else _encode_other(value)


def decode(value: Mapping[str, Any]) -> Any:
    """The Python value of an attribute value. A number is an int, else a float where that is exact, else a Decimal."""
    for kind, content in value.items():
        if kind == "S":
            return content
        return _DECODERS[kind](content)
    raise ModelError("an attribute value without a type")


def encode_members(members: Mapping[str, Any]) -> dict[str, AttributeValue]:
    return {name: encode(member) for name, member in members.items()}


def decode_members(members: Mapping[str, AttributeValue]) -> dict[str, Any]:
    return {name: member["S"] if "S" in member else decode(member) for name, member in members.items()}


def _decode_elements(elements: list[AttributeValue]) -> list[Any]:
    return [element["S"] if "S" in element else decode(element) for element in elements]


def _encode_other(value: Any) -> AttributeValue:
    if isinstance(value, Enum):
        return encode(value.value)
    for kind, encoder in _ENCODERS.items():
        if isinstance(value, kind):
            return encoder(value)
    raise ModelError(f"a {type(value).__name__} cannot be stored: {value!r}. Give the field a type that pydantic dumps")


def _encode_float(value: float) -> AttributeValue:
    if value != value or value in (float("inf"), float("-inf")):
        raise ModelError(f"{value!r} cannot be stored: DynamoDB has no such number")
    return {"N": str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)}


def _encode_set(value: set[Any] | frozenset[Any]) -> AttributeValue:
    if not value:
        raise ModelError("an empty set cannot be stored: DynamoDB has none. Use None, and the attribute is left out")
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
    Decimal: lambda value: {"N": str(value)},
    type(None): lambda value: {"NULL": True},
    dict: lambda value: {"M": encode_members(cast(dict[str, Any], value))},
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
