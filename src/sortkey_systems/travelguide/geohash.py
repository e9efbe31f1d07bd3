"""Geohashes: nearby points share a short text, so that one cached place serves a whole street
corner.
"""

from __future__ import annotations

PRECISION = 7
"""Characters: a cell of about 153 m by 153 m at the equator."""

ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"
BITS = 5
"""What one character of the alphabet holds."""


def geohash(lat: float, lng: float, precision: int = PRECISION) -> str:
    """The base-32 geohash of a point."""
    if not (-90 <= lat <= 90 and -180 <= lng <= 180):
        raise ValueError(
            f"({lat}, {lng}) is not a point on earth: latitude is -90 to 90, longitude -180 to 180"
        )
    count = precision * BITS
    bits_of_axis = (count + 1) // 2
    bits = _in_turn(_halvings(lng, 180.0, bits_of_axis), _halvings(lat, 90.0, bits_of_axis))
    return "".join(ALPHABET[int(bits[at : at + BITS], 2)] for at in range(0, count, BITS))


def _halvings(value: float, bound: float, count: int) -> str:
    """In which half the value lies, then in which half of that, and so on."""
    low, high, bits = -bound, bound, ""
    for _ in range(count):
        middle = (low + high) / 2
        is_upper = value >= middle
        low, high = (middle, high) if is_upper else (low, middle)
        bits += "1" if is_upper else "0"
    return bits


def _in_turn(first: str, second: str) -> str:
    """Longitude and latitude, bit by bit, longitude first."""
    return "".join(a + b for a, b in zip(first, second, strict=True))
