"""JSON types of attribute values, and AWS's SerializationException for a wrong one.

AWS deserializes the whole request before it validates any of it, so these errors win over all
others. `attributes` checks the meaning (empty sets, bad numbers, two types at once).
"""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64
from typing import Any, cast

from sortkey.errors import SerializationException

_MODEL = "com.amazonaws.dynamodb.v20120810."
_STRUCTURE = "Start of structure or map found where not expected"
_MAP_TYPE = f"java.util.Map<java.lang.String, {_MODEL}AttributeValue>"


def check_item(raw: Any) -> None:
    """Raise what AWS raises while it deserialises a map of names to attribute values."""
    _check_members(raw, _LEVELS_MAX)


def check_value(raw: Any, *, field: bool = False) -> None:
    """The same for one attribute value. `field`: it is a member of a structure, not an element of a
    list or map.
    """
    _check_structure(as_structure(raw, field=field), _LEVELS_MAX)


def as_structure(raw: Any, *, field: bool = False) -> dict[str, Any]:
    if isinstance(raw, dict):
        return cast("dict[str, Any]", raw)
    if isinstance(raw, list | tuple):
        raise SerializationException(f"Unrecognized collection type class {_MODEL}AttributeValue")
    raise SerializationException(
        "Unexpected field type" if field else "Unexpected value type in payload"
    )


def as_map(content: Any) -> dict[str, Any]:
    if isinstance(content, dict):
        return cast("dict[str, Any]", content)
    if isinstance(content, list | tuple):
        raise SerializationException(f"Unrecognized collection type {_MAP_TYPE}")
    raise SerializationException("Unexpected field type")


def as_list(content: Any) -> list[Any]:
    if isinstance(content, list | tuple):
        return list(cast("list[Any]", content))
    raise SerializationException(
        _STRUCTURE if isinstance(content, dict) else "Unexpected field type"
    )


def as_string(content: Any) -> str:
    if isinstance(content, str):
        return str(content)
    raise _scalar_error(content, "String", "java.lang.String")


def as_boolean(content: Any) -> bool:
    if isinstance(content, bool):
        return content
    if isinstance(content, str):
        # AWS reads these words, in any case, as booleans; boto3 users never see it.
        if content.upper() in ("TRUE", "YES", "1"):
            return True
        if content.upper() in ("FALSE", "NO", "0"):
            return False
        raise SerializationException("Unexpected token received from parser")
    raise _scalar_error(content, "Boolean", "java.lang.Boolean")


def as_blob(content: Any) -> bytes:
    """Decode base64. AWS accepts only canonical base64, so the text can be stored as it is."""
    if not isinstance(content, str):
        if isinstance(content, list | tuple):
            raise SerializationException("Unrecognized collection type class java.nio.ByteBuffer")
        if isinstance(content, dict):
            raise SerializationException(_STRUCTURE)
        raise SerializationException("only base-64-encoded strings are convertible to bytes")
    try:
        blob = a2b_base64(content)
    except (Error, ValueError):
        raise _base64_error(content) from None
    if b2a_base64(blob, newline=False).decode() != content:
        raise _base64_error(content)
    return blob


def _base64_error(text: str) -> SerializationException:
    if len(text) % 4:
        return SerializationException(
            f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(text)}"
        )
    for character in text:
        if not (character.isascii() and (character.isalnum() or character in "+/=")):
            return SerializationException(f"Invalid Base64 character: '{character}'")
    return SerializationException(
        "Invalid last non-pad Base64 character dectected"
    )  # AWS's spelling


def _scalar_error(content: Any, name: str, java_class: str) -> SerializationException:
    if isinstance(content, dict):
        return SerializationException(_STRUCTURE)
    if isinstance(content, list | tuple):
        return SerializationException(f"Unrecognized collection type class {java_class}")
    if isinstance(content, bool):
        token = "TRUE_VALUE" if content else "FALSE_VALUE"
    else:
        token = "NUMBER_VALUE" if isinstance(content, int) else "DECIMAL_VALUE"
    return SerializationException(f"{token} cannot be converted to {name}")


# Deeper values are refused for their nesting. Going on would only use stack.
_LEVELS_MAX = 64


def _check_structure(structure: dict[str, Any], levels: int) -> None:
    for kind, content in structure.items():
        if content is None:
            continue
        if kind in _LEAVES:
            _LEAVES[kind](content)
        elif kind in _SETS:
            for member in as_list(content):
                if member is not None:
                    _SETS[kind](member)
        elif kind == "L" and levels:
            for element in as_list(content):
                if element is not None:
                    _check_structure(as_structure(element), levels - 1)
        elif kind == "M" and levels:
            _check_members(content, levels - 1)


def _check_members(raw: Any, levels: int) -> None:
    for value in as_map(raw).values():
        if value is not None:
            _check_structure(as_structure(value), levels)


_LEAVES = {"S": as_string, "N": as_string, "B": as_blob, "BOOL": as_boolean, "NULL": as_boolean}
_SETS = {"SS": as_string, "NS": as_string, "BS": as_blob}
