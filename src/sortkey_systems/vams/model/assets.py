"""Asset Storage Table, Database Storage Table: the databases, and the assets in them."""

from typing import Annotated

from pydantic import Field

from sortkey import (
    GSI,
    Created,
    Entity,
    Instant,
    Named,
    Part,
    Table,
    Updated,
    camel,
    index,
    key,
    query,
)
from sortkey_systems.vams.model.identifiers import AssetId, DatabaseId, Identifier

asset_storage = Table(
    "AssetStorageTable",
    key=("databaseId", "assetId"),
    indexes=[
        GSI("BucketIdGSI", "bucketId", "assetId", projection="KEYS_ONLY"),
        GSI("assetIdGSI", "assetId", "databaseId", projection="KEYS_ONLY"),
    ],
    stream="NEW_IMAGE",
    doc="Stores the primary record for each asset within a database.",
)

database_storage = Table(
    "DatabaseStorageTable",
    key=("databaseId",),
    stream="NEW_IMAGE",
    doc="Stores database (collection) records.",
)


class Location(Part):
    """The location of an object in the asset's bucket."""

    key: Annotated[str, Named("Key")]


class Asset(Entity, table=asset_storage, names=camel, archive="#deleted"):
    """The primary record of an asset within a database.

    An archived asset is in the partition `my-database#deleted`, under the same sort key.
    """

    database_id: DatabaseId
    asset_id: AssetId
    asset_name: str
    asset_type: str | None = None
    description: str = ""
    is_distributable: bool = False
    tags: tuple[str, ...] = ()
    asset_location: Location | None = None
    preview_location: Location | None = None
    primary_files: dict[str, str] | None = None
    """Types of files by path: primary, a level of detail, or another word."""
    folders: frozenset[str] | None = None
    """Folders that were created, whether or not they have files."""
    bucket_id: Annotated[Identifier | None, Field(examples=["bucket-plant"])] = None
    current_version_id: str | None = None
    """The id of the current version. None in items of other programs: it is the newest then."""
    created_by: str | None = None
    archived_at: Instant | None = None
    archived_by: str | None = None
    archived_reason: str | None = None
    files_archived_after: Instant | None = None
    """Delete markers of files that are later than this came with the archive of the asset. None
    before the first of them, and again when all files are back.
    """
    created_at: Annotated[Instant | None, Created] = None
    updated_at: Annotated[Instant | None, Updated] = None

    @key("{databaseId}", "{assetId}")
    def key(*, database_id: str, asset_id: str):
        """An asset of a database."""

    @query(key)
    def of_database(*, database_id: str):
        """Active assets of a database; with `.archived()` the archived ones. No secondary index or
        scan filter.
        """

    @index("BucketIdGSI", "{bucketId}", "{assetId}")
    def of_bucket(*, bucket_id: str, asset_id: str | None = None):
        """Assets in a bucket, archived ones too."""

    @index("assetIdGSI", "{assetId}", "{databaseId}")
    def by_asset_id(*, asset_id: str, database_id: str | None = None):
        """An asset by its id alone, in whichever database, archived or not."""


class Database(Entity, table=database_storage, names=camel, archive="#deleted"):
    """A database: a collection of assets. A deleted one is stored as `my-database#deleted`."""

    database_id: DatabaseId
    description: str | None = None
    date_created: str | None = None
    default_bucket_id: Identifier | None = None
    restrict_metadata_outside_schemas: bool | None = None
    restrict_file_uploads_to_extensions: str | None = None
    asset_count: int | None = None
    """Active assets, changed with each of them. None in items of other programs."""

    @key("{databaseId}")
    def key(*, database_id: str):
        """A database."""
