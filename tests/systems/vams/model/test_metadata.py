"""Composite attributes stay in step with their parts, whichever way an item is written."""

import pytest

from sortkey import Store
from sortkey.errors import ModelError
from sortkey_systems.vams.model import AssetFileMetadata, AssetLink, WorkflowExecution
from tests.systems.vams.examples import ITEMS, stored

FILE = {
    "metadata_key": "material",
    "database_id": "my-database",
    "asset_id": "asset-123",
    "file_path": "/test/a:b.e57",
}


@pytest.mark.accepts("VA-4", "VA-12")
def test_an_update_that_makes_an_item_writes_the_same_attributes_as_a_put(store: Store) -> None:
    # Metadata is mostly set without reading it first; an item without its index keys would be in no
    # list.
    set_ = {"metadata_value": "steel", "metadata_value_type": "string"}
    store.update(AssetFileMetadata.key(**FILE), set=set_, upsert=True)
    request = {
        "TableName": "AssetFileMetadataStorageTableV2",
        "Key": AssetFileMetadata.key(**FILE).item,
    }
    assert store.backend.call("GetItem", request)["Item"] == stored(ITEMS[AssetFileMetadata])


@pytest.mark.accepts("VA-4", "VA-16")
def test_changing_a_part_changes_the_whole_in_the_same_write(store: Store) -> None:
    # A link whose index key still names the old asset would be found there.
    link = store.put(AssetLink.from_item(stored(ITEMS[AssetLink])))
    key = AssetLink.key(asset_link_id=link.asset_link_id)
    store.update(
        key, set={"to_asset_id": "asset-10"}, assuming={"to_asset_database_id": "other-database"}
    )
    item = store.backend.call(
        "GetItem", {"TableName": "AssetLinksStorageTableV2", "Key": key.item}
    )["Item"]
    assert item["toAssetDatabaseId:toAssetId"] == {"S": "other-database:asset-10"}
    ends = {"to_asset_database_id": "other-database", "to_asset_id": "asset-10"}
    assert [each.asset_link_id for each in store.query(AssetLink.to_asset(**ends).hydrated())] == [
        link.asset_link_id
    ]


@pytest.mark.accepts("VA-4", "VA-20")
def test_changing_a_part_without_the_others_is_refused(store: Store) -> None:
    # Half of a composite value is worse than an error.
    store.put(WorkflowExecution.from_item(stored(ITEMS[WorkflowExecution])))
    key = WorkflowExecution.key(
        database_id="my-database", asset_id="asset-123", execution_id="execution-1"
    )
    with pytest.raises(ModelError, match="workflow_database_id"):
        store.update(key, set={"workflow_id": "another"})
    store.update(key, set={"workflow_id": "another", "workflow_database_id": "my-database"})
    changed = store.backend.call(
        "GetItem", {"TableName": "WorkflowExecutionsStorageTable", "Key": key.item}
    )["Item"]
    assert changed["workflowDatabaseId:workflowId"] == {"S": "my-database:another"}
