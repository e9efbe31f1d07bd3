"""Hits of several indexes in one order: each index is read page by page, and only as far as the
merged page reaches.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import total_ordering
from heapq import merge
from itertools import islice
from typing import Any

from sortkey import Hit, Search, SearchQuery, Sort
from sortkey_systems.vams.search.requests import EntityType

PAGE = 1000
"""Hits that are read from an index at a time, at most."""


@dataclass(frozen=True, slots=True)
class Found:
    """A hit and the index it is from."""

    kind: EntityType
    hit: Hit


@dataclass
class Part:
    """One index's share of a search: its query, and what its first page said."""

    kind: EntityType
    search: Search[Any]
    query: SearchQuery
    keep: Callable[[Hit], bool]
    """Whether a hit is shown. The query says so already; this is asked of each again."""
    total: int = 0
    facets: dict[str, list[tuple[Any, int]]] = field(
        default_factory=dict[str, list[tuple[Any, int]]]
    )

    def hits(self, reach: int) -> Iterator[Found]:
        """Its hits up to the last that can be needed."""
        query = self.query.limit(min(max(reach, 0), PAGE))
        left = reach
        while True:
            page = self.search.query(query)
            if query.cursor is None:
                self.total = page.total
                self.facets = {
                    name: [(each.value, each.count) for each in values]
                    for name, values in page.facets.items()
                }
            yield from (Found(self.kind, hit) for hit in page.hits if self.keep(hit))
            left -= len(page.hits)
            if page.cursor is None or left <= 0:
                return
            query = replace(query, cursor=page.cursor, facets=(), size=min(left, PAGE))


def ordered(parts: Sequence[Part], sorts: Sequence[Sort], start: int, size: int) -> list[Found]:
    """A page of all parts together. Every part is asked at least once, for its total."""
    streams = [_begun(part.hits(start + size)) for part in parts]
    merged = merge(*streams, key=lambda found: _key(found.hit, sorts))
    return list(islice(merged, start, start + size))


def _begun(hits: Iterator[Found]) -> Iterator[Found]:
    """The same hits, the first of them read now."""
    first = list(islice(hits, 1))
    return _chained(first, hits)


def _chained(first: list[Found], rest: Iterator[Found]) -> Iterator[Found]:
    yield from first
    yield from rest


def _key(hit: Hit, sorts: Sequence[Sort]) -> tuple[Any, ...]:
    """As the indexes sort: by score, or by fields with missing values last; then by id."""
    if not sorts:
        return (-(hit.score or 0.0), hit.id)
    keys = [
        _field_key(hit.fields.get(sort.field), is_descending=sort.is_descending) for sort in sorts
    ]
    return (*keys, hit.id)


def _field_key(value: Any, *, is_descending: bool) -> tuple[bool, Any]:
    if value is None:
        return True, 0
    if isinstance(value, str):
        value = unicodedata.normalize("NFC", value)
    return False, _Backwards(value) if is_descending else value


@total_ordering
@dataclass(frozen=True, slots=True)
class _Backwards:
    """A value that sorts in the opposite order."""

    value: Any

    def __lt__(self, other: _Backwards) -> bool:
        return other.value < self.value
