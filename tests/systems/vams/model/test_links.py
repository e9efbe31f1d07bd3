"""Links of assets: what is left of one in the stream when it was deleted."""

from __future__ import annotations

from sortkey import Change, Store, on_change
from sortkey_systems.vams.model import AssetLink
from tests.runtime.streams.shop import worker


def test_a_link_that_was_deleted_is_known_by_its_key_only(store: Store) -> None:
    # The table shows new images: which assets it joined must be asked, or written down, before it
    # goes.
    link = AssetLink(
        asset_link_id="link-1",
        from_asset_database_id="db",
        from_asset_id="a",
        to_asset_database_id="db",
        to_asset_id="b",
        relationship_type="related",
    )
    store.create(link)
    store.delete(link)
    changes: list[tuple[str, bool, str]] = []

    @on_change(AssetLink)
    def reindex(change: Change[AssetLink]) -> None:
        changes.append((change.kind, change.latest is None, str(change.key.values["assetLinkId"])))

    worker(store, reindex).run_until_idle()
    assert changes == [("created", False, "link-1"), ("deleted", True, "link-1")]
