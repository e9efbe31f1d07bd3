"""The contract of places: boxes and circles over the date line and the poles, and orders by
distance, page by page.
"""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from sortkey import DeleteDocument, LatLon, Match, PutDocument, Search, SearchQuery, Sort
from sortkey.connect.tantivy_index import nearest
from sortkey.errors import BadCursor, ModelError
from tests.contract.search_adapters import Note, adapter, filled, open_index, search

__all__ = ["adapter", "open_index", "search"]  # fixtures

BERLIN, PARIS = LatLon(52.52, 13.405), LatLon(48.8566, 2.3522)
NORTH, SOUTH = LatLon(90, 0), LatLon(-90, 77)
PLACES = {
    "berlin": BERLIN,
    "potsdam": LatLon(52.3906, 13.0645),
    "paris": PARIS,
    "null island": LatLon(0, 0),
    "fiji west": LatLon(-16.5, 179.8),
    "fiji east": LatLon(-16.52, -179.9),
    "date line": LatLon(10, 180),
    "near the north pole": LatLon(89.9, 10),
    "over the north pole": LatLon(89.7, -170),
    "north pole": NORTH,
    "south pole": SOUTH,
}
ORIGINS = [
    BERLIN,
    LatLon(-16.5, 180),
    LatLon(-16.5, -180),
    NORTH,
    SOUTH,
    LatLon(1, 0),
    LatLon(89.95, -170),
    PARIS.antipode,
]


def documents() -> list[Note]:
    """Each place three times, and some without one."""
    made = [
        Note(f"{name} {n}", {"place": place, "at_site": place, "size": n % 2})
        for name, place in PLACES.items()
        for n in range(3)
    ]
    return [*made, *(Note(f"nowhere {n}", {"size": n % 2}) for n in range(3))]


@pytest.fixture
def placed(search: Search[Any]) -> Search[Any]:
    return filled(search, *documents())


def ids(search: Search[Any], query: SearchQuery) -> list[str]:
    return [hit.id for hit in search.iterate(query)]


def in_order(origin: LatLon, *, is_descending: bool = False) -> list[Note]:
    """What is without a place last; what is equally far by id."""
    notes = sorted(documents(), key=lambda note: note.key)
    there = [note for note in notes if "place" in (note.fields or {})]
    there.sort(key=lambda note: round(_metres(origin, note)), reverse=is_descending)
    return [*there, *(note for note in notes if "place" not in (note.fields or {}))]


def _metres(origin: LatLon, note: Note) -> float:
    assert note.fields is not None
    return origin.metres_to(note.fields["place"])


def test_no_two_of_the_places_are_so_nearly_equally_far_that_rounding_could_decide() -> None:
    # The indexes agree to about a centimetre.
    for origin in ORIGINS:
        distances = sorted(origin.metres_to(place) for place in PLACES.values())
        assert all(two - one > 10 for one, two in itertools.pairwise(distances)), origin


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("origin", ORIGINS, ids=str)
def test_the_nearest_come_first_and_what_has_no_place_last_on_pages_of_every_size(
    placed: Search[Any], origin: LatLon, is_descending: bool
) -> None:
    # A list of what is near must neither repeat nor lose anything when it is read on.
    wanted = [note.key for note in in_order(origin, is_descending=is_descending)]
    for field in ("place", "at_site"):
        query = SearchQuery().sorted_by(Sort.distance(field, origin, is_descending=is_descending))
        for size in (1, 2, 7, 100):
            assert ids(placed, query.limit(size)) == wanted, (field, size)


def test_an_order_by_distance_stands_before_and_behind_others(placed: Search[Any]) -> None:
    distance = Sort.distance("place", PARIS)
    notes = in_order(PARIS)
    by_size = sorted(notes, key=lambda note: (note.fields or {})["size"], reverse=True)
    assert ids(placed, SearchQuery(size=4).sorted_by("-size", distance)) == [
        note.key for note in by_size
    ]
    groups = [list(group) for _, group in itertools.groupby(notes, key=lambda note: note.key[:-2])]
    within = [
        note.key
        for group in groups
        for note in sorted(group, key=lambda note: -(note.fields or {})["size"])
    ]
    assert ids(placed, SearchQuery(size=4).sorted_by(distance, "-size")) == within


def test_only_what_matches_is_sorted_by_distance(placed: Search[Any]) -> None:
    far = Match.near("place", PARIS, metres=2_000_000) & Match.keyword("size", 0)
    page = placed.query(
        SearchQuery(far, size=3).sorted_by(Sort.distance("place", PARIS)).facet("size")
    )
    assert page.ids == ["paris 0", "paris 2", "potsdam 0"]
    assert (page.total, [each.value for each in page.facets["size"]]) == (6, [0])


def test_a_page_by_distance_goes_on_behind_the_last_document_whatever_has_come_or_gone(
    placed: Search[Any],
) -> None:
    query = SearchQuery(size=4).sorted_by(Sort.distance("place", BERLIN))
    first = placed.query(query)
    assert first.ids == ["berlin 0", "berlin 1", "berlin 2", "potsdam 0"]
    placed.write([DeleteDocument("potsdam 0", 2), DeleteDocument("berlin 1", 2)])
    placed.put(
        Note("a potsdam", {"place": PLACES["potsdam"]}),
        Note("potsdam 1a", {"place": PLACES["potsdam"]}),
    )
    placed.put(Note("berlin 9", {"place": BERLIN}))
    placed.refresh()
    assert placed.query(query.after(first.cursor)).ids == [
        "potsdam 1",
        "potsdam 1a",
        "potsdam 2",
        "paris 0",
    ]
    with pytest.raises(BadCursor):
        placed.query(query.sorted_by(Sort.distance("place", PARIS)).after(first.cursor))


def test_boxes_and_circles_over_the_date_line_and_the_poles(placed: Search[Any]) -> None:
    # Where longitudes jump or meet, simple comparisons find nothing, or everything.
    clauses = {
        "over the date line": (
            Match.box("place", top=0, left=179, bottom=-20, right=-179),
            {"fiji west", "fiji east"},
        ),
        "west of the date line": (
            Match.box("place", top=0, left=179, bottom=-20, right=180),
            {"fiji west"},
        ),
        "the date line itself": (
            Match.box("place", top=11, left=179.9, bottom=9, right=180),
            {"date line"},
        ),
        "the cap": (
            Match.box("place", top=90, left=-180, bottom=89, right=180),
            {"north pole", "near the north pole", "over the north pole"},
        ),
        "a box without width": (
            Match.box("place", top=1, left=0, bottom=-1, right=0),
            {"null island"},
        ),
        "a box without height": (
            Match.box("place", top=0, left=-1, bottom=0, right=1),
            {"null island"},
        ),
        "a box on the edge of the map": (
            Match.box("place", top=90, left=-1, bottom=90, right=1),
            {"north pole"},
        ),
        "a box that is a place": (
            Match.box("place", top=10, left=180, bottom=10, right=180),
            {"date line"},
        ),
        "around the date line": (
            Match.near("place", LatLon(-16.5, 180), metres=25_000),
            {"fiji west", "fiji east"},
        ),
        "the same": (
            Match.near("place", LatLon(-16.5, -180), metres=25_000),
            {"fiji west", "fiji east"},
        ),
        "only the nearer": (Match.near("place", LatLon(-16.5, 180), metres=15_000), {"fiji east"}),
        "around the pole": (
            Match.near("place", NORTH, metres=40_000),
            {"north pole", "near the north pole", "over the north pole"},
        ),
        "over the pole": (
            Match.near("place", LatLon(89.8, -170), metres=15_000),
            {"over the north pole"},
        ),
        "at the south pole": (Match.near("place", LatLon(-90, -100), metres=1), {"south pole"}),
        "everywhere": (Match.near("place", BERLIN, metres=20_037_508), set(PLACES)),
    }
    for name, (clause, wanted) in clauses.items():
        assert {id[:-2] for id in ids(placed, SearchQuery(clause))} == wanted, name
        assert {id[:-2] for id in ids(placed, SearchQuery(~clause))} == {
            *PLACES,
            "nowhere",
        } - wanted, name


REFUSED = [
    (Sort.distance("size", BERLIN), "size has no distance"),
    (Sort.distance("nothing", BERLIN), "'nothing' is not declared"),
    (Sort.distance("hidden_x", BERLIN), "is not indexed"),
]


@pytest.mark.parametrize(("sort", "message"), REFUSED, ids=str)
def test_an_order_by_distance_needs_places(search: Search[Any], sort: Sort, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        search.query(SearchQuery().sorted_by(sort))


def test_the_distances_of_many_places_in_many_areas(
    search: Search[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where an area has more places than are looked at one by one, it is divided; ties and edges
    # must survive that.
    monkeypatch.setattr(nearest, "FEW", 5)
    chance = random.Random(5)
    grid = [(lat / 2, lon / 2) for lat in range(-6, 7) for lon in range(-6, 7)]
    anywhere = [(chance.uniform(-90, 90), chance.uniform(-180, 180)) for _ in range(200)]
    places = [LatLon(*choice) for choice in chance.choices(grid, k=300) + anywhere]
    search.write(
        PutDocument(
            f"{n:03d}", 1, {"place": {"lat": round(place.lat, 7), "lon": round(place.lon, 7)}}
        )
        for n, place in enumerate(places)
    )
    search.refresh()
    for origin in (LatLon(0.1234, 0.3456), LatLon(60.7, -179.3), LatLon(-89.3, 12.1)):
        distances = [
            origin.metres_to(LatLon(round(place.lat, 7), round(place.lon, 7))) for place in places
        ]
        wanted = sorted(range(len(places)), key=lambda n: (round(distances[n]), n))
        found = ids(search, SearchQuery(size=60).sorted_by(Sort.distance("place", origin)))
        assert [round(distances[int(id)], -2) for id in found] == [
            round(distances[n], -2) for n in wanted
        ]
        assert sorted(found) == [f"{n:03d}" for n in range(len(places))]
