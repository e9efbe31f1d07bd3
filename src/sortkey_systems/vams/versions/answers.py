"""Versions as clients read them."""

from __future__ import annotations

from typing import Any

from sortkey_systems.vams.answers import Json, now_text, operation, without_none
from sortkey_systems.vams.model import AssetFileMetadataVersion, AssetFileVersion, AssetVersion
from sortkey_systems.vams.versions.values import (
    CreatedVersion,
    ListedVersion,
    VersionComparison,
    VersionDetails,
    VersionFile,
)


def listed_answer(listed: ListedVersion) -> Json:
    """A version in a list."""
    version = listed.version
    return {
        "Version": version.asset_version_id,
        "DateModified": _created(version),
        "Comment": version.comment,
        "description": version.description or "",
        "createdBy": version.created_by or "",
        "isCurrent": listed.is_current,
        "fileCount": listed.file_count,
        "versionAlias": version.version_alias or "",
        "isArchived": version.is_archived,
        "assetId": version.asset_id,
        "databaseId": version.database_id,
    }


def details_answer(details: VersionDetails) -> Json:
    """A version with its files and metadata."""
    version = details.version
    return {
        "assetId": version.asset_id,
        "assetVersionId": version.asset_version_id,
        "databaseId": version.database_id,
        "dateCreated": _created(version),
        "comment": version.comment,
        "createdBy": version.created_by or "",
        "versionAlias": version.version_alias or "",
        "isArchived": version.is_archived,
        "files": [_file(file) for file in details.files],
        "versionedMetadata": [_value(row) for row in details.metadata],
    }


def created_answer(kind: Any, message: str, created: CreatedVersion) -> Json:
    """A version that was created, or that a revert has made."""
    skipped = list(created.skipped) or None
    more = without_none({"skippedFiles": skipped})
    return changed_answer(kind, message, created.version) | more


def changed_answer(kind: Any, message: str, version: AssetVersion) -> Json:
    """An operation on a version."""
    return operation(
        kind,
        message,
        databaseId=version.database_id,
        assetId=version.asset_id,
        assetVersionId=version.asset_version_id,
    )


def comparison_answer(found: VersionComparison) -> Json:
    """What differs between two versions."""
    files, metadata, prefix = found.files, found.metadata, found.prefix

    def file(row: AssetFileVersion) -> Json:
        return {"relativeKey": row.file_key.removeprefix(prefix), **_object_values(row)}

    return {
        "databaseId": found.before.database_id,
        "assetId": found.before.asset_id,
        "from": _named(found.before),
        "to": _named(found.after),
        "files": {
            "added": [file(row) for row in files.added],
            "removed": [file(row) for row in files.removed],
            "changed": [
                {
                    "relativeKey": new.file_key.removeprefix(prefix),
                    "from": _object_values(old),
                    "to": _object_values(new),
                }
                for old, new in files.changed
            ],
            "unchanged": files.unchanged,
        },
        "metadata": {
            "added": [_value(row) for row in metadata.added],
            "removed": [_value(row) for row in metadata.removed],
            "changed": [
                {**_value(new), "previousValue": old.metadata_value}
                for old, new in metadata.changed
            ],
            "unchanged": metadata.unchanged,
        },
    }


def _named(version: AssetVersion) -> Json:
    return {
        "assetVersionId": version.asset_version_id,
        "versionAlias": version.version_alias or "",
        "comment": version.comment,
        "dateCreated": _created(version),
        "createdBy": version.created_by or "",
    }


def _file(file: VersionFile) -> Json:
    return {
        "relativeKey": file.relative_path.removeprefix("/"),
        "isPermanentlyDeleted": file.is_permanently_deleted,
        "isLatestVersionArchived": file.is_latest_archived,
        **_object_values(file.row),
    }


def _object_values(row: AssetFileVersion) -> Json:
    return {
        "versionId": row.s3_version_id,
        "size": row.size,
        "lastModified": now_text(row.last_modified) if row.last_modified else None,
        "etag": row.etag,
    }


def _value(row: AssetFileMetadataVersion) -> Json:
    return {
        "type": row.type,
        "filePath": row.file_path,
        "metadataKey": row.metadata_key,
        "metadataValue": row.metadata_value,
        "metadataValueType": row.metadata_value_type,
    }


def _created(version: AssetVersion) -> str:
    return now_text(version.created_at) if version.created_at else ""
