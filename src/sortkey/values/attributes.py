"""Attribute values of a request: validated, made canonical and sized in one walk.

An item is DynamoDB JSON in Python dicts. Canonical values are returned unchanged and others are
copied. The request is never changed. `read_expression_values` adds a prefix and a suffix to the
messages. For items and keys they stay as written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NoReturn

from sortkey.errors import SerializationException, ValidationException
from sortkey.values import numbers, sizes
from sortkey.values.json_types import as_blob, as_boolean, as_list, as_map, as_string, as_structure

AttributeValue = dict[str, Any]
Item = dict[str, AttributeValue]

NESTING_MAX = 32  # the item itself is the first level
NAME_BYTES_MAX = 65535

INVALID = "One or more parameter values were invalid: "
EMPTY_VALUE = (
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
)
MANY_TYPES = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
    "supported datatypes"
)
NULL_VALUE = "The supplied Item contains a null AttributeValue"
NULL_NOT_TRUE = INVALID + "Null attribute value types must have the value of true"
EMPTY_NAME = "Empty attribute name"
NAME_TOO_LARGE = "Attribute name is too large, must be less than 65536 bytes"
TOO_NESTED_RESULT = "Nesting Levels have exceeded supported limits"
TOO_NESTED = (
    TOO_NESTED_RESULT + ": Attributes in the item have nested levels beyond supported limit"
)


def read_item(raw: Any) -> tuple[Item, int]:
    """An item (or a key) of a request, canonical, and its size in bytes."""
    return _members(raw, NESTING_MAX - 1)


def read_value(raw: Any) -> tuple[AttributeValue, int]:
    """One value of a request, canonical, and its size in bytes. It may be nested one level deeper
    than in an item.
    """
    return _value(raw, NESTING_MAX)


def read_expression_values(raw: dict[str, Any]) -> dict[str, AttributeValue]:
    """The values of ExpressionAttributeValues. AWS names the invalid one."""
    values: dict[str, AttributeValue] = {}
    for placeholder, value in raw.items():
        try:
            values[placeholder] = _value(value, NESTING_MAX)[0]
        except ValidationException as error:
            message = (
                f"ExpressionAttributeValues contains invalid value: {error.message} for key "
                f"{placeholder}"
            )
            raise ValidationException(message) from None
    return values


def check_nesting(item: Item, names: Iterable[str]) -> None:
    """Refuse an item in which an update, from valid parts, has nested an attribute too deeply."""
    for name in names:
        if (value := item.get(name)) is not None:
            _check_value_levels(value, NESTING_MAX - 1)


def _members(raw: Any, levels: int) -> tuple[Item, int]:
    # The hot path of every write: ASCII strings and plain integers are read here, without a call
    # for each attribute.
    members = raw if raw.__class__ is dict else as_map(raw)
    result = members
    total = 0
    for name, value in members.items():
        size = -1
        if value.__class__ is dict and len(value) == 1:
            if "S" in value:
                content = value["S"]
                if content.__class__ is str and content.isascii():
                    size = len(content)
            elif "N" in value:
                content = value["N"]
                if (
                    content.__class__ is str
                    and content.isdigit()
                    and content[0] != "0" != content[-1]
                ):
                    size = (
                        (len(content) + 3) >> 1 if len(content) <= 38 and content.isascii() else -1
                    )
        if size < 0:
            read, size = _value(value, levels) if value is not None else _null_member(name)
            if read is not value:
                result = dict(members) if result is members else result
                result[name] = read
        length = len(name) if name.isascii() else _utf8_length(name)
        if not 0 < length <= NAME_BYTES_MAX:
            raise ValidationException(NAME_TOO_LARGE if length else EMPTY_NAME)
        total += length + size
    return result, total


def _value(raw: Any, levels: int) -> tuple[AttributeValue, int]:
    if raw.__class__ is dict and len(raw) == 1:
        ((kind, content),) = raw.items()
        reader = _READERS.get(kind)
        if reader is not None and content is not None:
            return reader(raw, content, levels)
    return _irregular(raw, levels)


def _irregular(raw: Any, levels: int) -> tuple[AttributeValue, int]:
    """AWS ignores unknown members and nulls, and checks the content before it counts the types."""
    if raw is None:
        raise ValidationException(NULL_VALUE)
    present = {
        kind: c for kind, c in as_structure(raw).items() if kind in _READERS and c is not None
    }
    read: tuple[AttributeValue, int] | None = None
    for kind, content in present.items():
        read = _READERS[kind]({kind: content}, content, levels)
    if read is None:
        raise ValidationException(EMPTY_VALUE)
    if len(present) > 1:
        raise ValidationException(MANY_TYPES)
    return read


def _null_member(name: str) -> NoReturn:
    raise ValidationException(f"{NULL_VALUE}: {name} is null")


def _string(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    text = as_string(content)
    return (raw if text is content else {"S": text}), _utf8_length(text)


def _number(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    text, size = _number_and_size(as_string(content))
    return (raw if text == content else {"N": text}), size


def _binary(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    return raw, len(as_blob(content))


def _boolean(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    truth = as_boolean(content)
    return (raw if truth is content else {"BOOL": truth}), 1


def _null(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    if not as_boolean(content):
        raise ValidationException(NULL_NOT_TRUE)
    return (raw if content is True else {"NULL": True}), 1


def _string_set(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    if (
        content.__class__ is list
        and (size := _ascii_size(content))
        and len(set(content)) == len(content)
    ):
        texts = sorted(content)
        return (raw if texts == content else {"SS": texts}), size
    return _any_string_set(raw, content)


def _ascii_size(texts: list[Any]) -> int:
    """The total length of a sorted list of ASCII texts. 0 if it is not sorted or not ASCII."""
    try:
        joined = "".join(texts)
    except TypeError:
        return 0
    return len(joined) if joined.isascii() else 0


def _any_string_set(raw: AttributeValue, content: Any) -> tuple[AttributeValue, int]:
    members = [member if member is None else as_string(member) for member in as_list(content)]
    if not members:
        raise ValidationException(INVALID + "An string set  may not be empty")
    if len(set(members)) < len(members):
        listing = ", ".join("null" if member is None else member for member in members)
        raise ValidationException(f"{INVALID}Input collection [{listing}] contains duplicates.")
    texts = [member for member in members if member is not None]
    if len(texts) < len(members):
        raise ValidationException(INVALID + "An string set may not have a null string as a member")
    size = sum(map(_utf8_length, texts))
    texts.sort(key=_utf16)
    return (raw if texts == content else {"SS": texts}), size


def _number_set(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    members = as_list(content)
    if not members:
        raise ValidationException(INVALID + "An number set  may not be empty")
    sizes: dict[str, int] = {}
    for member in members:
        text, size = _number_and_size("" if member is None else as_string(member))
        if text in sizes:
            raise ValidationException("Input collection contains duplicates")
        sizes[text] = size
    texts = sorted(sizes, key=numbers.as_number)
    return (raw if texts == content else {"NS": texts}), sum(sizes.values())


def _binary_set(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    members = as_list(content)
    if not members:
        raise ValidationException(INVALID + "Binary sets should not be empty")
    if None in members:
        raise ValidationException(INVALID + "Binary sets may not contain null or empty values")
    blobs = {member: as_blob(member) for member in members}
    if len(blobs) < len(members):
        raise ValidationException(
            f"{INVALID}Input collection [{', '.join(members)}]of type BS contains duplicates."
        )
    texts = sorted(blobs, key=lambda text: blobs[text].translate(_SIGNED_BYTES))
    return (raw if texts == content else {"BS": texts}), sum(map(len, blobs.values()))


def _list(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    if not levels:
        raise ValidationException(TOO_NESTED)
    size = sizes.CONTAINER_BYTES
    changed = False
    elements: list[AttributeValue] = []
    for element in as_list(content):
        read, element_size = _value(element, levels - 1)
        size += sizes.ELEMENT_BYTES + element_size
        changed = changed or read is not element
        elements.append(read)
    return ({"L": elements} if changed else raw), size


def _map(raw: AttributeValue, content: Any, levels: int) -> tuple[AttributeValue, int]:
    if not levels:
        raise ValidationException(TOO_NESTED)
    members, size = _members(content, levels - 1)
    size += sizes.CONTAINER_BYTES + sizes.ELEMENT_BYTES * len(members)
    return (raw if members is content else {"M": members}), size


_READERS: dict[str, Callable[[AttributeValue, Any, int], tuple[AttributeValue, int]]] = {
    "S": _string,
    "N": _number,
    "B": _binary,
    "BOOL": _boolean,
    "NULL": _null,
    "SS": _string_set,
    "NS": _number_set,
    "BS": _binary_set,
    "L": _list,
    "M": _map,
}

# DynamoDB Local answers string sets by UTF-16 units and binary sets by signed bytes, as Java
# compares them. AWS promises no order; one fixed order makes equal sets equal bytes.
_SIGNED_BYTES = bytes(byte ^ 0x80 for byte in range(256))


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be")


def _utf8_length(text: str) -> int:
    try:
        return len(text) if text.isascii() else len(text.encode())
    except (
        UnicodeEncodeError
    ):  # a lone surrogate only comes from a program that embeds the engine, never over the wire
        raise SerializationException("Invalid UTF-8: a lone surrogate in a string") from None


def _number_and_size(text: str) -> tuple[str, int]:
    # Only short texts are cached: a number may have any number of zeros.
    return _cached_number(text) if len(text) <= 64 else _uncached_number(text)


def _uncached_number(text: str) -> tuple[str, int]:
    canonical = numbers.canonical(text)
    return canonical, sizes.number_size(canonical)


_cached_number = lru_cache(maxsize=8192)(_uncached_number)


def _check_levels(members: Item, levels: int) -> None:
    for value in members.values():
        _check_value_levels(value, levels)


def _check_value_levels(value: AttributeValue, levels: int) -> None:
    if "L" not in value and "M" not in value:
        return
    if not levels:
        raise ValidationException(TOO_NESTED_RESULT)
    if "M" in value:
        _check_levels(value["M"], levels - 1)
    else:
        for element in value["L"]:
            _check_value_levels(element, levels - 1)
