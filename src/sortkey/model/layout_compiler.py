"""Makes an entity's layout from its class, and refuses a class whose keys cannot work."""

from __future__ import annotations

from collections.abc import Mapping

from sortkey.errors import ModelError
from sortkey.model.annotations import literal_values
from sortkey.model.declaration_checks import check_layout, check_names
from sortkey.model.fields import Follows, Marker, States
from sortkey.model.keys import Declared
from sortkey.model.layout import Layout, Path, Place
from sortkey.model.payload_places import PayloadPlace, check_payloads
from sortkey.model.payloads import StoredIn
from sortkey.model.templates import SHARD


def declared_in(cls: type) -> dict[str, Declared]:
    """Keys, indexes and queries of a class and its bases, the nearest first."""
    declarations: dict[str, Declared] = {}
    for parent in reversed(cls.__mro__):
        declarations.update(
            {name: value for name, value in vars(parent).items() if isinstance(value, Declared)}
        )
    return declarations


def compile_layout(layout: Layout, declared: Mapping[str, Declared]) -> None:
    _check_types(layout)
    check_names(layout.entity, declared)
    for name, info in layout.entity.model_fields.items():
        markers = frozenset(m for m in info.metadata if isinstance(m, Marker))
        states = next((m for m in info.metadata if isinstance(m, States)), None)
        if states is not None:
            states.check(literal_values(info.annotation))
        attribute = info.alias or name
        follows = next((m for m in info.metadata if isinstance(m, Follows)), None)
        stored_in = next((m for m in info.metadata if isinstance(m, StoredIn)), None)
        payload = None if stored_in is None else PayloadPlace.of(attribute, stored_in)
        path = _path(layout, attribute, markers)
        layout.places[name] = Place(name, attribute, path, info, markers, states, follows, payload)
    for declaration in declared.values():
        declaration.compile_key(layout)
    _check_keys(layout)
    for declaration in declared.values():
        declaration.check(layout)
    check_layout(layout)
    check_payloads(layout)


def _check_types(layout: Layout) -> None:
    """Refuse types that are not defined yet: their fields cannot be placed."""
    entity = layout.entity
    if entity.__pydantic_complete__:
        return
    unknown = [
        name for name, info in entity.model_fields.items() if not getattr(info, "_complete", True)
    ]
    raise ModelError(
        f"{entity.__name__}: the type of {', '.join(unknown) or 'a field'} is not defined yet: "
        f"put it above the class {entity.__name__}"
    )


def _path(layout: Layout, attribute: str, markers: frozenset[Marker]) -> Path:
    outside = any(marker.name in ("Outside", "KeyOnly") for marker in markers)
    return (attribute,) if layout.envelope is None or outside else (layout.envelope, attribute)


def _check_keys(layout: Layout) -> None:
    """Every slot must be a field, and every KeyOnly field must be in the table's key."""
    name = layout.entity.__name__
    slots = {slot for key in layout.keys.values() for slot in key.names}
    for slot in sorted(slots - layout.by_attribute.keys() - {SHARD}):
        if slot in layout.places:
            meant = layout.places[slot].attribute
            raise ModelError(
                f"{name}: write {{{meant}}} for {{{slot}}}: key templates name attributes, not "
                "fields"
            )
        raise ModelError(f"{name}: the key needs {{{slot}}}, and no field has this attribute")
    if layout.version is not None and layout.version.attribute in slots:
        raise ModelError(f"{name}.{layout.version.name} counts writes, and cannot be part of a key")
    primary = set(layout.primary.names)
    for place in layout.places.values():
        if place.key_only and place.attribute not in primary:
            raise ModelError(
                f"{name}.{place.name} is KeyOnly, but the table's key does not hold "
                f"{place.attribute}"
            )
