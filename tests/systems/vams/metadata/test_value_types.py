"""Which texts are values of which types."""

from __future__ import annotations

import json

import pytest

from sortkey_systems.vams.metadata.value_types import VALUE_TYPES, problem_of

MATRIX = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
SQUARE = [[[0, 0], [1, 0], [1, 1], [0, 0]]]
FEATURE = {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": SQUARE}}

GOOD: list[tuple[str, object]] = [
    ("string", "anything: \0 too"),
    ("multiline_string", "two\nlines"),
    ("inline_controlled_list", "red"),
    ("number", "-1.5e3"),
    ("number", " 7 "),
    ("number", ".5"),
    ("boolean", "true"),
    ("boolean", "False"),
    ("date", "2026-11-01"),
    ("date", "2026-11-01T20:30:00Z"),
    ("xyz", {"x": 1, "y": 2.5, "z": -3}),
    ("wxyz", {"w": 1, "x": 0, "y": 0, "z": 0}),
    ("matrix4x4", MATRIX),
    ("geopoint", {"type": "Point", "coordinates": [4.4, 51.9]}),
    ("geojson", FEATURE),
    ("geojson", {"type": "FeatureCollection", "features": [FEATURE]}),
    ("geojson", {"type": "Feature", "geometry": None, "properties": {}}),
    ("lla", {"lat": 51.9, "long": 4.4, "alt": 0}),
    ("json", {"any": ["thing", None]}),
]

BAD: list[tuple[str, object]] = [
    ("number", "1_000"),
    ("number", "nan"),
    ("number", "1e999"),
    ("number", "٣"),
    ("boolean", "yes"),
    ("date", "tomorrow"),
    ("date", "2026-13-01"),
    ("xyz", {"x": 1, "y": 2}),
    ("xyz", {"x": 1, "y": 2, "z": "3"}),
    ("xyz", {"x": 1, "y": 2, "z": True}),
    ("xyz", "12.40,3.15,0.00"),
    ("wxyz", [1, 0, 0, 0]),
    ("matrix4x4", MATRIX[:3]),
    ("matrix4x4", [[1, 0, 0], *MATRIX[1:]]),
    ("geopoint", {"type": "Point", "coordinates": [4.4]}),
    ("geopoint", {"type": "Point", "coordinates": [181, 0]}),
    ("geopoint", FEATURE),
    ("geojson", {"type": "Circle", "coordinates": [0, 0]}),
    ("geojson", {"type": "Polygon", "coordinates": [0, 0]}),
    ("geojson", "[]"),
    ("lla", {"lat": 91, "long": 0, "alt": 0}),
    ("lla", {"lat": 0, "long": -181, "alt": 0}),
    ("lla", {"lat": 0, "long": 0}),
    ("json", "{"),
    ("json", "NaN"),
    ("json", "[" * 100_000),
    ("colour", "red"),
]


def text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize(("value_type", "value"), GOOD)
def test_a_text_that_is_a_value_of_its_type_passes(value_type: str, value: object) -> None:
    # Viewers and searches read it without asking again.
    assert problem_of(text(value), value_type) is None


@pytest.mark.parametrize(("value_type", "value"), BAD, ids=[f"{a}-{str(b)[:30]}" for a, b in BAD])
def test_a_text_that_is_not_a_value_of_its_type_is_refused(value_type: str, value: object) -> None:
    # A place that cannot be on a map would be found by no search.
    assert problem_of(text(value), value_type)


@pytest.mark.parametrize("value_type", VALUE_TYPES)
def test_the_empty_text_passes_every_type(value_type: str) -> None:
    # A form sends its empty fields too.
    assert problem_of("", value_type) is None


def test_nested_collections_have_a_limit() -> None:
    # A value of a kilobyte must not take the stack of the server.
    shape: object = FEATURE
    for _ in range(20):
        shape = {"type": "FeatureCollection", "features": [shape]}
    assert problem_of(json.dumps(shape), "geojson")
