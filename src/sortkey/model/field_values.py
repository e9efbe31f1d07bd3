"""Values of search documents: each kind of field has one form, and every index gets that form.

Dates are texts to the millisecond, places are rounded to a centimetre, flat objects hold nothing
but texts. An empty value becomes None. Texts stay as they are; indexes use their `normal_text`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, cast

import orjson

from sortkey.errors import ModelError
from sortkey.model.geography import LatLon
from sortkey.model.instants import read_instant

EXACT_MAX = 1024
"""A longer text is searched by words only, not matched, sorted or counted as a whole. In UTF-16
units, as in Lucene.
"""
INTEGER_MAX = 2**63 - 1
DEGREE_PARTS = 10_000_000
"""Places are kept to a ten-millionth of a degree."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE_LENGTH = len("2024-05-06T07:08:09.123Z")


def normal_text(value: str) -> str:
    """A text in Unicode form NFC, in which texts are indexed and searched."""
    return (
        value
        if value.isascii() or unicodedata.is_normalized("NFC", value)
        else unicodedata.normalize("NFC", value)
    )


def has_exact(value: str) -> bool:
    """Whether a text is short enough to be found, sorted and counted as a whole."""
    return (
        len(value) * 2 <= EXACT_MAX
        or len(value.encode("utf-16-le", "surrogatepass")) // 2 <= EXACT_MAX
    )


def text(value: Any) -> str | None:
    if value.__class__ is str:
        return value or None
    if isinstance(value, Enum):
        value = value.value
    if not isinstance(value, str):
        raise ModelError(f"{value!r} is not a text")
    return value or None


def texts(value: Any) -> list[str] | None:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ModelError(f"{value!r} is not a list of texts")
    members = [
        element if element.__class__ is str else text(element)
        for element in cast(Iterable[Any], value)
    ]
    # A repeated value counts once, in every index.
    return [member for member in dict.fromkeys(members) if member] or None


def integer(value: Any) -> int:
    """A whole number of 64 bits."""
    if _is_finite(value) and abs(value) <= INTEGER_MAX and int(value) == value:
        return int(value)
    raise ModelError(f"{value!r} is not a whole number of 64 bits")


def number(value: Any) -> float:
    """A double. Integers that a double cannot hold are refused, decimals are rounded."""
    if not _is_finite(value):
        raise ModelError(f"{value!r} is not a finite number")
    try:
        double = float(value)
    except OverflowError:
        double = float("inf")
    if not isfinite(double) or (isinstance(value, int) and double != value):
        raise ModelError(
            f"{value!r} does not fit a double: declare the field as Integer() for 64-bit whole "
            "numbers"
        )
    return double or 0.0  # zero has no sign: -0.0 would sort before it, and not be equal to it


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ModelError(f"{value!r} is neither True nor False")
    return value


def date_value(value: Any) -> str:
    instant = _instant(value)
    if (
        value.__class__ is str
        and len(value) == _DATE_LENGTH
        and value[10] + value[19] + value[23] == "T.Z"
    ):
        return value  # already in our form
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def millis(value: Any) -> int:
    """A date as milliseconds since 1970; what is finer is cut off."""
    since = _instant(value) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def date_text(count: int) -> str:
    """Milliseconds since 1970 as documents hold a date."""
    return date_value(_EPOCH + timedelta(milliseconds=count))


def point(value: Any) -> dict[str, float]:
    if isinstance(value, Mapping):
        members = cast(Mapping[str, Any], value)
        value = (
            LatLon(float(members["lat"]), float(members["lon"]))
            if {"lat", "lon"} <= members.keys()
            else None
        )
    if not isinstance(value, LatLon):
        raise ModelError(f"{value!r} is not a place: give a LatLon")
    return {
        "lat": round(value.lat * DEGREE_PARTS) / DEGREE_PARTS,
        "lon": round(value.lon * DEGREE_PARTS) / DEGREE_PARTS,
    }


def shape(value: Any) -> str | None:
    if isinstance(value, str):
        return value or None
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def flat(value: Any, exclude: tuple[str, ...] = ()) -> dict[str, Any] | None:
    """A map of texts, lists and maps, without names that begin with an excluded prefix."""
    if not isinstance(value, Mapping):
        raise ModelError(f"{value!r} is not a map")
    members: dict[str, Any] = {}
    for key, member in cast(Mapping[Any, Any], value).items():
        name = key if key.__class__ is str else str(key)
        if member.__class__ is not str:
            member = _flat_value(member, exclude)
        if member and name and not name.startswith(exclude):
            members[name] = member
    return members or None


def flat_leaves(members: Mapping[str, Any], before: str = "") -> dict[str, list[str]]:
    """A flat object's values by their paths, `a.b` for a member of a member."""
    leaves: dict[str, list[str]] = {}
    for name, value in members.items():
        path = before + name
        if value.__class__ is str:
            leaves.setdefault(path, []).append(value)
            continue
        for element in cast(list[Any], value) if isinstance(value, list) else [value]:
            inner = (
                flat_leaves(cast(dict[str, Any], element), path + ".")
                if isinstance(element, dict)
                else {path: [element]}
            )
            for at, values in inner.items():
                leaves.setdefault(at, []).extend(values)
    return leaves


def in_normal_text(value: Any) -> Any:
    """A value with every text and name in it in normal form."""
    if isinstance(value, str):
        return normal_text(value)
    if isinstance(value, list):
        return [in_normal_text(element) for element in cast(list[Any], value)]
    if isinstance(value, dict):
        return {
            normal_text(name): in_normal_text(member)
            for name, member in cast(dict[str, Any], value).items()
        }
    return value


def without_long(value: Any) -> Any:
    """A flat object without the texts that are too long to be found."""
    if isinstance(value, dict):
        members = cast(dict[str, Any], value)
        return {
            name: without_long(member) for name, member in members.items() if not _is_long(member)
        }
    if isinstance(value, list):
        return [
            without_long(element) for element in cast(list[Any], value) if not _is_long(element)
        ]
    return value


def _is_finite(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite()
    return not isinstance(value, bool) and (
        isinstance(value, int) or (isinstance(value, float) and isfinite(value))
    )


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and not has_exact(value)


def _instant(value: Any) -> datetime:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    try:
        read = read_instant(value)
    except ValueError:
        read = None
    if not isinstance(read, datetime):
        raise ModelError(
            f"{value!r} is not a date: give a datetime with its zone, or an ISO 8601 text"
        )
    return read if read.tzinfo is UTC else read.astimezone(UTC)


def _flat_value(value: Any, exclude: tuple[str, ...]) -> Any:
    if isinstance(value, Mapping):
        return flat(value, exclude)
    if isinstance(value, (list, tuple, set, frozenset)):
        members = [_flat_value(element, exclude) for element in cast(Sequence[Any], value)]
        return [member for member in members if member]
    return None if value is None else _flat_text(value)


def _flat_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return date_value(value)
    return str(value.value if isinstance(value, Enum) else value)
