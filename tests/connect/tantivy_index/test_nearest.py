"""Places in the order of their distance, area by area: the same as by looking at each."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from sortkey import LatLon, PutDocument, open_search
from sortkey.connect.tantivy_index import nearest
from sortkey.connect.tantivy_index.opened import Opened
from sortkey.connect.tantivy_index.places import pack
from tests.contract.search_adapters import notes

CENTRES = [
    LatLon(52.5, 13.4),
    LatLon(0, 0),
    LatLon(90, 0),
    LatLon(-89.9, -100),
    LatLon(10, 180),
    LatLon(0, -90),
]


@pytest.mark.parametrize("origin", CENTRES, ids=str)
def test_rings_come_in_order_and_none_is_left_out_or_comes_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: LatLon
) -> None:
    # On a grid many places are equally far, and lie on the edges of the areas into which the map is
    # divided.
    monkeypatch.setattr(nearest, "FEW", 3)
    grid = [LatLon(lat * 22.5, lon * 22.5) for lat in range(-4, 5) for lon in range(-8, 9)]
    places = [*grid, *random.Random(1).choices(grid, k=100)]
    with open_search(notes, tmp_path, commit_seconds=None) as search:
        search.ensure()
        search.write(
            PutDocument(str(n), 1, {"place": {"lat": place.lat, "lon": place.lon}})
            for n, place in enumerate(places)
        )
        search.refresh()
    opened = Opened(tmp_path / "notes" / "000001", notes.fields)
    translator, column = opened.translator(), opened.columns.of("place")
    rings = list(nearest.rings(translator, translator.everything(), column, origin))
    distances = sorted(
        {nearest.metres_from(origin, pack(place.lat, place.lon)[0]) for place in places}
    )
    assert [ring.metres for ring in rings] == distances
    assert sum(ring.documents for ring in rings) == len(places)
    assert len({packed for ring in rings for packed in ring.places}) == len(grid)
    for number in (0, 1, len(rings) // 2, len(rings) - 1):
        start = rings[number].metres
        rest = nearest.rings(translator, translator.everything(), column, origin, start)
        assert [sorted(ring.places) for ring in rest] == [
            sorted(ring.places) for ring in rings[number:]
        ]


def test_what_is_far_away_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of a million places, the nearest ten must not cost a look at each.
    monkeypatch.setattr(nearest, "FEW", 10)
    chance = random.Random(2)
    places = [
        {"lat": chance.uniform(-80, 80), "lon": chance.uniform(-180, 180)} for _ in range(2000)
    ]
    with open_search(notes, tmp_path, commit_seconds=None) as search:
        search.ensure()
        search.write(PutDocument(str(n), 1, {"place": place}) for n, place in enumerate(places))
        search.refresh()
    opened = Opened(tmp_path / "notes" / "000001", notes.fields)
    looked: list[int] = []
    measure = nearest.metres_from

    def counted(origin: LatLon, packed: int) -> float:
        looked.append(packed)
        return measure(origin, packed)

    monkeypatch.setattr(nearest, "metres_from", counted)
    translator, column = opened.translator(), opened.columns.of("place")
    rings = nearest.rings(translator, translator.everything(), column, LatLon(40, 30))
    assert len(list(itertools.islice(rings, 10))) == 10
    assert len(looked) < 200
