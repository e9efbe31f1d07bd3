"""A search and its answer, as immutable values. A query is narrowed by methods that return a new
one.
"""

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
    """An order by a field, or by how far its place is from `origin`. Documents without a value come
    last, whichever the direction."""

    field: str
    is_descending: bool = False
    origin: LatLon | None = None

    @staticmethod
    def distance(field: str, origin: LatLon, *, is_descending: bool = False) -> Sort:
        """The nearest first, or the farthest."""
        return Sort(field, is_descending, origin)


@dataclass(frozen=True, slots=True)
class Facet:
    """The values of a field and how many documents have each: the most frequent first, then by
    value.
    """

    field: str
    size: int = FACET_SIZE

    def __post_init__(self) -> None:
        if not 1 <= self.size <= FACET_SIZE_MAX:
            raise ModelError(
                f"{self.size} values of {self.field}: 1 to {FACET_SIZE_MAX} can be counted"
            )


@dataclass(frozen=True)
class SearchQuery:
    """What to find, in which order, and what else to tell. Without a sort, the best matches of
    texts come first.
    """

    where: Match | None = None
    sorts: tuple[Sort, ...] = ()
    facets: tuple[Facet, ...] = ()
    highlights: tuple[str, ...] = ()
    size: int = SIZE
    cursor: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.size <= SIZE_MAX:
            raise ModelError(f"a page of {self.size}: 0 to {SIZE_MAX} can be")

    def matching(self, clause: Match) -> SearchQuery:
        """Only those that also match a clause."""
        return replace(self, where=clause if self.where is None else self.where & clause)

    def sorted_by(self, *orders: str | Sort) -> SearchQuery:
        """In the order of some fields, the first counts most. `"-created"` is the latest first; by
        distance it is `Sort.distance("place", LatLon(…))`."""
        return replace(self, sorts=tuple(_sort(order) for order in orders))

    def facet(self, field: str, size: int = FACET_SIZE) -> SearchQuery:
        """Also count the values of a field."""
        return replace(self, facets=(*self.facets, Facet(field, size)))

    def highlighting(self, *fields: str) -> SearchQuery:
        """Also show where the words stand in some fields."""
        return replace(self, highlights=fields)

    def limit(self, size: int) -> SearchQuery:
        """So many in a page."""
        return replace(self, size=size)

    def after(self, cursor: str | None) -> SearchQuery:
        """The page behind the one that gave the cursor. None is the first."""
        return replace(self, cursor=cursor)

    @property
    def identity(self) -> dict[str, Any]:
        """What a cursor is bound to: everything but the page."""
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
    """A document that was found. `highlights` are HTML, with the words in `<em>` and everything
    else escaped.
    """

    id: str
    version: int
    fields: dict[str, Any] = field(hash=False)
    score: float | None = None
    highlights: dict[str, list[str]] = field(default_factory=dict[str, list[str]], hash=False)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of what was found, how much there is in all, and where to go on; `cursor` is None at
    the end.
    """

    hits: list[Hit]
    total: int
    facets: dict[str, list[FacetValue]]
    cursor: str | None

    @property
    def ids(self) -> list[str]:
        return [hit.id for hit in self.hits]
