"""Documents with ties, accents, numbers, dates and missing values, and what each query must find,
reckoned plainly.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from math import asin, atan2, cos, radians, remainder, sin, sqrt, tau
from typing import Any

from sortkey import Flat, Keyword, LatLon, Text
from sortkey.runtime.search import matches as m
from tests.contract.search_adapters import Note, notes

DECOMPOSED = unicodedata.normalize("NFD", "Café Müller")
LONG = "needle " + "hay " * 4000
WORDS = (
    "harbour",
    "Harbor",
    "old",
    "Straße",
    "café",
    "Zürich",
    "naïve",
    "3",
    "42",
    "blue-green",
    "Ørsted",
    "İzmir",
)
TAGS = ("Red", "red", "blue", "dark blue", "café", "日本")
PLACES = (
    LatLon(52.5200, 13.4050),
    LatLon(52.5206, 13.4098),
    LatLon(48.8566, 2.3522),
    LatLon(-16.5, 179.9),
    LatLon(-16.5, -179.9),
    LatLon(89.9, 10.0),
    LatLon(0.0, 0.0),
)


def corpus() -> list[Note]:
    """The same every time. Each field is missing somewhere, and most values are shared."""
    made = [Note(f"id:{number:03d}/ü", _fields(number)) for number in range(60)]
    special = {
        "decomposed": {"title": DECOMPOSED, "tags": [DECOMPOSED]},
        "long": {"title": LONG, "body": "short"},
        "marks": {"title": "--- !!! ---"},
        "empty": {},
        "order-a": {"title": "\ue000 private"},
        "order-b": {"title": "\U0001f600 emoji"},
        "order-c": {"title": "~"},
        "flat": {
            "attributes": {"a.b": ["x", "y"], "a": {"c": 5}, "internal_id": "no", "_x": "no"},
            "marks": {"_x": "x"},
        },
        "long flat": {
            "attributes": {"a": "x" * 1025, "b": "y" * 1024, "c": {"d": ["z" * 2000, "short"]}}
        },
        "numbers": {"size": 2**53 + 1, "made": datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)},
        "zero": {"rating": -0.0, "number_extra": 1.5},
        "huge": {"rating": 1.7976931348623157e308, "number_extra": -1e-300},
        "tiny": {"rating": 5e-324},
        "deep": {"rating": Decimal("-1.25e300")},
        "long codes": {"codes": ["x" * 1025, "short"], "word_extra": "y" * 1025},
        "phrase": {"tags": ["one two", "three four"], "body": "one two three"},
    }
    return made + [Note(key, fields) for key, fields in special.items()]


def _fields(n: int) -> dict[str, Any]:
    title = f"{WORDS[n % 12]} {WORDS[n * 5 % 12]}"
    fields: dict[str, Any] = {
        "title": title if n % 7 else None,
        "body": f"The {WORDS[n * 7 % 12]} of {n % 9}" if n % 5 else None,
        "size": (n * 37 % 11) - 5 if n % 4 else None,
        "rating": (n * 31 % 13 - 6) / 4 if n % 3 else None,
        "open": bool(n % 3) if n % 6 else None,
        "made": datetime(2024, 1 + n % 4, 1 + n % 9, n % 24, tzinfo=UTC) if n % 8 else None,
        "tags": [TAGS[n % 6], TAGS[n * 3 % 6]] if n % 9 else None,
        "codes": [f"{TAGS[n % 6]}-{n % 4}", TAGS[n % 5]] if n % 8 else None,
        "place": PLACES[n % 7] if n % 10 else None,
        "outline": {"type": "Polygon", "name": f"area {n % 5}"} if n % 11 == 0 else None,
        "attributes": {"colour": TAGS[n % 6], "weight": n % 5, "deep": {"down": n % 2 == 0}}
        if n % 2
        else None,
        "kind": "note" if n % 3 else "memo",
        "text_extra": f"extra {WORDS[n % 12]}" if n % 13 == 0 else None,
        "whole_extra": n if n % 13 == 0 else None,
        "number_extra": n / 8 - 3 if n % 13 == 0 else None,
        "word_extra": WORDS[n % 12] if n % 13 == 0 else None,
        "at_extra": PLACES[n % 7] if n % 13 == 0 else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


# -- what a clause must find


def matches(clause: m.Match | None, fields: dict[str, Any]) -> bool:
    """Whether a document in its normal form matches."""
    match clause:
        case None:
            return True
        case m.AllMatch(clauses):
            return all(matches(clause, fields) for clause in clauses)
        case m.AnyMatch(clauses):
            return any(matches(clause, fields) for clause in clauses)
        case m.NotMatch(inner):
            return not matches(inner, fields)
        case m.TextMatch():
            return _has_words(clause, _texts(fields, clause.fields))
        case m.PhraseMatch(text, names):
            wanted = words(text)
            return bool(wanted) and any(
                _runs(words(text), wanted) for text in _texts(fields, names)
            )
        case m.KeywordMatch(name, values):
            return any(_same(each, value) for each in values_of(fields, name) for value in values)
        case m.PrefixMatch(name, begin):
            return any(str(value).startswith(begin) for value in values_of(fields, name))
        case m.RangeMatch(name):
            return any(_in_range(clause, value) for value in values_of(fields, name))
        case m.ExistsMatch(name):
            return bool(values_of(fields, name)) or (
                name in fields and notes.fields.at(name)[0].has_words
            )
        case m.BoxMatch(name):
            return any(_in_box(clause, value) for value in values_of(fields, name))
        case m.PolygonMatch(name, polygon):
            return any(_turns(polygon.corners, value) for value in values_of(fields, name))
        case m.NearMatch(name, point, metres):
            return any(_metres(point, value) <= metres for value in values_of(fields, name))
    raise AssertionError(clause)


@cache
def words(text: str) -> list[str]:
    """Letters and digits, without accents, small: for the letters that stand in the corpus."""
    folded = (
        unicodedata.normalize("NFC", text).replace("ß", "ss").replace("ẞ", "ss").replace("Ø", "o")
    )
    bare = "".join(
        each for each in unicodedata.normalize("NFD", folded) if not unicodedata.combining(each)
    )
    return "".join(each if each.isalnum() else " " for each in bare.lower()).split()


def _has_words(clause: m.TextMatch, texts: Iterable[str]) -> bool:
    found = {word for text in texts for word in words(text)}
    wanted = words(clause.words)
    tests = [_found(word, found, clause, n == len(wanted) - 1) for n, word in enumerate(wanted)]
    return any(tests) if clause.any_word else bool(tests) and all(tests)


def _found(wanted: str, found: set[str], clause: m.TextMatch, is_last: bool) -> bool:
    if clause.begins and is_last:
        return any(word.startswith(wanted) for word in found)
    most = (0 if len(wanted) < 3 else 1 if len(wanted) < 6 else 2) if clause.fuzzy else 0
    return any(_edits(wanted, word) <= most for word in found)


@cache
def _edits(one: str, other: str) -> int:
    """By recursion on the first letters; words are short."""
    if not one or not other:
        return len(one) + len(other)
    if one[0] == other[0]:
        return _edits(one[1:], other[1:])
    if abs(len(one) - len(other)) > 2:
        return 3
    best = 1 + min(_near(one[1:], other), _near(one, other[1:]), _near(one[1:], other[1:]))
    if one[:2] == other[1::-1] and len(other) > 1:
        best = min(best, 1 + _near(one[2:], other[2:]))
    return best


def _near(one: str, other: str) -> int:
    return 3 if abs(len(one) - len(other)) > 2 else _edits(one, other)


def _runs(found: list[str], wanted: list[str]) -> bool:
    return any(found[n : n + len(wanted)] == wanted for n in range(len(found)))


def _texts(fields: dict[str, Any], names: Iterable[str]) -> list[str]:
    chosen = list(names) or [name for name in fields if notes.fields.at(name)[0].has_words]
    values = [fields[name] for name in chosen if name in fields]
    return [text for value in values for text in (value if isinstance(value, list) else [value])]


def values_of(fields: dict[str, Any], name: str) -> list[Any]:
    top, _, path = name.partition(".")
    kind, _ = notes.fields.at(name)
    if isinstance(kind, Flat):
        leaves = _leaves(fields.get(top, {}))
        return [value for at, value in leaves if (not path or at == path) and len(value) <= 1024]
    value = fields.get(name)
    if isinstance(kind, (Text, Keyword)):
        texts = value if isinstance(value, list) else [value] if value else []
        return [unicodedata.normalize("NFC", text) for text in texts if len(text) <= 1024]
    return [] if value is None else [value]


def _leaves(value: Any, before: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [
            leaf
            for name, each in value.items()
            for leaf in _leaves(each, f"{before}.{name}" if before else name)
        ]
    return [(before, each) for each in value] if isinstance(value, list) else [(before, value)]


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, datetime):
        return _date(value) == wanted
    if isinstance(wanted, str):
        wanted = unicodedata.normalize("NFC", wanted)
    return type(value) is type(wanted) and value == wanted


def _in_range(clause: m.RangeMatch, value: Any) -> bool:
    value = _date(value) if isinstance(value, str) else value
    return (
        (clause.at_least is None or value >= clause.at_least)
        and (clause.at_most is None or value <= clause.at_most)
        and (clause.above is None or value > clause.above)
        and (clause.below is None or value < clause.below)
    )


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _in_box(clause: m.BoxMatch, place: dict[str, float]) -> bool:
    if not clause.bottom <= place["lat"] <= clause.top:
        return False
    if clause.left <= clause.right:
        return clause.left <= place["lon"] <= clause.right
    return place["lon"] >= clause.left or place["lon"] <= clause.right


def _turns(corners: tuple[LatLon, ...], place: dict[str, float]) -> bool:
    """Whether the outline, seen from a place, turns around it."""
    seen = [atan2(each.lat - place["lat"], each.lon - place["lon"]) for each in corners]
    turns = [remainder(b - a, tau) for a, b in zip(seen, [*seen[1:], seen[0]], strict=True)]
    return abs(sum(turns)) > 1


def _metres(point: LatLon, place: dict[str, float]) -> float:
    lat, other = radians(point.lat), radians(place["lat"])
    half = (
        sin((other - lat) / 2) ** 2
        + cos(lat) * cos(other) * sin(radians(place["lon"] - point.lon) / 2) ** 2
    )
    return 2 * 6_371_008.7714 * asin(sqrt(half))


def in_order(
    found: list[tuple[str, dict[str, Any]]], sorts: tuple[tuple[str, bool], ...]
) -> list[str]:
    """Ids in the order of some fields: what is missing last, ties by id."""
    rows = sorted(found, key=lambda row: row[0].encode())
    for name, is_descending in reversed(sorts):
        values = {id: values_of(fields, name) for id, fields in rows}
        have = [row for row in rows if values[row[0]]]
        have.sort(key=lambda row: _sortable(values[row[0]][0]), reverse=is_descending)
        rows = have + [row for row in rows if not values[row[0]]]
    return [id for id, _ in rows]


def _sortable(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value
