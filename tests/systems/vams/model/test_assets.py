"""Archived assets: the same item under `<databaseId>#deleted`."""

import pytest

from sortkey import Store
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.model import Asset, AssetVersion
from tests.systems.vams.examples import ITEMS, stored


@pytest.fixture
def asset() -> Asset:
    return Asset.from_item(stored(ITEMS[Asset]))


KEY = {"databaseId": {"S": "my-database"}, "assetId": {"S": "asset-123"}}
ARCHIVED_KEY = {"databaseId": {"S": "my-database#deleted"}, "assetId": {"S": "asset-123"}}


def read(store: Store, key: dict[str, dict[str, str]]) -> dict[str, object] | None:
    return store.backend.call("GetItem", {"TableName": "AssetStorageTable", "Key": key}).get("Item")


@pytest.mark.accepts("VA-42", "VA-43")
def test_archiving_moves_the_asset_to_the_deleted_partition_and_restoring_back(
    store: Store, asset: Asset
) -> None:
    # A key cannot be changed, so it is a put and a delete in one transaction: never both, never
    # neither.
    item = stored(ITEMS[Asset])
    archived = store.archive(store.put(asset))
    moved = read(store, ARCHIVED_KEY)
    assert read(store, KEY) is None
    assert moved is not None
    assert {**moved, "databaseId": item["databaseId"], "updatedAt": item["updatedAt"]} == item
    assert (archived.database_id, archived.in_archive) == ("my-database", True)
    store.restore(archived)
    assert read(store, ARCHIVED_KEY) is None
    assert (
        store.get(Asset.key(database_id="my-database", asset_id="asset-123")).asset_name == "Pump"
    )


@pytest.mark.accepts("VA-42")
def test_active_and_archived_assets_are_queried_by_the_partition_key_alone(
    store: Store, asset: Asset
) -> None:
    # No index and no filter: a database with a large archive lists its active assets as fast as one
    # without.
    store.put(asset)
    store.archive(store.put(asset.changed(asset_id="asset-124")))
    query = Asset.of_database(database_id="my-database")
    assert [each.asset_id for each in store.query(query)] == ["asset-123"]
    archived = store.query(query.archived())
    assert [(each.database_id, each.asset_id, each.in_archive) for each in archived] == [
        ("my-database", "asset-124", True)
    ]
    assert query.key.index is None
    assert query.filter is None


@pytest.mark.accepts("VA-43")
def test_an_archived_asset_in_an_index_has_its_own_database_and_says_that_it_is_archived(
    store: Store, asset: Asset
) -> None:
    # Both indexes hold archived rows too, with the suffix in databaseId: a caller must not take it
    # for a database.
    store.archive(store.put(asset.changed(asset_id="asset-125", bucket_id="bucket-7")))
    for query in (Asset.by_asset_id(asset_id="asset-125"), Asset.of_bucket(bucket_id="bucket-7")):
        (found,) = store.query(query.hydrated())
        assert (found.database_id, found.asset_name, found.in_archive) == (
            "my-database",
            "Pump",
            True,
        )


@pytest.mark.accepts("VA-43")
def test_archiving_what_is_gone_is_refused_and_makes_nothing(store: Store, asset: Asset) -> None:
    # Of two who archive at once, one is refused, and must not make a second record.
    gone = store.put(asset.changed(asset_id="asset-126"))
    store.delete(gone)
    with pytest.raises(TransactionFailed):
        store.archive(gone)
    assert read(store, {**ARCHIVED_KEY, "assetId": {"S": "asset-126"}}) is None


@pytest.mark.accepts("VA-43")
def test_what_belongs_to_an_archived_asset_stays_under_its_own_database(
    store: Store, asset: Asset
) -> None:
    # Composite keys keep the original databaseId: the versions of an archived asset are found as
    # before.
    owned = {"database_id": "my-database", "asset_id": "asset-127"}
    store.put(AssetVersion(**owned, asset_version_id="1"))
    archived = store.archive(store.put(asset.changed(asset_id="asset-127")))
    found = store.query(
        AssetVersion.of_asset(database_id=archived.database_id, asset_id=archived.asset_id)
    )
    assert [each.asset_version_id for each in found] == ["1"]
    assert not found[0].in_archive
