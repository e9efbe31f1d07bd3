"""The rows that belong to an asset, besides its own record and its links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sortkey import ItemKey, Query, Store
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadata,
    AssetFileMetadataVersion,
    AssetFileVersion,
    AssetLink,
    AssetUpload,
    AssetVersion,
    Comment,
    FileAttribute,
    Subscription,
    WorkflowExecution,
)

SUBSCRIBED_EVENT, SUBSCRIBED_ENTITY = "Asset Version Change", "Asset"


def keys_of(store: Store, asset: Asset, *, is_only: bool = True) -> Iterator[ItemKey[Any]]:
    """The keys of an asset's rows. Comments and subscriptions name an asset without its database:
    they belong to it only if it `is_only` asset of that id.
    """
    for query in queries_of(asset):
        yield from store.keys(query)
    for upload in store.query(AssetUpload.of_asset(asset_id=asset.asset_id).hydrated()):
        if upload.database_id == asset.database_id:
            yield AssetUpload.key(upload_id=upload.upload_id, asset_id=upload.asset_id)
    if is_only:
        yield from store.keys(Comment.of_asset(asset_id=asset.asset_id))
        subscription = Subscription.key(
            event_name=SUBSCRIBED_EVENT,
            entity_name=SUBSCRIBED_ENTITY,
            entity_id=asset.asset_id,
        )
        if store.find(subscription) is not None:
            yield subscription


def queries_of(asset: Asset) -> list[Query[Any]]:
    """The queries that find rows by the asset's ids."""
    ids: dict[str, Any] = {"database_id": asset.database_id, "asset_id": asset.asset_id}
    return [
        AssetFileMetadataVersion.of_asset(**ids),
        AssetFileVersion.of_asset(**ids),
        AssetVersion.of_asset(**ids),
        AssetFileMetadata.of_asset(**ids),
        FileAttribute.of_asset(**ids),
        WorkflowExecution.of_asset(**ids),
    ]


def link_ids(store: Store, asset: Asset) -> list[str]:
    """The ids of the links from and to an asset."""
    out = AssetLink.from_asset(
        from_asset_database_id=asset.database_id, from_asset_id=asset.asset_id
    )
    into = AssetLink.to_asset(to_asset_database_id=asset.database_id, to_asset_id=asset.asset_id)
    found = [key.values["assetLinkId"] for query in (out, into) for key in store.keys(query)]
    return list(dict.fromkeys(str(each) for each in found))
