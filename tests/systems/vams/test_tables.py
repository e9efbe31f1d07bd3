"""Every table as it stands in the document: key, indexes, projections, stream. The literals are the
document's.
"""

from typing import Any

import pytest

from sortkey import Store, Table
from sortkey_systems.vams.model import model
from tests.systems.vams.document import DOCUMENT, Index, Stated

TABLES = {table.name: table for table in model.tables}


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
@pytest.mark.parametrize("table", model.tables, ids=lambda table: table.name)
def test_every_table_can_be_encrypted_with_a_key_of_ones_own(table: Table) -> None:
    # The key is the deployment's, not the model's: without one, nothing is asked for.
    wanted = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/vams"}
    assert table.definition(kms="alias/vams")["SSESpecification"] == wanted
    assert "SSESpecification" not in table.definition()


@pytest.mark.accepts("VA-2")
def test_exactly_seven_tables_have_a_stream_of_new_images() -> None:
    # The search indexes are fed by these; a stream that nobody reads costs money.
    streaming = {table.name: table.stream for table in model.tables if table.stream}
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


@pytest.mark.parametrize("table", model.tables, ids=lambda table: table.name)
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
