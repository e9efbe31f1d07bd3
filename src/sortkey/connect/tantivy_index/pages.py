"""Pages in an exact order. tantivy sorts by one column. This sorts ties and continues at cursors.

A cursor holds the last document's values of all sort columns, the last of which is its id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from tantivy import DocAddress, Order, Query, Searcher

from sortkey.connect.tantivy_index.columns import ID, SOURCE, VERSION, Column
from sortkey.connect.tantivy_index.keywords import encode
from sortkey.connect.tantivy_index.nearest import metres_from, rings
from sortkey.connect.tantivy_index.places import pack
from sortkey.connect.tantivy_index.queries import Translator
from sortkey.errors import ModelError
from sortkey.model.document_fields import Fields
from sortkey.model.field_values import has_exact, normal_text
from sortkey.model.geography import LatLon
from sortkey.runtime.search.port import Position

VALUES_MAX = 10_000
"""How many values of a column are counted."""
SCORED_MAX = 10_000
"""If more documents than this have equal scores, the order of a page is not exact."""


@dataclass(frozen=True, slots=True)
class Row:
    """A document as it is stored."""

    id: str
    version: int
    fields: Fields
    score: float | None = None
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """One sort column, or the id if there is none. With an origin it sorts by distance, nearest
    first.
    """

    column: Column | None = None
    is_descending: bool = False
    origin: LatLon | None = None

    @property
    def path(self) -> str:
        return ID if self.column is None else self.column.exact

    def value(self, row: Row) -> Any:
        """The indexed value of the column for a document, or None."""
        if self.column is None:
            return encode(row.id)
        value = row.fields.get(self.column.name)
        if value is None:
            return None
        if self.origin is not None:
            return metres_from(self.origin, pack(value["lat"], value["lon"])[0])
        if not self.column.has_texts:
            return self.column.order(value)
        text = normal_text(value)
        return encode(text) if has_exact(text) else None


class Pages:
    """Reads documents with one searcher, so that a page is one snapshot."""

    def __init__(self, searcher: Searcher, translator: Translator) -> None:
        self._searcher, self._translator = searcher, translator

    def sorted(
        self, query: Query, keys: Sequence[Key], after: Position | None, size: int
    ) -> list[tuple[Row, Position]]:
        """Up to `size` documents in the order of the keys, each with the position after it."""
        rows = self._ordered(query, keys, after, size)
        return [(row, [key.value(row) for key in keys]) for row in rows]

    def scored(self, query: Query, after: Position | None, size: int) -> list[tuple[Row, Position]]:
        """Up to `size` documents, the best first, then by id. A position includes the number of
        documents before it.
        """
        skipped = after[2] if after else 0
        rows = self._best(query, skipped + size)
        rows.sort(key=lambda row: (-(row.score or 0), encode(row.id)))
        if after:
            behind = (-after[0], after[1])
            rows = [row for row in rows if (-(row.score or 0), encode(row.id)) > behind]
        return [
            (row, [row.score, encode(row.id), skipped + n]) for n, row in enumerate(rows[:size], 1)
        ]

    def counted(self, query: Query, *paths: str) -> list[list[tuple[Any, int]]]:
        """The values of each column and how many documents have each, the most frequent ones. The
        query is run once for all columns.
        """
        aggregations = {
            str(n): {"terms": {"field": path, "size": VALUES_MAX, "segment_size": VALUES_MAX}}
            for n, path in enumerate(paths)
        }
        searcher: Any = self._searcher
        answered: Any = searcher.aggregate(query, aggregations) if paths else {}
        return [
            [(bucket["key"], bucket["doc_count"]) for bucket in answered[str(n)]["buckets"]]
            for n in range(len(paths))
        ]

    def values(self, query: Query, column: Column) -> list[str]:
        """The codes of every different text in a column. Counting is quick, but limited."""
        (counted,) = self.counted(query, column.exact)
        if len(counted) < VALUES_MAX:
            return [code for code, _ in counted]
        if column.kind.is_list or not column.is_declared:
            raise ModelError(f"{column.name} has more than {VALUES_MAX} different values")
        codes: dict[str, None] = {}
        behind = query
        while True:
            hits = self._searcher.search(
                behind, VALUES_MAX, count=False, order_by_field=column.exact, order=Order.Asc
            ).hits
            page: list[Any] = [code for code, _ in hits if code is not None]
            codes |= dict.fromkeys(page)
            if len(page) < VALUES_MAX:
                return list(codes)
            after = self._translator.between(column.exact, page[-1], None, inside=True)
            behind = self._translator.all([query, after])

    def unordered(self, query: Query, most: int) -> list[Row]:
        return [
            self.load(address)
            for _, address in self._searcher.search(query, max(most, 1), count=False).hits
        ]

    def versions(self, query: Query, after: str | None, size: int) -> list[tuple[str, int]]:
        """Codes of ids and versions, in the order of the ids, after one of them."""
        hits = self._by_id(query, after, size)
        numbers = self._searcher.fast_field_values(VERSION, [address for _, address in hits])
        return [(code, int(version or 0)) for (code, _), version in zip(hits, numbers, strict=True)]

    def every(self, query: Query, size: int) -> Iterator[list[Row]]:
        """All documents, in the order of their ids, so many at a time."""
        after: str | None = None
        while hits := self._by_id(query, after, size):
            yield [self.load(address) for _, address in hits]
            after = hits[-1][0]

    def load(self, address: DocAddress, score: float | None = None) -> Row:
        id, version, fields = orjson.loads(self._searcher.doc(address)[SOURCE][0])
        return Row(id, version, fields or {}, score, is_gone=fields is None)

    def _by_id(self, query: Query, after: str | None, size: int) -> list[tuple[Any, DocAddress]]:
        if after is not None:
            query = self._translator.all([query, self._behind(Key(), after)])
        return self._searcher.search(
            query, size, count=False, order_by_field=ID, order=Order.Asc
        ).hits

    def _best(self, query: Query, count: int) -> list[Row]:
        limit = max(count + 1, 1)
        while True:
            hits = self._searcher.search(query, limit, count=False).hits
            if (
                len(hits) < limit
                or limit >= max(SCORED_MAX, count)
                or hits[-1][0] < hits[count - 1][0]
            ):
                return [self.load(address, score) for score, address in hits]
            limit *= 2

    def _ordered(
        self, query: Query, keys: Sequence[Key], after: Position | None, size: int
    ) -> list[Row]:
        key, rest = keys[0], keys[1:]
        if key.column is not None and key.origin is not None:
            return self._by_distance(query, key, rest, after, size)
        rows: list[Row] = []
        if after is not None:
            if rest:  # the other documents with the value at which the last page ended
                equal = self._translator.all([query, self._equal(key, after[0])])
                rows = self._ordered(equal, rest, after[1:], size)
            if after[0] is None or len(rows) >= size:
                return rows
            query = self._translator.all([query, self._behind(key, after[0])])
        return rows + self._first(query, key, rest, size - len(rows))

    def _first(self, query: Query, key: Key, rest: Sequence[Key], size: int) -> list[Row]:
        order = Order.Desc if key.is_descending else Order.Asc
        hits = self._searcher.search(
            query, size, count=False, order_by_field=key.path, order=order
        ).hits
        groups = [(value, list(group)) for value, group in groupby(hits, key=itemgetter(0))]
        rows: list[Row] = []
        for value, group in groups:
            if rest and len(hits) == size and value is groups[-1][0] and group is groups[-1][1]:
                # The last value may continue after the page, with documents that sort before these.
                equal = self._translator.all([query, self._equal(key, value)])
                rows += self._ordered(equal, rest, None, size - len(rows))
            else:
                rows += _sorted([self.load(address) for _, address in group], rest)
        return rows

    def _by_distance(
        self, query: Query, key: Key, rest: Sequence[Key], after: Position | None, size: int
    ) -> list[Row]:
        rows: list[Row] = []
        if after is None or after[0] is not None:
            rows = self._placed(query, key, rest, after, size)
        if len(rows) < size:
            nowhere = self._translator.all([query], [Query.exists_query(key.path)])
            behind = after[1:] if after is not None and after[0] is None else None
            rows += self._ordered(nowhere, rest, behind, size - len(rows))
        return rows

    def _placed(
        self, query: Query, key: Key, rest: Sequence[Key], after: Position | None, size: int
    ) -> list[Row]:
        """Ring by ring. Rings that fit the page completely are read together and sorted here."""
        assert key.column is not None
        assert key.origin is not None
        rows, together, waiting = list[Row](), list[int](), 0
        start = 0 if after is None else after[0]
        for ring in rings(self._translator, query, key.column, key.origin, start):
            behind = after[1:] if after is not None and ring.metres == start else None
            if behind is None and len(rows) + waiting + ring.documents <= size:
                together += ring.places
                waiting += ring.documents
            else:
                rows += self._at(query, key, rest, together, waiting)
                here = self._translator.all([query, self._translator.one_of(key.path, ring.places)])
                rows += self._ordered(here, rest, behind, size - len(rows))
                together, waiting = [], 0
            if len(rows) + waiting >= size:
                break
        return rows + self._at(query, key, rest, together, waiting)

    def _at(
        self, query: Query, key: Key, rest: Sequence[Key], places: list[int], count: int
    ) -> list[Row]:
        """All documents at some places, in their order."""
        if not places:
            return []
        here = self._translator.all([query, self._translator.one_of(key.path, places)])
        return _sorted(self.unordered(here, count), [key, *rest])

    def _equal(self, key: Key, value: Any) -> Query:
        if value is None:
            return self._translator.all([], [Query.exists_query(key.path)])
        return self._translator.between(key.path, value, value)

    def _behind(self, key: Key, value: Any) -> Query:
        """Documents later in the order, and those without a value, which come last."""
        low, high = (None, value) if key.is_descending else (value, None)
        behind = self._translator.between(key.path, low, high, inside=True)
        return self._translator.any([behind, self._equal(key, None)])


def _sorted(rows: list[Row], keys: Sequence[Key]) -> list[Row]:
    if len(rows) < 2:
        return rows
    for key in reversed(keys):
        values = {row.id: key.value(row) for row in rows}
        present = [row for row in rows if values[row.id] is not None]
        present.sort(key=lambda row: values[row.id], reverse=key.is_descending)
        rows = present + [row for row in rows if values[row.id] is None]
    return rows
