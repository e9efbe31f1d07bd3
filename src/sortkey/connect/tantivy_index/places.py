"""Places on a sphere, in whole parts of a degree, packed so that ranges of numbers find
them. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import asin, ceil, cos, degrees, floor, radians, sin

from sortkey.model.field_values import DEGREE_PARTS
from sortkey.model.geography import EARTH_RADIUS_METRES, LatLon

_LAT_ZERO, _LON_ZERO = 90 * DEGREE_PARTS, 180 * DEGREE_PARTS
_LON_BITS = 32


def pack(lat: float, lon: float) -> tuple[int, int]:
    """A place as one number whose order is that of the latitude, and its longitude by itself."""
    east = round(lon * DEGREE_PARTS) + _LON_ZERO
    return (round(lat * DEGREE_PARTS) + _LAT_ZERO) << _LON_BITS | east, east


def unpack(packed: int) -> LatLon:
    north, east = packed >> _LON_BITS, packed & (1 << _LON_BITS) - 1
    return LatLon((north - _LAT_ZERO) / DEGREE_PARTS, (east - _LON_ZERO) / DEGREE_PARTS)


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the map, edges included, that does not cross the date line."""

    bottom: float
    left: float
    top: float
    right: float

    def packed(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The ranges of the packed place and of the longitude."""
        south, north = _up(self.bottom) + _LAT_ZERO, _down(self.top) + _LAT_ZERO
        west, east = _up(self.left) + _LON_ZERO, _down(self.right) + _LON_ZERO
        return (south << _LON_BITS, north << _LON_BITS | (1 << _LON_BITS) - 1), (west, east)

    def quarters(self) -> Iterator[Area]:
        lat, lon = (self.bottom + self.top) / 2, (self.left + self.right) / 2
        yield Area(self.bottom, self.left, lat, lon)
        yield Area(self.bottom, lon, lat, self.right)
        yield Area(lat, self.left, self.top, lon)
        yield Area(lat, lon, self.top, self.right)

    @property
    def middle(self) -> LatLon:
        return LatLon((self.bottom + self.top) / 2, (self.left + self.right) / 2)

    @property
    def reach_metres(self) -> float:
        """An upper bound for the distance of its points from its middle: up the meridian, then
        along the longest parallel.
        """
        widest = (
            1.0
            if self.bottom <= 0 <= self.top
            else cos(radians(min(abs(self.bottom), abs(self.top))))
        )
        return EARTH_RADIUS_METRES * radians(
            (self.top - self.bottom) / 2 + (self.right - self.left) / 2 * widest
        )


WORLD = Area(-90, -180, 90, 180)


def areas(top: float, left: float, bottom: float, right: float) -> list[Area]:
    """A box as one area, or as two if it crosses the date line."""
    if left <= right:
        return [Area(bottom, left, top, right)]
    return [Area(bottom, left, top, 180), Area(bottom, -180, top, right)]


def around(point: LatLon, metres: float) -> list[Area]:
    """Areas that hold every place within a distance."""
    angle = metres / EARTH_RADIUS_METRES
    up = degrees(angle) + 1e-6
    bottom, top = point.lat - up, point.lat + up
    if bottom <= -90 or top >= 90:
        return [Area(max(bottom, -90), -180, min(top, 90), 180)]
    wide = degrees(asin(min(1.0, sin(angle) / cos(radians(point.lat))))) + 1e-6
    left, right = point.lon - wide, point.lon + wide
    return areas(
        top, left + 360 if left < -180 else left, bottom, right - 360 if right > 180 else right
    )


def _up(angle: float) -> int:
    return ceil(angle * DEGREE_PARTS - _ROUNDING)


def _down(angle: float) -> int:
    return floor(angle * DEGREE_PARTS + _ROUNDING)


_ROUNDING = 0.01
"""Round first: 52.1 times ten million is slightly more than the integer that it should be."""
