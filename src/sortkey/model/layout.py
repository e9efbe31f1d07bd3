"""The layout of an entity's item: compiled once for a class, then used for every item.

Templates and paths use the names of attributes, the rest of the program those of fields. Only this
module translates between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from zlib import crc32

from pydantic import TypeAdapter
from pydantic_core import SchemaValidator, core_schema

from sortkey.errors import KeyValueError, ModelError
from sortkey.model import fields
from sortkey.model.annotations import full_annotation, stored
from sortkey.model.codec import decode, encode
from sortkey.model.compiled_reader import Reader, compiled_reader
from sortkey.model.computed_fields import sources
from sortkey.model.fields import Marker
from sortkey.model.insides import default_of, keeps_null, may_be_none
from sortkey.model.places import Computed, IndexKey, ItemOrigin, Path, Place, Upgrade
from sortkey.model.tables import Table
from sortkey.model.templates import SHARD, Template
from sortkey.model.version_upgrades import SCHEMA_VERSION, upgraded, version_of
from sortkey.values.attributes import AttributeValue, Item

if TYPE_CHECKING:
    from sortkey.model.derived_attributes import Derived
    from sortkey.model.entity import Entity
    from sortkey.model.payload_places import PayloadPlace

__all__ = ["Computed", "IndexKey", "ItemOrigin", "Layout", "Path", "Place", "Upgrade"]


@dataclass
class Layout:
    """How the fields of an entity are stored in an item."""

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

    @cached_property
    def derived(self) -> tuple[Derived, ...]:
        """Index keys and computed fields, which an update may have to rebuild."""
        from sortkey.model.derived_attributes import derived_of  # which knows layouts

        return derived_of(self)

    # -- one value

    def stored(self, attribute: str, value: Any) -> Any:
        """A field's value as it is stored in items and keys: an instant as text."""
        if value.__class__ is str and attribute in self._plain_texts:
            return value
        return stored(self._adapters[attribute], value, f"{self.entity.__name__}.{attribute}")

    def compared(self, attribute: str, value: Any) -> Any:
        """A value that a field is compared with, as it would be stored. It may be outside of the
        field's limits.
        """
        return stored(
            self._adapters[attribute], value, f"{self.entity.__name__}.{attribute}", limited=False
        )

    def loaded(self, attribute: str, value: Any) -> Any:
        """The value of a field from its stored form."""
        return self._adapters[attribute].validate_python(value)

    @cached_property
    def _plain_texts(self) -> frozenset[str]:
        return frozenset(
            place.attribute
            for place in self.places.values()
            if place.info.annotation is str
            and all(isinstance(marker, Marker) for marker in place.info.metadata)
        )

    @cached_property
    def _adapters(self) -> dict[str, TypeAdapter[Any]]:
        return {
            place.attribute: TypeAdapter(full_annotation(place.info))
            for place in self.places.values()
        }

    # -- whole items

    def write(
        self, entity: Entity, unknown: ItemOrigin | None = None, archived: bool = False
    ) -> Item:
        """The item of an entity, with its keys, its kind and its unknown attributes."""
        values = entity.__pydantic_serializer__.to_python(entity, by_alias=True)
        for place, payload in self.payloads:
            values |= payload.attributes(values[place.attribute])
        item: Item = dict(unknown.unknown) if unknown else {}
        inside: dict[str, AttributeValue] = dict(unknown.unknown_inside) if unknown else {}
        inner, key_only = self._inner, self._key_only
        kept_nulls, sets = self.kept_nulls, self._empty_sets
        for attribute, value in values.items():
            if not value and ((value is None and attribute not in kept_nulls) or attribute in sets):
                continue
            if attribute in inner:
                inside[attribute] = encode(value)
            elif attribute not in key_only:
                item[attribute] = encode(value)
        if self.envelope is not None:
            item[self.envelope] = {"M": inside}
        if self.kind is not None:
            item[self.table.kind_attribute] = {"S": self.kind}
        if self.schema_version > 1:
            # An item of a newer program keeps its version: its upgrade must not run twice.
            newest = (
                self.schema_version
                if unknown is None
                else max(unknown.version, self.schema_version)
            )
            item[SCHEMA_VERSION] = {"N": str(newest)}
        item.update(self.render_keys(values))
        if self.archive is not None:
            self._mark_archived(item, archived)
        return item

    def render_keys(self, values: Mapping[str, Any]) -> Item:
        """The key attributes rendered from stored values. An index key that lacks a value is left
        out, and the item is not in that index. Puts and updates render every attribute from its own
        template.
        """
        rendered: Item = {}
        for key, writers in self._key_writers:
            slot_values = (
                {**values, SHARD: self.shard(values, key.shards)} if key.shards else values
            )
            for attribute, template, kind in writers:
                text = (
                    slot_values.get(attribute) if template is None else template.render(slot_values)
                )
                if text is None and key.index is None:
                    missing = ", ".join(name for name in key.names if values.get(name) is None)
                    raise KeyValueError(
                        f"{self.entity.__name__} cannot be stored without {missing}: its key needs "
                        "it"
                    )
                if text == "":
                    raise KeyValueError(
                        f"{self.entity.__name__}.{attribute} is empty, but it is a key: set a value"
                    )
                if template is not None and text is not None:
                    rendered[attribute] = {kind: text}
        return rendered

    @cached_property
    def _key_writers(self) -> tuple[tuple[IndexKey, KeyWriters], ...]:
        return tuple(
            (
                key,
                tuple(
                    (a, None if self.is_plain(a, t) else t, self.table.type_of(a))
                    for a, t in key.templates
                ),
            )
            for key in self.keys.values()
        )

    def shard(self, values: Mapping[str, Any], shards: int) -> int:
        """The shard of an index for an item. It depends only on the table's key, so it never
        changes.
        """
        text = "\0".join(str(template.render(values)) for _, template in self.primary.templates)
        return crc32(text.encode()) % shards

    @cached_property
    def validate_many(self) -> Callable[[list[dict[str, Any]]], list[Any]]:
        """Pydantic's validation of a list of entities, which is faster than one by one.

        The reader returns only names of attributes, so names of fields need no lookup.
        """
        schema: Any = self.entity.__pydantic_core_schema__
        if schema["type"] == "model":
            relaxed = {
                "extra_fields_behavior": "ignore",
                "validate_by_name": False,
                "validate_by_alias": True,
            }
            schema = {**schema, "config": {**schema.get("config", {}), **relaxed}}
        return SchemaValidator(core_schema.list_schema(schema), _use_prebuilt=False).validate_python

    @cached_property
    def reader(self) -> Reader:
        """The fast reader for usual items. It raises for others, which `read` handles."""
        return compiled_reader(self)

    def read(self, item: Mapping[str, AttributeValue]) -> tuple[dict[str, Any], ItemOrigin | None]:
        """The values of an item by attribute for pydantic, and the rest of the item."""
        archived = False
        kind = item.get(self.table.kind_attribute, {}).get("S", self.kind)
        if self.kind is not None and kind != self.kind:
            raise ModelError(f"its {self.table.kind_attribute} is {kind}, not {self.kind}")
        if self.archive is not None:
            item, archived = self.without_archive_mark(item)
        values: dict[str, Any] = {}
        unknown = _read_into(values, item, self.known)
        unknown_inside: dict[str, AttributeValue] = {}
        if self.envelope is not None:
            unknown_inside = _read_into(
                values, item.get(self.envelope, _NO_MAP)["M"], self.known_inside
            )
        for attribute, template, wanted in self.parsers:
            if attribute in item:
                parsed = template.parse(next(iter(item[attribute].values())))
                for name in wanted:
                    values.setdefault(name, parsed[name])
        for attribute in self._nullable:
            values.setdefault(attribute, None)
        for place, payload in self.payloads:
            if place.attribute in values:
                values[place.attribute] = payload.read(self.members(place, item), self.key_in(item))
        version = version_of(item) if self.schema_version > 1 else 1
        if version < self.schema_version:
            values, unknown, unknown_inside = upgraded(
                self, version, values, unknown, unknown_inside
            )
        plain = not (unknown or unknown_inside or archived) and version <= self.schema_version
        return values, None if plain else ItemOrigin(unknown, unknown_inside, archived, version)

    # -- archives

    def _mark_archived(self, item: Item, archived: bool) -> None:
        partition = self.primary.attributes.partition
        text = item[partition]["S"]
        self.check_mark(text)
        if archived:
            item[partition] = {"S": f"{text}{self.archive}"}

    def check_mark(self, partition: str) -> None:
        """Refuse a partition key that ends like an archived one."""
        if self.archive is not None and partition.endswith(self.archive):
            raise KeyValueError(
                f"{partition!r} ends with {self.archive!r}, which marks archived items: choose another value"
            )

    def without_archive_mark(
        self, item: Mapping[str, AttributeValue]
    ) -> tuple[Mapping[str, AttributeValue], bool]:
        """The item as it was before it was archived, and whether it is."""
        partition = self.primary.attributes.partition
        text = item[partition].get("S", "") if partition in item else ""
        if self.archive is None or not text.endswith(self.archive):
            return item, False
        return {**item, partition: {"S": text.removesuffix(self.archive)}}, True

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


KeyWriters = tuple[tuple[str, Template | None, str], ...]
"""(attribute, template, type) of a key. The template is None if the attribute is just a field."""

_NO_MAP: AttributeValue = {"M": {}}


def _read_into(
    values: dict[str, Any], item: Mapping[str, AttributeValue], uses: Mapping[str, bool]
) -> dict[str, AttributeValue]:
    """Decode the known attributes into `values`. Returns the unknown ones."""
    unknown: dict[str, AttributeValue] = {}
    for attribute, value in item.items():
        use = uses.get(attribute)
        if use:
            values[attribute] = decode(value)
        elif use is None:
            unknown[attribute] = value
    return unknown
