"""Clauses as OpenSearch's queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sortkey.connect.opensearch_index.mapping import ANY_WORDS, exact
from sortkey.model.document_fields import FieldKind, date_text
from sortkey.model.documents import Document
from sortkey.runtime.search.checking import edits, is_scored, kind_at
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

Json = dict[str, Any]
EVERYTHING: Json = {"match_all": {"boost": 0}}
NOTHING: Json = {"match_none": {}}
_ALL_TERMS = {"rewrite": "constant_score"}
"""Without it, only the fifty commonest words that fit are looked for."""


class Translator:
    """Makes queries. `words_of` cuts a text into words as the index does."""

    def __init__(self, document: Document[Any], words_of: Callable[[str], Sequence[str]]) -> None:
        self._any_words = [name for name, kind in document.kinds.items() if kind.has_words] + [ANY_WORDS]
        self._words_of = words_of

    def query(self, clause: Match | None) -> Json:
        match clause:
            case None:
                return EVERYTHING
            case Text():
                return self._text(clause, clause.fields or self._any_words)
            case Phrase():
                return self._phrase(clause, clause.fields or self._any_words)
            case All(clauses):
                return self._all(clauses)
            case Any_(clauses):
                return _any([self._scored(each) for each in clauses])
            case Not(inner):
                return self._all((Not(inner),))
            case _:
                return self._filter(clause)

    def shown(self, clauses: Sequence[Text | Phrase], field: str) -> Json:
        """What is highlighted in a field: any of the words."""
        made: list[Json] = []
        for clause in clauses:
            if isinstance(clause, Phrase):
                made.append(self._phrase(clause, [field]))
            else:
                anything = Text(clause.words, (), True, clause.fuzzy, clause.begins)
                made.append(self._text(anything, [field]))
        return _any(made)

    def _text(self, clause: Text, fields: Sequence[str]) -> Json:
        words = self._words_of(clause.words)
        made = [
            _any([each for field in fields for each in _word(field, word, clause, is_last=n == len(words) - 1)])
            for n, word in enumerate(words)
        ]
        return _any(made) if clause.any_word or not made else {"bool": {"must": made}}

    def _phrase(self, clause: Phrase, fields: Sequence[str]) -> Json:
        if not self._words_of(clause.words):
            return NOTHING
        return _any([{"match_phrase": {field: {"query": clause.words}}} for field in fields])

    def _all(self, clauses: Sequence[Match]) -> Json:
        wanted = [each for each in clauses if not isinstance(each, Not)]
        made = {
            "must": [self.query(each) for each in wanted if is_scored(each)],
            "filter": [self.query(each) for each in wanted if not is_scored(each)],
            "must_not": [self.query(each.clause) for each in clauses if isinstance(each, Not)],
        }
        kept = {occur: queries for occur, queries in made.items() if queries}
        return {"bool": kept} if kept else EVERYTHING

    def _scored(self, clause: Match) -> Json:
        """A filter among alternatives says nothing of how well a document matches."""
        made = self.query(clause)
        return made if is_scored(clause) else {"constant_score": {"filter": made, "boost": 0}}

    def _filter(self, clause: Match) -> Json:
        match clause:
            case Keyword(field, values):
                return _keyword(field, values)
            case Prefix(field, begin):
                return {"prefix": {_path(field): {"value": begin}}}
            case Range(field, low, high):
                return _range(field, low, high)
            case Exists(field):
                return _exists(field)
            case Box(field, top, left, bottom, right):
                corners = {"top_left": {"lat": top, "lon": left}, "bottom_right": {"lat": bottom, "lon": right}}
                return {"geo_bounding_box": {field: corners}}
            case Near(field, point, metres):
                return {"geo_distance": {"distance": f"{metres}m", field: {"lat": point.lat, "lon": point.lon}}}
            case _:
                raise TypeError(clause)


def _word(field: str, word: str, clause: Text, *, is_last: bool) -> list[Json]:
    found: list[Json] = [{"term": {field: {"value": word}}}]
    if clause.begins and is_last:
        found.append({"prefix": {field: {"value": word, **_ALL_TERMS}}})
    elif clause.fuzzy and edits(word):
        found.append({"fuzzy": {field: {"value": word, "fuzziness": edits(word), **_ALL_TERMS}}})
    return found


def _any(queries: list[Json]) -> Json:
    if len(queries) == 1:
        return queries[0]
    return {"bool": {"should": queries, "minimum_should_match": 1}} if queries else NOTHING


def _path(field: str) -> str:
    kind, path = kind_at(field)
    return field if path or kind is FieldKind.FLAT else exact(field)


def _keyword(field: str, values: Sequence[Any]) -> Json:
    if not values:
        return NOTHING
    if kind_at(field)[0] is FieldKind.DATE:
        return _any([_range(field, value, value) for value in values])
    return {"terms": {_path(field): list(values)}}


def _exists(field: str) -> Json:
    if "." in field:  # of a flat object OpenSearch knows the names of members, but not on which path they are
        return {"prefix": {field: {"value": ""}}}
    # A text has words, or a whole value, or both.
    return _any([{"exists": {"field": each}} for each in dict.fromkeys([field, _path(field)])])


def _range(field: str, low: int | None, high: int | None) -> Json:
    # Dates as texts: OpenSearch misreads milliseconds before 1970.
    bound = date_text if kind_at(field)[0] is FieldKind.DATE else int
    return {
        "range": {field: {name: bound(value) for name, value in (("gte", low), ("lte", high)) if value is not None}}
    }
