"""What people type into a search box, as a query: words, "phrases", -without, and field:value.

    old harbour "market square" -closed tags:italy num_size:100..200 MD_.colour:red date_made:2026-02

A field may be named without its prefix. What cannot be understood is refused with what could be written instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.document_fields import FLAT_OBJECTS, FieldKind
from sortkey.model.documents import Document
from sortkey.runtime.search import Match

HELP = 'words, "a phrase", -without, field:words, field:"the whole value", number:10..20, date:2026-02'
_PART = re.compile(r'(-?)(?:([A-Za-z_][\w.]*):(?!//))?("[^"]*"?|\S+)')
_BOUND = re.compile(r"(>=|<=|>|<)(.+)")
_DAY = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_WORDS_FOR = {"true": True, "yes": True, "false": False, "no": False}


def match_of(document: Document[Any], text: str, *, fuzzy: bool = False) -> Match | None:
    """The query of a text; None for one that asks for nothing. The last word may be the beginning of one."""
    words: list[str] = []
    clauses: list[Match] = []
    for part in _PART.finditer(text):
        minus, field, value = part.groups()
        if not field and not minus and not value.startswith('"'):
            words.append(value)
            continue
        clause = _of_field(document, field, value) if field else _plain(value)
        clauses.append(~clause if minus else clause)
    if words:
        is_typed = text.endswith(words[-1])
        clauses.insert(0, Match.text(" ".join(words), fuzzy=fuzzy, begins=is_typed and not fuzzy))
    return Match.all(*clauses) if clauses else None


def has_words(text: str) -> bool:
    """Whether there are words that could be misspelled."""
    return any(not minus and not field and value[0] != '"' for minus, field, value in _PART.findall(text))


def _plain(value: str) -> Match:
    return Match.phrase(value.strip('"')) if value.startswith('"') else Match.text(value)


def _of_field(document: Document[Any], name: str, value: str) -> Match:
    field, kind = _named(document, name)
    is_whole, value = value.startswith('"'), value.strip('"')
    if kind is FieldKind.BOOLEAN:
        if value.lower() not in _WORDS_FOR:
            raise ModelError(f"{name} is true or false: write {name}:true, not {value!r}")
        return Match.keyword(field, _WORDS_FOR[value.lower()])
    if kind is FieldKind.NUMBER:
        return _range(name, field, value, _number)
    if kind is FieldKind.DATE:
        return _range(name, field, value, _date)
    if kind is FieldKind.POINT:
        raise ModelError(
            f"{name} is a place: a program finds what is near it, with Match.near; here it cannot be typed"
        )
    if kind in (FieldKind.FLAT, FieldKind.KEYWORD):
        return Match.keyword(field, value)
    if kind is FieldKind.SHAPE or not is_whole:
        return Match.phrase(value, [field]) if is_whole else Match.text(value, [field], begins=True)
    return Match.keyword(field, value)


def _named(document: Document[Any], name: str) -> tuple[str, FieldKind]:
    top, dot, path = name.partition(".")
    if top in FLAT_OBJECTS and dot and path:
        return name, FieldKind.FLAT
    wanted = name.lower()
    for field, kind in document.kinds.items():
        if kind is not FieldKind.FLAT and wanted in (field.lower(), field.partition("_")[2].lower()):
            return field, kind
    flat = [each for each in document.fields if each in FLAT_OBJECTS]
    inside = f" For a key of {flat[0]} write {flat[0]}.{name}:value." if flat else ""
    known = ", ".join(each for each in document.fields if each not in FLAT_OBJECTS)
    raise ModelError(
        f"There is no field {name}. To search for the text itself, put it in quotes.{inside} Fields: {known}"
    )


def _range(name: str, field: str, value: str, read: Callable[[str, str], tuple[Any, Any]]) -> Match:
    """`10`, `>10`, `<=10`, `10..20`, `10..`; a date may be a year, a month or a day, and is all of it."""
    if bound := _BOUND.fullmatch(value):
        low, behind = read(name, bound[2])
        match bound[1]:
            case ">":
                return Match.range(field, at_least=behind)
            case ">=":
                return Match.range(field, at_least=low)
            case "<":
                return Match.range(field, below=low)
            case _:
                return Match.range(field, below=behind)
    start, dots, end = value.partition("..")
    if not dots:
        low, behind = read(name, value)
        return Match.range(field, at_least=low, below=behind)
    return Match.range(
        field,
        at_least=read(name, start)[0] if start else None,
        below=read(name, end)[1] if end else None,
    )


def _number(name: str, text: str) -> tuple[int, int]:
    try:
        number = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise ModelError(f"{name} is a whole number: write {name}:100, {name}:>100 or {name}:10..20") from None
    return number, number + 1


def _date(name: str, text: str) -> tuple[datetime, datetime]:
    """From its beginning to that of the next one."""
    try:
        if day := _DAY.fullmatch(text):
            return _span(int(day[1]), int(day[2] or 0), int(day[3] or 0))
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ModelError(f"{name} is a date: write {name}:2026-02-22, {name}:2026-02 or {name}:>2026") from None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at, at + timedelta(milliseconds=1)


def _span(year: int, month: int, day: int) -> tuple[datetime, datetime]:
    start = datetime(year, month or 1, day or 1, tzinfo=UTC)
    if day:
        return start, start + timedelta(days=1)
    if month:
        return start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC)
    return start, datetime(year + 1, 1, 1, tzinfo=UTC)
