"""Refuses classes whose fields, keys and settings contradict each other, when the class is
defined.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from sortkey.errors import ModelError
from sortkey.model import fields
from sortkey.model.annotations import alternatives, literal_values
from sortkey.model.keys import BoundKey, BoundQuery, Declared
from sortkey.model.layout import Layout
from sortkey.model.templates import SHARD, Slot, Template

_NUMBERS: tuple[type, ...] = (int, float, Decimal)


def check_names(entity: type[BaseModel], declared: Mapping[str, Declared]) -> None:
    """A field must not have the name of a member of Entity, or of a key or query of the class."""
    base = next(parent for parent in entity.__mro__ if parent.__module__ == "sortkey.model.entity")
    taken = {name for parent in base.__mro__ for name in vars(parent)}
    for name, info in entity.model_fields.items():
        if name in declared or isinstance(info.default, (BoundKey, BoundQuery)):
            raise ModelError(
                f"{entity.__name__}.{name} is a field and a key or query: give one of them another "
                "name"
            )
        if name in taken:
            raise ModelError(
                f"{entity.__name__}.{name} hides a member of Entity: give the field another name, "
                "with "
                f'Named("{info.alias or name}") for its attribute'
            )


def check_layout(layout: Layout) -> None:
    """All checks that need places and keys."""
    _check_validators(layout)
    _check_attributes(layout)
    _check_templates(layout)
    _check_markers(layout)
    _check_followers(layout)
    _check_settings(layout)


def _fail(layout: Layout, problem: str) -> ModelError:
    return ModelError(f"{layout.entity.__name__}{problem}")


def _check_validators(layout: Layout) -> None:
    """Keys and updates use a field's type, not the methods of its class: a value changed by a
    validator or serializer of the class would be stored in two forms.
    """
    decorators = layout.entity.__pydantic_decorators__
    for kind in (decorators.field_validators, decorators.validators, decorators.field_serializers):
        for name, decorator in kind.items():
            for field in decorator.info.fields:
                raise _fail(
                    layout,
                    f".{name}: keys and updates of {field} would not run it. "
                    f"Put it into the type: {field}: Annotated[..., AfterValidator(...)]",
                )


def _check_attributes(layout: Layout) -> None:
    """No attribute may be written twice: by two fields, or by a field and the store."""
    seen: dict[str, str] = {}
    plain = {
        a
        for key in layout.keys.values()
        for a, template in key.templates
        if layout.is_plain(a, template)
    }
    for place in layout.places.values():
        if place.attribute in seen:
            raise _fail(
                layout,
                f": {seen[place.attribute]} and {place.name} have one attribute, {place.attribute}",
            )
        seen[place.attribute] = place.name
        if (
            len(place.path) == 1
            and not place.key_only
            and place.attribute in layout.written - plain
        ):
            raise _fail(
                layout,
                f".{place.name}: the attribute {place.attribute} is written by the store itself",
            )


def _check_templates(layout: Layout) -> None:
    known: dict[str, Template] = {}
    for key in layout.keys.values():
        for attribute, template in key.templates:
            if known.setdefault(attribute, template) != template:
                raise _fail(
                    layout,
                    f": {attribute} is made by two templates, {known[attribute].text} and "
                    f"{template.text}",
                )
            is_text = layout.table.type_of(attribute) == "S"
            if not is_text and (len(template.parts) != 1 or not template.slots):
                raise _fail(
                    layout, f": {attribute} is not text, so its template must be a single field"
                )
            if is_text and not layout.is_plain(attribute, template):
                for slot in template.slots:
                    _check_slot(layout, slot)


def _check_slot(layout: Layout, slot: Slot) -> None:
    """Numbers in text keys must be padded: otherwise keys and numbers sort differently."""
    place = layout.by_attribute.get(slot.name)
    if place is None or slot.name == SHARD:
        return
    types = alternatives(place.info.annotation)
    if (
        slot.width is not None
        and int not in types
        and any(wrong in types for wrong in (str, float, Decimal, bool))
    ):
        raise _fail(
            layout,
            f".{place.name} is not a whole number: it cannot be padded in "
            f"{{{slot.name}:0{slot.width}d}}",
        )
    if slot.width is None and any(number in types for number in _NUMBERS):
        advice = (
            f"pad it, as {{{slot.name}:02d}}"
            if int in types
            else "a text cannot keep the order of fractions"
        )
        raise _fail(layout, f": {{{slot.name}}} is a number: {advice}")


def _check_markers(layout: Layout) -> None:
    for marker in (fields.Version, fields.Created):
        marked = [place.name for place in layout.places.values() if marker in place.markers]
        if len(marked) > 1:
            raise _fail(layout, f": {' and '.join(marked)} are both marked {marker}")
    version = layout.version
    if version is not None and (version.info.is_required() or version.info.get_default()):
        raise _fail(
            layout, f".{version.name} is the version: it needs the default 0, which a new item has"
        )


def _check_followers(layout: Layout) -> None:
    names = list(layout.places)
    for place in layout.places.values():
        if place.follows is None:
            continue
        source = place.follows.source
        if source not in layout.places:
            raise _fail(layout, f".{place.name} follows {source}, which is not a field")
        if names.index(source) > names.index(place.name):
            raise _fail(layout, f".{place.name} follows {source}: declare it after that field")
        if place.info.is_required():
            raise _fail(
                layout, f".{place.name} follows {source}: give it a default (it is never used)"
            )
        possible = literal_values(layout.places[source].info.annotation)
        if forgotten := [repr(status) for status in possible if status not in place.follows.values]:
            raise _fail(
                layout, f".{place.name} follows {source}: say what it is for {', '.join(forgotten)}"
            )


def _check_settings(layout: Layout) -> None:
    types: dict[str, Any] = {name: layout.table.type_of(name) for name in layout.table.key}
    if layout.archive is not None and types[layout.table.key[0]] != "S":
        raise _fail(
            layout, f": an archive needs a partition key that is text; {layout.table.key[0]} is not"
        )
    for name in (name for group in layout.unique for name in group):
        layout.place(name)
    if layout.unique and set(types.values()) != {"S"}:
        raise _fail(
            layout, ": unique fields need a table whose keys are text, for their guard items"
        )
    steps = set(range(1, layout.schema_version))
    if steps != set(layout.upgrades):
        wanted = ", ".join(map(str, sorted(steps))) or "none"
        raise _fail(
            layout,
            f" has version {layout.schema_version}: it needs upgrades from the versions {wanted}",
        )
