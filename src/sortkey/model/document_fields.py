"""The fields of search documents: the prefix of a name is its type, and each type has one form for its values.

Every index gets the same form, whatever it is: dates to the millisecond, points to a centimetre, flat values as texts.
What is empty is left out: an empty text says nothing. Texts stay as they are, and are found however they are spelled.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, cast

import orjson

from sortkey.errors import ModelError
from sortkey.model.instants import read_instant

EXCLUDED = ("VAMS_", "_")
"""Names that begin so are not indexed, at the top and in flat objects."""
RECORD_TYPE = "_rectype"
FLAT_OBJECTS = ("MD_", "AB_")

EXACT_MAX = 1024
"""A longer text has words, but no exact value: nothing sorts or counts by it. In UTF-16 units, as Lucene counts."""
NUMBER_MAX = 2**63 - 1
DEGREE_PARTS = 10_000_000
"""Points are kept to a ten-millionth of a degree."""


class FieldKind(Enum):
    """What a field holds; the value is how names of its kind begin, or what they are."""

    TEXT = "str_"
    NUMBER = "num_"
    BOOLEAN = "bool_"
    DATE = "date_"
    LIST = "list_"
    POINT = "gp_"
    SHAPE = "gs_"
    FLAT = "flat object"
    KEYWORD = "keyword"

    @property
    def has_words(self) -> bool:
        return self in (FieldKind.TEXT, FieldKind.LIST, FieldKind.SHAPE)

    @property
    def is_ranged(self) -> bool:
        return self in (FieldKind.NUMBER, FieldKind.DATE)

    @property
    def is_sorted(self) -> bool:
        """Whether a document has at most one value that has an order."""
        return self not in (FieldKind.LIST, FieldKind.POINT, FieldKind.SHAPE, FieldKind.FLAT)


PREFIXES = {kind.value: kind for kind in FieldKind if kind.value.endswith("_")}
_NAME_MAX = 200
_NOT_IN_NAMES = frozenset('.*"\\\0')


@dataclass(frozen=True, slots=True)
class GeoPoint:
    """A place on the earth, in degrees."""

    lat: float
    lon: float

    def __post_init__(self) -> None:
        for name, value, most in (("lat", self.lat, 90), ("lon", self.lon, 180)):
            if not isfinite(value) or abs(value) > most:
                raise ModelError(f"{name}={value!r} is no place: it is between -{most} and {most}")


def kind_of(name: str) -> FieldKind:
    """The kind of a field by its name. Raises ModelError for one that says no kind."""
    if name == RECORD_TYPE:
        return FieldKind.KEYWORD
    if name in FLAT_OBJECTS:
        return FieldKind.FLAT
    prefix, _, rest = name.partition("_")
    kind = PREFIXES.get(prefix + "_")
    if kind is None or not rest:
        known = ", ".join([*PREFIXES, *FLAT_OBJECTS, RECORD_TYPE])
        raise ModelError(f"{name!r} does not say what it holds: begin it with one of {known}")
    if len(name) > _NAME_MAX or not _NOT_IN_NAMES.isdisjoint(name):
        raise ModelError(f"{name!r} is no name of a field: at most {_NAME_MAX} characters, no dot, star or quote")
    return kind


def is_excluded(name: str) -> bool:
    return name.startswith(EXCLUDED) and name != RECORD_TYPE


def normal_text(value: str) -> str:
    """One spelling of letters with accents (NFC), whoever typed them: how texts are indexed and searched."""
    return value if value.isascii() or unicodedata.is_normalized("NFC", value) else unicodedata.normalize("NFC", value)


def has_exact(text: str) -> bool:
    """Whether a text is short enough to be found, sorted and counted as a whole."""
    return len(text) * 2 <= EXACT_MAX or len(text.encode("utf-16-le", "surrogatepass")) // 2 <= EXACT_MAX


def millis(value: Any) -> int:
    """A date as milliseconds since 1970; what is finer is cut off."""
    since = _instant(value) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def date_text(count: int) -> str:
    """Milliseconds since 1970 as documents hold a date."""
    return _date(_EPOCH + timedelta(milliseconds=count))


def whole_number(value: Any) -> int:
    """A number that fits 64 bits. Raises ModelError for another, and for one with a fraction."""
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool) and isfinite(value):
        number = int(value)
        if number == value and abs(number) <= NUMBER_MAX:
            return number
    raise ModelError(f"{value!r} is no whole number of 64 bits")


def indexable(value: Any) -> Any:
    """Fields as an index takes them: one spelling of letters, and no values in flat objects that are too long."""
    if isinstance(value, str):
        return normal_text(value)
    if isinstance(value, list):
        return [indexable(each) for each in cast(list[Any], value)]
    if isinstance(value, dict):
        members = cast(dict[str, Any], value)
        return {normal_text(name): _short(name, indexable(each)) for name, each in members.items()}
    return value


def flat_leaves(members: Mapping[str, Any], before: str = "") -> dict[str, list[str]]:
    """A flat object's values by their paths, `a.b` for a member of a member."""
    leaves: dict[str, list[str]] = {}
    for name, value in members.items():
        path = before + name
        if value.__class__ is str:
            leaves.setdefault(path, []).append(value)
            continue
        for each in cast(list[Any], value) if isinstance(value, list) else [value]:
            inner = flat_leaves(cast(dict[str, Any], each), path + ".") if isinstance(each, dict) else {path: [each]}
            for at, values in inner.items():
                leaves.setdefault(at, []).extend(values)
    return leaves


def _short(name: str, value: Any) -> Any:
    """A field, without the long values if it is a flat object."""
    if name not in FLAT_OBJECTS:
        return value
    return _without_long(value)


def _without_long(value: Any) -> Any:
    if isinstance(value, dict):
        members = cast(dict[str, Any], value)
        return {name: _without_long(each) for name, each in members.items() if not _is_long(each)}
    if isinstance(value, list):
        return [_without_long(each) for each in cast(list[Any], value) if not _is_long(each)]
    return value


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and not has_exact(value)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE_LENGTH = len("2024-05-06T07:08:09.123Z")


def _text(value: Any) -> str | None:
    if value.__class__ is str:
        return value or None
    if isinstance(value, Enum):
        value = value.value
    if not isinstance(value, str):
        raise ModelError(f"{value!r} is no text")
    return value or None


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ModelError(f"{value!r} is neither True nor False")
    return value


def _instant(value: Any) -> datetime:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    try:
        read = read_instant(value)
    except ValueError:
        read = None
    if not isinstance(read, datetime):
        raise ModelError(f"{value!r} is no date: give a datetime with its zone, or an ISO 8601 text")
    return read if read.tzinfo is UTC else read.astimezone(UTC)


def _date(value: Any) -> str:
    instant = _instant(value)
    if value.__class__ is str and len(value) == _DATE_LENGTH and value[10] + value[19] + value[23] == "T.Z":
        return value  # as we write it
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _list(value: Any) -> list[str] | None:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ModelError(f"{value!r} is no list of texts")
    texts = [each if each.__class__ is str else _text(each) for each in cast(Iterable[Any], value)]
    # A value that stands twice counts once, in every index.
    return [text for text in dict.fromkeys(texts) if text] or None


def _point(value: Any) -> dict[str, float]:
    if isinstance(value, Mapping):
        members = cast(Mapping[str, Any], value)
        value = GeoPoint(float(members["lat"]), float(members["lon"])) if {"lat", "lon"} <= members.keys() else None
    if not isinstance(value, GeoPoint):
        raise ModelError(f"{value!r} is no place: give a GeoPoint")
    return {
        "lat": round(value.lat * DEGREE_PARTS) / DEGREE_PARTS,
        "lon": round(value.lon * DEGREE_PARTS) / DEGREE_PARTS,
    }


def _shape(value: Any) -> str | None:
    if isinstance(value, str):
        return value or None
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _flat(value: Any) -> dict[str, Any] | None:
    """The members whose names are not excluded, all of them texts."""
    if not isinstance(value, Mapping):
        raise ModelError(f"{value!r} is no map")
    kept: dict[str, Any] = {}
    for name, each in cast(Mapping[Any, Any], value).items():
        text = name if name.__class__ is str else str(name)
        if each.__class__ is not str:
            each = _flat_value(each)
        if each and text and not text.startswith(EXCLUDED):
            kept[text] = each
    return kept or None


def _flat_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _flat(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        values = [_flat_value(each) for each in cast(Iterable[Any], value)]
        return [each for each in values if each]
    return None if value is None else _flat_text(value)


def _flat_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return _date(value)
    return str(value.value if isinstance(value, Enum) else value)


NORMAL_FORMS: dict[FieldKind, Callable[[Any], Any]] = {
    FieldKind.TEXT: _text,
    FieldKind.KEYWORD: _text,
    FieldKind.NUMBER: whole_number,
    FieldKind.BOOLEAN: _boolean,
    FieldKind.DATE: _date,
    FieldKind.LIST: _list,
    FieldKind.POINT: _point,
    FieldKind.SHAPE: _shape,
    FieldKind.FLAT: _flat,
}
"""Each makes of a value the one that documents hold, or None of one that says nothing. They raise ModelError."""
