"""The layout of an entity's item: compiled once for a class, then used for every item.

Templates and paths use the names of attributes, the rest of the program those of fields. Only this
module translates between them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any
from zlib import crc32

from pydantic import TypeAdapter
from pydantic_core import SchemaValidator, core_schema

from sortkey.errors import KeyValueError, ModelError
from sortkey.model.annotations import full_annotation, stored
from sortkey.model.codec import decode, encode
from sortkey.model.compiled_reader import Reader, compiled_reader
from sortkey.model.fields import Marker
from sortkey.model.layout_attributes import LayoutAttributes
from sortkey.model.places import Computed, IndexKey, ItemOrigin, Path, Place, Upgrade
from sortkey.model.templates import SHARD, Template
from sortkey.model.version_upgrades import SCHEMA_VERSION, upgraded, version_of
from sortkey.values.attributes import AttributeValue, Item

if TYPE_CHECKING:
    from sortkey.model.derived_attributes import Derived
    from sortkey.model.entity import Entity

__all__ = ["Computed", "IndexKey", "ItemOrigin", "Layout", "Path", "Place", "Upgrade"]


class Layout(LayoutAttributes):
    """How the fields of an entity are stored in an item."""

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
                f"{partition!r} ends with {self.archive!r}, which marks archived items: choose "
                "another value"
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
