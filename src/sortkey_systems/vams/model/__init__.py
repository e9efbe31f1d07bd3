"""The data model of VAMS: 27 tables, in the order of their document, one file a subject, and two
search documents.
"""

from sortkey_systems.vams.model.assets import Asset, Database, Location
from sortkey_systems.vams.model.authorization import (
    ApiKey,
    AuthEntity,
    Constraint,
    GroupConstraint,
    Role,
    User,
    UserConstraint,
    UserRole,
)
from sortkey_systems.vams.model.classification import Comment, Subscription, Tag, TagType
from sortkey_systems.vams.model.configuration import AppFeatureEnabled, S3AssetBucket
from sortkey_systems.vams.model.document_sources import AssetSource, FileSource
from sortkey_systems.vams.model.documents import (
    SearchedAsset,
    SearchedFile,
    asset_document,
    file_document,
)
from sortkey_systems.vams.model.identifiers import WHOLE_ASSET, FilePath, Identifier, MetadataKey
from sortkey_systems.vams.model.links import AssetLink, AssetLinkMetadata
from sortkey_systems.vams.model.metadata import (
    AssetFileMetadata,
    DatabaseMetadata,
    FileAttribute,
    MetadataSchema,
    SchemaField,
)
from sortkey_systems.vams.model.uploads import AssetUpload
from sortkey_systems.vams.model.vams import (
    archived_assets,
    constraints_on,
    file_metadata_in_version,
    model,
)
from sortkey_systems.vams.model.versions import (
    AssetFileMetadataVersion,
    AssetFileVersion,
    AssetVersion,
)
from sortkey_systems.vams.model.workflows import Pipeline, Workflow, WorkflowExecution

__all__ = [
    "WHOLE_ASSET",
    "ApiKey",
    "AppFeatureEnabled",
    "Asset",
    "AssetFileMetadata",
    "AssetFileMetadataVersion",
    "AssetFileVersion",
    "AssetLink",
    "AssetLinkMetadata",
    "AssetSource",
    "AssetUpload",
    "AssetVersion",
    "AuthEntity",
    "Comment",
    "Constraint",
    "Database",
    "DatabaseMetadata",
    "FileAttribute",
    "FilePath",
    "FileSource",
    "GroupConstraint",
    "Identifier",
    "Location",
    "MetadataKey",
    "MetadataSchema",
    "Pipeline",
    "Role",
    "S3AssetBucket",
    "SchemaField",
    "SearchedAsset",
    "SearchedFile",
    "Subscription",
    "Tag",
    "TagType",
    "User",
    "UserConstraint",
    "UserRole",
    "Workflow",
    "WorkflowExecution",
    "archived_assets",
    "asset_document",
    "constraints_on",
    "file_document",
    "file_metadata_in_version",
    "model",
]
