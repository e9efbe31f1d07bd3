"""The rows of versions: reading them, and removing all of an asset. No permission is asked here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypedDict

from sortkey import ItemKey, Store
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadataVersion,
    AssetFileVersion,
    AssetVersion,
)

FIRST = "0"
"""The version that is created with its asset and has no files."""
_ID = re.compile(r"[^:#]{1,64}")


class VersionRecords:
    """The versions of all assets, as the tables have them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self, asset: Asset) -> list[AssetVersion]:
        """The versions of an asset, newest first."""
        rows = self._store.query(AssetVersion.of_asset(**ids_of(asset)).consistent())
        return sorted(rows, key=lambda row: number_of(row.asset_version_id), reverse=True)

    def find(self, asset: Asset | AssetVersion, version_id: str) -> AssetVersion | None:
        """A version by its id, or None."""
        if not _ID.fullmatch(version_id):
            return None
        key = AssetVersion.key(**ids_of(asset), asset_version_id=version_id)
        return self._store.find(key, consistent=True)

    def get(self, asset: Asset, version_id: str) -> AssetVersion:
        """A version by its id. Raises NotThere."""
        found = self.find(asset, version_id)
        if found is None:
            raise NotThere(f"the asset has no version {version_id[:64]}")
        return found

    def by_alias(self, asset: Asset, alias: str) -> AssetVersion:
        """A version by its alias. Raises NotThere."""
        for version in self.all(asset):
            if alias and version.version_alias == alias:
                return version
        raise NotThere(f"the asset has no version with the alias {alias[:64]}")

    def current(self, asset: Asset) -> AssetVersion | None:
        """The current version: the one that the asset names, or else the newest."""
        if asset.current_version_id is not None:
            named = self.find(asset, asset.current_version_id)
            if named is not None:
                return named
        versions = self.all(asset)
        return next((each for each in versions if not each.is_archived), next(iter(versions), None))

    def files(self, asset: Asset, version_id: str) -> list[AssetFileVersion]:
        """The files of a version, by key."""
        query = AssetFileVersion.of_version(**ids_of(asset), asset_version_id=version_id)
        return self._store.query(query.consistent())

    def count_files(self, asset: Asset, version: AssetVersion) -> int:
        """How many files a version has."""
        if version.file_count is not None:
            return version.file_count
        version_id = version.asset_version_id
        query = AssetFileVersion.of_version(**ids_of(asset), asset_version_id=version_id)
        return self._store.count(query)

    def of_file(self, asset: Asset, key: str) -> list[tuple[AssetVersion, str]]:
        """The versions that have a file, by its key, newest first, with its object version."""
        versions = self.all(asset)
        ids = ids_of(asset)
        keys = [
            AssetFileVersion.key(**ids, asset_version_id=each.asset_version_id, file_key=key)
            for each in versions
        ]
        rows = self._store.batch_get(keys, consistent=True)
        return [
            (version, row.s3_version_id)
            for version, row in zip(versions, rows, strict=True)
            if row is not None
        ]

    def metadata(self, asset: Asset, version_id: str) -> list[AssetFileMetadataVersion]:
        """The metadata and attributes of the asset and its files, as they were in a version."""
        query = AssetFileMetadataVersion.of_version(**ids_of(asset), asset_version_id=version_id)
        return self._store.query(query.consistent())

    def remove_rows(self, asset: Asset | AssetVersion, version_id: str) -> None:
        """Remove the files and metadata of one version, not the version itself."""
        ids = ids_of(asset)
        files = AssetFileVersion.of_version(**ids, asset_version_id=version_id)
        metadata = AssetFileMetadataVersion.of_version(**ids, asset_version_id=version_id)
        self._delete(self._store.keys(files.consistent()))
        self._delete(self._store.keys(metadata.consistent()))

    def remove_all(self, asset: Asset) -> None:
        """Remove every row of every version. The versions themselves go last, so that what was
        interrupted can be done again.
        """
        versions = self.all(asset)
        for version in versions:
            self.remove_rows(asset, version.asset_version_id)
        # Rows whose version was never published are known by the indexes only.
        self._delete(self._store.keys(AssetFileVersion.of_asset(**ids_of(asset))))
        self._delete(self._store.keys(AssetFileMetadataVersion.of_asset(**ids_of(asset))))
        self._delete([ItemKey.of_entity(version) for version in versions])

    def _delete(self, keys: Sequence[ItemKey[Any]]) -> None:
        if keys:
            self._store.batch_write(deletes=keys)


class AssetIds(TypedDict):
    """The ids of an asset, for keys and entities."""

    database_id: str
    asset_id: str


def ids_of(asset: Asset | AssetVersion) -> AssetIds:
    """The ids of an asset, from itself or one of its versions."""
    return {"database_id": asset.database_id, "asset_id": asset.asset_id}


def number_of(version_id: str) -> int:
    """The number in an id. Other ids are older than all."""
    return int(version_id) if version_id.isdecimal() else -1


def label_of(version: AssetVersion) -> str:
    """A version as people read it: `v3 (RC1)`."""
    alias = f" ({version.version_alias})" if version.version_alias else ""
    return f"v{version.asset_version_id}{alias}"
