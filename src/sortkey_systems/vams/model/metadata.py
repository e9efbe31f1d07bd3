"""Database Metadata (V2), Asset File Metadata (V2), File Attribute (V2), Metadata Schema (V2)."""

from typing import Annotated, Literal

from pydantic import Field

from sortkey import GSI, CamelPart, Entity, Table, camel, index, key, query
from sortkey_systems.vams.model.identifiers import (
    AssetId,
    DatabaseId,
    FilePath,
    Identifier,
    MetadataKey,
)

database_metadata_storage = Table(
    "DatabaseMetadataStorageTableV2",
    key=("metadataKey", "databaseId"),
    indexes=[GSI("DatabaseIdIndex", "databaseId", "metadataKey", projection="ALL")],
    stream="NEW_IMAGE",
    doc="Stores metadata key-value pairs at the database level.",
)

asset_file_metadata_storage = Table(
    "AssetFileMetadataStorageTableV2",
    key=("metadataKey", "databaseId:assetId:filePath"),
    indexes=[
        GSI(
            "DatabaseIdAssetIdFilePathIndex",
            "databaseId:assetId:filePath",
            "metadataKey",
            projection="ALL",
        ),
        GSI("DatabaseIdAssetIdIndex", "databaseId:assetId", "metadataKey", projection="ALL"),
    ],
    stream="NEW_IMAGE",
    doc="Stores metadata key-value pairs at the file level within an asset.",
)

file_attribute_storage = Table(
    "FileAttributeStorageTableV2",
    key=("attributeKey", "databaseId:assetId:filePath"),
    indexes=[
        GSI(
            "DatabaseIdAssetIdFilePathIndex",
            "databaseId:assetId:filePath",
            "attributeKey",
            projection="ALL",
        ),
        GSI("DatabaseIdAssetIdIndex", "databaseId:assetId", "attributeKey", projection="ALL"),
    ],
    stream="NEW_IMAGE",
    doc="Stores system-generated file attributes (distinct from user-defined metadata).",
)

metadata_schema_storage = Table(
    "MetadataSchemaStorageTableV2",
    key=("metadataSchemaId", "databaseId:metadataEntityType"),
    indexes=[
        GSI(
            "DatabaseIdMetadataEntityTypeIndex",
            "databaseId:metadataEntityType",
            "metadataSchemaId",
            projection="ALL",
        ),
        GSI("MetadataEntityTypeIndex", "metadataEntityType", "metadataSchemaId", projection="ALL"),
        GSI("DatabaseIdIndex", "databaseId", "metadataSchemaId", projection="ALL"),
    ],
    doc="Defines metadata schemas that govern which metadata keys are expected for a given entity type.",
)


class DatabaseMetadata(Entity, table=database_metadata_storage, names=camel):
    """A metadata key-value pair of a database."""

    metadata_key: Annotated[MetadataKey, Field(examples=["owner"])]
    database_id: DatabaseId
    metadata_value: str
    metadata_value_type: str = "string"

    @key("{metadataKey}", "{databaseId}")
    def key(*, metadata_key: str, database_id: str):
        """A metadata value of a database."""

    @query(key)
    def of_key(*, metadata_key: str):
        """The values of a metadata key, database by database."""

    @index("DatabaseIdIndex", "{databaseId}", "{metadataKey}")
    def of_database(*, database_id: str, metadata_key: str | None = None):
        """Metadata of a database."""


class AssetFileMetadata(Entity, table=asset_file_metadata_storage, names=camel):
    """A metadata key-value pair of a file within an asset. The file path `/` stands for the asset
    itself.
    """

    metadata_key: MetadataKey
    database_id: DatabaseId
    asset_id: AssetId
    file_path: FilePath
    metadata_value: str
    metadata_value_type: str = "string"

    @key("{metadataKey}", "{databaseId}:{assetId}:{filePath}")
    def key(*, metadata_key: str, database_id: str, asset_id: str, file_path: str):
        """A metadata value of a file."""

    @query(key)
    def of_key(*, metadata_key: str, database_id: str | None = None, asset_id: str | None = None):
        """The values of a metadata key, file by file."""

    @index("DatabaseIdAssetIdFilePathIndex", "{databaseId}:{assetId}:{filePath}", "{metadataKey}")
    def of_file(
        *, database_id: str, asset_id: str, file_path: str, metadata_key: str | None = None
    ):
        """Metadata of a file within an asset."""

    @index("DatabaseIdAssetIdIndex", "{databaseId}:{assetId}", "{metadataKey}")
    def of_asset(*, database_id: str, asset_id: str, metadata_key: str | None = None):
        """Metadata of an asset and all its files."""


class FileAttribute(Entity, table=file_attribute_storage, names=camel):
    """An attribute of a file, distinct from user-defined metadata. Its values are text."""

    attribute_key: Annotated[MetadataKey, Field(examples=["triangles"])]
    database_id: DatabaseId
    asset_id: AssetId
    file_path: FilePath
    attribute_value: str
    attribute_value_type: Literal["string"] = "string"

    @key("{attributeKey}", "{databaseId}:{assetId}:{filePath}")
    def key(*, attribute_key: str, database_id: str, asset_id: str, file_path: str):
        """An attribute of a file."""

    @query(key)
    def of_key(*, attribute_key: str, database_id: str | None = None, asset_id: str | None = None):
        """The values of an attribute, file by file."""

    @index("DatabaseIdAssetIdFilePathIndex", "{databaseId}:{assetId}:{filePath}", "{attributeKey}")
    def of_file(
        *, database_id: str, asset_id: str, file_path: str, attribute_key: str | None = None
    ):
        """Attributes of a file within an asset."""

    @index("DatabaseIdAssetIdIndex", "{databaseId}:{assetId}", "{attributeKey}")
    def of_asset(*, database_id: str, asset_id: str, attribute_key: str | None = None):
        """Attributes of all files of an asset."""


class SchemaField(CamelPart):
    """A metadata key that a schema expects."""

    metadata_key: MetadataKey
    metadata_value_type: str = "string"
    required: bool | None = None
    sequence: int | None = None
    """Its place in a form."""
    depends_on_field_key_name: tuple[str, ...] | None = None
    """Keys that must have a value when this one has."""
    controlled_list_keys: tuple[str, ...] | None = None
    """The values of an `inline_controlled_list`."""
    default_metadata_field_value: str | None = None


class MetadataSchema(Entity, table=metadata_schema_storage, names=camel):
    """Governs which metadata keys are expected for an entity type, in a database."""

    metadata_schema_id: Annotated[Identifier, Field(examples=["schema-equipment"])]
    database_id: DatabaseId
    metadata_entity_type: Annotated[Identifier, Field(examples=["assetMetadata"])]
    fields: tuple[SchemaField, ...] = ()
    schema_name: str | None = None
    file_key_type_restriction: str | None = None
    """The extensions of the files it is for, as ".glb,.obj"; `.all` means any."""
    enabled: bool | None = None
    """None counts as enabled."""
    date_created: str | None = None
    date_modified: str | None = None
    created_by: str | None = None
    modified_by: str | None = None

    @key("{metadataSchemaId}", "{databaseId}:{metadataEntityType}")
    def key(*, metadata_schema_id: str, database_id: str, metadata_entity_type: str):
        """A metadata schema."""

    @query(key)
    def by_id(*, metadata_schema_id: str):
        """A metadata schema by its id alone."""

    @index(
        "DatabaseIdMetadataEntityTypeIndex",
        "{databaseId}:{metadataEntityType}",
        "{metadataSchemaId}",
    )
    def of_entity_type_in_database(
        *, database_id: str, metadata_entity_type: str, metadata_schema_id: str | None = None
    ):
        """Metadata schemas of a database for an entity type."""

    @index("MetadataEntityTypeIndex", "{metadataEntityType}", "{metadataSchemaId}")
    def of_entity_type(*, metadata_entity_type: str, metadata_schema_id: str | None = None):
        """Metadata schemas for an entity type, of every database."""

    @index("DatabaseIdIndex", "{databaseId}", "{metadataSchemaId}")
    def of_database(*, database_id: str, metadata_schema_id: str | None = None):
        """Metadata schemas of a database."""
