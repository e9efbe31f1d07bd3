"""The types of fields with their annotations, and values as these types store them."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from sortkey.errors import KeyValueError


def literal_values(annotation: Any) -> tuple[Any, ...]:
    """The values of a Literal, also of one that may be None; empty for another type."""
    literals = [
        alternative
        for alternative in alternatives(annotation)
        if get_origin(alternative) is Literal
    ]
    return tuple(value for literal in literals for value in get_args(literal))


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """The types that a value may have."""
    if get_origin(annotation) is Annotated:
        return alternatives(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return tuple(inner for argument in get_args(annotation) for inner in alternatives(argument))
    return (annotation,)


def full_annotation(info: FieldInfo) -> Any:
    """The type of a field with all its annotations."""
    annotation: Any = info.annotation
    for marker in info.metadata:
        annotation = Annotated[annotation, marker]
    return annotation


def stored(adapter: TypeAdapter[Any], value: Any, what: str, *, limited: bool = True) -> Any:
    """A value as its type stores it. Raises KeyValueError for a value that the type refuses.
    Without `limited`, values that are only too large, too long or do not match a pattern are
    accepted.
    """
    try:
        return adapter.dump_python(adapter.validate_python(value), by_alias=True)
    except ValidationError as error:
        if not limited and all(problem["type"] in _LIMITS for problem in error.errors()):
            return adapter.dump_python(value, by_alias=True)
        problems = "; ".join(problem["msg"] for problem in error.errors())
        raise KeyValueError(f"{what} cannot be {value!r}: {problems}") from None


_LIMITS = frozenset(
    {"greater_than", "greater_than_equal", "less_than", "less_than_equal", "multiple_of"}
    | {"string_too_short", "string_too_long", "string_pattern_mismatch", "too_short", "too_long"}
)
