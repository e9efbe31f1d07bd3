"""Clauses as tantivy's queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tantivy import Index, Occur, Query, Schema, Searcher

from sortkey.connect.tantivy_index import columns as at
from sortkey.connect.tantivy_index.columns import Column, Columns
from sortkey.connect.tantivy_index.keywords import beginning, encode
from sortkey.connect.tantivy_index.places import Area, areas, around, distance_metres, unpack
from sortkey.connect.tantivy_index.words import Words
from sortkey.model.document_fields import FLAT_OBJECTS
from sortkey.runtime.search.checking import edits
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

LEAF = 20_000
"""So many places are looked at one by one; in a larger area, its quarters are."""
DEEPEST = 24


class Translator:
    """Makes queries for one searcher: places within a distance are found by asking it."""

    def __init__(self, index: Index, schema: Schema, columns: Columns, words: Words, searcher: Searcher) -> None:
        self._index, self._schema, self._columns = index, schema, columns
        self._words, self._searcher = words, searcher

    def live(self, clause: Match | None) -> Query:
        """What matches, without what was deleted. No clause is everything."""
        return self.without_gone(self.everything() if clause is None else self.query(clause))

    def query(self, clause: Match) -> Query:
        match clause:
            case Text() | Phrase():
                return self._text(clause) if isinstance(clause, Text) else self._phrase(clause)
            case All(clauses):
                return self._all(clauses)
            case Any_(clauses):
                return self.any([self.query(each) for each in clauses])
            case Not(inner):
                return self._all((Not(inner),))
            case _:
                return self._filter(clause)

    # -- words

    def _text(self, clause: Text) -> Query:
        words = self._words.of(clause.words)
        paths = self._paths(clause.fields)
        made = [
            self.any([self._word(path, word, clause, is_last=n == len(words) - 1) for path in paths])
            for n, word in enumerate(words)
        ]
        return self.any(made) if clause.any_word or not made else self.all(made)

    def _word(self, path: str, word: str, clause: Text, *, is_last: bool) -> Query:
        exact = Query.term_query(self._schema, path, word)
        if clause.begins and is_last:
            return self.any([exact, Query.fuzzy_term_query(self._schema, path, word, 0, prefix=True)])
        if clause.fuzzy and edits(word):
            return self.any([exact, Query.fuzzy_term_query(self._schema, path, word, edits(word))])
        return exact

    def _phrase(self, clause: Phrase) -> Query:
        words = self._words.of(clause.words)
        if len(words) < 2:
            return self._text(Text(clause.words, clause.fields))
        made = [Query.phrase_query(self._schema, path, [*words]) for path in self._paths(clause.fields)]
        return self.any(made)

    def _paths(self, fields: Sequence[str]) -> list[str]:
        return [self._columns.of(name).words for name in fields] or self._columns.any_words

    # -- filters, which say nothing of how well a document matches

    def _filter(self, clause: Match) -> Query:
        match clause:
            case Keyword(field, values):
                made = self._keyword(field, values)
            case Prefix(field, begin):
                made = self.between(self._exact(field), *beginning(begin))
            case Range(field, low, high):
                made = self.between(self._columns.of(field).exact, low, high)
            case Exists(field):
                made = self._exists(field)
            case Box(field, top, left, bottom, right):
                column = self._columns.of(field)
                made = self.any([self._within(column, area) for area in areas(top, left, bottom, right)])
            case Near():
                made = self._near(clause)
            case _:
                raise TypeError(clause)
        return Query.const_score_query(made, 0.0)

    def _keyword(self, field: str, values: Sequence[Any]) -> Query:
        if not values:
            return Query.empty_query()
        if field.partition(".")[0] in FLAT_OBJECTS or self._columns.of(field).kind in at.TEXTS:
            return Query.term_set_query(self._schema, self._exact(field), [encode(value) for value in values])
        path = self._columns.of(field).exact
        return self.any([Query.term_query(self._schema, path, int(value)) for value in values])

    def _exact(self, field: str) -> str:
        name, _, path = field.partition(".")
        return at.flat_path(name, path) if name in FLAT_OBJECTS else self._columns.of(field).exact

    def _exists(self, field: str) -> Query:
        name, _, path = field.partition(".")
        if name in FLAT_OBJECTS:
            return Query.exists_query(at.flat_path(name, path))
        column = self._columns.of(field)
        found = [Query.exists_query(column.exact)] if column.exact else []
        if column.words:
            found.append(Query.term_query(self._schema, at.HAS, encode(name)))
        return self.any(found)

    # -- places

    def _within(self, column: Column, area: Area) -> Query:
        place, lon = area.packed()
        return self.all([self.between(column.exact, *place), self.between(column.lon, *lon)])

    def _near(self, clause: Near) -> Query:
        """Areas that lie in the circle, and single places near its edge."""
        column = self._columns.of(clause.field)
        inside: list[Query] = []
        places: list[int] = []
        open_areas = [(area, 0) for area in around(clause.point, clause.metres)]
        while open_areas:
            area, depth = open_areas.pop()
            away, reach = distance_metres(area.middle, clause.point), area.reach_metres
            if away - reach > clause.metres:
                continue
            here = self._within(column, area)
            if away + reach <= clause.metres:
                inside.append(here)
            elif self.count(here) > LEAF and depth < DEEPEST:
                open_areas += [(quarter, depth + 1) for quarter in area.quarters()]
            else:
                found = self.values(here, column.exact, LEAF)
                places += [each for each in found if distance_metres(unpack(each), clause.point) <= clause.metres]
        if places:
            inside.append(Query.term_set_query(self._schema, column.exact, places))
        return self.any(inside)

    # -- parts

    def between(self, path: str, low: int | str | None, high: int | str | None, *, inside: bool = False) -> Query:
        """A range with both bounds included; `inside` leaves them out. None is no bound."""
        begin, end = "{}" if inside else "[]"
        return self._index.parse_query(f"{path}:{begin}{_bound(low)} TO {_bound(high)}{end}")

    def any(self, queries: Sequence[Query]) -> Query:
        if len(queries) == 1:
            return queries[0]
        return Query.boolean_query([(Occur.Should, each) for each in queries]) if queries else Query.empty_query()

    def all(self, queries: Iterable[Query], nots: Iterable[Query] = ()) -> Query:
        musts, excluded = list(queries), [(Occur.MustNot, each) for each in nots]
        if not excluded and len(musts) == 1:
            return musts[0]
        return Query.boolean_query([(Occur.Must, each) for each in musts or [self.everything()]] + excluded)

    def everything(self) -> Query:
        return Query.const_score_query(Query.all_query(), 0.0)

    def without_gone(self, query: Query) -> Query:
        return self.all([query], [Query.term_query(self._schema, at.GONE, True)])

    def count(self, query: Query) -> int:
        result: Any = self._searcher.search(query, 1, count=True)
        return result.count

    def values(self, query: Query, path: str, most: int) -> list[int]:
        """The different numbers that documents have in a column."""
        asked = {"values": {"terms": {"field": path, "size": most, "segment_size": most}}}
        searcher: Any = self._searcher
        return [int(each["key"]) for each in searcher.aggregate(query, asked)["values"]["buckets"]]

    def _all(self, clauses: Sequence[Match]) -> Query:
        nots = [self.query(each.clause) for each in clauses if isinstance(each, Not)]
        return self.all([self.query(each) for each in clauses if not isinstance(each, Not)], nots)


def _bound(value: int | str | None) -> str:
    return "*" if value is None else str(value)
