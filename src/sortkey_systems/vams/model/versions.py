"""Asset Versions (V2), Asset File Versions (V2), Asset File Metadata Versions: what an asset was at
a point in time.
"""

from typing import Annotated, Literal

from pydantic import Field

from sortkey import GSI, Created, Entity, Instant, Table, camel, index, key, query
from sortkey_systems.vams.model.identifiers import (
    AssetId,
    AssetVersionId,
    DatabaseId,
    FilePath,
    MetadataKey,
)

asset_versions_storage = Table(
    "AssetVersionsStorageTableV2",
    key=("databaseId:assetId", "assetVersionId"),
    doc="Stores version records for each asset, scoped by database.",
)

asset_file_versions_storage = Table(
    "AssetFileVersionsStorageTableV2",
    key=("databaseId:assetId:assetVersionId", "fileKey"),
    indexes=[GSI("databaseIdAssetIdIndex", "databaseId:assetId", projection="ALL")],
    doc="Stores file records per asset version.",
)

asset_file_metadata_versions_storage = Table(
    "AssetFileMetadataVersionsStorageTable",
    key=("databaseId:assetId:assetVersionId", "type:filePath:metadataKey"),
    indexes=[GSI("databaseIdAssetIdIndex", "databaseId:assetId", projection="ALL")],
    doc="Stores metadata snapshots per asset version for point-in-time metadata recovery.",
)


class AssetVersion(Entity, table=asset_versions_storage, names=camel):
    """A version record of an asset. Its alias and comment can be updated; archiving it sets
    `isArchived`.
    """

    database_id: DatabaseId
    asset_id: AssetId
    asset_version_id: AssetVersionId
    version_alias: str | None = None
    comment: str = ""
    is_archived: bool = False
    created_at: Annotated[Instant | None, Created] = None
    created_by: str | None = None
    description: str | None = None
    """That of the asset when the version was created."""
    file_count: int | None = None
    """None in items of other programs."""
    last_number: int | None = None
    """Of version 0 only: the highest number that a version of the asset was given."""
    alias_changes: int | None = None
    """Of version 0 only: how often an alias of any version was set, so that two requests cannot
    both find the same alias unused.
    """

    @key("{databaseId}:{assetId}", "{assetVersionId}")
    def key(*, database_id: str, asset_id: str, asset_version_id: str):
        """A version of an asset."""

    @query(key)
    def of_asset(*, database_id: str, asset_id: str):
        """Versions of an asset."""


class AssetFileVersion(Entity, table=asset_file_versions_storage, names=camel):
    """A file as it was in a version: which object version of the file's key."""

    database_id: DatabaseId
    asset_id: AssetId
    asset_version_id: AssetVersionId
    file_key: Annotated[FilePath, Field(examples=["pump-p101/model/p101.glb"])]
    s3_version_id: str
    size: int | None = None
    etag: str | None = None
    last_modified: Instant | None = None

    @key("{databaseId}:{assetId}:{assetVersionId}", "{fileKey}")
    def key(*, database_id: str, asset_id: str, asset_version_id: str, file_key: str):
        """A file of a version."""

    @query(key)
    def of_version(*, database_id: str, asset_id: str, asset_version_id: str):
        """Files of a version."""

    @index("databaseIdAssetIdIndex", "{databaseId}:{assetId}")
    def of_asset(*, database_id: str, asset_id: str):
        """Files of all versions of an asset."""


class AssetFileMetadataVersion(Entity, table=asset_file_metadata_versions_storage, names=camel):
    """One metadata or attribute value of a file, as it was when the version was created."""

    database_id: DatabaseId
    asset_id: AssetId
    asset_version_id: AssetVersionId
    type: Literal["metadata", "attribute"]
    file_path: FilePath
    metadata_key: MetadataKey
    metadata_value: str
    metadata_value_type: str = "string"

    @key("{databaseId}:{assetId}:{assetVersionId}", "{type}:{filePath:free}:{metadataKey}")
    def key(
        *,
        database_id: str,
        asset_id: str,
        asset_version_id: str,
        type: Literal["metadata", "attribute"],
        file_path: str,
        metadata_key: str,
    ):
        """A metadata or attribute value of a file, in a version."""

    @query(key)
    def of_version(
        *,
        database_id: str,
        asset_id: str,
        asset_version_id: str,
        type: Literal["metadata", "attribute"] | None = None,
    ):
        """All metadata across all files in a version."""

    @query(key)
    def by_path(
        *,
        database_id: str,
        asset_id: str,
        asset_version_id: str,
        type: Literal["metadata", "attribute"],
        file_path: str,
    ):
        """Metadata of a file in a version. What begins with its path and a colon is read too, and
        filtered.
        """

    @index("databaseIdAssetIdIndex", "{databaseId}:{assetId}")
    def of_asset(*, database_id: str, asset_id: str):
        """Metadata of all versions of an asset."""
