"""A table's definition: its keys, indexes and settings as an immutable value.

Everything derived from the definition (key encoders, projections) is computed once per value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

from sortkey.storage.rows import Rows
from sortkey.values import keys
from sortkey.values.attributes import Item
from sortkey.values.sizes import value_size

IndexKind = Literal["GSI", "LSI"]

HASH_BYTES_MAX = 2048
RANGE_BYTES_MAX = 1024


@dataclass(frozen=True)
class KeySchema:
    """Attribute names of the hash and range sides. Tables have at most one of each, GSIs up to
    four.
    """

    hash: tuple[str, ...]
    range: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.hash + self.range

    @staticmethod
    def read(elements: list[dict[str, str]]) -> KeySchema:
        """From the API's KeySchema list."""
        sides: dict[str, list[str]] = {"HASH": [], "RANGE": []}
        for element in elements:
            sides[element["KeyType"]].append(element["AttributeName"])
        return KeySchema(tuple(sides["HASH"]), tuple(sides["RANGE"]))

    def describe(self) -> list[dict[str, str]]:
        return [{"AttributeName": name, "KeyType": "HASH"} for name in self.hash] + [
            {"AttributeName": name, "KeyType": "RANGE"} for name in self.range
        ]


@dataclass(frozen=True)
class Index:
    """A secondary index. `column` is the rows' column of its key. `settings` are only described."""

    name: str
    kind: IndexKind
    key: KeySchema
    projection: dict[str, Any]
    column: str
    status: str = "ACTIVE"
    backfilling: bool = False
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    added_later: bool = False
    """Added by UpdateTable: items whose values cannot be its keys are not in it.
    """

    @property
    def projects_all(self) -> bool:
        return self.projection["ProjectionType"] == "ALL"


@dataclass(frozen=True)
class Stream:
    """The newest stream of a table. Older, disabled ones are separate records."""

    label: str
    view: str
    enabled: bool = True


@dataclass(frozen=True)
class Table:
    """A table's definition. `settings` holds what the API describes and the engine does not use."""

    name: str
    number: int
    id: str
    created: float
    key: KeySchema
    types: dict[str, str]
    indexes: tuple[Index, ...] = ()
    stream: Stream | None = None
    ttl_attribute: str | None = None
    pitr_since: float | None = None
    pitr_days: int = 35
    copies: int = 0
    """How many copies of it are being made. Each needs the journal to be of one instant."""
    status: str = "ACTIVE"
    columns_used: int = 0
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    rows: Rows = field(default=None, compare=False, repr=False)  # type: ignore[assignment]

    # -- keys

    @cached_property
    def schema(self) -> keys.KeySchema:
        """The table's key with its types, which encodes row keys and bounds."""
        return self._schema(self.key)

    @cached_property
    def index_schemas(self) -> dict[str, keys.KeySchema]:
        return {index.name: self._schema(index.key) for index in self.indexes}

    @cached_property
    def index_encoders(self) -> tuple[keys.Encoder, ...]:
        """An item's key in each index, in the order of the rows' columns. None if it is not in the
        index.
        """
        return tuple(self._index_encoder(index) for index in self.indexes)

    def _index_encoder(self, index: Index) -> keys.Encoder:
        encode = self.index_schemas[index.name].encode
        return _sparing(index, encode) if index.added_later else encode

    @cached_property
    def encode(self) -> Callable[[Item], bytes]:
        """An item's row key. `check_item` has made sure that its key attributes are valid."""
        encode: Any = self.schema.encode
        return encode

    def _schema(self, key: KeySchema) -> keys.KeySchema:
        return keys.KeySchema(self._typed(key.hash), self._typed(key.range))

    def _typed(self, names: tuple[str, ...]) -> keys.KeyAttributes:
        return tuple((name, self.types[name]) for name in names)  # type: ignore[misc]

    @cached_property
    def index_key_names(self) -> tuple[tuple[str, str, Index], ...]:
        """(attribute, type, index) of every index key that is not the table's own."""
        own = set(self.key.names)
        return tuple(
            (name, self.types[name], index)
            for index in self.indexes
            for name in index.key.names
            if name not in own
        )

    @cached_property
    def hashes_that_sort(self) -> tuple[str, ...]:
        """The table's hash attribute if it is the sort key of an index, which must be shorter."""
        return tuple(
            name
            for name in self.key.hash
            if any(index.key.range == (name,) for index in self.indexes)
        )

    @cached_property
    def joint_keys(self) -> tuple[tuple[Index, str, tuple[str, ...], int], ...]:
        """(index, side, attributes, maximum bytes) of every index side with more than one
        attribute.
        """
        return tuple(
            (index, side, names, most)
            for index in self.indexes
            for side, names, most in (
                ("HASH", index.key.hash, HASH_BYTES_MAX),
                ("RANGE", index.key.range, RANGE_BYTES_MAX),
            )
            if len(names) > 1
        )

    @cached_property
    def index_key_set(self) -> frozenset[str]:
        return frozenset(name for name, _, _ in self.index_key_names)

    # -- indexes

    def index(self, name: str) -> Index | None:
        return next((index for index in self.indexes if index.name == name), None)

    def of_kind(self, kind: IndexKind) -> list[Index]:
        return [index for index in self.indexes if index.kind == kind]

    @cached_property
    def has_lsi(self) -> bool:
        return any(index.kind == "LSI" for index in self.indexes)

    def projected_names(self, index: Index) -> frozenset[str] | None:
        """The attributes that an index holds, None for all."""
        if index.projects_all:
            return None
        return frozenset(
            (*self.key.names, *index.key.names, *index.projection.get("NonKeyAttributes", ()))
        )

    # -- the journal

    @property
    def streams(self) -> bool:
        return self.stream is not None and self.stream.enabled

    @cached_property
    def journaled(self) -> bool:
        return self.streams or self.pitr_since is not None or self.copies > 0

    # -- the record

    def to_record(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "rows"}
        fields["key"] = asdict(self.key)
        fields["indexes"] = [asdict(index) for index in self.indexes]
        fields["stream"] = asdict(self.stream) if self.stream else None
        return fields

    @staticmethod
    def from_record(record: dict[str, Any]) -> Table:
        fields = dict(record)
        fields["key"] = _key_schema(fields["key"])
        fields["indexes"] = tuple(_index(index) for index in fields["indexes"])
        fields["stream"] = Stream(**fields["stream"]) if fields["stream"] else None
        return Table(**fields)


def _sparing(index: Index, encode: keys.Encoder) -> keys.Encoder:
    """Excludes items whose key attributes are empty or too long. `encode` excludes other types."""

    def encode_fitting(item: Mapping[str, Mapping[str, Any]]) -> bytes | None:
        for names, most in ((index.key.hash, HASH_BYTES_MAX), (index.key.range, RANGE_BYTES_MAX)):
            sizes = [value_size(dict(item[name])) if name in item else 0 for name in names]
            if 0 in sizes or sum(sizes) > most:
                return None
        return encode(item)

    return encode_fitting


def _index(record: dict[str, Any]) -> Index:
    fields = dict(record)
    fields["key"] = _key_schema(fields["key"])
    return Index(**fields)


def _key_schema(record: dict[str, list[str]]) -> KeySchema:
    return KeySchema(tuple(record["hash"]), tuple(record["range"]))
