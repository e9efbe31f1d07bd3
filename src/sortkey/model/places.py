"""The parts of a layout: where fields, keys and computed fields of an entity lie in its item."""

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
    """The templates of the table's key (`index` is None) or of an index; `shards` for one that is
    spread.
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
        """The attributes that the key is made of."""
        names = (name for _, template in self.templates for name in template.names if name != SHARD)
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class ItemOrigin:
    """What an item has besides the fields' values: attributes that the entity does not know, the
    archive's mark, and the version of the program that wrote it."""

    unknown: dict[str, AttributeValue]
    unknown_inside: dict[str, AttributeValue]
    archived: bool
    version: int = 1


Upgrade = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Computed:
    """A computed field: the path to it in the item, and the fields that it is made of."""

    path: Path
    sources: frozenset[str]
