"""Descriptions of an entity's fields: types as they are written, markers and bounds."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, PlainSerializer
from pydantic.fields import FieldInfo

from sortkey.model import fields
from sortkey.model.layout import Layout, Place

Description = dict[str, Any]

_MARKS = {
    fields.KEY_ONLY: "in keys only",
    fields.Created: "set when it is created",
    fields.Updated: "set with every write",
    fields.Version: "counts the writes, for save()",
    fields.KeepNull: "None is stored as NULL",
}
_BOUNDS = {
    "ge": "at least {}",
    "gt": "above {}",
    "le": "at most {}",
    "lt": "below {}",
    "min_length": "length at least {}",
    "max_length": "length at most {}",
    "pattern": "matches {}",
}


def fields_of(layout: Layout) -> list[Description]:
    """Every field in the order of the class, then computed fields."""
    fields = [_field(place) for place in layout.places.values()]
    names: Any = layout.entity.model_config.get("alias_generator") or str
    for name, info in layout.entity.model_computed_fields.items():
        path = ".".join(filter(None, (layout.envelope, info.alias or names(name))))
        fields.append(
            {"name": name, "path": path, "type": type_text(info.return_type), "notes": ["computed"]}
        )
    return fields


def parts_of(layout: Layout) -> list[Description]:
    """The maps inside the item: every Part in a field, with its members."""
    parts: dict[type[BaseModel], None] = {}
    for place in layout.places.values():
        _find_parts(place.info.annotation, parts)
    return [
        {
            "name": part.__name__,
            "fields": [
                _description(name, info.alias or name, info, [])
                for name, info in part.model_fields.items()
            ],
        }
        for part in parts
    ]


def type_text(annotation: Any) -> str:
    """A type as it is written, without what `Annotated` adds."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_text(inner[0])
    if origin is Literal:
        return " | ".join(map(repr, inner))
    if origin in (Union, types.UnionType):
        return " | ".join(type_text(argument) for argument in inner)
    if origin is not None:
        return f"{origin.__name__}[{', '.join(type_text(argument) for argument in inner)}]"
    if annotation is type(None):
        return "None"
    return "..." if annotation is ... else getattr(annotation, "__name__", str(annotation))


def _find_parts(annotation: Any, parts: dict[type[BaseModel], None]) -> None:
    for part in _inside(annotation):
        if part not in parts:
            parts[part] = None
            for info in part.model_fields.values():
                _find_parts(info.annotation, parts)


def _inside(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _inside(argument)


def _field(place: Place) -> Description:
    notes = [text for marker, text in _MARKS.items() if marker in place.markers]
    if place.follows is not None:
        notes.append(f"follows {place.follows.source}")
    if place.payload is not None:
        notes.append(place.payload.declared.describe())
    description = _description(place.name, ".".join(map(str, place.path)), place.info, notes)
    if place.states is not None:
        description["states"] = {
            source: list(targets) for source, targets in place.states.transitions.items()
        }
    return description


def _description(name: str, path: str, info: FieldInfo, notes: list[str]) -> Description:
    description: Description = {"name": name, "path": path, "type": type_text(info.annotation)}
    if not info.is_required():
        description["default"] = _default(info)
    if info.description:
        description["doc"] = info.description
    return description | {
        "notes": notes + _bounds(info.metadata) + _stored_as(info.metadata, info.annotation)
    }


def _default(info: FieldInfo) -> str:
    if info.default_factory is not None:
        return "from a factory"
    value = info.default
    return f"{type(value).__name__}()" if isinstance(value, BaseModel) else repr(value)


def _bounds(metadata: list[Any]) -> list[str]:
    """The bounds in any annotation. Pydantic keeps them in classes of several libraries."""
    bounds = (
        (text, getattr(marker, name, None)) for marker in metadata for name, text in _BOUNDS.items()
    )
    return [text.format(value) for text, value in bounds if value is not None]


def _stored_as(metadata: list[Any], annotation: Any) -> list[str]:
    """Notes how a datetime is stored, if it is stored as a number."""
    within = [
        metadata,
        *(getattr(type_, "__metadata__", ()) for type_ in (annotation, *get_args(annotation))),
    ]
    kinds = [
        marker.return_type
        for several in within
        for marker in several
        if isinstance(marker, PlainSerializer)
    ]
    return ["stored as seconds since 1970"] if int in kinds else []
