"""Places in a search: geoSearch, and the filters of OpenSearch that speak of places, as clauses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from sortkey import Document, GeoPoint, LatLon, Match
from sortkey.errors import ModelError
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.search.fields import NOTHING, kind_of
from sortkey_systems.vams.search.requests import GeoSearch

LOCATIONS = ("location", "Location")
"""Metadata keys of a place, unless a search names another."""
PREFIX = "gp_"
METRES = 1.0
"""How far from a point without a radius."""
POLYGONS_MAX = 20
_UNITS = {"": 1.0, "m": 1.0, "km": 1000.0, "mi": 1609.344, "ft": 0.3048, "yd": 0.9144}
_DISTANCE = re.compile(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]{0,2})\s*")
Shape = Callable[[str], Match]
"""A clause for the name of a field."""


def geo_clause(wanted: GeoSearch) -> Match:
    """Documents that are at a place, or with `disjoint` those that are elsewhere."""
    names = LOCATIONS if wanted.field is None else (wanted.field.removeprefix(PREFIX),)
    fields = [f"{PREFIX}{name}" for name in names]
    shape = _shape(wanted)
    found = Match.any(*(shape(field) for field in fields))
    if wanted.relation != "disjoint":
        return found
    return Match.any(*map(Match.exists, fields)) & ~found


def distance_filter(document: Document[Any], body: Mapping[str, Any]) -> Match:
    """`{"distance": "10km", "gp_location": {"lat": …, "lon": …}}`."""
    metres = metres_of(body.get("distance"))
    field, place = _field(document, body, "distance")
    point = _place(place)
    return NOTHING if field is None else Match.near(field, point, metres=metres)


def box_filter(document: Document[Any], body: Mapping[str, Any]) -> Match:
    """`{"gp_location": {"top_left": …, "bottom_right": …}}`."""
    field, corners = _field(document, body)
    top_left, bottom_right = _place(corners.get("top_left")), _place(corners.get("bottom_right"))
    return NOTHING if field is None else _box(top_left, bottom_right)(field)


def polygon_filter(document: Document[Any], body: Mapping[str, Any]) -> Match:
    """`{"gp_location": {"points": [{"lat": …, "lon": …}, …]}}`."""
    field, shape = _field(document, body)
    points = shape.get("points")
    if not isinstance(points, list):
        raise Invalid("geo_polygon needs points")
    corners = [_place(each) for each in cast("list[Any]", points)]
    return NOTHING if field is None else Match.inside(field, *corners)


def metres_of(distance: Any) -> float:
    """A distance: a number of metres, or a text with its unit."""
    found = _DISTANCE.fullmatch(str(distance)) if isinstance(distance, (int, float, str)) else None
    if found is None or found[2] not in _UNITS:
        raise Invalid(f"{str(distance)[:30]!r} is not a distance: write 500m or 10km")
    return float(found[1]) * _UNITS[found[2]]


def _shape(wanted: GeoSearch) -> Shape:
    if wanted.point is not None:
        return _circle(wanted.point.lat, wanted.point.lon, wanted.point.radiusMeters or METRES)
    if wanted.bbox is not None:
        top_left, bottom_right = wanted.bbox.topLeft, wanted.bbox.bottomRight
        return _box(LatLon(top_left.lat, top_left.lon), LatLon(bottom_right.lat, bottom_right.lon))
    assert wanted.geoJson is not None
    shapes = _shapes(wanted.geoJson)
    if not 1 <= len(shapes) <= POLYGONS_MAX:
        raise Invalid(f"geoJson has {len(shapes)} shapes: use 1 to {POLYGONS_MAX}")
    return lambda field: Match.any(*(shape(field) for shape in shapes))


def _shapes(geo_json: Mapping[str, Any], depth: int = 0) -> list[Shape]:
    """The shapes of a GeoJSON object. Raises Invalid for what has no area, such as a line."""
    kind, coordinates = str(geo_json.get("type")).lower(), geo_json.get("coordinates")
    members: Any = geo_json.get("features") or geo_json.get("geometries") or ()
    if depth > 3:
        raise Invalid("geoJson is nested too deeply")
    try:
        match kind:
            case "feature":
                return _shapes(geo_json["geometry"], depth + 1)
            case "featurecollection" | "geometrycollection":
                return [shape for each in members for shape in _shapes(each, depth + 1)]
            case "point":
                return [_circle(*_lat_lon(coordinates), METRES)]
            case "circle":
                return [_circle(*_lat_lon(coordinates), metres_of(geo_json.get("radius")))]
            case "envelope":
                return [_box(LatLon(*_lat_lon(coordinates[0])), LatLon(*_lat_lon(coordinates[1])))]  # pyright: ignore[reportOptionalSubscript]
            case "polygon":
                return [_polygon(coordinates)]
            case "multipolygon":
                return [_polygon(rings) for rings in coordinates or ()]
            case _:
                raise Invalid(f"geoJson of type {kind[:30]!r}: use a point, a circle or polygons")
    except (TypeError, ValueError, KeyError, IndexError, AttributeError):
        raise Invalid(f"geoJson: the coordinates of the {kind[:30]} cannot be read") from None


def _circle(lat: float, lon: float, metres: float) -> Shape:
    return lambda field: Match.near(field, LatLon(lat, lon), metres=metres)


def _box(top_left: LatLon, bottom_right: LatLon) -> Shape:
    return lambda field: Match.box(
        field,
        top=top_left.lat,
        left=top_left.lon,
        bottom=bottom_right.lat,
        right=bottom_right.lon,
    )


def _polygon(rings: Any) -> Shape:
    """The outline without its holes."""
    outline, *holes = [[LatLon(*_lat_lon(each)) for each in ring] for ring in rings]
    if len(holes) > POLYGONS_MAX:
        raise Invalid(f"geoJson: a polygon has at most {POLYGONS_MAX} holes")

    def shape(field: str) -> Match:
        clause = Match.inside(field, *_open(outline))
        for hole in holes:
            clause &= ~Match.inside(field, *_open(hole))
        return clause

    return shape


def _open(ring: Sequence[LatLon]) -> Sequence[LatLon]:
    """A ring without its last position, which repeats the first."""
    return ring[:-1] if len(ring) > 1 and ring[0] == ring[-1] else ring


def _lat_lon(position: Any) -> tuple[float, float]:
    """GeoJSON has the longitude first."""
    return float(position[1]), float(position[0])


def _field(
    document: Document[Any], body: Mapping[str, Any], *others: str
) -> tuple[str | None, Mapping[str, Any]]:
    """The field of a filter and what it says of it. The field is None where only the other index
    has it.
    """
    names = [name for name in body if name not in others]
    if len(names) != 1:
        raise Invalid("a filter of places names exactly one field")
    kind = kind_of(document, names[0])
    if kind is not None and not isinstance(kind, GeoPoint):
        raise Invalid(f"{names[0]} holds no places: they are in gp_<metadata key>")
    inner = body[names[0]]
    if not isinstance(inner, Mapping):
        raise Invalid(f"what a filter says of {names[0]} is an object")
    return (None if kind is None else names[0]), cast("Mapping[str, Any]", inner)


def _place(value: Any) -> LatLon:
    """`{"lat": …, "lon": …}` or GeoJSON's [lon, lat]."""
    try:
        if isinstance(value, Mapping):
            place = cast("Mapping[str, Any]", value)
            return LatLon(float(place["lat"]), float(place["lon"]))
        return LatLon(*_lat_lon(value))
    except (TypeError, ValueError, KeyError, IndexError, ModelError):
        raise Invalid("a place is {lat, lon} or [lon, lat], in degrees") from None
