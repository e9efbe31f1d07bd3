"""What a DynamoDB item can store of free content: rules and backups may be any JSON, which allows
more.
"""

from __future__ import annotations

import math
from typing import TypeVar, cast

from sortkey.web import Refused

DEPTH_MAX = 20
NUMBER_MAX, NUMBER_MIN, DIGITS_MAX = 9.99e125, 1e-130, 38

V = TypeVar("V")


class NotStorable(Refused):
    """Content that an item cannot store. The message says which part."""

    status = 422


def storable(value: V, depth: int = DEPTH_MAX) -> V:
    """The value, if an item can store it. Raises NotStorable."""
    _check(value, depth)
    return value


def _check(value: object, depth: int) -> None:
    if depth == 0:
        raise NotStorable("the content is nested too deeply to be stored: make it flatter")
    if isinstance(value, dict):
        for name, member in cast("dict[str, object]", value).items():
            if not name:
                raise NotStorable("a name in the content is empty, and cannot be stored")
            _check_text(name)
            _check(member, depth - 1)
    elif isinstance(value, list):
        for member in cast("list[object]", value):
            _check(member, depth - 1)
    elif isinstance(value, str):
        _check_text(value)
    elif isinstance(value, (int, float)):
        _check_number(value)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotStorable(
            "a text in the content is not valid Unicode: it has an unpaired surrogate"
        ) from None


def _check_number(number: float) -> None:
    # A whole number first: one that is too long for a float cannot even be compared with one.
    fits = not isinstance(number, int) or abs(number) < 10**DIGITS_MAX
    if (
        not fits
        or not math.isfinite(number)
        or (number and not NUMBER_MIN <= abs(number) <= NUMBER_MAX)
    ):
        raise NotStorable(
            f"a number in the content has more than {DIGITS_MAX} digits: write it as a text"
        )
