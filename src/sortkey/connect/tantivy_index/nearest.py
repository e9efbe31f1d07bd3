"""Places by their distance from a point, nearest first, without reading those that are far away.

The map is divided into quarters, again and again where there are many documents. A heap holds areas
by the distance of their nearest edge, and places by their own. A place is returned when no
remaining area can contain a nearer one.
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
"""The places of up to so many documents are read. An area with more is divided."""
SLACK_METRES = 1.0
"""Distances to the far side of the earth are rounded to about a decimetre, and bounds allow for it.
"""


class Ring(NamedTuple):
    """Indexed places at the same distance, and their number of documents."""

    metres: float
    places: list[int]
    documents: int


def metres_from(origin: LatLon, packed: int) -> float:
    """The only way to compute a distance here: a cursor needs exactly the same number again."""
    return unpack(packed).metres_to(origin)


def rings(
    translator: Translator, query: Query, column: Column, origin: LatLon, start: float = 0
) -> Iterator[Ring]:
    """The places of the documents that a query matches, starting at a distance."""
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
    """The areas and places seen so far that were not returned."""

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
        """The nearest place, or only one at this distance."""
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
            self._number += 1  # breaks ties: a heap would compare the areas themselves
            heappush(self._areas, (away - reach, self._number, depth, area))

    def _add_place(self, packed: int, documents: int) -> None:
        metres = metres_from(self._origin, packed)
        if (
            metres >= self._start and packed not in self._seen
        ):  # a place on the edge of two areas is in both
            self._seen.add(packed)
            heappush(self._places, _Place(metres, packed, documents))
