"""JE-1 to JE-12 and the keys of each kind: tables, templates, and what does not fit them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

import sortkey
import sortkey.engine
from sortkey import Entity, KeyOnly, Metrics, Query, Store, camel, key
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.errors import ItemTooLarge, ModelError, Throttled
from sortkey_systems.jobengine.model import (
    Job,
    Journey,
    Log,
    Report,
    Rule,
    Stage,
    StageJob,
    model,
    table,
)
from sortkey_systems.jobengine.stages.default_stages import default_stages
from tests.systems.jobengine.examples import JOB, JOURNEY, LOG, REPORT, RULE, STAGE, parsed, stored
from tests.systems.jobengine.recording import Recording

ID = "JRN-ABC123456789"
AT = datetime(2025, 11, 1, 20, 30, tzinfo=UTC)


def test_JE_1_one_table_of_two_text_keys() -> None:
    # Single-table design: whatever else is deployed, all journeys are here.
    definition = table.definition()
    assert definition["TableName"] == "TransformationSystem"
    assert definition["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    types = {
        each["AttributeName"]: each["AttributeType"] for each in definition["AttributeDefinitions"]
    }
    assert types == {"PK": "S", "SK": "S", "GSI1PK": "S", "GSI1SK": "S"}


@pytest.mark.accepts("JE-5")
def test_JE_5_one_index_that_projects_everything() -> None:
    # The dashboard and the troubleshooter read whole entities from the index.
    assert table.definition()["GlobalSecondaryIndexes"] == [
        {
            "IndexName": "GSI1",
            "KeySchema": [
                {"AttributeName": "GSI1PK", "KeyType": "HASH"},
                {"AttributeName": "GSI1SK", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ]


@pytest.mark.accepts("JE-75", "JE-77", "JE-81")
def test_the_table_is_recoverable_encrypted_and_paid_by_request() -> None:
    # Defaults of a service are no promise; the document's are.
    definition = table.definition()
    assert table.pitr
    assert definition["SSESpecification"] == {"Enabled": True, "SSEType": "KMS"}
    assert definition["BillingMode"] == "PAY_PER_REQUEST"
    assert definition["StreamSpecification"] == {
        "StreamEnabled": True,
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    }
    assert table.ttl is None


KEYS = [
    pytest.param(Journey.key(journey_id=ID), "METADATA", id="JE-12"),
    pytest.param(
        Stage.key(journey_id=ID, order=1, stage_id="raw_analysis"),
        "STAGE#01#raw_analysis",
        id="JE-19",
    ),
    pytest.param(
        Rule.key(
            journey_id=ID,
            stage_id="raw_analysis",
            rule_index=1,
            rule_id="rule-raw_analysis-field_mapping-a1b2c3d4",
        ),
        "RULE#raw_analysis#001#rule-raw_analysis-field_mapping-a1b2c3d4",
        id="JE-26",
    ),
    pytest.param(
        Job.key(journey_id=ID, order=1, stage_id="raw_analysis", execution_number=1, created_at=AT),
        "JOB#01#raw_analysis#001#2025-11-01T20:30:00.000000Z",
        id="JE-34",
    ),
    pytest.param(
        Log.key(
            journey_id=ID,
            job_id="JOB-456",
            step="schema_extraction",
            timestamp=datetime(2025, 11, 1, 20, 30, 15, 234567, tzinfo=UTC),
            log_id="LOG-789",
        ),
        "LOG#JOB-456#schema_extraction#2025-11-01T20:30:15.234567Z#LOG-789",
        id="JE-47",
    ),
    pytest.param(
        Report.key(
            journey_id=ID,
            job_id="JOB-456",
            report_type="performance",
            generated_at=datetime(2025, 11, 1, 20, 35, tzinfo=UTC),
            report_id="RPT-ABC",
        ),
        "REPORT#JOB-456#performance#2025-11-01T20:35:00.000000Z#RPT-ABC",
        id="JE-55",
    ),
    pytest.param(
        StageJob.key(journey_id=ID, order=1, stage_id="raw_analysis", execution_number=1),
        "DASHBOARD#01#raw_analysis#001",
        id="JE-35",
    ),
]


@pytest.mark.accepts("JE-2", "JE-3", "JE-12", "JE-19", "JE-26", "JE-34", "JE-35", "JE-47", "JE-55")
@pytest.mark.parametrize(("item_key", "sort"), KEYS)
def test_JE_2_and_JE_3_keys_are_those_of_the_document(item_key: Any, sort: str) -> None:
    # A key that differs in one character is another item.
    assert item_key.item == {"PK": {"S": "JOURNEY#JRN-ABC123456789"}, "SK": {"S": sort}}


INDEX_KEYS = [
    pytest.param(Journey, JOURNEY, "JOURNEYS", "2025-11-01T20:00:00.000000Z", id="JE-12"),
    pytest.param(Stage, STAGE, "JOURNEY#JRN-ABC123456789#STAGES", "01", id="JE-19"),
    pytest.param(Rule, RULE, "JOURNEY#JRN-ABC123456789#RULES", "raw_analysis#high#001", id="JE-26"),
    pytest.param(Job, JOB, "JOB#JOB-456", "2025-11-01T20:30:00.000000Z", id="JE-34"),
    pytest.param(Log, LOG, "JOB#JOB-456", "2025-11-01T20:30:15.234567Z", id="JE-47"),
    pytest.param(Report, REPORT, "REPORTS#JOB-456", "2025-11-01T20:35:00.000000Z", id="JE-55"),
]


@pytest.mark.accepts("JE-5", "JE-6", "JE-12", "JE-19", "JE-26", "JE-34", "JE-47", "JE-55")
@pytest.mark.parametrize(("entity", "example", "partition", "sort"), INDEX_KEYS)
def test_JE_6_index_keys_are_made_of_the_fields(
    entity: type[Entity], example: str, partition: str, sort: str
) -> None:
    # An item written without them would be lost to every query across journeys.
    bare = {name: value for name, value in stored(example).items() if not name.startswith("GSI1")}
    item = entity.from_item(bare).to_item()
    assert (item["GSI1PK"]["S"], item["GSI1SK"]["S"]) == (partition, sort)


def test_JE_4_a_journey_has_one_metadata_item() -> None:
    # The sort key has no slot: a second one with the same ID is the same item.
    assert Journey.key(journey_id=ID).item == {
        "PK": {"S": f"JOURNEY#{ID}"},
        "SK": {"S": "METADATA"},
    }


@pytest.mark.parametrize(
    "text", ["2025-11-01T20:30:00Z", "2025-11-01T20:30:00.000Z", "2025-11-01T20:30:00.000000Z"]
)
def test_JE_8_instants_are_read_in_every_precision_and_written_with_six_digits(text: str) -> None:
    # '.' sorts before 'Z': keys of mixed precision are not in the order of time.
    example = stored(JOB)
    example["CreatedAt"] = {"S": text}
    example["Data"]["M"]["startTime"] = {"S": text}
    example["SK"] = {"S": f"JOB#01#raw_analysis#001#{text}"}
    job = Job.from_item(example)
    assert job.created_at == job.start_time == AT
    written = job.to_item()
    assert written["SK"]["S"] == "JOB#01#raw_analysis#001#2025-11-01T20:30:00.000000Z"
    assert written["Data"]["M"]["startTime"]["S"] == "2025-11-01T20:30:00.000000Z"


def test_JE_8_keys_are_in_the_order_of_time() -> None:
    # Whatever the fraction, an earlier job's key is the smaller text.
    instants = [
        AT + timedelta(microseconds=step)
        for step in (0, 1, 999, 1_000, 999_999, 1_000_000, 60_000_000)
    ]
    keys = [
        Job.key(journey_id=ID, order=1, stage_id="s", execution_number=1, created_at=at).item["SK"][
            "S"
        ]
        for at in instants
    ]
    assert keys == sorted(keys)


def test_JE_8_the_short_instants_in_the_documents_list_of_keys_are_understood() -> None:
    # The list of sort keys has no and three digits where the example items have six.
    short = {
        **stored(LOG),
        "SK": {"S": "LOG#JOB-456#schema_extraction#2025-11-01T20:31:15.234Z#LOG-789"},
    }
    assert Log.from_item(short).log_id == "LOG-789"


TOO_LARGE = [
    pytest.param(lambda: Stage(journey_id=ID, stage_id="s", name="S", order=100), id="100 stages"),
    pytest.param(lambda: Stage(journey_id=ID, stage_id="s", name="S", order=0), id="stage 0"),
    pytest.param(lambda: Rule.from_item(stored(RULE)).changed(rule_index=1000), id="1000 rules"),
    pytest.param(
        lambda: Job.from_item(stored(JOB)).changed(execution_number=1000), id="1000 executions"
    ),
    pytest.param(lambda: Job.from_item(stored(JOB)).changed(order=100), id="a job of stage 100"),
]


@pytest.mark.parametrize("make", TOO_LARGE)
def test_JE_9_what_does_not_fit_the_width_is_refused(make: Any) -> None:
    # STAGE#100 sorts before STAGE#11: a wider number would quietly break the order of execution.
    with pytest.raises(ValidationError):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Stage.key(journey_id=ID, order=100, stage_id="s"),
        lambda: Rule.key(journey_id=ID, stage_id="s", rule_index=1000, rule_id="r"),
        lambda: Job.key(journey_id=ID, order=1, stage_id="s", execution_number=1000, created_at=AT),
    ],
)
def test_JE_9_a_key_with_a_number_that_does_not_fit_is_refused(make: Any) -> None:
    # The same for a key that is asked for.
    with pytest.raises((ModelError, ValidationError)):
        make()


PREFIXES: list[Any] = [
    pytest.param(Stage.of_journey(journey_id=ID), "STAGE#", id="stages"),
    pytest.param(Rule.of_journey(journey_id=ID), "RULE#", id="rules"),
    pytest.param(
        Rule.of_stage(journey_id=ID, stage_id="raw_analysis"),
        "RULE#raw_analysis#",
        id="rules of a stage",
    ),
    pytest.param(Job.of_journey(journey_id=ID), "JOB#", id="jobs"),
    pytest.param(
        Job.of_stage(journey_id=ID, order=1, stage_id="raw_analysis"),
        "JOB#01#raw_analysis#",
        id="P5",
    ),
    pytest.param(Log.of_step(journey_id=ID, job_id="JOB-456"), "LOG#JOB-456#", id="logs"),
    pytest.param(
        Log.of_step(journey_id=ID, job_id="JOB-456", step="a"),
        "LOG#JOB-456#a#",
        id="logs of a step",
    ),
    pytest.param(Report.of_type(journey_id=ID, job_id="JOB-456"), "REPORT#JOB-456#", id="reports"),
]


@pytest.mark.accepts("JE-10", "JE-61", "JE-64")
@pytest.mark.parametrize(("asked", "prefix"), PREFIXES)
def test_JE_10_prefixes_end_with_the_separator(asked: Query[Any], prefix: str) -> None:
    # LOG#JOB-456 would also find the logs of JOB-4567.
    assert asked.sort is not None
    assert (asked.sort.operator, asked.sort.values) == ("begins_with", (prefix,))


def test_an_id_with_the_separator_is_refused() -> None:
    # Two different stages and rules would have the same key.
    with pytest.raises((ModelError, ValidationError)):
        Rule.of_stage(journey_id=ID, stage_id="raw#001")


def test_JE_11_a_new_kind_of_item_needs_no_change_of_the_table() -> None:
    # Flexibility is one of the reasons for a single table.
    before = table.definition()

    class Note(Entity, table=table, kind="Note", envelope="Data", names=camel):
        journey_id: KeyOnly[str]
        note_id: str

        @key("JOURNEY#{journeyId}", "NOTE#{noteId}")
        def key(journey_id: str, note_id: str):
            """A note on a journey."""

    try:
        assert Note(journey_id=ID, note_id="n1").to_item() == {
            "PK": {"S": "JOURNEY#JRN-ABC123456789"},
            "SK": {"S": "NOTE#n1"},
            "EntityType": {"S": "Note"},
            "Data": {"M": {"noteId": {"S": "n1"}}},
        }
        assert table.definition() == before
    finally:
        table.entities.remove(Note)


@pytest.mark.parametrize(
    "wrong", ["JRN-ABC", "ABC123456789", "JRN-ABC1234567890", "jrn-ABC123456789", ""]
)
def test_JE_2_a_journey_id_is_JRN_and_twelve_characters(wrong: str) -> None:
    # The ID is in every key of the journey; a wrong one cannot be corrected later.
    with pytest.raises(ValidationError):
        Journey.model_validate({**parsed(JOURNEY)["Data"], "journeyId": wrong})


@pytest.mark.accepts("JE-79")
def test_JE_79_the_five_metrics_of_the_document_are_counted() -> None:
    # Under the names of CloudWatch, also where there is no CloudWatch.
    metrics = Metrics()
    backend = Recording(EmbeddedBackend(sortkey.engine.open(":memory:")))
    with Store(backend, metrics=metrics) as store:
        store.ensure(model)
        metrics.families.clear()  # a table that is not there yet is an error to CloudWatch too
        store.put(Journey.from_item(stored(JOURNEY)))
        store.batch_write(default_stages(ID))
        store.query(Stage.of_journey(journey_id=ID))
        with pytest.raises(ItemTooLarge):
            store.put(Log.from_item(stored(LOG)).changed(message="x" * 410_000))
        backend.is_busy = True
        with pytest.raises(Throttled):
            store.find(Journey.key(journey_id=ID))
    totals = metrics.totals()
    assert set(totals) == {
        "ConsumedReadCapacityUnits",
        "ConsumedWriteCapacityUnits",
        "UserErrors",
        "SystemErrors",
        "ThrottledRequests",
    }
    assert totals["ConsumedReadCapacityUnits"] == 1.0  # six stages: 4 to 8 KB, half price
    assert totals["ConsumedWriteCapacityUnits"] >= 14  # seven items, in the table and in the index
    assert (totals["UserErrors"], totals["SystemErrors"], totals["ThrottledRequests"]) == (1, 0, 1)
