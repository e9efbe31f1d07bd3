"""What the document states of each table, and in which lines. The names are literal."""

from dataclasses import dataclass, field

Index = tuple[str, str | None, str]
"""Partition key, sort key, projection."""


@dataclass(frozen=True)
class Stated:
    """What the document states of a table."""

    lines: tuple[str, ...]
    key: tuple[str, ...]
    gsi: dict[str, Index] = field(default_factory=dict[str, Index])
    lsi: dict[str, Index] = field(default_factory=dict[str, Index])
    stream: str | None = None


DOCUMENT = {
    "AssetStorageTable": Stated(
        ("VA-5", "VA-26"),
        ("databaseId", "assetId"),
        gsi={
            "BucketIdGSI": ("bucketId", "assetId", "KEYS_ONLY"),
            "assetIdGSI": ("assetId", "databaseId", "KEYS_ONLY"),
        },
        stream="NEW_IMAGE",
    ),
    "DatabaseStorageTable": Stated(("VA-6",), ("databaseId",), stream="NEW_IMAGE"),
    "AssetVersionsStorageTableV2": Stated(("VA-7",), ("databaseId:assetId", "assetVersionId")),
    "AssetFileVersionsStorageTableV2": Stated(
        ("VA-8",),
        ("databaseId:assetId:assetVersionId", "fileKey"),
        gsi={"databaseIdAssetIdIndex": ("databaseId:assetId", None, "ALL")},
    ),
    "AssetFileMetadataVersionsStorageTable": Stated(
        ("VA-9",),
        ("databaseId:assetId:assetVersionId", "type:filePath:metadataKey"),
        gsi={"databaseIdAssetIdIndex": ("databaseId:assetId", None, "ALL")},
    ),
    "AssetUploadsStorageTable": Stated(
        ("VA-10", "VA-26"),
        ("uploadId", "assetId"),
        gsi={
            "AssetIdGSI": ("assetId", "uploadId", "KEYS_ONLY"),
            "DatabaseIdGSI": ("databaseId", "uploadId", "KEYS_ONLY"),
            "UserIdGSI": ("UserId", "createdAt", "KEYS_ONLY"),
        },
    ),
    "DatabaseMetadataStorageTableV2": Stated(
        ("VA-11",),
        ("metadataKey", "databaseId"),
        gsi={"DatabaseIdIndex": ("databaseId", "metadataKey", "ALL")},
        stream="NEW_IMAGE",
    ),
    "AssetFileMetadataStorageTableV2": Stated(
        ("VA-12",),
        ("metadataKey", "databaseId:assetId:filePath"),
        gsi={
            "DatabaseIdAssetIdFilePathIndex": ("databaseId:assetId:filePath", "metadataKey", "ALL"),
            "DatabaseIdAssetIdIndex": ("databaseId:assetId", "metadataKey", "ALL"),
        },
        stream="NEW_IMAGE",
    ),
    "FileAttributeStorageTableV2": Stated(
        ("VA-14",),
        ("attributeKey", "databaseId:assetId:filePath"),
        gsi={
            "DatabaseIdAssetIdFilePathIndex": (
                "databaseId:assetId:filePath",
                "attributeKey",
                "ALL",
            ),
            "DatabaseIdAssetIdIndex": ("databaseId:assetId", "attributeKey", "ALL"),
        },
        stream="NEW_IMAGE",
    ),
    "MetadataSchemaStorageTableV2": Stated(
        ("VA-15",),
        ("metadataSchemaId", "databaseId:metadataEntityType"),
        gsi={
            "DatabaseIdMetadataEntityTypeIndex": (
                "databaseId:metadataEntityType",
                "metadataSchemaId",
                "ALL",
            ),
            "MetadataEntityTypeIndex": ("metadataEntityType", "metadataSchemaId", "ALL"),
            "DatabaseIdIndex": ("databaseId", "metadataSchemaId", "ALL"),
        },
    ),
    "AssetLinksStorageTableV2": Stated(
        ("VA-16", "VA-26"),
        ("assetLinkId",),
        gsi={
            "fromAssetGSI": (
                "fromAssetDatabaseId:fromAssetId",
                "toAssetDatabaseId:toAssetId",
                "KEYS_ONLY",
            ),
            "toAssetGSI": (
                "toAssetDatabaseId:toAssetId",
                "fromAssetDatabaseId:fromAssetId",
                "KEYS_ONLY",
            ),
        },
        stream="NEW_IMAGE",
    ),
    "AssetLinksMetadataStorageTable": Stated(
        ("VA-17",), ("assetLinkId", "metadataKey"), stream="NEW_IMAGE"
    ),
    "PipelineStorageTable": Stated(("VA-18",), ("databaseId", "pipelineId")),
    "WorkflowStorageTable": Stated(("VA-19",), ("databaseId", "workflowId")),
    "WorkflowExecutionsStorageTable": Stated(
        ("VA-20", "VA-26"),
        ("databaseId:assetId", "executionId"),
        gsi={
            "WorkflowGSI": ("workflowDatabaseId:workflowId", "executionId", "KEYS_ONLY"),
            "ExecutionIdGSI": ("workflowId", "executionId", "KEYS_ONLY"),
        },
        lsi={"WorkflowLSI": ("databaseId:assetId", "workflowDatabaseId:workflowId", "ALL")},
    ),
    "ConstraintsStorageTable": Stated(
        ("VA-21",),
        ("constraintId",),
        gsi={
            "GroupPermissionsIndex": ("groupId", "objectType", "ALL"),
            "UserPermissionsIndex": ("userId", "objectType", "ALL"),
            "ObjectTypeIndex": ("objectType", "constraintId", "ALL"),
        },
    ),
    "AuthEntitiesStorageTable": Stated(("VA-22",), ("entityType", "sk")),
    "RolesStorageTable": Stated(("VA-23",), ("roleName",)),
    "UserRolesStorageTable": Stated(("VA-23",), ("userId", "roleName")),
    "UserStorageTable": Stated(("VA-23",), ("userId",)),
    "ApiKeyStorageTable": Stated(
        ("VA-23",),
        ("apiKeyId",),
        gsi={
            "apiKeyHashIndex": ("apiKeyHash", None, "ALL"),
            "userIdIndex": ("userId", "apiKeyId", "ALL"),
        },
    ),
    "TagStorageTable": Stated(("VA-24",), ("tagName",)),
    "TagTypeStorageTable": Stated(("VA-24",), ("tagTypeName",)),
    "SubscriptionsStorageTable": Stated(("VA-24",), ("eventName", "entityName_entityId")),
    "CommentStorageTable": Stated(("VA-24",), ("assetId", "assetVersionId:commentId")),
    "AppFeatureEnabledStorageTable": Stated(("VA-25",), ("featureName",)),
    "S3AssetBucketsStorageTable": Stated(
        ("VA-25",),
        ("bucketId", "bucketName:baseAssetsPrefix"),
        gsi={"bucketNameGSI": ("bucketName", "baseAssetsPrefix", "ALL")},
    ),
}
