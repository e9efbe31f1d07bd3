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
