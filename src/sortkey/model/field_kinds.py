"""Kinds of fields in search documents: what a field holds decides what can be queried.

    fields={"title": Text(), "tags": Keyword(many=True), "rating": Number(), "place": GeoPoint()}

A `label` is the field's name for people. The console shows it, and accepts it as a name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from sortkey.errors import ModelError
from sortkey.model import field_values as values

Form = Callable[[Any], Any]
"""Converts a value to the form in which it is indexed, and an empty value to None. Raises
ModelError for a wrong type.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldKind:
    """What a field holds. Declare one of: Text, Keyword, Number, Integer, Bool, Date, GeoPoint,
    GeoShape, Flat.
    """

    label: str = ""

    name: ClassVar[str]
    has_words: ClassVar[bool] = False
    is_ranged: ClassVar[bool] = False
    is_counted: ClassVar[bool] = False
    has_whole_texts: ClassVar[bool] = False
    """Values are texts that can be matched as a whole or by prefix."""
    _has_order: ClassVar[bool] = False

    @property
    def form(self) -> Form:
        raise NotImplementedError

    @property
    def is_list(self) -> bool:
        return False

    @property
    def is_sorted(self) -> bool:
        """Whether documents can be sorted by it."""
        return self._has_order and not self.is_list

    @property
    def signature(self) -> str:
        """Equal for two kinds only if an index built for one also serves the other."""
        return f"{self.name}[]" if self.is_list else self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class Text(FieldKind):
    """A text: searched by its words, and matched, counted and sorted as a whole. `many=True` is for
    a list of texts.
    """

    many: bool = False

    name = "text"
    has_words = has_whole_texts = is_counted = _has_order = True

    @property
    def is_list(self) -> bool:
        return self.many

    @property
    def form(self) -> Form:
        return values.texts if self.many else values.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Keyword(FieldKind):
    """A text that is matched, counted and sorted only as a whole, such as a status. `many=True` is
    for a list.
    """

    many: bool = False

    name = "keyword"
    has_whole_texts = is_counted = _has_order = True

    @property
    def is_list(self) -> bool:
        return self.many

    @property
    def form(self) -> Form:
        return values.texts if self.many else values.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Number(FieldKind):
    """A number with or without a fraction, held as a double: matched, ranged, counted and
    sorted.
    """

    name = "number"
    is_ranged = is_counted = _has_order = True

    @property
    def form(self) -> Form:
        return values.number


@dataclass(frozen=True, kw_only=True, slots=True)
class Integer(FieldKind):
    """A whole number of 64 bits: matched, ranged, counted and sorted."""

    name = "integer"
    is_ranged = is_counted = _has_order = True

    @property
    def form(self) -> Form:
        return values.integer


@dataclass(frozen=True, kw_only=True, slots=True)
class Bool(FieldKind):
    """True or False: matched, counted and sorted."""

    name = "bool"
    is_counted = _has_order = True

    @property
    def form(self) -> Form:
        return values.boolean


@dataclass(frozen=True, kw_only=True, slots=True)
class Date(FieldKind):
    """An instant, to the millisecond: a datetime with its zone, a date or an ISO 8601 text.
    Matched, ranged, sorted.
    """

    name = "date"
    is_ranged = _has_order = True

    @property
    def form(self) -> Form:
        return values.date_value


@dataclass(frozen=True, kw_only=True, slots=True)
class GeoPoint(FieldKind):
    """A place on the earth, given as a `LatLon`: found in a box or near a point, and sorted by
    distance.
    """

    name = "geo_point"

    @property
    def form(self) -> Form:
        return values.point


@dataclass(frozen=True, kw_only=True, slots=True)
class GeoShape(FieldKind):
    """A GeoJSON shape, as a map or a text. It is stored whole and searched by its words, not by
    geometry.
    """

    name = "geo_shape"
    has_words = True

    @property
    def form(self) -> Form:
        return values.shape


@dataclass(frozen=True, kw_only=True, slots=True)
class Flat(FieldKind):
    """A map of anything in a single field, however many names it has. Values are matched as texts
    by path, as `attributes.colour`.

    Members whose names begin with one of the `exclude` prefixes are left out, at every depth.
    """

    exclude: tuple[str, ...] = ()

    name = "flat"
    has_whole_texts = True

    def __post_init__(self) -> None:
        if isinstance(self.exclude, str) or not all(self.exclude):
            raise ModelError(
                f"exclude={self.exclude!r} must be a tuple of prefixes, none of them empty"
            )

    @property
    def form(self) -> Form:
        return partial(values.flat, exclude=tuple(self.exclude))

    @property
    def signature(self) -> str:
        return " ".join([self.name, *(f"-{prefix}" for prefix in self.exclude)])
