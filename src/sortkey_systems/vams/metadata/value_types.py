"""The types of metadata values. A value is a text; its type says what the text has to be.

The empty text passes every type.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, cast

STRING: Final = "string"
CONTROLLED_LIST: Final = "inline_controlled_list"
GEOMETRIES: Final[Mapping[str, int]] = {
    "Point": 0,
    "MultiPoint": 1,
    "LineString": 1,
    "MultiLineString": 2,
    "Polygon": 2,
    "MultiPolygon": 3,
}
"""How many lists are around each position of a geometry."""
COLLECTIONS_DEPTH_MAX = 8
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)


def problem_of(value: str, value_type: str) -> str | None:
    """Why a text is not a value of a type, to be continued after "the value"; None if it is one."""
    check = _CHECKS.get(value_type)
    if check is None:
        return f"has the unknown type {value_type!r}: use one of {', '.join(VALUE_TYPES)}"
    return check(value) if value else None


def _any_text(value: str) -> None:
    return None


def _number(value: str) -> str | None:
    text = value.strip()
    is_number = _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))
    return None if is_number else "must be a number"


def _boolean(value: str) -> str | None:
    return None if value.lower() in ("true", "false") else "must be true or false"


def _date(value: str) -> str | None:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return "must be a date in ISO 8601, as 2026-11-01 or 2026-11-01T20:30:00Z"
    return None


def _json(value: str) -> str | None:
    try:
        _parsed(value)
    except ValueError:
        return "must be JSON"
    return None


def _members(*names: str) -> Callable[[str], str | None]:
    shape = ", ".join(names)

    def check(value: str) -> str | None:
        found = _parsed_or_none(value)
        if _is_object(found) and all(_is_number(found.get(name)) for name in names):
            return None
        return f"must be a JSON object with the numbers {shape}"

    return check


def _matrix(value: str) -> str | None:
    rows = _parsed_or_none(value)
    is_matrix = _is_list(rows, 4) and all(
        _is_list(row, 4) and all(_is_number(each) for each in row) for row in rows
    )
    return None if is_matrix else "must be a JSON list of 4 lists with 4 numbers each"


def _lla(value: str) -> str | None:
    place = _parsed_or_none(value)
    is_complete = _members("lat", "long", "alt")(value) is None
    if is_complete and abs(place["lat"]) <= 90 and abs(place["long"]) <= 180:
        return None
    return "must be a JSON object with lat (-90 to 90), long (-180 to 180) and alt"


def _geopoint(value: str) -> str | None:
    found = _parsed_or_none(value)
    is_point = _is_object(found) and found.get("type") == "Point" and _is_geometry(found)
    return None if is_point else "must be a GeoJSON Point with [longitude, latitude]"


def _geojson(value: str) -> str | None:
    return None if _is_geojson(_parsed_or_none(value)) else "must be a GeoJSON object"


# -- GeoJSON


def _is_geojson(found: Any, depth: int = 0) -> bool:
    if not _is_object(found) or depth > COLLECTIONS_DEPTH_MAX:
        return False
    match found.get("type"):
        case "FeatureCollection":
            return _are_geojson(found.get("features"), depth)
        case "GeometryCollection":
            return _are_geojson(found.get("geometries"), depth)
        case "Feature":
            geometry = found.get("geometry", False)
            return geometry is None or _is_geojson(geometry, depth + 1)
        case _:
            return _is_geometry(found)


def _are_geojson(found: Any, depth: int) -> bool:
    return _is_list(found) and all(_is_geojson(each, depth + 1) for each in found)


def _is_geometry(found: Mapping[str, Any]) -> bool:
    depth = GEOMETRIES.get(str(found.get("type")))
    return depth is not None and _are_positions(found.get("coordinates"), depth)


def _are_positions(found: Any, depth: int) -> bool:
    if depth:
        return _is_list(found) and all(_are_positions(each, depth - 1) for each in found)
    if not _is_list(found) or len(found) < 2 or not all(_is_number(each) for each in found):
        return False
    return abs(found[0]) <= 180 and abs(found[1]) <= 90


# -- JSON


def _parsed(value: str) -> Any:
    try:
        return json.loads(value, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _parsed_or_none(value: str) -> Any:
    try:
        return _parsed(value)
    except ValueError:
        return None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _is_object(found: Any) -> bool:
    return isinstance(found, dict)


def _is_list(found: Any, length: int | None = None) -> bool:
    return isinstance(found, list) and length in (None, len(cast("list[Any]", found)))


def _is_number(found: Any) -> bool:
    if isinstance(found, bool) or not isinstance(found, int | float):
        return False
    try:
        return math.isfinite(found)
    except OverflowError:  # an integer that a float has no room for
        return False


_CHECKS: Final[Mapping[str, Callable[[str], str | None]]] = {
    STRING: _any_text,
    "multiline_string": _any_text,
    CONTROLLED_LIST: _any_text,  # its list is in the schema
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "xyz": _members("x", "y", "z"),
    "wxyz": _members("w", "x", "y", "z"),
    "matrix4x4": _matrix,
    "geopoint": _geopoint,
    "geojson": _geojson,
    "lla": _lla,
    "json": _json,
}
VALUE_TYPES: Final = tuple(_CHECKS)
