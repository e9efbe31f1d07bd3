"""Places in the order of their distance from a point, the nearest first, without looking at those
that are far away.

The map is divided into quarters, and those again, where many documents are. Areas wait in a heap by
the distance at which they begin, places by their own: a place comes when no area is left that could
hold a nearer one.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from tantivy import Query

from sortkey.connect.tantivy_index.columns import Column
from sortkey.connect.tantivy_index.places import WORLD, Area, unpack
from sortkey.connect.tantivy_index.queries import DEEPEST, Translator
from sortkey.model.geography import LatLon

FEW = 2000
"""The places of so many documents are looked at one by one; an area with more is divided."""
SLACK_METRES = 1.0
"""Distances from the far side of the earth are rounded to about a decimetre: bounds must not be
sharper than that.
"""


class Ring(NamedTuple):
    """Places that are equally far, as they are indexed, and how many documents are there."""

    metres: float
    places: list[int]
    documents: int


def metres_from(origin: LatLon, packed: int) -> float:
    """The one way to compute a distance here: a cursor finds its place again by the very same
    number.
    """
    return unpack(packed).metres_to(origin)


def rings(
    translator: Translator, query: Query, column: Column, origin: LatLon, start: float = 0
) -> Iterator[Ring]:
    """The places of what a query finds, from a distance on."""
    waiting = _Waiting(translator, query, column, origin, start)
    while (first := waiting.next_place()) is not None:
        metres, packed, documents = first
        places = [packed]
        while (other := waiting.next_place(at=metres)) is not None:
            places.append(other.packed)
            documents += other.documents
        yield Ring(metres, places, documents)


class _Place(NamedTuple):
    metres: float
    packed: int
    documents: int


class _Waiting:
    """What has been seen so far, and not been given out."""

    def __init__(
        self, translator: Translator, query: Query, column: Column, origin: LatLon, start: float
    ) -> None:
        self._translator, self._query, self._column = translator, query, column
        self._origin, self._start = origin, start
        self._areas: list[tuple[float, int, int, Area]] = [(0, 0, 0, WORLD)]
        self._places: list[_Place] = []
        self._seen: set[int] = set()
        self._number = 0

    def next_place(self, at: float | None = None) -> _Place | None:
        """The nearest one, or only one at the given distance."""
        while self._areas and (not self._places or self._areas[0][0] <= self._places[0].metres):
            _, _, depth, area = heappop(self._areas)
            self._look_at(area, depth)
        if not self._places or at not in (None, self._places[0].metres):
            return None
        return heappop(self._places)

    def _look_at(self, area: Area, depth: int) -> None:
        here = self._translator.all([self._query, self._translator.within(self._column, area)])
        count = self._translator.count(here)
        if count > FEW and depth < DEEPEST:
            for quarter in area.quarters():
                self._add_area(quarter, depth + 1)
        elif count:
            for packed, documents in self._translator.counted_values(here, self._column.exact):
                self._add_place(packed, documents)

    def _add_area(self, area: Area, depth: int) -> None:
        away, reach = area.middle.metres_to(self._origin), area.reach_metres + SLACK_METRES
        if away + reach >= self._start:
            self._number += 1  # in a heap, what is equal would be compared by the areas themselves
            heappush(self._areas, (away - reach, self._number, depth, area))

    def _add_place(self, packed: int, documents: int) -> None:
        metres = metres_from(self._origin, packed)
        if (
            metres >= self._start and packed not in self._seen
        ):  # on the edge of two areas it is in both
            self._seen.add(packed)
            heappush(self._places, _Place(metres, packed, documents))
