"""Parses the text of a search box: words, "phrases", -without, and field:value.

    old harbour "market square" -closed tags:italy price:100..200 attributes.colour:red published:2026-02

A field may be named by its label. The error for invalid text says what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import inf, nextafter
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.document_fields import DocumentFields
from sortkey.model.field_kinds import Bool, Date, FieldKind, Flat, GeoPoint, Integer, Number
from sortkey.runtime.search import Match
from sortkey.web.console.search_labels import label_of, normalized

HELP = (
    'words, "a phrase", -without, field:words, field:"the whole value", number:10..20, date:2026-02'
)
_PART = re.compile(r'(-?)(?:([^\W\d][\w.]*):(?!//))?("[^"]*"?|\S+)')
_BOUND = re.compile(r"(>=|<=|>|<)(.+)")
_DAY = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_WORDS_FOR = {"true": True, "yes": True, "false": False, "no": False}


def match_of(fields: DocumentFields, text: str, *, fuzzy: bool = False) -> Match | None:
    """The query of a text, or None for an empty text. The last word may be incomplete."""
    words: list[str] = []
    clauses: list[Match] = []
    for part in _PART.finditer(text):
        minus, field, value = part.groups()
        if not field and not minus and not value.startswith('"'):
            words.append(value)
            continue
        clause = _of_field(fields, field, value) if field else _plain(value)
        clauses.append(~clause if minus else clause)
    if words:
        is_typed = text.endswith(words[-1])
        clauses.insert(0, Match.text(" ".join(words), fuzzy=fuzzy, begins=is_typed and not fuzzy))
    return Match.all(*clauses) if clauses else None


def has_words(text: str) -> bool:
    """Whether there are words that could be misspelled."""
    return any(
        not minus and not field and value[0] != '"' for minus, field, value in _PART.findall(text)
    )


def _plain(value: str) -> Match:
    return Match.phrase(value.strip('"')) if value.startswith('"') else Match.text(value)


def _of_field(fields: DocumentFields, name: str, value: str) -> Match:
    field, kind = _named(fields, name)
    is_whole, value = value.startswith('"'), value.strip('"')
    match kind:
        case Bool():
            return _boolean(name, field, value)
        case Integer():
            return _range(name, field, value, _integer)
        case Number():
            return _range(name, field, value, _number)
        case Date():
            return _range(name, field, value, _date)
        case GeoPoint():
            raise ModelError(f"{name} is a place, which cannot be searched here: use a program")
        case _ if not kind.has_words:
            return Match.keyword(field, value)
        case _ if not is_whole:
            return Match.text(value, [field], begins=True)
        case _:
            return (
                Match.keyword(field, value)
                if kind.has_whole_texts
                else Match.phrase(value, [field])
            )


def _named(fields: DocumentFields, name: str) -> tuple[str, FieldKind]:
    """A field by its name or label, however its words are joined. A dot precedes a map's key."""
    top, dot, path = name.partition(".")
    wanted = normalized(top)
    for field, kind in fields.items():
        is_member = bool(path) if isinstance(kind, Flat) else not dot
        if is_member and wanted in (normalized(field), normalized(label_of(fields, field))):
            return f"{field}{dot}{path}", kind
    maps = [field for field, kind in fields.items() if isinstance(kind, Flat)]
    inside = f" For a key of {maps[0]} write {maps[0]}.{name}:value." if maps else ""
    known = ", ".join(field for field in fields if field not in maps)
    raise ModelError(
        f"There is no field {name}. To search for the text itself, put it in quotes.{inside} "
        f"Fields: {known}"
    )


def _boolean(name: str, field: str, value: str) -> Match:
    if value.lower() not in _WORDS_FOR:
        raise ModelError(f"{name} is true or false: write {name}:true, not {value!r}")
    return Match.keyword(field, _WORDS_FOR[value.lower()])


def _range(name: str, field: str, value: str, read: Callable[[str, str], tuple[Any, Any]]) -> Match:
    """`10`, `>10`, `<=10`, `10..20`, `10..`. A date can be a whole year, month or day."""
    if bound := _BOUND.fullmatch(value):
        low, after = read(name, bound[2])
        match bound[1]:
            case ">":
                return Match.range(field, at_least=after)
            case ">=":
                return Match.range(field, at_least=low)
            case "<":
                return Match.range(field, below=low)
            case _:
                return Match.range(field, below=after)
    start, dots, end = value.partition("..")
    if not dots:
        low, after = read(name, value)
        return Match.range(field, at_least=low, below=after)
    return Match.range(
        field,
        at_least=read(name, start)[0] if start else None,
        below=read(name, end)[1] if end else None,
    )


def _integer(name: str, text: str) -> tuple[int, int]:
    try:
        number = int(_digits(text))
    except ValueError:
        raise ModelError(
            f"{name} is a whole number: write {name}:100, {name}:>100 or {name}:10..20"
        ) from None
    return number, number + 1


def _number(name: str, text: str) -> tuple[float, float]:
    try:
        number = float(_digits(text))
    except ValueError:
        raise ModelError(
            f"{name} is a number: write {name}:4.5, {name}:>4 or {name}:4..5"
        ) from None
    return number, nextafter(number, inf)


def _digits(text: str) -> str:
    return text.replace(",", "").replace("_", "")


def _date(name: str, text: str) -> tuple[datetime, datetime]:
    """The start of a date, and of the next one."""
    try:
        if day := _DAY.fullmatch(text):
            return _span(int(day[1]), int(day[2] or 0), int(day[3] or 0))
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ModelError(
            f"{name} is a date: write {name}:2026-02-22, {name}:2026-02 or {name}:>2026"
        ) from None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at, at + timedelta(milliseconds=1)


def _span(year: int, month: int, day: int) -> tuple[datetime, datetime]:
    start = datetime(year, month or 1, day or 1, tzinfo=UTC)
    if day:
        return start, start + timedelta(days=1)
    if month:
        return start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    return start, datetime(year + 1, 1, 1, tzinfo=UTC)
