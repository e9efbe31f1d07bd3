"""Links between assets, where a change must reach more than the item itself."""

from __future__ import annotations

from datetime import UTC, datetime

from sortkey import Delete, ItemKey, Store, Update, attr
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.model import Asset, AssetLink, AssetLinkMetadata
from sortkey_systems.vams.model.document_sources import assets_of

TRIES_MAX = 10


def remove_link(store: Store, asset_link_id: str) -> None:
    """Delete a link with its metadata, and touch the assets at its ends. Removing a missing link is
    fine.

    The stream of links shows only the key of a deleted link, which names no asset, so the search
    documents of both assets would keep the link. Therefore both assets are touched and appear in
    their own stream.
    """
    link = store.find(AssetLink.key(asset_link_id=asset_link_id), consistent=True)
    metadata = AssetLinkMetadata.of_link(asset_link_id=asset_link_id)
    store.batch_write(deletes=store.keys(metadata.consistent()))
    if link is None:
        return
    ends = {
        (link.from_asset_database_id, link.from_asset_id),
        (link.to_asset_database_id, link.to_asset_id),
    }
    for tries_left in reversed(range(TRIES_MAX)):
        now = attr(Asset.updated_at).set(datetime.now(UTC))
        touched = [
            Update(ItemKey.of_entity(asset), (now,)) for asset in assets_of(store, sorted(ends))
        ]
        try:
            store.transact(Delete(AssetLink.key(asset_link_id=asset_link_id)), *touched)
            return
        except TransactionFailed:  # an asset was archived or deleted since it was read
            if not tries_left:
                raise
