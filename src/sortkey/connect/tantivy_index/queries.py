"""Clauses as tantivy's queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tantivy import Index, Occur, Query, Schema, Searcher

from sortkey.connect.tantivy_index import columns as at
from sortkey.connect.tantivy_index.columns import Column, Columns
from sortkey.connect.tantivy_index.keywords import beginning, encode
from sortkey.connect.tantivy_index.places import Area, areas, around, unpack
from sortkey.connect.tantivy_index.sortable import sortable_double
from sortkey.connect.tantivy_index.words import Words
from sortkey.model.field_kinds import Flat
from sortkey.model.geography import LatLon
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
from sortkey.runtime.search.query_checks import edits

LEAF = 20_000
"""Up to so many places are checked one by one. An area with more is divided."""
POLYGON_LEAF = 2_000
"""The same for a polygon, whose edges are all looked at for every place."""
DEEPEST = 24
LEAF_VALUES = 50_000
"""More than there are different places in an area that is not divided further; tantivy counts
65,000 at most.
"""


class Translator:
    """Makes queries for one searcher, which is also used to find places within a distance."""

    def __init__(
        self, index: Index, schema: Schema, columns: Columns, words: Words, searcher: Searcher
    ) -> None:
        self._index, self._schema, self._columns = index, schema, columns
        self._words, self._searcher = words, searcher

    def live(self, clause: Match | None) -> Query:
        """The matching documents that are not deleted. Without a clause, all of them."""
        return self.without_gone(self.everything() if clause is None else self.query(clause))

    def query(self, clause: Match) -> Query:
        match clause:
            case TextMatch() | PhraseMatch():
                return self._text(clause) if isinstance(clause, TextMatch) else self._phrase(clause)
            case AllMatch(clauses):
                return self._all(clauses)
            case AnyMatch(clauses):
                return self.any([self.query(part) for part in clauses])
            case NotMatch(inner):
                return self._all((NotMatch(inner),))
            case _:
                return self._filter(clause)

    # -- words

    def _text(self, clause: TextMatch) -> Query:
        words = self._words.of(clause.words)
        paths = self._paths(clause.fields)
        queries = [
            self.any(
                [self._word(path, word, clause, is_last=n == len(words) - 1) for path in paths]
            )
            for n, word in enumerate(words)
        ]
        return self.any(queries) if clause.any_word or not queries else self.all(queries)

    def _word(self, path: str, word: str, clause: TextMatch, *, is_last: bool) -> Query:
        exact = Query.term_query(self._schema, path, word)
        if clause.begins and is_last:
            return self.any(
                [exact, Query.fuzzy_term_query(self._schema, path, word, 0, prefix=True)]
            )
        if clause.fuzzy and edits(word):
            return self.any([exact, Query.fuzzy_term_query(self._schema, path, word, edits(word))])
        return exact

    def _phrase(self, clause: PhraseMatch) -> Query:
        words = self._words.of(clause.words)
        if len(words) < 2:
            return self._text(TextMatch(clause.words, clause.fields))
        queries = [
            Query.phrase_query(self._schema, path, [*words]) for path in self._paths(clause.fields)
        ]
        return self.any(queries)

    def _paths(self, fields: Sequence[str]) -> list[str]:
        return [self._columns.of(name).words for name in fields] or self._columns.any_words

    # -- filters, which do not change the score

    def _filter(self, clause: Match) -> Query:
        match clause:
            case KeywordMatch(field, values):
                query = self._keyword(field, values)
            case PrefixMatch(field, begin):
                query = self.between(self._exact(field)[0], *beginning(begin))
            case RangeMatch(field, low, high):
                query = self.between(self._columns.of(field).exact, _ordered(low), _ordered(high))
            case ExistsMatch(field):
                query = self._exists(field)
            case BoxMatch(field, top, left, bottom, right):
                column = self._columns.of(field)
                query = self.any(
                    [self.within(column, area) for area in areas(top, left, bottom, right)]
                )
            case NearMatch():
                query = self._near(clause)
            case PolygonMatch():
                query = self._inside(clause)
            case _:
                raise TypeError(clause)
        return Query.const_score_query(query, 0.0)

    def _keyword(self, field: str, values: Sequence[Any]) -> Query:
        if not values:
            return Query.empty_query()
        path, has_texts = self._exact(field)
        if has_texts:
            return Query.term_set_query(self._schema, path, [encode(value) for value in values])
        return self.any([Query.term_query(self._schema, path, _ordered(value)) for value in values])

    def _exact(self, field: str) -> tuple[str, bool]:
        """The path of the exact values of a field or of a member of a flat object, and whether they
        are texts.
        """
        name, _, path = field.partition(".")
        column = self._columns.of(name)
        if isinstance(column.kind, Flat):
            return at.flat_path(name, path), True
        return column.exact, column.has_texts

    def _exists(self, field: str) -> Query:
        path, _ = self._exact(field)
        queries = [Query.exists_query(path)] if path else []
        column = self._columns.of(field.partition(".")[0])
        if column.words:  # too long to be matched as a whole, or an outline
            queries.append(Query.term_query(self._schema, at.HAS, encode(field)))
        return self.any(queries)

    # -- places

    def within(self, column: Column, area: Area) -> Query:
        place, lon = area.packed()
        return self.all([self.between(column.exact, *place), self.between(column.lon, *lon)])

    def _near(self, clause: NearMatch) -> Query:
        """Areas inside the circle, and single places near its edge."""

        def covers(area: Area) -> bool | None:
            away, reach = area.middle.metres_to(clause.point), area.reach_metres
            if away - reach > clause.metres:
                return False
            return True if away + reach <= clause.metres else None

        return self._covered(
            self._columns.of(clause.field),
            around(clause.point, clause.metres),
            LEAF,
            covers,
            lambda place: place.metres_to(clause.point) <= clause.metres,
        )

    def _inside(self, clause: PolygonMatch) -> Query:
        """Areas inside the polygon, and single places near its edges."""
        polygon = clause.polygon
        bottom, left, top, right = polygon.bounds

        def covers(area: Area) -> bool | None:
            if polygon.crosses(area.bottom, area.left, area.top, area.right):
                return None
            return polygon.holds(area.middle)

        return self._covered(
            self._columns.of(clause.field),
            areas(top, left, bottom, right),
            POLYGON_LEAF,
            covers,
            polygon.holds,
        )

    def _covered(
        self,
        column: Column,
        within: Sequence[Area],
        leaf: int,
        covers: Callable[[Area], bool | None],
        holds: Callable[[LatLon], bool],
    ) -> Query:
        """The places that a shape holds. `covers` says so of whole areas, with None for those at
        its edge, which are divided until they have at most `leaf` documents.
        """
        inside: list[Query] = []
        places: list[int] = []
        open_areas = [(area, 0) for area in within]
        while open_areas:
            area, depth = open_areas.pop()
            is_covered = covers(area)
            if is_covered is False:
                continue
            here = self.within(column, area)
            if is_covered:
                inside.append(here)
            elif self.count(here) > leaf and depth < DEEPEST:
                open_areas += [(quarter, depth + 1) for quarter in area.quarters()]
            else:
                places += [
                    place for place in self.values(here, column.exact) if holds(unpack(place))
                ]
        if places:
            inside.append(self.one_of(column.exact, places))
        return self.any(inside)

    # -- parts

    def between(
        self, path: str, low: int | str | None, high: int | str | None, *, inside: bool = False
    ) -> Query:
        """A range with both bounds included; `inside` excludes them. None means unbounded."""
        begin, end = "{}" if inside else "[]"
        return self._index.parse_query(f"{path}:{begin}{_bound(low)} TO {_bound(high)}{end}")

    def one_of(self, path: str, values: Sequence[int]) -> Query:
        return Query.term_set_query(self._schema, path, [*values])

    def any(self, queries: Sequence[Query]) -> Query:
        if len(queries) == 1:
            return queries[0]
        return (
            Query.boolean_query([(Occur.Should, query) for query in queries])
            if queries
            else Query.empty_query()
        )

    def all(self, queries: Iterable[Query], nots: Iterable[Query] = ()) -> Query:
        musts, excluded = list(queries), [(Occur.MustNot, query) for query in nots]
        if not excluded and len(musts) == 1:
            return musts[0]
        return Query.boolean_query(
            [(Occur.Must, query) for query in musts or [self.everything()]] + excluded
        )

    def everything(self) -> Query:
        return Query.const_score_query(Query.all_query(), 0.0)

    def without_gone(self, query: Query) -> Query:
        return self.all([query], [Query.term_query(self._schema, at.GONE, True)])

    def count(self, query: Query) -> int:
        result: Any = self._searcher.search(query, 1, count=True)
        return result.count

    def values(self, query: Query, path: str) -> list[int]:
        """The distinct numbers in a column."""
        return [value for value, _ in self.counted_values(query, path)]

    def counted_values(self, query: Query, path: str) -> list[tuple[int, int]]:
        """The same, and how many documents have each."""
        aggregation = {
            "values": {"terms": {"field": path, "size": LEAF_VALUES, "segment_size": LEAF_VALUES}}
        }
        searcher: Any = self._searcher
        buckets = searcher.aggregate(query, aggregation)["values"]["buckets"]
        return [(int(bucket["key"]), bucket["doc_count"]) for bucket in buckets]

    def _all(self, clauses: Sequence[Match]) -> Query:
        nots = [self.query(clause.clause) for clause in clauses if isinstance(clause, NotMatch)]
        return self.all(
            [self.query(clause) for clause in clauses if not isinstance(clause, NotMatch)], nots
        )


def _ordered(value: float | None) -> int | None:
    """The indexed integer for a number of a checked query: a double, or an integer as it is."""
    if value is None:
        return None
    return sortable_double(value) if isinstance(value, float) else int(value)


def _bound(value: int | str | None) -> str:
    return "*" if value is None else str(value)
