"""Whose values they are: a database, an asset, a file of an asset, or a link.

An owner knows its rows and its schemas, and how to check in a transaction that it still exists. It
asks for no permission.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sortkey import Check, Entity, ItemKey, Query, attr
from sortkey_systems.vams.metadata.rules import Value
from sortkey_systems.vams.model import (
    WHOLE_ASSET,
    Asset,
    AssetFileMetadata,
    AssetLink,
    AssetLinkMetadata,
    Database,
    DatabaseMetadata,
    FileAttribute,
)

FileKind = Literal["metadata", "attribute"]
EntityType = Literal[
    "databaseMetadata", "assetMetadata", "fileMetadata", "fileAttribute", "assetLinkMetadata"
]
GLOBAL = "GLOBAL"
Row = DatabaseMetadata | AssetFileMetadata | AssetLinkMetadata | FileAttribute


class Owner(Protocol):
    """What has values."""

    @property
    def entity_type(self) -> EntityType: ...
    @property
    def name(self) -> str:
        """For the audit log."""
        ...

    @property
    def database_ids(self) -> tuple[str, ...]:
        """The databases whose schemas apply, besides GLOBAL."""
        ...

    @property
    def file_path(self) -> str | None:
        """Of a file, whose extension decides on schemas."""
        ...

    @property
    def ids(self) -> Mapping[str, str]:
        """What answers say of the owner."""
        ...

    def rows(self) -> Query[Any]: ...
    def row(self, key: str, value: Value) -> Entity: ...
    def row_key(self, key: str) -> ItemKey[Any]: ...
    def places(self) -> Sequence[ItemKey[Any]]:
        """Where the owner itself is stored, and then where it would be archived."""
        ...


@dataclass(frozen=True, slots=True)
class DatabaseOwner:
    """A database."""

    database: Database
    entity_type: EntityType = "databaseMetadata"
    file_path: str | None = None

    @property
    def name(self) -> str:
        return f"database/{self.database.database_id}"

    @property
    def database_ids(self) -> tuple[str, ...]:
        return (self.database.database_id,)

    @property
    def ids(self) -> Mapping[str, str]:
        return {"databaseId": self.database.database_id}

    def rows(self) -> Query[Any]:
        return DatabaseMetadata.of_database(database_id=self.database.database_id)

    def row(self, key: str, value: Value) -> Entity:
        return DatabaseMetadata(
            metadata_key=key,
            database_id=self.database.database_id,
            metadata_value=value.text,
            metadata_value_type=value.value_type,
        )

    def row_key(self, key: str) -> ItemKey[Any]:
        return DatabaseMetadata.key(metadata_key=key, database_id=self.database.database_id)

    def places(self) -> Sequence[ItemKey[Any]]:
        key = Database.key(**_ids(self.database))
        return key, key.archived()


@dataclass(frozen=True, slots=True)
class FileOwner:
    """A file of an asset, with its metadata or its attributes; or the whole asset."""

    asset: Asset
    path: str = WHOLE_ASSET
    kind: FileKind = "metadata"

    @property
    def entity_type(self) -> EntityType:
        if self.path == WHOLE_ASSET:
            return "assetMetadata"
        return "fileMetadata" if self.kind == "metadata" else "fileAttribute"

    @property
    def file_path(self) -> str | None:
        return None if self.path == WHOLE_ASSET else self.path

    @property
    def name(self) -> str:
        return f"asset/{self.asset.database_id}/{self.asset.asset_id}{self.file_path or ''}"

    @property
    def database_ids(self) -> tuple[str, ...]:
        return (self.asset.database_id,)

    @property
    def ids(self) -> Mapping[str, str]:
        return {
            "databaseId": self.asset.database_id,
            "assetId": self.asset.asset_id,
            "filePath": self.path,
        }

    @property
    def _place(self) -> dict[str, Any]:
        return {**_ids(self.asset), "asset_id": self.asset.asset_id, "file_path": self.path}

    def rows(self) -> Query[Any]:
        if self.kind == "attribute":
            return FileAttribute.of_file(**self._place)
        return AssetFileMetadata.of_file(**self._place)

    def row(self, key: str, value: Value) -> Entity:
        if self.kind == "attribute":
            return FileAttribute(attribute_key=key, attribute_value=value.text, **self._place)
        return AssetFileMetadata(
            metadata_key=key,
            metadata_value=value.text,
            metadata_value_type=value.value_type,
            **self._place,
        )

    def row_key(self, key: str) -> ItemKey[Any]:
        if self.kind == "attribute":
            return FileAttribute.key(attribute_key=key, **self._place)
        return AssetFileMetadata.key(metadata_key=key, **self._place)

    def places(self) -> Sequence[ItemKey[Any]]:
        key = Asset.key(**_ids(self.asset), asset_id=self.asset.asset_id)
        return (key.archived(), key) if self.asset.in_archive else (key, key.archived())


@dataclass(frozen=True, slots=True)
class LinkOwner:
    """A link between two assets."""

    link: AssetLink
    entity_type: EntityType = "assetLinkMetadata"
    file_path: str | None = None

    @property
    def name(self) -> str:
        return f"assetLink/{self.link.asset_link_id}"

    @property
    def database_ids(self) -> tuple[str, ...]:
        both = (self.link.from_asset_database_id, self.link.to_asset_database_id)
        return tuple(dict.fromkeys(both))

    @property
    def ids(self) -> Mapping[str, str]:
        return {"assetLinkId": self.link.asset_link_id}

    def rows(self) -> Query[Any]:
        return AssetLinkMetadata.of_link(asset_link_id=self.link.asset_link_id)

    def row(self, key: str, value: Value) -> Entity:
        return AssetLinkMetadata(
            asset_link_id=self.link.asset_link_id,
            metadata_key=key,
            metadata_value=value.text,
            metadata_value_type=value.value_type,
        )

    def row_key(self, key: str) -> ItemKey[Any]:
        return AssetLinkMetadata.key(asset_link_id=self.link.asset_link_id, metadata_key=key)

    def places(self) -> Sequence[ItemKey[Any]]:
        return (AssetLink.key(asset_link_id=self.link.asset_link_id),)


def key_and_value(row: Row) -> tuple[str, Value]:
    """A row as the key and the value that it stores."""
    if isinstance(row, FileAttribute):
        return row.attribute_key, Value(row.attribute_value, row.attribute_value_type)
    return row.metadata_key, Value(row.metadata_value, row.metadata_value_type.lower())


def _ids(owner: Database | Asset) -> dict[str, Any]:
    return {"database_id": owner.database_id}


def existence_of(owner: Owner) -> Check[Any]:
    """Fails in a transaction if the owner is not where it was read."""
    key = owner.places()[0]
    field = {Database: Database.database_id, Asset: Asset.asset_id}
    return Check(key, attr(field.get(key.entity, AssetLink.asset_link_id)).exists())
