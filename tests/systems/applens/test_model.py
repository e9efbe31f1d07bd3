"""AL-1 to AL-35, as far as the data model carries them: table, keys, attributes, object keys, the
example item.
"""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from boto3.dynamodb.types import TypeSerializer
from pydantic import ValidationError

from sortkey_systems.applens.model import GRAPH_KEY, IAC_KEY, REPORT_KEY, STATES, Run, table

EXAMPLE = """
{
"PK": "USER#12345",
"SK": "RUN#2026-02-22T19:12:11Z#c8a91e",
"runId": "c8a91e",
"status": "COMPLETE",
"environment": "prod",
"createdAt": "2026-02-22T19:12:11Z",
"updatedAt": "2026-02-22T19:13:02Z",
"graphS3Key": "graphs/prod/12345/c8a91e/graph.json",
"iacS3Key": "uploads/prod/12345/main.tf.json",
"analysisS3Key": "reports/prod/12345/c8a91e/risk.json",
"nodeCount": 42,
"edgeCount": 67,
"internetExposedCount": 2,
"datastoreCount": 4,
"graphHash": "sha256:abc123..."
}
"""
AT = datetime(2026, 2, 22, 19, 12, 11, tzinfo=UTC)


def example() -> dict[str, Any]:
    return {name: TypeSerializer().serialize(value) for name, value in json.loads(EXAMPLE).items()}


def test_AL_1_and_AL_2_the_table_and_its_key() -> None:
    # Programs that exist look for this table, under this name.
    definition = table.definition()
    assert definition["TableName"] == "applens-graph-metadata"
    assert definition["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    assert {each["AttributeType"] for each in definition["AttributeDefinitions"]} == {"S"}


@pytest.mark.accepts("AL-3", "AL-4", "AL-13")
def test_AL_3_and_AL_4_the_key_of_a_run() -> None:
    # The timestamp is the run's creation, so that the key alone is chronological.
    key = Run.key(user_id="12345", created_at=AT, run_id="c8a91e")
    assert key.item == {"PK": {"S": "USER#12345"}, "SK": {"S": "RUN#2026-02-22T19:12:11Z#c8a91e"}}


def test_AL_7_keys_are_in_the_order_of_time() -> None:
    # A list of runs is chronological without being sorted.
    instants = [
        AT + timedelta(seconds=seconds) for seconds in (0, 1, 59, 3600, 86400 * 40, 86400 * 400)
    ]
    keys = [Run.key(user_id="1", created_at=at, run_id="f").item["SK"]["S"] for at in instants]
    assert keys == sorted(keys)


def test_AL_8_seconds_are_cut_and_ties_are_ordered_by_run() -> None:
    # Fixed width: a fraction would sort before the Z of the same second.
    late = Run.key(user_id="1", created_at=AT + timedelta(microseconds=999_999), run_id="a")
    early = Run.key(user_id="1", created_at=AT, run_id="b")
    assert late.item["SK"]["S"] == "RUN#2026-02-22T19:12:11Z#a"
    assert late.item["SK"]["S"] < early.item["SK"]["S"]


def test_AL_8_another_time_zone_is_the_same_instant() -> None:
    # The text is UTC whatever the caller's clock says.
    local = Run.key(
        user_id="1", created_at=datetime.fromisoformat("2026-02-22T20:12:11+01:00"), run_id="a"
    )
    assert local.item["SK"]["S"] == "RUN#2026-02-22T19:12:11Z#a"


@pytest.mark.parametrize(
    ("attribute", "listed"),
    [
        pytest.param("status", ["UPLOADED", "PROCESSING", "COMPLETE", "FAILED"], id="AL-10"),
        pytest.param("environment", ["dev", "prod"], id="AL-12"),
    ],
)
@pytest.mark.accepts("AL-10", "AL-12")
def test_enumerations_are_those_of_the_document(attribute: str, listed: list[str]) -> None:
    # No more, no fewer, and in this case.
    assert list(get_args(Run.model_fields[attribute].annotation)) == listed
    values = Run.from_item(example()).model_dump(by_alias=True)
    with pytest.raises(ValidationError, match=attribute):
        Run.model_validate({**values, attribute: listed[0].swapcase()})


def test_AL_11_a_status_follows_only_from_those_before_it() -> None:
    # A finished run never changes; another attempt is a new run.
    assert STATES.sources("PROCESSING") == ("UPLOADED",)
    assert STATES.sources("COMPLETE") == ("PROCESSING",)
    assert STATES.sources("FAILED") == ("UPLOADED", "PROCESSING")
    assert STATES.sources("UPLOADED") == ()
    assert tuple(STATES.start) == ("UPLOADED",)


@pytest.mark.accepts("AL-15", "AL-16", "AL-17", "AL-19")
def test_attributes_have_the_documents_names_and_types() -> None:
    # Dashboards read them by name.
    item = _full().to_item()
    types = {name: next(iter(value)) for name, value in item.items()}
    texts = (
        "PK SK GSI1PK GSI1SK GSI2PK GSI2SK runId status environment createdAt updatedAt graphS3Key "
        "iacS3Key "
        "analysisS3Key graphHash iacCommitSha terraformWorkspace accountId region"
    )
    numbers = "nodeCount edgeCount internetExposedCount datastoreCount"
    assert types == dict.fromkeys(texts.split(), "S") | dict.fromkeys(numbers.split(), "N")


def test_AL_16_counts_are_whole_and_not_negative() -> None:
    # Precomputed numbers are shown as they are.
    with pytest.raises(ValidationError):
        _full().changed(node_count=-1)
    with pytest.raises(ValidationError):
        _full().changed(edge_count=1.5)


def test_AL_17_the_hash_says_how_it_was_made() -> None:
    # The prefix is in the example; a bare hash could be of anything.
    with pytest.raises(ValidationError, match="graph_hash"):
        _full().changed(graph_hash="abc123")


@pytest.mark.parametrize("field", ["iac_commit_sha", "terraform_workspace", "account_id", "region"])
def test_AL_19_provenance_is_absent_when_unknown_never_empty(field: str) -> None:
    # An empty text would be shown as if it were known.
    with pytest.raises(ValidationError):
        _full().changed(**{field: ""})
    attribute = Run.model_fields[field].alias
    assert attribute in _full().to_item()
    assert attribute not in _full().changed(**{field: None}).to_item()


@pytest.mark.accepts("AL-13", "AL-14", "AL-20")
def test_AL_20_the_example_comes_back_unchanged() -> None:
    # All 15 attributes; beside them only the index keys, which every item must carry.
    run = Run.from_item(example())
    item = run.to_item()
    assert len(example()) == 15
    assert {name: value for name, value in item.items() if not name.startswith("GSI")} == example()
    assert run.created_at is not None
    assert run.updated_at is not None
    assert run.created_at <= run.updated_at
    assert item["SK"]["S"].split("#")[1] == item["createdAt"]["S"]


@pytest.mark.accepts("AL-21", "AL-22", "AL-23")
def test_AL_21_to_AL_23_object_keys_are_those_of_the_example() -> None:
    # Links to what lies in S3 already.
    place = {"environment": "prod", "userId": "12345", "runId": "c8a91e"}
    assert GRAPH_KEY.render(place) == "graphs/prod/12345/c8a91e/graph.json"
    assert REPORT_KEY.render(place) == "reports/prod/12345/c8a91e/risk.json"
    upload = {"environment": "prod", "userId": "12345", "filename": "main.tf.json"}
    assert IAC_KEY.render(upload) == "uploads/prod/12345/main.tf.json"


@pytest.mark.parametrize("wrong", ["../1", "1#2", ""])
def test_AL_21_no_user_can_reach_the_folder_of_another(wrong: str) -> None:
    # Ids stand in the paths of objects.
    values = Run.from_item(example()).model_dump(by_alias=True)
    with pytest.raises(ValidationError, match="userId"):
        Run.model_validate({**values, "userId": wrong})


def test_AL_24_an_upload_is_told_apart_by_its_version() -> None:
    # Two runs of the same file have the same key in S3.
    item = {**example(), "iacS3VersionId": {"S": "v1"}}
    run = Run.from_item(item)
    assert run.iac is not None
    assert run.iac.version_id == "v1"
    assert run.to_item()["iacS3VersionId"] == {"S": "v1"}


@pytest.mark.accepts("AL-25", "AL-31")
def test_AL_25_nodes_and_edges_are_refused() -> None:
    # Indexes and metadata only: an item has 400 KB, a graph has no limit.
    values = Run.from_item(example()).model_dump(by_alias=True)
    for attribute in ("nodes", "edges", "graph"):
        with pytest.raises(ValidationError, match=attribute):
            Run.model_validate({**values, attribute: []})


@pytest.mark.accepts("AL-27", "AL-30")
def test_AL_27_every_item_carries_the_index_keys() -> None:
    # The example lacks them; a run without them could not be resolved from a callback.
    item = Run.from_item(example()).to_item()
    assert {name: value["S"] for name, value in item.items() if name.startswith("GSI")} == {
        "GSI1PK": "RUN#c8a91e",
        "GSI1SK": "USER#12345",
        "GSI2PK": "USER#12345#ENV#prod",
        "GSI2SK": "RUN#2026-02-22T19:12:11Z#c8a91e",
    }


@pytest.mark.accepts("AL-27", "AL-30", "AL-35")
def test_AL_27_indexes_hold_whole_items_and_the_defaults_are_safe() -> None:
    # The callback must resolve the whole run.
    definition = table.definition()
    indexes = {each["IndexName"]: each for each in definition["GlobalSecondaryIndexes"]}
    assert set(indexes) == {"GSI1", "GSI2"}
    assert all(each["Projection"] == {"ProjectionType": "ALL"} for each in indexes.values())
    assert [each["AttributeName"] for each in indexes["GSI1"]["KeySchema"]] == ["GSI1PK", "GSI1SK"]
    assert definition["BillingMode"] == "PAY_PER_REQUEST"
    assert table.pitr
    assert table.ttl is None


def test_AL_34_what_a_newer_program_has_written_survives() -> None:
    # Additive changes are preferred, so old programs meet new attributes.
    item = {**Run.from_item(example()).to_item(), "owner": {"M": {"team": {"S": "blue"}}}}
    assert Run.from_item(item).changed(region="eu-west-1").to_item() == {
        **item,
        "region": {"S": "eu-west-1"},
    }


def _full() -> Run:
    return Run.from_item(example()).changed(
        iac_commit_sha="0a1b2c",
        terraform_workspace="default",
        account_id="123456789012",
        region="eu-west-1",
    )
