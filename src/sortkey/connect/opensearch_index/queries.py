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
    PrefixMatch,
    RangeMatch,
    TextMatch,
)
from sortkey.runtime.search.query_checks import edits, is_scored

Json = dict[str, Any]
EVERYTHING: Json = {"match_all": {"boost": 0}}
NOTHING: Json = {"match_none": {}}
EDGE_DEGREES = 1e-7
"""About a centimetre: so much is rounded anyway."""
_ALL_TERMS = {"rewrite": "constant_score"}
"""Without it, only the fifty commonest words that fit are looked for."""


class Translator:
    """Makes queries. `words_of` cuts a text into words as the index does."""

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
                return _any([self._scored(each) for each in clauses])
            case NotMatch(inner):
                return self._all((NotMatch(inner),))
            case _:
                return self._filter(clause)

    def shown(self, clauses: Sequence[TextMatch | PhraseMatch], field: str) -> Json:
        """What is highlighted in a field: any of the words."""
        made: list[Json] = []
        for clause in clauses:
            if isinstance(clause, PhraseMatch):
                made.append(self._phrase(clause, [field]))
            else:
                anything = TextMatch(clause.words, (), True, clause.fuzzy, clause.begins)
                made.append(self._text(anything, [field]))
        return _any(made)

    def _text(self, clause: TextMatch, fields: Sequence[str]) -> Json:
        words = self._words_of(clause.words)
        made = [
            _any(
                [
                    each
                    for field in fields
                    for each in _word(field, word, clause, is_last=n == len(words) - 1)
                ]
            )
            for n, word in enumerate(words)
        ]
        return _any(made) if clause.any_word or not made else {"bool": {"must": made}}

    def _phrase(self, clause: PhraseMatch, fields: Sequence[str]) -> Json:
        if not self._words_of(clause.words):
            return NOTHING
        return _any([{"match_phrase": {field: {"query": clause.words}}} for field in fields])

    def _all(self, clauses: Sequence[Match]) -> Json:
        wanted = [each for each in clauses if not isinstance(each, NotMatch)]
        made = {
            "must": [self.query(each) for each in wanted if is_scored(each)],
            "filter": [self.query(each) for each in wanted if not is_scored(each)],
            "must_not": [self.query(each.clause) for each in clauses if isinstance(each, NotMatch)],
        }
        kept = {occur: queries for occur, queries in made.items() if queries}
        return {"bool": kept} if kept else EVERYTHING

    def _scored(self, clause: Match) -> Json:
        """A filter among alternatives says nothing of how well a document matches."""
        made = self.query(clause)
        return made if is_scored(clause) else {"constant_score": {"filter": made, "boost": 0}}

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
                return {"geo_bounding_box": {field: corners}}
            case NearMatch(field, point, metres):
                return {
                    "geo_distance": {
                        "distance": f"{metres}m",
                        field: {"lat": point.lat, "lon": point.lon},
                    }
                }
            case _:
                raise TypeError(clause)

    def exact(self, field: str) -> str:
        """Where the whole values of a field are, or of a member of a flat object."""
        return exact(self._fields.at(field)[0], field)

    def _keyword(self, field: str, values: Sequence[Any]) -> Json:
        if not values:
            return NOTHING
        if isinstance(self._fields.at(field)[0], Date):
            return _any([self._range(field, value, value) for value in values])
        return {"terms": {self.exact(field): list(values)}}

    def _exists(self, field: str) -> Json:
        if (
            "." in field
        ):  # of a flat object OpenSearch knows the names of members, but not on which path they are
            return {"prefix": {field: {"value": ""}}}
        # A text has words, or a whole value, or both.
        return _any(
            [{"exists": {"field": each}} for each in dict.fromkeys([field, self.exact(field)])]
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
    found: list[Json] = [{"term": {field: {"value": word}}}]
    if clause.begins and is_last:
        found.append({"prefix": {field: {"value": word, **_ALL_TERMS}}})
    elif clause.fuzzy and edits(word):
        found.append({"fuzzy": {field: {"value": word, "fuzziness": edits(word), **_ALL_TERMS}}})
    return found


def _apart(low: float, high: float, limit: int) -> tuple[float, float]:
    """Edges of a box as OpenSearch takes them: it refuses a box without width or height."""
    if low != high:
        return low, high
    return max(low - EDGE_DEGREES, -limit), min(high + EDGE_DEGREES, limit)


def _any(queries: list[Json]) -> Json:
    if len(queries) == 1:
        return queries[0]
    return {"bool": {"should": queries, "minimum_should_match": 1}} if queries else NOTHING
