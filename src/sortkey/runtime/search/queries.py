"""Search queries and results, as immutable values. Methods of a query return a new one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sortkey.errors import ModelError
from sortkey.model.geography import LatLon
from sortkey.runtime.search.matches import Match

SIZE = 10
SIZE_MAX = 1000
FACET_SIZE = 10
FACET_SIZE_MAX = 1000


@dataclass(frozen=True, slots=True)
class Sort:
    """An order by a field, or by its distance from `origin`. Documents without a value always come
    last.
    """

    field: str
    is_descending: bool = False
    origin: LatLon | None = None

    @staticmethod
    def distance(field: str, origin: LatLon, *, is_descending: bool = False) -> Sort:
        """By distance, nearest first unless `descending`."""
        return Sort(field, is_descending, origin)


@dataclass(frozen=True, slots=True)
class Facet:
    """Counts of the values of a field: the most frequent first, then by value."""

    field: str
    size: int = FACET_SIZE

    def __post_init__(self) -> None:
        if not 1 <= self.size <= FACET_SIZE_MAX:
            raise ModelError(
                f"a facet of {self.size} values of {self.field}: use 1 to {FACET_SIZE_MAX}"
            )


@dataclass(frozen=True)
class SearchQuery:
    """A search: clause, order, facets, highlights and page. Without a sort, the best text matches
    come first.
    """

    where: Match | None = None
    sorts: tuple[Sort, ...] = ()
    facets: tuple[Facet, ...] = ()
    highlights: tuple[str, ...] = ()
    size: int = SIZE
    cursor: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.size <= SIZE_MAX:
            raise ModelError(f"a page of {self.size}: use 0 to {SIZE_MAX}")

    def matching(self, clause: Match) -> SearchQuery:
        """Keep documents that also match a clause."""
        return replace(self, where=clause if self.where is None else self.where & clause)

    def sorted_by(self, *orders: str | Sort) -> SearchQuery:
        """Sort by fields, the first being the most significant. `"-created"` is descending. Use
        `Sort.distance("place", LatLon(…))` for distances.
        """
        return replace(self, sorts=tuple(_sort(order) for order in orders))

    def facet(self, field: str, size: int = FACET_SIZE) -> SearchQuery:
        """Also count the values of a field."""
        return replace(self, facets=(*self.facets, Facet(field, size)))

    def highlighting(self, *fields: str) -> SearchQuery:
        """Also return highlights of some fields."""
        return replace(self, highlights=fields)

    def limit(self, size: int) -> SearchQuery:
        """Set the size of a page."""
        return replace(self, size=size)

    def after(self, cursor: str | None) -> SearchQuery:
        """Continue after the page that returned the cursor. None is the first page."""
        return replace(self, cursor=cursor)

    @property
    def identity(self) -> dict[str, Any]:
        """What a cursor is bound to: everything but size and cursor."""
        return {"search": repr((self.where, self.sorts))}


def _sort(order: str | Sort) -> Sort:
    return (
        order if isinstance(order, Sort) else Sort(order.removeprefix("-"), order.startswith("-"))
    )


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value of a field, and how many documents have it."""

    value: Any
    count: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching document. `highlights` are HTML with the words in `<em>` and everything else
    escaped.
    """

    id: str
    version: int
    fields: dict[str, Any] = field(hash=False)
    score: float | None = None
    highlights: dict[str, list[str]] = field(default_factory=dict[str, list[str]], hash=False)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of hits, the total, facets, and the cursor of the next page, None at the end."""

    hits: list[Hit]
    total: int
    facets: dict[str, list[FacetValue]]
    cursor: str | None

    @property
    def ids(self) -> list[str]:
        return [hit.id for hit in self.hits]
