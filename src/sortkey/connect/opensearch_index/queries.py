"""Clauses as OpenSearch's queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sortkey.connect.opensearch_index.mapping import ANY_WORDS, exact
from sortkey.model.document_fields import DocumentFields
from sortkey.model.field_kinds import Date
from sortkey.model.field_values import date_text
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
from sortkey.runtime.search.query_checks import edits, is_scored

Json = dict[str, Any]
EVERYTHING: Json = {"match_all": {"boost": 0}}
NOTHING: Json = {"match_none": {}}
EDGE_DEGREES = 1e-7
"""About a centimetre, which is within the rounding anyway."""
_ALL_TERMS = {"rewrite": "constant_score"}
"""Without it, only the fifty most common matching words are searched."""

_NOWHERE = {"ignore_unmapped": True}
"""A field that no document has yet has no type, and no places."""


class Translator:
    """Makes queries. `words_of` splits a text into words as the index does."""

    def __init__(self, fields: DocumentFields, words_of: Callable[[str], Sequence[str]]) -> None:
        self._any_words = [name for name, kind in fields.items() if kind.has_words] + [ANY_WORDS]
        self._fields, self._words_of = fields, words_of

    def query(self, clause: Match | None) -> Json:
        match clause:
            case None:
                return EVERYTHING
            case TextMatch():
                return self._text(clause, clause.fields or self._any_words)
            case PhraseMatch():
                return self._phrase(clause, clause.fields or self._any_words)
            case AllMatch(clauses):
                return self._all(clauses)
            case AnyMatch(clauses):
                return _any([self._scored(part) for part in clauses])
            case NotMatch(inner):
                return self._all((NotMatch(inner),))
            case _:
                return self._filter(clause)

    def highlight(self, clauses: Sequence[TextMatch | PhraseMatch], field: str) -> Json:
        """What is highlighted in a field: any of the words."""
        queries: list[Json] = []
        for clause in clauses:
            if isinstance(clause, PhraseMatch):
                queries.append(self._phrase(clause, [field]))
            else:
                anything = TextMatch(clause.words, (), True, clause.fuzzy, clause.begins)
                queries.append(self._text(anything, [field]))
        return _any(queries)

    def _text(self, clause: TextMatch, fields: Sequence[str]) -> Json:
        words = self._words_of(clause.words)
        queries = [
            _any(
                [
                    query
                    for field in fields
                    for query in _word(field, word, clause, is_last=n == len(words) - 1)
                ]
            )
            for n, word in enumerate(words)
        ]
        return _any(queries) if clause.any_word or not queries else {"bool": {"must": queries}}

    def _phrase(self, clause: PhraseMatch, fields: Sequence[str]) -> Json:
        if not self._words_of(clause.words):
            return NOTHING
        return _any([{"match_phrase": {field: {"query": clause.words}}} for field in fields])

    def _all(self, clauses: Sequence[Match]) -> Json:
        positive = [clause for clause in clauses if not isinstance(clause, NotMatch)]
        occurrences = {
            "must": [self.query(clause) for clause in positive if is_scored(clause)],
            "filter": [self.query(clause) for clause in positive if not is_scored(clause)],
            "must_not": [
                self.query(clause.clause) for clause in clauses if isinstance(clause, NotMatch)
            ],
        }
        used = {occur: queries for occur, queries in occurrences.items() if queries}
        return {"bool": used} if used else EVERYTHING

    def _scored(self, clause: Match) -> Json:
        """A filter among alternatives must not change the score."""
        query = self.query(clause)
        return query if is_scored(clause) else {"constant_score": {"filter": query, "boost": 0}}

    def _filter(self, clause: Match) -> Json:
        match clause:
            case KeywordMatch(field, values):
                return self._keyword(field, values)
            case PrefixMatch(field, begin):
                return {"prefix": {self.exact(field): {"value": begin}}}
            case RangeMatch(field, low, high):
                return self._range(field, low, high)
            case ExistsMatch(field):
                return self._exists(field)
            case BoxMatch(field, top, left, bottom, right):
                (bottom, top), (left, right) = _apart(bottom, top, 90), _apart(left, right, 180)
                corners = {
                    "top_left": {"lat": top, "lon": left},
                    "bottom_right": {"lat": bottom, "lon": right},
                }
                return {"geo_bounding_box": {field: corners, **_NOWHERE}}
            case NearMatch(field, point, metres):
                return {
                    "geo_distance": {
                        **_NOWHERE,
                        "distance": f"{metres}m",
                        field: {"lat": point.lat, "lon": point.lon},
                    }
                }
            case PolygonMatch(field, polygon):
                points = [{"lat": each.lat, "lon": each.lon} for each in polygon.corners]
                return {"geo_polygon": {field: {"points": points}, **_NOWHERE}}
            case _:
                raise TypeError(clause)

    def exact(self, field: str) -> str:
        """The path of the exact values of a field, or of a member of a flat object."""
        return exact(self._fields.at(field)[0], field)

    def _keyword(self, field: str, values: Sequence[Any]) -> Json:
        if not values:
            return NOTHING
        if isinstance(self._fields.at(field)[0], Date):
            return _any([self._range(field, value, value) for value in values])
        return {"terms": {self.exact(field): list(values)}}

    def _exists(self, field: str) -> Json:
        # Of a flat object OpenSearch knows the names of members, but not their paths.
        if "." in field:
            return {"prefix": {field: {"value": ""}}}
        # A text has words, or a whole value, or both.
        return _any(
            [{"exists": {"field": path}} for path in dict.fromkeys([field, self.exact(field)])]
        )

    def _range(self, field: str, low: float | None, high: float | None) -> Json:
        bounds: Json = {
            name: value for name, value in (("gte", low), ("lte", high)) if value is not None
        }
        if isinstance(self._fields.at(field)[0], Date):
            # Dates as texts: OpenSearch misreads milliseconds before 1970.
            bounds = {name: date_text(value) for name, value in bounds.items()}
        return {"range": {field: bounds}}


def _word(field: str, word: str, clause: TextMatch, *, is_last: bool) -> list[Json]:
    queries: list[Json] = [{"term": {field: {"value": word}}}]
    if clause.begins and is_last:
        queries.append({"prefix": {field: {"value": word, **_ALL_TERMS}}})
    elif clause.fuzzy and edits(word):
        queries.append({"fuzzy": {field: {"value": word, "fuzziness": edits(word), **_ALL_TERMS}}})
    return queries


def _apart(low: float, high: float, limit: int) -> tuple[float, float]:
    """The edges of a box, widened if they are equal: OpenSearch rejects a box without an area."""
    if low != high:
        return low, high
    return max(low - EDGE_DEGREES, -limit), min(high + EDGE_DEGREES, limit)


def _any(queries: list[Json]) -> Json:
    if len(queries) == 1:
        return queries[0]
    return {"bool": {"should": queries, "minimum_should_match": 1}} if queries else NOTHING
