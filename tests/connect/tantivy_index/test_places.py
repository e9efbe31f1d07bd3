"""Places within a distance, found by areas and single points: the same as by looking at each."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sortkey import LatLon, Match, PutDocument, open_search
from sortkey.connect.tantivy_index import queries
from sortkey.connect.tantivy_index.places import Area, around, pack, unpack
from tests.contract.search_adapters import notes

CENTRES = [
    (52.5, 13.4),
    (0.0, 0.0),
    (89.99, 40.0),
    (-89.9, -100.0),
    (10.0, 179.99),
    (-45.0, -179.999),
    (0.0, 90.0),
]


@pytest.mark.parametrize(
    ("lat", "lon"), [(90, 180), (-90, -180), (0, 0), (52.5200066, 13.404954), (-0.0000001, 0)]
)
def test_a_place_is_packed_and_unpacked_to_a_centimetre(lat: float, lon: float) -> None:
    packed, east = pack(lat, lon)
    found = unpack(packed)
    assert (round(found.lat, 7), round(found.lon, 7)) == (round(lat, 7), round(lon, 7))
    assert 0 <= packed < 2**63
    assert packed & 0xFFFFFFFF == east


@pytest.mark.parametrize("centre", CENTRES)
@pytest.mark.parametrize("metres", [50.0, 30_000.0, 3_000_000.0, 12_000_000.0])
def test_places_within_a_distance_are_those_that_are_so_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, centre: tuple[float, float], metres: float
) -> None:
    # With a leaf of five, areas are divided as among millions of places; poles and the date line
    # are among the centres.
    monkeypatch.setattr(queries, "LEAF", 5)
    point = LatLon(*centre)
    places = _places(random.Random(f"{centre}{metres}"), point, metres)
    with open_search(notes, tmp_path, commit_seconds=None) as search:
        search.ensure()
        search.write(
            PutDocument(str(n), 1, {"place": _degrees(each)}) for n, each in enumerate(places)
        )
        search.refresh()
        clause = Match.near("place", point, metres=metres)
        found = {hit.id for hit in search.iterate(clause)}
    wanted = {str(n) for n, each in enumerate(places) if each.metres_to(point) <= metres}
    assert found == wanted
    assert len(wanted) > 20


def _places(chance: random.Random, point: LatLon, metres: float) -> list[LatLon]:
    """Some around the circle's edge, some anywhere."""
    reach = metres / 111_000
    near = [
        (point.lat + chance.uniform(-2, 2) * reach, point.lon + chance.uniform(-2, 2) * reach)
        for _ in range(200)
    ]
    anywhere = [(chance.uniform(-90, 90), chance.uniform(-180, 180)) for _ in range(200)]
    made = [LatLon(max(-90, min(90, lat)), (lon + 180) % 360 - 180) for lat, lon in near + anywhere]
    return [unpack(pack(each.lat, each.lon)[0]) for each in made]


def _degrees(point: LatLon) -> dict[str, Any]:
    return {"lat": point.lat, "lon": point.lon}


@pytest.mark.parametrize("centre", CENTRES)
def test_the_areas_around_a_point_hold_everything_within_the_distance(
    centre: tuple[float, float],
) -> None:
    point, chance = LatLon(*centre), random.Random(1)
    for metres in (10.0, 5_000.0, 900_000.0, 11_000_000.0):
        areas = around(point, metres)
        for place in _places(chance, point, metres):
            if place.metres_to(point) <= metres:
                assert any(_holds(area, place) for area in areas)


def _holds(area: Area, place: LatLon) -> bool:
    return area.bottom <= place.lat <= area.top and area.left <= place.lon <= area.right
