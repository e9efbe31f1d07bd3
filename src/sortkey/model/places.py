"""The parts of a layout: where fields, keys and computed fields are in an item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic.fields import FieldInfo

from sortkey.model import fields
from sortkey.model.fields import Follows, Marker, States
from sortkey.model.tables import KeyAttributes
from sortkey.model.templates import SHARD, Template
from sortkey.values.attributes import AttributeValue

if TYPE_CHECKING:
    from sortkey.model.payload_places import PayloadPlace

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One field: its name in Python, its attribute, and the path to it in the item."""

    name: str
    attribute: str
    path: Path
    info: FieldInfo
    markers: frozenset[Marker]
    states: States | None
    follows: Follows | None = None
    payload: PayloadPlace | None = None

    @property
    def key_only(self) -> bool:
        return fields.KEY_ONLY in self.markers


@dataclass(frozen=True)
class IndexKey:
    """The templates of the table's key (`index` is None) or of an index. `shards` is not 0 if the
    index is sharded.
    """

    index: str | None
    attributes: KeyAttributes
    partition: Template
    sort: Template | None
    shards: int = 0

    @cached_property
    def templates(self) -> tuple[tuple[str, Template], ...]:
        """(attribute, template) for each attribute of the key."""
        parts = [(self.attributes.partition, self.partition)]
        if self.sort is not None and self.attributes.sort is not None:
            parts.append((self.attributes.sort, self.sort))
        return tuple(parts)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The attributes in the key."""
        names = (name for _, template in self.templates for name in template.names if name != SHARD)
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class ItemOrigin:
    """What a stored item had besides the fields' values: unknown attributes, whether it was
    archived, and the version of the entity that wrote it.
    """

    unknown: dict[str, AttributeValue]
    unknown_inside: dict[str, AttributeValue]
    archived: bool
    version: int = 1


Upgrade = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Computed:
    """A computed field: its path in the item, and the fields it depends on."""

    path: Path
    sources: frozenset[str]
