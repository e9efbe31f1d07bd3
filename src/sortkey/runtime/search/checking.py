"""Queries against a declaration: every field is known and can do what it is asked; every value is in its normal form.

What an index gets from here needs no further thought: it cannot be misunderstood by one and understood by another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.document_fields import (
    FLAT_OBJECTS,
    NUMBER_MAX,
    FieldKind,
    kind_of,
    millis,
    normal_text,
    whole_number,
)
from sortkey.model.documents import Document
from sortkey.runtime.search.matches import (
    All,
    Any_,
    Box,
    Exists,
    Keyword,
    Match,
    Near,
    Not,
    Phrase,
    Prefix,
    Range,
    Text,
)
from sortkey.runtime.search.queries import SearchQuery

WORDS_MAX = 1000
"""Characters of a text to search for."""
WORD_COUNT_MAX = 30
WORD_MAX = 8000
"""Characters of a word that an index holds; a longer one is none."""
CLAUSES_MAX = 500
DEPTH_MAX = 20
VALUES_MAX = 10_000


def checked(document: Document[Any], query: SearchQuery) -> SearchQuery:
    """The query in its normal form. Raises ModelError for one that cannot be asked."""
    for sort in query.sorts:
        kind = _declared(document, sort.field)
        if not kind.is_sorted:
            raise ModelError(f"{sort.field} has no order: sort by a field with one value, as str_, num_ or date_ ones")
    for facet in query.facets:
        if kind_of(facet.field) not in _COUNTED:
            raise ModelError(f"{facet.field} cannot be counted: str_, list_, num_ and bool_ fields can")
    for name in query.highlights:
        _with_words(name)
    return query if query.where is None else replace(query, where=checked_match(query.where))


def checked_match(clause: Match) -> Match:
    """A clause in its normal form: ranges as inclusive bounds of whole numbers, dates as milliseconds."""
    count = _count(clause, 1)
    if count > CLAUSES_MAX:
        raise ModelError(f"{count} clauses in one query: at most {CLAUSES_MAX}")
    return _normal(clause)


def kind_at(field: str) -> tuple[FieldKind, str]:
    """The kind of a field, and the path within a flat object: `MD_.colour` is (FLAT, "colour")."""
    name, dot, path = field.partition(".")
    if dot and name in FLAT_OBJECTS and path:
        return FieldKind.FLAT, path
    return kind_of(field), ""


def edits(word: str) -> int:
    """How many wrong letters a fuzzy search forgives in a word."""
    return 0 if len(word) < 3 else 1 if len(word) < 6 else 2


def counted_words(words: Sequence[str]) -> Sequence[str]:
    """Words to search for, unless they are too many: each of them is looked up in every field."""
    if len(words) > WORD_COUNT_MAX:
        raise ModelError(f"{len(words)} words to search for: at most {WORD_COUNT_MAX}")
    return words


def highlighted(clause: Match | None, field: str) -> list[Text | Phrase]:
    """The clauses whose words are to be shown in a field: those that ask for them there, or everywhere."""
    if isinstance(clause, (Text, Phrase)):
        return [clause] if not clause.fields or field in clause.fields else []
    if isinstance(clause, (All, Any_)):
        return [each for member in clause.clauses for each in highlighted(member, field)]
    return []


def is_scored(clause: Match | None) -> bool:
    """Whether some documents match better than others."""
    if isinstance(clause, (All, Any_)):
        return any(is_scored(each) for each in clause.clauses)
    return isinstance(clause, (Text, Phrase))


_COUNTED = (FieldKind.TEXT, FieldKind.LIST, FieldKind.NUMBER, FieldKind.BOOLEAN, FieldKind.KEYWORD)
_EXACT = (FieldKind.TEXT, FieldKind.LIST, FieldKind.KEYWORD, FieldKind.FLAT)


def _normal(clause: Match) -> Match:
    match clause:
        case Text() | Phrase():
            return _normal_words(clause)
        case Keyword(field, values):
            if len(values) > VALUES_MAX:
                raise ModelError(f"{len(values)} values of {field}: at most {VALUES_MAX}")
            kind, _ = kind_at(field)
            return Keyword(field, tuple(_normal_value(field, kind, value) for value in values))
        case Prefix(field, begin):
            kind, path = kind_at(field)
            if kind not in _EXACT or (kind is FieldKind.FLAT and not path):
                raise ModelError(f"{field} has no beginning: prefix is for str_ and list_ fields, and MD_.<key>")
            return Prefix(field, normal_text(begin))
        case Range():
            return _normal_range(clause)
        case Exists(field):
            kind_at(field)
            return clause
        case Near(field) | Box(field):
            if kind_of(field) is not FieldKind.POINT:
                raise ModelError(f"{field} holds no places: those are in gp_ fields")
            return clause
        case All(clauses):
            return All(tuple(_normal(each) for each in clauses))
        case Any_(clauses):
            return Any_(tuple(_normal(each) for each in clauses))
        case Not(inner):
            return Not(_normal(inner))
        case _:
            raise ModelError(f"{clause!r} is no clause: make one with the functions of Match")


def _normal_words(clause: Text | Phrase) -> Text | Phrase:
    if len(clause.words) > WORDS_MAX:
        raise ModelError(f"a text of {len(clause.words)} characters to search for: at most {WORDS_MAX}")
    for name in clause.fields:
        _with_words(name)
    return replace(clause, words=normal_text(clause.words))


def _normal_range(clause: Range) -> Match:
    kind, _ = kind_at(clause.field)
    if not kind.is_ranged:
        raise ModelError(f"{clause.field} has no range: num_ and date_ fields have one")
    if (clause.at_least is not None and clause.above is not None) or (
        clause.at_most is not None and clause.below is not None
    ):
        raise ModelError(f"the range of {clause.field} has the same bound twice")
    low, high = clause.at_least, clause.at_most
    low = None if low is None else _number(kind, low)
    high = None if high is None else _number(kind, high)
    low = low if clause.above is None else _number(kind, clause.above) + 1
    high = high if clause.below is None else _number(kind, clause.below) - 1
    if (low is not None and low > NUMBER_MAX) or (high is not None and high < -NUMBER_MAX):
        return Any_(())
    return Range(clause.field, low, high)


def _normal_value(field: str, kind: FieldKind, value: Any) -> Any:
    if kind is FieldKind.BOOLEAN and isinstance(value, bool):
        return value
    if kind.is_ranged:
        return _number(kind, value)
    if kind in _EXACT and isinstance(value, str):
        return normal_text(value)
    raise ModelError(f"{field} cannot be {value!r}: it is a {kind.value} field")


def _number(kind: FieldKind, value: Any) -> int:
    return millis(value) if kind is FieldKind.DATE else whole_number(value)


def _with_words(name: str) -> None:
    if not kind_of(name).has_words:
        raise ModelError(f"{name} has no words: str_, list_ and gs_ fields have")


def _declared(document: Document[Any], name: str) -> FieldKind:
    if name not in document.kinds:
        raise ModelError(f"{document.name} does not declare {name}; it can be sorted by {', '.join(_sorted(document))}")
    return document.kinds[name]


def _sorted(document: Document[Any]) -> list[str]:
    return [name for name, kind in document.kinds.items() if kind.is_sorted]


def _count(clause: Match, depth: int) -> int:
    if depth > DEPTH_MAX:
        raise ModelError(f"clauses in clauses, {DEPTH_MAX} deep: that is too deep")
    match clause:
        case All(clauses) | Any_(clauses):
            return 1 + sum(_count(each, depth + 1) for each in clauses)
        case Not(inner):
            return 1 + _count(inner, depth + 1)
        case _:
            return 1
