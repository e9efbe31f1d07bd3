"""Values of answers with the type that they should have; empty where they have another."""

from __future__ import annotations

from typing import Any, cast

Json = dict[str, Any]


def object_of(value: Any) -> Json:
    """An object."""
    return cast(Json, value) if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[Json]:
    """A list of objects."""
    found = cast("list[Any]", value) if isinstance(value, list) else []
    return [object_of(each) for each in found]
