"""Tables as the document has them, items of every kind as they are stored, and their rules.

The literals are those of the document.
"""

from typing import Any

import pytest
from pydantic import ValidationError

from sortkey import Entity, Store, Table
from sortkey.errors import KeyValueError
from sortkey_systems.vams import model as vams
from tests.systems.vams.document import DOCUMENT, Index, Stated
from tests.systems.vams.examples import ITEMS, stored

ENTITIES = [
    pytest.param(entity, marks=pytest.mark.accepts(*DOCUMENT[table.name].lines), id=entity.__name__)
    for table in vams.model.tables
    for entity in table.entities
]


@pytest.mark.parametrize("entity", ENTITIES)
def test_a_stored_item_is_read_and_written_unchanged(entity: type[Entity]) -> None:
    # Attribute names, composite values and index keys are read by other programs too.
    item = stored(ITEMS[entity])
    assert entity.from_item(item).to_item() == item


@pytest.mark.parametrize("entity", ENTITIES)
def test_what_an_item_has_besides_survives(entity: type[Entity]) -> None:
    # "Common attributes" are not all: pipelines, users and roles carry more than this model names.
    item = stored({**ITEMS[entity], "anotherAttribute": {"nested": ["1"]}})
    assert entity.from_item(item).to_item() == item


@pytest.mark.accepts("VA-5")
def test_an_asset_has_the_common_attributes_of_the_document() -> None:
    # The search index is built from these names.
    stated = (
        "assetName assetType description isDistributable tags assetLocation previewLocation "
        "bucketId createdAt"
    )
    asset = vams.Asset.from_item(stored(ITEMS[vams.Asset]))
    assert asset.to_item().keys() == {"databaseId", "assetId", *stated.split(), "updatedAt"}
    assert asset.tags == ("pump", "hall 3")
    assert asset.asset_location == vams.Location(key="asset-123/")


@pytest.mark.accepts("VA-7")
def test_an_asset_version_has_the_common_attributes_of_the_document() -> None:
    # The version is archived by its own flag, which is not the archive of assets.
    version = vams.AssetVersion(
        database_id="d", asset_id="a", asset_version_id="2", version_alias="b", is_archived=True
    )
    item = version.to_item()
    assert item["isArchived"] == {"BOOL": True}
    assert item["databaseId:assetId"] == {"S": "d:a"}
    assert not version.in_archive


@pytest.mark.accepts("VA-4")
@pytest.mark.parametrize("wrong", ["a:b", "a#deleted", ""])
@pytest.mark.parametrize("field", ["database_id", "asset_id", "asset_version_id"])
def test_an_id_with_a_separator_is_refused(field: str, wrong: str) -> None:
    # "a:b" + "c" and "a" + "b:c" would be one key; "a#deleted" would be an archive.
    values: dict[str, Any] = {
        "database_id": "d",
        "asset_id": "a",
        "asset_version_id": "1",
        field: wrong,
    }
    with pytest.raises(ValidationError):
        vams.AssetVersion(**values)


@pytest.mark.accepts("VA-4")
def test_a_file_path_may_have_separators_and_the_parts_are_stored_beside_the_whole() -> None:
    # In type:filePath:metadataKey the path is in the middle: who reads it must not have to guess
    # where it ends.
    item = stored(ITEMS[vams.AssetFileMetadataVersion])
    value = vams.AssetFileMetadataVersion.from_item(item)
    assert (value.type, value.file_path, value.metadata_key) == (
        "metadata",
        "/test/a:b.e57",
        "material",
    )
    assert value.to_item()["type:filePath:metadataKey"] == {"S": "metadata:/test/a:b.e57:material"}
    assert {"type", "filePath", "metadataKey"} <= item.keys()


@pytest.mark.accepts("VA-4", "VA-9")
def test_two_snapshot_values_never_have_one_key() -> None:
    # ("/a:b", "c") and ("/a", "b:c") would join to the same text: the key may not have the colon
    # that the path may.
    version = {"database_id": "d", "asset_id": "a", "asset_version_id": "1", "type": "metadata"}
    assert vams.AssetFileMetadataVersion.key(**version, file_path="/a:b", metadata_key="c")
    with pytest.raises((ValidationError, KeyValueError)):
        vams.AssetFileMetadataVersion.key(**version, file_path="/a", metadata_key="b:c")


@pytest.mark.accepts("VA-4")
def test_the_key_of_an_archived_asset_cannot_be_asked_for_as_an_id() -> None:
    # A caller who may read active assets must not reach the archive by writing its mark into an id.
    with pytest.raises((ValidationError, KeyValueError)):
        vams.Asset.key(database_id="my-database#deleted", asset_id="asset-123")


@pytest.mark.accepts("VA-10")
def test_the_user_of_an_upload_is_the_attribute_with_a_capital_u() -> None:
    # The index UserIdGSI has it so; `userId` would be another attribute, and the upload in no
    # user's list.
    item = vams.AssetUpload(upload_id="u", asset_id="a", database_id="d", user_id="ada").to_item()
    assert item["UserId"] == {"S": "ada"}
    assert "userId" not in item


@pytest.mark.accepts("VA-13")
def test_metadata_of_an_asset_itself_is_that_of_the_path_slash() -> None:
    # The document has no table for it, though the asset index has metadata.
    value = vams.AssetFileMetadata(
        metadata_key="owner",
        database_id="d",
        asset_id="a",
        file_path=vams.WHOLE_ASSET,
        metadata_value="Ada",
    )
    assert value.to_item()["databaseId:assetId:filePath"] == {"S": "d:a:/"}


@pytest.mark.accepts("VA-14")
def test_an_attribute_of_a_file_is_text_only() -> None:
    # Metadata has types; attributes have none.
    values: dict[str, Any] = {
        "attribute_key": "k",
        "database_id": "d",
        "asset_id": "a",
        "file_path": "/f",
    }
    assert vams.FileAttribute(**values, attribute_value="1").attribute_value_type == "string"
    with pytest.raises(ValidationError):
        vams.FileAttribute(**values, attribute_value="1", attribute_value_type="number")
    with pytest.raises(ValidationError):
        vams.FileAttribute(**values, attribute_value=1)


@pytest.mark.accepts("VA-16")
@pytest.mark.parametrize(
    ("relationship", "allowed"), [("parentChild", True), ("related", True), ("parent", False)]
)
def test_a_link_is_from_parent_to_child_or_between_related_assets(
    relationship: str, allowed: bool
) -> None:
    # Which asset is the parent is said by from and to; a third type would say it twice.
    item = stored({**ITEMS[vams.AssetLink], "relationshipType": relationship})
    if allowed:
        assert vams.AssetLink.from_item(item).relationship_type == relationship
    else:
        with pytest.raises(ValueError, match="relationshipType"):
            vams.AssetLink(**{name: value["S"] for name, value in item.items() if ":" not in name})


@pytest.mark.accepts("VA-21")
def test_a_constraint_is_one_item_for_each_group_and_user() -> None:
    # One item has one groupId, so one index entry: the others would not find their permission.
    group = vams.GroupConstraint(constraint_id="c1", group_id="engineers", object_type="asset")
    user = vams.UserConstraint(constraint_id="c1", user_id="ada", object_type="asset")
    assert group.to_item()["constraintId"] == {"S": "c1#group#engineers"}
    assert user.to_item()["constraintId"] == {"S": "c1#user#ada"}
    assert "userId" not in group.to_item()
    assert vams.GroupConstraint.from_item(group.to_item()).constraint_id == "c1"


# -- tables

TABLES = {table.name: table for table in vams.model.tables}


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        pytest.param(name, stated, marks=pytest.mark.accepts(*stated.lines))
        for name, stated in DOCUMENT.items()
    ],
    ids=list(DOCUMENT),
)
def test_a_table_has_the_keys_indexes_and_stream_of_the_document(
    store: Store, name: str, stated: Stated
) -> None:
    # The names are read by other programs: a letter that differs is another attribute.
    described = store.backend.call("DescribeTable", {"TableName": name})["Table"]
    assert _key(described) == stated.key
    assert _indexes(described.get("GlobalSecondaryIndexes", [])) == stated.gsi
    assert _indexes(described.get("LocalSecondaryIndexes", [])) == stated.lsi
    assert described.get("StreamSpecification", {}).get("StreamViewType") == stated.stream
    assert {each["AttributeType"] for each in described["AttributeDefinitions"]} == {"S"}


def test_the_model_has_the_tables_of_the_document_in_its_order() -> None:
    # None is missing, and none is there that the document does not know.
    assert list(TABLES) == list(DOCUMENT)


@pytest.mark.accepts("VA-1")
@pytest.mark.parametrize("name", list(DOCUMENT))
def test_every_table_is_billed_on_demand_and_recoverable_to_a_point_in_time(
    store: Store, name: str
) -> None:
    # Both are set table by table on AWS: one that is forgotten is noticed when it is too late.
    described = store.backend.call("DescribeTable", {"TableName": name})["Table"]
    backups = store.backend.call("DescribeContinuousBackups", {"TableName": name})[
        "ContinuousBackupsDescription"
    ]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"


@pytest.mark.accepts("VA-1")
@pytest.mark.parametrize("table", vams.model.tables, ids=lambda table: table.name)
def test_every_table_can_be_encrypted_with_a_key_of_ones_own(table: Table) -> None:
    # The key is the deployment's, not the model's: without one, nothing is asked for.
    wanted = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/vams"}
    assert table.definition(kms="alias/vams")["SSESpecification"] == wanted
    assert "SSESpecification" not in table.definition()


@pytest.mark.accepts("VA-2")
def test_exactly_seven_tables_have_a_stream_of_new_images() -> None:
    # The search indexes are fed by these; a stream that nobody reads costs money.
    streaming = {table.name: table.stream for table in vams.model.tables if table.stream}
    assert streaming == dict.fromkeys(
        [
            "AssetStorageTable",
            "DatabaseStorageTable",
            "DatabaseMetadataStorageTableV2",
            "AssetFileMetadataStorageTableV2",
            "FileAttributeStorageTableV2",
            "AssetLinksStorageTableV2",
            "AssetLinksMetadataStorageTable",
        ],
        "NEW_IMAGE",
    )


@pytest.mark.parametrize("table", vams.model.tables, ids=lambda table: table.name)
def test_every_table_says_what_it_stores(table: Table) -> None:
    # The sentence is what the pages about the model print.
    assert table.doc.endswith(".")


def _key(described: dict[str, Any]) -> tuple[str, ...]:
    assert [each["KeyType"] for each in described["KeySchema"]] == ["HASH", "RANGE"][
        : len(described["KeySchema"])
    ]
    return tuple(each["AttributeName"] for each in described["KeySchema"])


def _indexes(described: list[dict[str, Any]]) -> dict[str, Index]:
    found: dict[str, Index] = {}
    for each in described:
        partition, *sort = _key(each)
        found[each["IndexName"]] = (
            partition,
            sort[0] if sort else None,
            each["Projection"]["ProjectionType"],
        )
    return found
