"""An asset as permissions see it, and as clients read it."""

from __future__ import annotations

from typing import Any

from sortkey_systems.vams.access.objects import AssetObject
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.model import Asset, AssetVersion, Location, S3AssetBucket


def asset_object(asset: Asset) -> AssetObject:
    """What permissions on an asset are asked for."""
    return AssetObject(
        databaseId=asset.database_id,
        assetName=asset.asset_name,
        assetType=asset.asset_type or "",
        tags=asset.tags,
    )


def asset_answer(
    asset: Asset, bucket: S3AssetBucket | None, version: AssetVersion | None
) -> dict[str, Any]:
    """An asset as clients read it."""
    answer: dict[str, Any] = {
        "databaseId": asset.database_id,
        "assetId": asset.asset_id,
        "assetName": asset.asset_name,
        "description": asset.description,
        "isDistributable": asset.is_distributable,
        "tags": list(asset.tags),
        "assetType": asset.asset_type,
        "status": "archived" if asset.in_archive else "active",
        "bucketId": asset.bucket_id,
        "bucketName": bucket.bucket_name if bucket else None,
        "currentVersion": version_answer(version) if version else None,
        "assetLocation": _location(asset.asset_location),
    }
    if asset.preview_location is not None:
        answer["previewLocation"] = _location(asset.preview_location)
    if asset.in_archive:
        answer["archivedAt"] = now_text(asset.archived_at) if asset.archived_at else None
        answer["archivedBy"] = asset.archived_by
        answer["archivedReason"] = asset.archived_reason
    return answer


def version_answer(version: AssetVersion) -> dict[str, Any]:
    """The current version of an asset, as its asset shows it."""
    return {
        "Version": version.asset_version_id,
        "DateModified": now_text(version.created_at) if version.created_at else "",
        "Comment": version.comment,
        "description": version.description or version.comment,
        "createdBy": version.created_by or "",
        "versionAlias": version.version_alias or "",
    }


def _location(location: Location | None) -> dict[str, str] | None:
    return {"Key": location.key} if location is not None else None
