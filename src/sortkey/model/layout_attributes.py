"""The attributes of an entity's items: which fields, keys and computed fields they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sortkey.errors import ModelError
from sortkey.model import fields
from sortkey.model.computed_fields import sources
from sortkey.model.fields import Marker
from sortkey.model.insides import default_of, keeps_null, may_be_none
from sortkey.model.places import Computed, IndexKey, Path, Place, Upgrade
from sortkey.model.tables import Table
from sortkey.model.templates import Template
from sortkey.model.version_upgrades import SCHEMA_VERSION
from sortkey.values.attributes import AttributeValue, Item

if TYPE_CHECKING:
    from sortkey.model.entity import Entity
    from sortkey.model.payload_places import PayloadPlace


@dataclass
class LayoutAttributes:
    """The fields of an entity and their attributes. `Layout` reads and writes items with them."""

    entity: type[Entity]
    table: Table
    kind: str | None
    envelope: str | None
    archive: str | None
    schema_version: int
    upgrades: Mapping[int, Upgrade]
    unique: tuple[tuple[str, ...], ...]
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    keys: dict[str | None, IndexKey] = field(default_factory=dict["str | None", IndexKey])

    @property
    def primary(self) -> IndexKey:
        return self.keys[None]

    def place(self, name: str) -> Place:
        """A field by its name in Python."""
        if name not in self.places:
            known = ", ".join(self.places)
            raise ModelError(f"{self.entity.__name__} has no field {name!r}; it has: {known}")
        return self.places[name]

    @cached_property
    def attributes(self) -> dict[str, str]:
        """Attributes by the names of their fields."""
        return {name: place.attribute for name, place in self.places.items()}

    @cached_property
    def by_attribute(self) -> dict[str, Place]:
        return {place.attribute: place for place in self.places.values()}

    def marked(self, marker: Marker) -> Place | None:
        return next((place for place in self.places.values() if marker in place.markers), None)

    @cached_property
    def version(self) -> Place | None:
        return self.marked(fields.Version)

    @cached_property
    def key_templates(self) -> tuple[tuple[str, Template, IndexKey], ...]:
        """The key attributes that are written from a template."""
        return tuple(
            (attribute, template, key)
            for key in self.keys.values()
            for attribute, template in key.templates
            if not self.is_plain(attribute, template)
        )

    def is_plain(self, attribute: str, template: Template) -> bool:
        """Whether a key attribute is just a field: `{assetId}` in the attribute `assetId`."""
        place = self.by_attribute.get(attribute)
        return (
            place is not None
            and not place.key_only
            and template.text == f"{{{attribute}}}"
            and len(place.path) == 1
        )

    # -- compiled sets

    @cached_property
    def _key_only(self) -> frozenset[str]:
        return frozenset(place.attribute for place in self.places.values() if place.key_only)

    @cached_property
    def computed(self) -> dict[str, Computed]:
        """Computed fields by name."""
        names: Any = self.entity.model_config.get("alias_generator") or str
        inside: Path = () if self.envelope is None else (self.envelope,)
        return {
            name: Computed((*inside, info.alias or names(name)), sources(self.entity, info))
            for name, info in self.entity.model_computed_fields.items()
        }

    @cached_property
    def _computed(self) -> frozenset[str]:
        return frozenset(str(computed.path[-1]) for computed in self.computed.values())

    @cached_property
    def payloads(self) -> tuple[tuple[Place, PayloadPlace], ...]:
        """The fields whose values lie in an object store."""
        return tuple(
            (place, place.payload) for place in self.places.values() if place.payload is not None
        )

    def members(
        self, place: Place, item: Mapping[str, AttributeValue]
    ) -> Mapping[str, AttributeValue]:
        """The map that holds a field: the envelope, or the item."""
        return item if len(place.path) == 1 else item[str(place.path[0])]["M"]

    def key_in(self, item: Mapping[str, AttributeValue]) -> Item:
        return {name: item[name] for name in self.table.key}

    def _pointers(self, depth: int) -> set[str]:
        """Attributes of payload pointers at the top of the item or in the envelope, except those of
        the fields.
        """
        return {
            name
            for place, payload in self.payloads
            if len(place.path) == depth
            for name in payload.parts.values()
        }

    @cached_property
    def _outer(self) -> frozenset[str]:
        """Attributes of fields at the top of the item."""
        return frozenset(
            p.attribute for p in self.places.values() if len(p.path) == 1 and not p.key_only
        )

    @cached_property
    def _inner(self) -> frozenset[str]:
        """Attributes in the envelope."""
        fields_inside = {place.attribute for place in self.places.values() if len(place.path) == 2}
        fields_inside |= self._pointers(2)
        return frozenset(fields_inside if self.envelope is None else fields_inside | self._computed)

    @cached_property
    def written(self) -> frozenset[str]:
        """Attributes at the top that the layout itself writes."""
        own = {attribute for key in self.keys.values() for attribute in key.attributes.names}
        own |= {self.table.kind_attribute} if self.kind is not None else set()
        own |= {SCHEMA_VERSION} if self.schema_version > 1 else set()
        return frozenset(own | self._computed if self.envelope is None else own | {self.envelope})

    @cached_property
    def known(self) -> dict[str, bool]:
        """All known attributes at the top of the item."""
        return dict.fromkeys(self.written | self._pointers(1), False) | dict.fromkeys(
            self._outer, True
        )

    @cached_property
    def known_inside(self) -> dict[str, bool]:
        unread = self._computed | self._pointers(2)
        return {name: name not in unread for name in self._inner}

    @cached_property
    def kept_nulls(self) -> frozenset[str]:
        """Attributes whose None is stored as NULL. That of others is left out."""
        return frozenset(
            place.attribute for place in self.places.values() if keeps_null(place.info)
        )

    @cached_property
    def _empty_sets(self) -> frozenset[str]:
        """Attributes of sets that are left out when empty, because DynamoDB cannot store empty
        sets.
        """
        return frozenset(
            place.attribute
            for place in self.places.values()
            if isinstance(default := default_of(place.info), (set, frozenset)) and not default
        )

    @cached_property
    def _nullable(self) -> tuple[str, ...]:
        """Attributes of required fields that may be None. They are None if missing in an item."""
        required = [
            place
            for place in self.places.values()
            if place.info.is_required() and not place.key_only
        ]
        return tuple(place.attribute for place in required if may_be_none(place.info.annotation))

    def is_left_out(self, place: Place, stored: Any) -> bool:
        """Whether an attribute is missing when its field has a value."""
        if stored is None:
            return place.attribute not in self.kept_nulls
        return not stored and place.attribute in self._empty_sets

    @cached_property
    def parsers(self) -> tuple[tuple[str, Template, tuple[str, ...]], ...]:
        """The templates to parse for fields that are stored only in keys."""
        wanted, parsers_ = set(self._key_only), list[tuple[str, Template, tuple[str, ...]]]()
        for attribute, template, _ in self.key_templates:
            here = tuple(name for name in template.names if name in wanted)
            if here:
                wanted -= set(here)
                parsers_.append((attribute, template, here))
        return tuple(parsers_)
