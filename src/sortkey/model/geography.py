"""Places on the earth, and distances between them. Pure.

The earth is a sphere with the mean radius that Lucene uses, so that distances agree with those of
OpenSearch ("arc").
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, cos, isfinite, radians, sin, sqrt

from sortkey.errors import ModelError

EARTH_RADIUS_METRES = 6_371_008.7714


@dataclass(frozen=True, slots=True)
class LatLon:
    """A place on the earth, in degrees: the value of a `GeoPoint` field."""

    lat: float
    lon: float

    def __post_init__(self) -> None:
        for name, value, limit in (("lat", self.lat, 90), ("lon", self.lon, 180)):
            if not isfinite(value) or abs(value) > limit:
                raise ModelError(
                    f"{name}={value!r} is not on the map: it must be between -{limit} and {limit}"
                )

    def metres_to(self, other: LatLon) -> float:
        """The distance along the surface (haversine)."""
        lat_here, lat_there = radians(self.lat), radians(other.lat)
        half = sin((lat_there - lat_here) / 2) ** 2
        half += cos(lat_here) * cos(lat_there) * sin(radians(other.lon - self.lon) / 2) ** 2
        return 2 * EARTH_RADIUS_METRES * asin(min(1.0, sqrt(half)))

    @property
    def antipode(self) -> LatLon:
        """The opposite place: what is nearest to it is farthest from here."""
        return LatLon(-self.lat, self.lon - 180 if self.lon > 0 else self.lon + 180)


CORNERS_MAX = 500


@dataclass(frozen=True, slots=True)
class Polygon:
    """An outline on the map. Its edges are straight lines in degrees, and none crosses the date
    line. The last corner is joined to the first.
    """

    corners: tuple[LatLon, ...]

    def __post_init__(self) -> None:
        if not 3 <= len(set(self.corners)) <= len(self.corners) <= CORNERS_MAX:
            raise ModelError(
                f"a polygon of {len(self.corners)} corners: use 3 to {CORNERS_MAX}, three of them "
                "different"
            )

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """The smallest box around it: bottom, left, top, right."""
        lats, lons = [each.lat for each in self.corners], [each.lon for each in self.corners]
        return min(lats), min(lons), max(lats), max(lons)

    def holds(self, place: LatLon) -> bool:
        """Whether a place is inside: a line from it to the east crosses an odd number of edges."""
        is_inside = False
        for one, other in self._edges():
            if (one.lat > place.lat) != (other.lat > place.lat):
                slope = (other.lon - one.lon) / (other.lat - one.lat)
                is_inside ^= place.lon < one.lon + (place.lat - one.lat) * slope
        return is_inside

    def crosses(self, bottom: float, left: float, top: float, right: float) -> bool:
        """Whether an edge touches a box. A box that no edge touches is inside or outside whole."""
        return any(_touches(*edge, bottom, left, top, right) for edge in self._edges())

    def _edges(self) -> list[tuple[LatLon, LatLon]]:
        return list(zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True))


def _touches(
    one: LatLon, other: LatLon, bottom: float, left: float, top: float, right: float
) -> bool:
    """Whether a line touches a box: what is left of it between the box's sides is not empty."""
    begin, end = 0.0, 1.0
    for start, step, low, high in (
        (one.lat, other.lat - one.lat, bottom, top),
        (one.lon, other.lon - one.lon, left, right),
    ):
        if step == 0:
            if not low <= start <= high:
                return False
            continue
        enter, leave = sorted(((low - start) / step, (high - start) / step))
        begin, end = max(begin, enter), min(end, leave)
    return begin <= end
