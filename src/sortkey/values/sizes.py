"""The size of values and items in bytes, by the rules of "DynamoDB item sizes and formats".

Sizes decide the 400 KB limit, capacity and pages. The values are canonical; nothing is validated
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from sortkey.errors import ValidationException

ITEM_BYTES_MAX = 400 * 1024
ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"
UPDATE_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"

CONTAINER_BYTES = 3  # a list or a map, whatever it holds
NUMBER_BYTES_MAX = 21
ELEMENT_BYTES = 1  # each element of a list or a map, besides its name and value


def item_size(item: Mapping[str, dict[str, Any]]) -> int:
    """The names and values of all attributes."""
    total = 0
    for name, value in item.items():
        text = value.get("S")  # most are text: handled inline to save two calls
        if text is None:
            total += value_size(value)
        else:
            total += len(text) if text.isascii() else len(text.encode())
        total += len(name) if name.isascii() else len(name.encode())
    return total


def attributes_size(item: Mapping[str, dict[str, Any]], names: Iterable[str]) -> int:
    """The same for some attributes, if the item has them."""
    total = 0
    for name in names:
        value = item.get(name)
        if value is not None:
            total += value_size(value) + (len(name) if name.isascii() else len(name.encode()))
    return total


def value_size(value: dict[str, Any]) -> int:
    """One value, without the name of its attribute."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return text_size(content)
        case "N":
            return number_size(content)
        case "B":
            return binary_size(content)
        case "SS":
            return sum(map(text_size, content))
        case "NS":
            return sum(map(number_size, content))
        case "BS":
            return sum(map(binary_size, content))
        case "L":
            return CONTAINER_BYTES + sum(ELEMENT_BYTES + value_size(element) for element in content)
        case "M":
            return CONTAINER_BYTES + ELEMENT_BYTES * len(content) + item_size(content)
        case _:  # BOOL and NULL
            return 1


def text_size(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


@lru_cache(maxsize=8192)
def number_size(text: str) -> int:
    """One byte, plus one per two digits, plus one below zero; never more than 21.

    The pairs stand left and right of the decimal point, as DynamoDB Local counts them: 12 and 1200
    have one, 1.2 and 120 have two. So the documented "approximately one byte per two significant
    digits" becomes exact.
    """
    if text == "0":
        return 1
    negative = text[0] == "-"
    whole, _, fraction = text[negative:].partition(".")
    digits = ("0" if len(whole) & 1 else "") + whole + fraction + ("0" if len(fraction) & 1 else "")
    leading = len(digits) - len(digits.lstrip("0"))
    trailing = len(digits) - len(digits.rstrip("0"))
    return min(1 + negative + len(digits) // 2 - leading // 2 - trailing // 2, NUMBER_BYTES_MAX)


def binary_size(base64_text: str) -> int:
    """The raw bytes behind canonical base64."""
    return len(base64_text) // 4 * 3 - base64_text.count("=", -2)


def check_item_size(size: int, *, updating: bool = False) -> None:
    """Refuse an item above 400 KB. AWS words this differently for an update than for a put."""
    if size > ITEM_BYTES_MAX:
        raise ValidationException(UPDATE_TOO_LARGE if updating else ITEM_TOO_LARGE)
