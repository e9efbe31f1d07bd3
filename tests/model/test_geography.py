"""Places on the earth, and how far they are from each other."""

from __future__ import annotations

import pytest

from sortkey import LatLon
from sortkey.errors import ModelError


@pytest.mark.parametrize(("lat", "lon"), [(91, 0), (0, 181), (float("nan"), 0), (float("inf"), 0)])
def test_a_place_is_on_the_earth(lat: float, lon: float) -> None:
    with pytest.raises(ModelError, match="is not on the map"):
        LatLon(lat, lon)


@pytest.mark.parametrize(
    ("one", "other", "metres"),
    [
        (LatLon(52.52, 13.405), LatLon(48.8566, 2.3522), 877_464),
        (LatLon(0, 179.5), LatLon(0, -179.5), 111_195),
        (LatLon(90, 0), LatLon(90, 120), 0),
        (LatLon(90, 0), LatLon(-90, 55), 20_015_114),
        (LatLon(10, 20), LatLon(10, 20).antipode, 20_015_114),
        (LatLon(-10, -20), LatLon(-10, -20).antipode, 20_015_114),
        (LatLon(0, 180), LatLon(0, -180), 0),
    ],
)
def test_distances_are_along_the_surface_of_a_sphere(
    one: LatLon, other: LatLon, metres: int
) -> None:
    assert one.metres_to(other) == pytest.approx(metres, abs=1)
    assert one.metres_to(other) == other.metres_to(one)
