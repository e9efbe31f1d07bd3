"""AL-1 to AL-35, as far as the data model carries them: table, keys, attributes, object keys, the
example item, access patterns and writes.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

import pytest
from boto3.dynamodb.types import TypeSerializer
from pydantic import ValidationError

import sortkey
from sortkey import Store
from sortkey.errors import AlreadyExists, ModelError, TransitionRefused
from sortkey_systems.applens.model import (
    GRAPH_KEY,
    IAC_KEY,
    REPORT_KEY,
    STATES,
    Run,
    latest_run,
    model,
    table,
)

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


def test_AL_24_an_upload_is_distinguished_by_its_version() -> None:
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


# -- access patterns and writes, on the embedded engine


@pytest.fixture
def store() -> Iterator[Store]:
    with sortkey.open(":memory:") as opened:
        opened.ensure(model)
        yield opened


def create(
    store: Store,
    run_id: str,
    minutes: int = 0,
    user_id: str = "12345",
    environment: Literal["dev", "prod"] = "prod",
) -> Run:
    at = AT + timedelta(minutes=minutes)
    return store.create(Run(user_id=user_id, run_id=run_id, environment=environment, created_at=at))


def test_the_patterns_are_those_of_the_document_in_its_words() -> None:
    # Whoever looks for what the table can answer finds it here.
    described = {pattern.name: pattern.doc for pattern in model.patterns()}
    assert described["Run.of_user"].startswith("Query all runs for a user")
    assert "latest run" in described["latest_run"]
    assert "only runId is known" in described["Run.by_id"]
    assert set(described) == {
        "Run.key",
        "Run.of_user",
        "Run.by_id",
        "Run.of_environment",
        "latest_run",
    }


def test_the_tables_that_were_made_do_not_differ_from_the_model(store: Store) -> None:
    # AL-1, AL-2, AL-27, AL-35 as the engine describes them.
    assert store.ensure(model) == []


@pytest.mark.accepts("AL-5", "AL-7")
def test_AL_5_all_runs_of_a_user_in_one_query_in_the_order_of_time(store: Store) -> None:
    # Chronological from the key alone, whatever the order of writing and of ids.
    for run_id, minutes in (("aaa", 30), ("zzz", 10), ("mmm", 20)):
        create(store, run_id, minutes)
    create(store, "other", 15, user_id="123456")
    assert [run.run_id for run in store.query(Run.of_user(user_id="12345"))] == [
        "zzz",
        "mmm",
        "aaa",
    ]


def test_AL_6_the_latest_run_is_one_item_read(store: Store) -> None:
    # Descending with a limit of one: no scan, and not all runs of the user.
    for number in range(5):
        create(store, f"run{number}", number)
    assert [run.run_id for run in store.query(latest_run("12345"))] == ["run4"]
    explained = next(each for each in model.patterns() if each.name == "latest_run").explain(
        items=1000
    )
    assert (explained.operation, explained.items, explained.read_units) == ("Query", 1, 0.5)


def test_AL_8_two_runs_of_one_second_are_ordered_by_id(store: Store) -> None:
    # The tie is accepted, and it is always the same.
    create(store, "b")
    create(store, "a")
    assert [run.run_id for run in store.query(Run.of_user(user_id="12345"))] == ["a", "b"]


def test_AL_9_a_run_id_belongs_to_one_run(store: Store) -> None:
    # Six hex digits collide; a second run of the same id, even another user's, must take a new one.
    create(store, "c8a91e")
    with pytest.raises(AlreadyExists):
        create(store, "c8a91e", minutes=5, user_id="999")
    assert len(store.query(Run.by_id(run_id="c8a91e"))) == 1


@pytest.mark.accepts("AL-4", "AL-13", "AL-14")
def test_AL_13_a_new_run_gets_its_instants_from_the_store(store: Store) -> None:
    # One instant for the attribute and for the key.
    run = store.create(Run(user_id="1", run_id="fresh", environment="dev"))
    assert run.created_at is not None
    item = run.to_item()
    assert item["SK"]["S"] == f"RUN#{item['createdAt']['S']}#fresh"
    assert item["createdAt"] == item["updatedAt"]
    assert store.query(Run.of_user(user_id="1"))[0].to_item() == item


@pytest.mark.accepts("AL-11", "AL-14", "AL-34")
def test_AL_11_a_status_only_moves_forward(store: Store) -> None:
    # The condition is part of the write: a late callback cannot revive a finished run.
    create(store, "c8a91e")
    key = Run.key(user_id="12345", created_at=AT, run_id="c8a91e")
    with pytest.raises(TransitionRefused):
        store.update(key, set={"status": "COMPLETE"})
    started = store.update(key, set={"status": "PROCESSING"})
    assert started.updated_at is not None
    assert started.updated_at >= AT
    store.update(key, set={"status": "FAILED", "last_error": "no Terraform in the archive"})
    with pytest.raises(TransitionRefused):
        store.update(key, set={"status": "PROCESSING"})
    assert store.get(key).last_error == "no Terraform in the archive"


def test_AL_11_a_new_run_is_uploaded(store: Store) -> None:
    # A run that begins finished was never checked.
    with pytest.raises(ModelError, match="UPLOADED"):
        store.create(Run(user_id="1", run_id="x", environment="dev", status="COMPLETE"))


@pytest.mark.accepts("AL-28", "AL-29")
def test_AL_28_a_callback_that_knows_only_the_id_finds_the_whole_run(store: Store) -> None:
    # The index projects everything, so one read is enough.
    made = create(store, "c8a91e")
    create(store, "c8a91e2", minutes=1)
    assert store.query(Run.by_id(run_id="c8a91e")) == [made]


def test_AL_30_runs_of_one_environment_without_reading_the_others(store: Store) -> None:
    # The environment is in the key of an index; no filter pays for what it drops.
    create(store, "d1", 1, environment="dev")
    create(store, "p1", 2)
    create(store, "d2", 3, environment="dev")
    asked = Run.of_environment(user_id="12345", environment="dev")
    assert [run.run_id for run in store.query(asked)] == ["d1", "d2"]
    assert asked.filter is None


@pytest.mark.accepts("AL-31", "AL-32", "AL-33")
def test_AL_32_the_dashboard_renders_from_the_items_alone(store: Store) -> None:
    # Status, links and summary are all there after the run; nothing is read from S3.
    create(store, "c8a91e")
    key = Run.key(user_id="12345", created_at=AT, run_id="c8a91e")
    store.update(key, set={"status": "PROCESSING"})
    summary = {
        "node_count": 42,
        "edge_count": 67,
        "internet_exposed_count": 2,
        "datastore_count": 4,
    }
    store.update(key, set={"status": "COMPLETE", "graph_hash": "sha256:abc123", **summary})
    (run,) = store.query(Run.of_user(user_id="12345"))
    shown = (
        run.status,
        run.node_count,
        run.edge_count,
        run.internet_exposed_count,
        run.datastore_count,
    )
    assert shown == ("COMPLETE", 42, 67, 2, 4)
