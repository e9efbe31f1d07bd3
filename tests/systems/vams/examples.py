"""An item of every kind, as it is stored; the attributes' names are the document's. Encoded by
boto3, not by us.
"""

from typing import Any

from boto3.dynamodb.types import TypeSerializer

from sortkey import Entity
from sortkey_systems.vams import model as vams

ITEMS: dict[type[Entity], dict[str, Any]] = {
    vams.Asset: {
        "databaseId": "my-database",
        "assetId": "asset-123",
        "assetName": "Pump",
        "assetType": ".e57",
        "description": "The pump in hall 3",
        "isDistributable": True,
        "tags": ["pump", "hall 3"],
        "assetLocation": {"Key": "asset-123/"},
        "previewLocation": {"Key": "asset-123/preview.jpg"},
        "bucketId": "bucket-1",
        "createdAt": "2026-02-22T19:12:11.000000Z",
        "updatedAt": "2026-02-23T08:00:00.250000Z",
    },
    vams.Database: {"databaseId": "my-database"},
    vams.AssetVersion: {
        "databaseId:assetId": "my-database:asset-123",
        "assetVersionId": "1",
        "databaseId": "my-database",
        "assetId": "asset-123",
        "versionAlias": "as built",
        "comment": "First scan",
        "isArchived": False,
        "createdAt": "2026-02-22T19:12:11.000000Z",
        "createdBy": "ada@example.com",
    },
    vams.AssetFileVersion: {
        "databaseId:assetId:assetVersionId": "my-database:asset-123:1",
        "fileKey": "asset-123/test/pump.e57",
        "databaseId:assetId": "my-database:asset-123",
        "databaseId": "my-database",
        "assetId": "asset-123",
        "assetVersionId": "1",
        "s3VersionId": "3sL4kqtJlcpXroDTDmJ",
    },
    vams.AssetFileMetadataVersion: {
        "databaseId:assetId:assetVersionId": "my-database:asset-123:1",
        "type:filePath:metadataKey": "metadata:/test/a:b.e57:material",
        "databaseId:assetId": "my-database:asset-123",
        "databaseId": "my-database",
        "assetId": "asset-123",
        "assetVersionId": "1",
        "type": "metadata",
        "filePath": "/test/a:b.e57",
        "metadataKey": "material",
        "metadataValue": "steel",
        "metadataValueType": "string",
    },
    vams.AssetUpload: {
        "uploadId": "upload-1",
        "assetId": "asset-123",
        "databaseId": "my-database",
        "UserId": "ada@example.com",
        "createdAt": "2026-02-22T19:12:11.000000Z",
    },
    vams.DatabaseMetadata: {
        "metadataKey": "owner",
        "databaseId": "my-database",
        "metadataValue": "Plant team",
        "metadataValueType": "string",
    },
    vams.AssetFileMetadata: {
        "metadataKey": "material",
        "databaseId:assetId:filePath": "my-database:asset-123:/test/a:b.e57",
        "databaseId:assetId": "my-database:asset-123",
        "databaseId": "my-database",
        "assetId": "asset-123",
        "filePath": "/test/a:b.e57",
        "metadataValue": "steel",
        "metadataValueType": "string",
    },
    vams.FileAttribute: {
        "attributeKey": "pointCount",
        "databaseId:assetId:filePath": "my-database:asset-123:/test/pump.e57",
        "databaseId:assetId": "my-database:asset-123",
        "databaseId": "my-database",
        "assetId": "asset-123",
        "filePath": "/test/pump.e57",
        "attributeValue": "120000",
        "attributeValueType": "string",
    },
    vams.MetadataSchema: {
        "metadataSchemaId": "schema-1",
        "databaseId:metadataEntityType": "my-database:fileMetadata",
        "databaseId": "my-database",
        "metadataEntityType": "fileMetadata",
        "fields": [{"metadataKey": "material", "metadataValueType": "string"}],
    },
    vams.AssetLink: {
        "assetLinkId": "link-1",
        "fromAssetDatabaseId:fromAssetId": "my-database:asset-123",
        "toAssetDatabaseId:toAssetId": "other-database:asset-9",
        "fromAssetDatabaseId": "my-database",
        "fromAssetId": "asset-123",
        "toAssetDatabaseId": "other-database",
        "toAssetId": "asset-9",
        "relationshipType": "parentChild",
    },
    vams.AssetLinkMetadata: {
        "assetLinkId": "link-1",
        "metadataKey": "distance",
        "metadataValue": "3.5",
        "metadataValueType": "number",
    },
    vams.Pipeline: {"databaseId": "my-database", "pipelineId": "convert"},
    vams.Workflow: {"databaseId": "my-database", "workflowId": "convert-all"},
    vams.WorkflowExecution: {
        "databaseId:assetId": "my-database:asset-123",
        "executionId": "execution-1",
        "workflowDatabaseId:workflowId": "GLOBAL:convert-all",
        "databaseId": "my-database",
        "assetId": "asset-123",
        "workflowDatabaseId": "GLOBAL",
        "workflowId": "convert-all",
    },
    vams.GroupConstraint: {
        "constraintId": "c1#group#engineers",
        "groupId": "engineers",
        "objectType": "asset",
    },
    vams.UserConstraint: {
        "constraintId": "c1#user#ada@example.com",
        "userId": "ada@example.com",
        "objectType": "asset",
    },
    vams.AuthEntity: {"entityType": "constraint", "sk": "constraint#c1"},
    vams.Role: {"roleName": "engineers"},
    vams.UserRole: {"userId": "ada@example.com", "roleName": "engineers"},
    vams.User: {"userId": "ada@example.com"},
    vams.ApiKey: {
        "apiKeyId": "key-1",
        "apiKeyHash": "9f86d081884c7d65",
        "userId": "ada@example.com",
    },
    vams.Tag: {"tagName": "pump"},
    vams.TagType: {"tagTypeName": "equipment"},
    vams.Subscription: {
        "eventName": "Asset Version Change",
        "entityName_entityId": "Asset#asset-123",
        "entityName": "Asset",
        "entityId": "asset-123",
        "subscribers": ["ada@example.com"],
    },
    vams.Comment: {
        "assetId": "asset-123",
        "assetVersionId:commentId": "1:comment-1",
        "assetVersionId": "1",
        "commentId": "comment-1",
        "commentBody": "The flange is missing.",
    },
    vams.AppFeatureEnabled: {"featureName": "LOCATIONSERVICES"},
    vams.S3AssetBucket: {
        "bucketId": "bucket-1",
        "bucketName:baseAssetsPrefix": "plant-assets:/",
        "bucketName": "plant-assets",
        "baseAssetsPrefix": "/",
    },
}


def stored(item: dict[str, Any]) -> dict[str, Any]:
    """Plain values as DynamoDB JSON."""
    return {name: TypeSerializer().serialize(value) for name, value in item.items()}
