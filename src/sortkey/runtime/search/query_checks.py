"""Checks queries against a declaration: every field must be known and support its use, and every
value gets its normal form.

So every index gets the same unambiguous query.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isinf, nextafter
from typing import Any

from sortkey.errors import ModelError
from sortkey.model import field_values as values
from sortkey.model.document_fields import DocumentFields
from sortkey.model.documents import Document
from sortkey.model.field_kinds import Bool, Date, FieldKind, Flat, GeoPoint, Number
from sortkey.runtime.search.matches import (
    AllMatch,
    AnyMatch,
    BoxMatch,
    ExistsMatch,
    KeywordMatch,
    Match,
    NearMatch,
    NotMatch,
    PhraseMatch,
    PolygonMatch,
    PrefixMatch,
    RangeMatch,
    TextMatch,
)
from sortkey.runtime.search.queries import SearchQuery, Sort

WORDS_MAX = 1000
"""The maximum length of a search text, in characters."""
WORD_COUNT_MAX = 30
WORD_MAX = 8000
"""The maximum length of an indexed word, in characters."""
CLAUSES_MAX = 500
DEPTH_MAX = 20
VALUES_MAX = 10_000


def checked(document: Document[Any], query: SearchQuery) -> SearchQuery:
    """The query in its normal form. Raises ModelError if it is not valid."""
    fields = document.fields
    for sort in query.sorts:
        _check_sort(document, sort)
    query = replace(query, sorts=tuple(_ascending(sort) for sort in query.sorts))
    for facet in query.facets:
        if not fields.at(facet.field)[0].is_counted:
            raise ModelError(
                f"{facet.field} cannot be counted: use a text, keyword, number or boolean field"
            )
    for name in query.highlights:
        _check_words(fields, name)
    return (
        query if query.where is None else replace(query, where=checked_match(fields, query.where))
    )


def checked_match(fields: DocumentFields, clause: Match) -> Match:
    """A clause in its normal form: ranges with inclusive bounds, dates as milliseconds."""
    count = _count(clause, 1)
    if count > CLAUSES_MAX:
        raise ModelError(f"{count} clauses in one query: use at most {CLAUSES_MAX}")
    return _normal(fields, clause)


def check_texts(fields: DocumentFields, field: str) -> None:
    """Raise ModelError unless a field has texts that can be listed."""
    kind, _ = fields.at(field)
    if not kind.has_whole_texts or isinstance(kind, Flat):
        raise ModelError(f"{field} has no texts to list: use a text or keyword field")


def edits(word: str) -> int:
    """How many wrong letters a fuzzy search allows in a word."""
    if len(word) < 3:
        return 0
    return 1 if len(word) < 6 else 2


def counted_words(words: Sequence[str]) -> Sequence[str]:
    """The words of a search, checked to be few enough: each is looked up in every field."""
    if len(words) > WORD_COUNT_MAX:
        raise ModelError(f"{len(words)} words to search for: use at most {WORD_COUNT_MAX}")
    return words


def highlighted(clause: Match | None, field: str) -> list[TextMatch | PhraseMatch]:
    """The clauses whose words are highlighted in a field."""
    if isinstance(clause, (TextMatch, PhraseMatch)):
        return [clause] if not clause.fields or field in clause.fields else []
    if isinstance(clause, (AllMatch, AnyMatch)):
        return [match for member in clause.clauses for match in highlighted(member, field)]
    return []


def is_scored(clause: Match | None) -> bool:
    """Whether a clause affects the score."""
    if isinstance(clause, (AllMatch, AnyMatch)):
        return any(is_scored(inner) for inner in clause.clauses)
    return isinstance(clause, (TextMatch, PhraseMatch))


def _normal(fields: DocumentFields, clause: Match) -> Match:
    match clause:
        case TextMatch() | PhraseMatch():
            return _normal_words(fields, clause)
        case KeywordMatch(field, wanted):
            if len(wanted) > VALUES_MAX:
                raise ModelError(f"{len(wanted)} values of {field}: at most {VALUES_MAX}")
            kind, _ = fields.at(field)
            return KeywordMatch(field, tuple(_normal_value(field, kind, value) for value in wanted))
        case PrefixMatch(field, begin):
            kind, path = fields.at(field)
            if not kind.has_whole_texts or (isinstance(kind, Flat) and not path):
                raise ModelError(
                    f"{field} has no prefix: use a text, a keyword or a member of a map"
                )
            return PrefixMatch(field, values.normal_text(begin))
        case RangeMatch():
            return _normal_range(fields, clause)
        case ExistsMatch(field):
            fields.at(field)
            return clause
        case NearMatch(field) | BoxMatch(field) | PolygonMatch(field):
            if not isinstance(fields.at(field)[0], GeoPoint):
                raise ModelError(f"{field} holds no places: use a field declared as GeoPoint()")
            return clause
        case AllMatch(clauses):
            return AllMatch(tuple(_normal(fields, clause) for clause in clauses))
        case AnyMatch(clauses):
            return AnyMatch(tuple(_normal(fields, clause) for clause in clauses))
        case NotMatch(inner):
            return NotMatch(_normal(fields, inner))
        case _:
            raise ModelError(f"{clause!r} is not a clause: create one with the functions of Match")


def _normal_words(
    fields: DocumentFields, clause: TextMatch | PhraseMatch
) -> TextMatch | PhraseMatch:
    if len(clause.words) > WORDS_MAX:
        raise ModelError(
            f"a text of {len(clause.words)} characters to search for: use at most {WORDS_MAX}"
        )
    for name in clause.fields:
        _check_words(fields, name)
    return replace(clause, words=values.normal_text(clause.words))


def _normal_range(fields: DocumentFields, clause: RangeMatch) -> Match:
    kind, _ = fields.at(clause.field)
    if not kind.is_ranged:
        raise ModelError(f"{clause.field} has no range: use a number or a date")
    if (clause.at_least is not None and clause.above is not None) or (
        clause.at_most is not None and clause.below is not None
    ):
        raise ModelError(f"the range of {clause.field} has the same bound twice")
    low = (
        _bound(kind, clause.at_least)
        if clause.above is None
        else _beside(_bound(kind, clause.above), inf)
    )
    high = (
        _bound(kind, clause.at_most)
        if clause.below is None
        else _beside(_bound(kind, clause.below), -inf)
    )
    if _is_beyond(low) or _is_beyond(high):
        return AnyMatch(())
    return RangeMatch(clause.field, low, high)


def _bound(kind: FieldKind, bound: Any) -> int | float | None:
    return None if bound is None else _in_order(kind, bound)


def _beside(bound: int | float | None, towards: float) -> int | float | None:
    """The next larger value that a field can have."""
    if isinstance(bound, float):
        return nextafter(bound, towards)
    return None if bound is None else bound + (1 if towards > 0 else -1)


def _is_beyond(bound: int | float | None) -> bool:
    """Whether a range is empty."""
    return bound is not None and (
        isinf(bound) if isinstance(bound, float) else abs(bound) > values.INTEGER_MAX
    )


def _normal_value(field: str, kind: FieldKind, value: Any) -> Any:
    if isinstance(kind, Bool) and isinstance(value, bool):
        return value
    if kind.is_ranged:
        return _in_order(kind, value)
    if kind.has_whole_texts and isinstance(value, str):
        return values.normal_text(value)
    raise ModelError(f"{field} cannot be {value!r}: it is declared as {type(kind).__name__}()")


def _in_order(kind: FieldKind, value: Any) -> int | float:
    match kind:
        case Date():
            return values.millis(value)
        case Number():
            return values.number(value)
        case _:
            return values.integer(value)


def _check_words(fields: DocumentFields, name: str) -> None:
    if not fields.at(name)[0].has_words:
        raise ModelError(f"{name} has no words: use a field declared as Text() or GeoShape()")


def _ascending(sort: Sort) -> Sort:
    """Sort by descending distance as ascending distance from the antipode, so that indexes need
    only one direction.
    """
    if sort.origin is None or not sort.is_descending:
        return sort
    return Sort(sort.field, origin=sort.origin.antipode)


def _check_sort(document: Document[Any], sort: Sort) -> None:
    if sort.origin is not None:
        if not isinstance(document.fields.at(sort.field)[0], GeoPoint):
            raise ModelError(f"{sort.field} has no distance: use a field declared as GeoPoint()")
        return
    if sort.field not in document.fields:
        known = ", ".join(name for name, kind in document.fields.items() if kind.is_sorted)
        raise ModelError(
            f"{document.name} does not declare {sort.field}; it can be sorted by {known}"
        )
    if isinstance(document.fields[sort.field], GeoPoint):
        raise ModelError(
            f"{sort.field} has no order of its own: sort by Sort.distance({sort.field!r}, "
            "LatLon(…))"
        )
    if not document.fields[sort.field].is_sorted:
        raise ModelError(
            f"{sort.field} has no order: sort by a field with one text, number, date or boolean"
        )


def _count(clause: Match, depth: int) -> int:
    if depth > DEPTH_MAX:
        raise ModelError(f"clauses are nested too deeply: use at most {DEPTH_MAX} levels")
    match clause:
        case AllMatch(clauses) | AnyMatch(clauses):
            return 1 + sum(_count(clause, depth + 1) for clause in clauses)
        case NotMatch(inner):
            return 1 + _count(inner, depth + 1)
        case _:
            return 1
