"""The model itself: its tables in the order of the document, its search documents, and reads of
more than one key.
"""

from typing import Literal

from sortkey import Model, Query
from sortkey_systems.vams.model.assets import Asset, asset_storage, database_storage
from sortkey_systems.vams.model.authorization import (
    GroupConstraint,
    UserConstraint,
    api_key_storage,
    auth_entities_storage,
    constraints_storage,
    roles_storage,
    user_roles_storage,
    user_storage,
)
from sortkey_systems.vams.model.classification import (
    comment_storage,
    subscriptions_storage,
    tag_storage,
    tag_type_storage,
)
from sortkey_systems.vams.model.configuration import (
    app_feature_enabled_storage,
    s3_asset_buckets_storage,
)
from sortkey_systems.vams.model.document_sources import AssetSource, FileSource
from sortkey_systems.vams.model.documents import asset_document, file_document
from sortkey_systems.vams.model.identifiers import (
    AssetId,
    AssetVersionId,
    DatabaseId,
    FilePath,
    ObjectType,
)
from sortkey_systems.vams.model.links import asset_links_metadata_storage, asset_links_storage
from sortkey_systems.vams.model.metadata import (
    asset_file_metadata_storage,
    database_metadata_storage,
    file_attribute_storage,
    metadata_schema_storage,
)
from sortkey_systems.vams.model.uploads import asset_uploads_storage
from sortkey_systems.vams.model.versions import (
    AssetFileMetadataVersion,
    asset_file_metadata_versions_storage,
    asset_file_versions_storage,
    asset_versions_storage,
)
from sortkey_systems.vams.model.workflows import (
    pipeline_storage,
    workflow_executions_storage,
    workflow_storage,
)

model = Model(
    "vams", "Visual assets with their files, versions, metadata, links, workflows and permissions."
)

for table in (
    asset_storage,
    database_storage,
    asset_versions_storage,
    asset_file_versions_storage,
    asset_file_metadata_versions_storage,
    asset_uploads_storage,
    database_metadata_storage,
    asset_file_metadata_storage,
    file_attribute_storage,
    metadata_schema_storage,
    asset_links_storage,
    asset_links_metadata_storage,
    pipeline_storage,
    workflow_storage,
    workflow_executions_storage,
    # Authorization tables
    constraints_storage,
    auth_entities_storage,
    roles_storage,
    user_roles_storage,
    user_storage,
    api_key_storage,
    # Classification tables
    tag_storage,
    tag_type_storage,
    subscriptions_storage,
    comment_storage,
    # Configuration tables
    app_feature_enabled_storage,
    s3_asset_buckets_storage,
):
    model.add(table)

model.searchable(asset_document, AssetSource)
model.searchable(file_document, FileSource)


@model.pattern
def archived_assets(*, database_id: DatabaseId) -> Query[Asset]:
    """Archived assets of a database, by the partition key, without a secondary index or scan
    filter.
    """
    return Asset.of_database(database_id=database_id).archived().named("archived_assets")


@model.pattern
def file_metadata_in_version(
    *,
    database_id: DatabaseId,
    asset_id: AssetId,
    asset_version_id: AssetVersionId,
    type: Literal["metadata", "attribute"],
    file_path: FilePath,
) -> Query[AssetFileMetadataVersion]:
    """Metadata for a specific file within a specific version."""
    version = {
        "database_id": database_id,
        "asset_id": asset_id,
        "asset_version_id": asset_version_id,
    }
    query = AssetFileMetadataVersion.by_path(**version, type=type, file_path=file_path)
    return query.named("file_metadata_in_version")


@model.collection(GroupConstraint, UserConstraint, index="ObjectTypeIndex")
def constraints_on(*, object_type: ObjectType):
    """Constraints on a type of objects, of groups and of users."""
