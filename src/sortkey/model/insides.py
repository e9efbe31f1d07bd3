"""The inside of a field: the types of members and elements, how their values are stored, and
limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from sortkey.model.annotations import alternatives, full_annotation, stored
from sortkey.model.fields import KeepNull

UNTYPED: Any = None
"""The type of values without an annotation."""


def part_of(annotation: Any) -> type[BaseModel] | None:
    """The model behind `Source`, or behind `Source | None`."""
    for alternative in alternatives(annotation):
        if isinstance(alternative, type) and issubclass(alternative, BaseModel):
            return alternative
    return None


def member_of(annotation: Any, step: int | str) -> Any:
    """The type of a list's element, of a map's member, or of a part's field by its attribute."""
    part = part_of(annotation)
    if part is not None:
        named = (
            full_annotation(i)
            for name, i in part.model_fields.items()
            if step in (i.alias or name, name)
        )
        return next(named, UNTYPED)
    return element_of(annotation)


def element_of(annotation: Any) -> Any:
    """The type of the elements of a list, set or map."""
    for alternative in alternatives(annotation):
        origin, arguments = get_origin(alternative), get_args(alternative)
        if isinstance(origin, type) and arguments and issubclass(origin, (Sequence, Set, Mapping)):
            return arguments[-1] if issubclass(origin, Mapping) else arguments[0]
    return UNTYPED


def is_left_out(annotation: Any, step: int | str) -> bool:
    """Whether None of a member is left out, as in a Part. In lists and untyped maps it is stored as
    NULL.
    """
    part = part_of(annotation)
    return part is not None and step not in kept_nulls(part)


def stored_inside(annotation: Any, value: Any, what: str, *, limited: bool = True) -> Any:
    """A value inside a field as it is stored."""
    if annotation is UNTYPED or annotation is Any:
        return value.model_dump(by_alias=True) if isinstance(value, BaseModel) else value
    try:
        adapter = _cached_adapter(annotation)
    except TypeError:  # an annotation of the type is not hashable
        adapter = TypeAdapter[Any](annotation)
    return stored(adapter, value, what, limited=limited)


def default_of(info: FieldInfo) -> Any:
    """The default of a field. None also for a required field."""
    if info.is_required() or info.default_factory_takes_validated_data:
        return None
    return (
        info.default
        if info.default_factory is None
        else info.get_default(call_default_factory=True)
    )


def keeps_null(info: FieldInfo) -> bool:
    """Whether a field's None is stored as NULL: if it is marked so, or if it would otherwise be
    read as its default.
    """
    if KeepNull in info.metadata:
        return True
    return may_be_none(info.annotation) and (info.is_required() or default_of(info) is not None)


@lru_cache(maxsize=1024)
def kept_nulls(part: type[BaseModel]) -> frozenset[str]:
    """The fields of a part whose None is stored, by name and by attribute."""
    pairs = [
        (name, info.alias or name) for name, info in part.model_fields.items() if keeps_null(info)
    ]
    return frozenset(name for names in pairs for name in names)


def may_be_none(annotation: Any) -> bool:
    return annotation is Any or any(
        alternative is NoneType for alternative in alternatives(annotation)
    )


def highest(annotation: Any) -> Any:
    """The largest number that a field allows, or None. Exclusive bounds of fractions count as
    inclusive.
    """
    limit = _limit(annotation, Le, "le", whole_step=0)
    return limit if limit is not None else _limit(annotation, Lt, "lt", whole_step=-1)


def lowest(annotation: Any) -> Any:
    limit = _limit(annotation, Ge, "ge", whole_step=0)
    return limit if limit is not None else _limit(annotation, Gt, "gt", whole_step=1)


def longest(annotation: Any) -> int | None:
    """The maximum number of elements of a field, or None."""
    return next(
        (marker.max_length for marker in _markers(annotation) if isinstance(marker, MaxLen)), None
    )


@lru_cache(maxsize=1024)
def _cached_adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def _limit(annotation: Any, kind: type, name: str, whole_step: int) -> Any:
    for marker in _markers(annotation):
        if isinstance(marker, kind):
            limit = getattr(marker, name)
            return limit + whole_step if isinstance(limit, int) else limit
    return None


def _markers(annotation: Any) -> list[Any]:
    """All annotations of a type, also of the alternatives in `Percent | None`."""
    markers: list[Any] = []
    if get_origin(annotation) is Annotated:
        markers += get_args(annotation)[1:]
    for marker in markers:
        if isinstance(marker, FieldInfo):
            markers += marker.metadata
    for alternative in alternatives(annotation):
        if alternative is not annotation and get_origin(alternative) is Annotated:
            markers += _markers(alternative)
    return markers
