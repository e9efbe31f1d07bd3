"""What the items hold: the document's examples unchanged, its attributes, statuses and
enumerations.
"""

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from sortkey import Entity
from sortkey.errors import InvalidItem
from sortkey_systems.jobengine.model import Job, Journey, Log, Report, Rule, Stage, StageJob
from sortkey_systems.jobengine.parts import (
    LOG_FILE,
    PRIORITIES,
    REPORT_FILE,
    LogLine,
    ReportFile,
    S3Config,
)
from sortkey_systems.jobengine.stages.default_stages import default_stages
from tests.systems.jobengine import examples
from tests.systems.jobengine.examples import JOB, JOURNEY, LOG, REPORT, RULE, STAGE, parsed, stored

ID = "JRN-ABC123456789"
KINDS: list[Any] = [
    pytest.param(Journey, JOURNEY, "Journey", id="Journey"),
    pytest.param(Stage, STAGE, "StageDefinition", id="StageDefinition"),
    pytest.param(Rule, RULE, "SecondBrainRule", id="SecondBrainRule"),
    pytest.param(Job, JOB, "JobExecution", id="JobExecution"),
    pytest.param(Log, LOG, "LogEntry", id="LogEntry"),
    pytest.param(Report, REPORT, "JobReport", id="JobReport"),
]


@pytest.mark.accepts("JE-7", "JE-13", "JE-20", "JE-27", "JE-37", "JE-47", "JE-55")
@pytest.mark.parametrize(("entity", "example", "kind"), KINDS)
def test_an_example_of_the_document_comes_back_unchanged(
    entity: type[Entity], example: str, kind: str
) -> None:
    # Tables that exist were written so; reading and writing must not change a byte.
    item = stored(example)
    assert entity.from_item(item).to_item() == item


@pytest.mark.parametrize(("entity", "example", "kind"), KINDS)
def test_JE_7_every_item_says_its_kind_and_when_it_was_made(
    entity: type[Entity], example: str, kind: str
) -> None:
    # The kind tells the items of a partition apart; the payload stands under Data, the instants
    # beside it.
    item = entity.from_item(stored(example)).to_item()
    assert item["EntityType"] == {"S": kind}
    assert "CreatedAt" in item
    assert ("UpdatedAt" in item) is (kind not in ("LogEntry", "JobReport"))
    assert set(item) == {"PK", "SK", "GSI1PK", "GSI1SK", "EntityType", "CreatedAt", "Data"} | (
        {"UpdatedAt"} if kind not in ("LogEntry", "JobReport") else set()
    )


@pytest.mark.accepts("JE-7", "JE-11")
@pytest.mark.parametrize(("entity", "example", "kind"), KINDS)
def test_what_a_newer_program_has_written_survives(
    entity: type[Entity], example: str, kind: str
) -> None:
    # Two versions of the program work on one table while it is deployed.
    item = stored(example)
    item["Later"] = {"S": "outside"}
    item["Data"]["M"]["later"] = {"L": [{"N": "1"}]}
    assert entity.from_item(item).to_item() == item


REFUSED: list[Any] = [
    pytest.param(Journey, JOURNEY, "status", "stopped", id="JE-14 journey status"),
    pytest.param(Journey, JOURNEY, "priority", "urgent", id="JE-15 journey priority"),
    pytest.param(Journey, JOURNEY, "overallProgress", 101, id="JE-17 progress over 100"),
    pytest.param(Journey, JOURNEY, "overallProgress", -1, id="JE-17 progress under 0"),
    pytest.param(Stage, STAGE, "status", "cancelled", id="JE-25 stage status"),
    pytest.param(Stage, STAGE, "ruleTypes", ["guess"], id="JE-20 rule types of a stage"),
    pytest.param(Rule, RULE, "type", "guess", id="JE-28 rule type"),
    pytest.param(Rule, RULE, "status", "deleted", id="JE-29 rule status"),
    pytest.param(Rule, RULE, "scope", "company", id="JE-30 rule scope"),
    pytest.param(Rule, RULE, "ruleId", "rule-a1b2c3d4", id="JE-27 rule id"),
    pytest.param(
        Rule, RULE, "ruleId", "rule-raw_analysis-field_mapping-xyz", id="JE-27 rule id without hex"
    ),
    pytest.param(Job, JOB, "status", "skipped", id="JE-38 job status"),
    pytest.param(Job, JOB, "progress", 101, id="JE-40 job progress"),
    pytest.param(Job, JOB, "jobId", "456", id="JE-39 job id"),
    pytest.param(Job, JOB, "executionNumber", 0, id="JE-39 first attempt is 1"),
    pytest.param(Log, LOG, "level", "fatal", id="JE-48 log level"),
    pytest.param(Report, REPORT, "reportType", "poem", id="JE-57 report type"),
]


@pytest.mark.accepts(
    "JE-14", "JE-15", "JE-17", "JE-20", "JE-25", "JE-27", "JE-28", "JE-29", "JE-30"
)
@pytest.mark.accepts("JE-38", "JE-39", "JE-40", "JE-48", "JE-57")
@pytest.mark.parametrize(("entity", "example", "attribute", "value"), REFUSED)
def test_values_that_the_document_does_not_list_are_refused(
    entity: type[Entity], example: str, attribute: str, value: Any
) -> None:
    # A status that no one handles is a journey that no one finishes.
    with pytest.raises(ValidationError, match=attribute):
        entity.model_validate({**_values(entity, example), attribute: value})


LISTED: list[Any] = [
    pytest.param(
        Journey,
        JOURNEY,
        "status",
        "pending running completed failed paused cancelled",
        id="JE-14 journey status",
    ),
    pytest.param(
        Journey, JOURNEY, "priority", "low medium high critical", id="JE-15 journey priority"
    ),
    pytest.param(
        Stage, STAGE, "status", "pending running completed failed skipped", id="JE-25 stage status"
    ),
    pytest.param(
        Rule,
        RULE,
        "type",
        "field_mapping contextual_recommendations data_interpretation validation_rules "
        "business_logic compliance_check",
        id="JE-28 rule type",
    ),
    pytest.param(Rule, RULE, "status", "active inactive deprecated", id="JE-29 rule status"),
    pytest.param(Rule, RULE, "scope", "global project stage", id="JE-30 rule scope"),
    pytest.param(
        Job, JOB, "status", "pending running completed failed cancelled", id="JE-38 job status"
    ),
    pytest.param(Log, LOG, "level", "debug info warning error", id="JE-48 log level"),
    pytest.param(
        Report,
        REPORT,
        "reportType",
        "summary performance error_analysis custom timeline metrics",
        id="JE-57 reports",
    ),
]


@pytest.mark.accepts(
    "JE-14", "JE-15", "JE-25", "JE-28", "JE-29", "JE-30", "JE-38", "JE-48", "JE-57"
)
@pytest.mark.parametrize(("entity", "example", "attribute", "listed"), LISTED)
def test_values_that_the_document_lists_are_stored_as_they_are(
    entity: type[Entity], example: str, attribute: str, listed: str
) -> None:
    # No more and no fewer than the document has.
    for value in listed.split():
        item = entity.model_validate({**_values(entity, example), attribute: value}).to_item()
        assert item["Data"]["M"][attribute] == {"S": value}
    assert sorted(_choices(entity, attribute)) == sorted(listed.split())


def test_JE_13_a_new_journey_has_the_documents_configuration() -> None:
    # What is not said when a journey is made is as the document has it.
    data = parsed(JOURNEY)["Data"]
    made = Journey(
        journey_id=ID,
        name="n",
        created_by="data_team",
        oda_component_type="PRODUCTCATALOG",
        source=data["source"],
    )
    stored_data = made.changed(created_at=datetime(2025, 11, 1, tzinfo=UTC)).to_item()["Data"]["M"]
    assert stored_data["configuration"] == stored(JOURNEY)["Data"]["M"]["configuration"]
    assert stored_data["aggregates"]["M"].keys() == data["aggregates"].keys()


def test_JE_15_critical_comes_first() -> None:
    # The scheduler's order is not that of the alphabet.
    assert PRIORITIES == ("critical", "high", "medium", "low")


def test_JE_16_the_stage_index_counts_from_0_and_the_order_from_1() -> None:
    # The example: index 2 is tmf_mapping, which is the third stage.
    journey = Journey.from_item(stored(JOURNEY))
    active = default_stages(ID)[journey.current_stage_index]
    assert active.stage_id == journey.current_stage_id == "tmf_mapping"
    assert active.order == journey.current_stage_index + 1


def test_JE_18_execution_time_is_text_in_a_journey_and_seconds_in_a_job() -> None:
    # Both forms are in the document, and programs read both.
    journey, job = Journey.from_item(stored(JOURNEY)), Job.from_item(stored(JOB))
    assert journey.aggregates.total_execution_time == "125m"
    assert job.duration == 125.5
    assert list(journey.aggregates.model_dump(by_alias=True)) == [
        "totalJobs",
        "completedJobs",
        "failedJobs",
        "totalExecutionTime",
        "totalLogs",
        "totalErrors",
        "totalWarnings",
        "totalRules",
        "activeRules",
    ]


@pytest.mark.accepts("JE-21")
def test_JE_21_six_default_stages_in_order() -> None:
    # The order is the order of execution.
    keys = [stage.to_item()["SK"]["S"] for stage in default_stages(ID)]
    assert keys == [
        "STAGE#01#raw_analysis",
        "STAGE#02#stripped_schema",
        "STAGE#03#tmf_mapping",
        "STAGE#04#migration_planning",
        "STAGE#05#data_migration",
        "STAGE#06#verification_validation",
    ]


def test_JE_22_the_first_default_stage_is_the_documents_example() -> None:
    # Its steps, durations and marks are all given.
    expected = stored(STAGE)["Data"]["M"] | {"status": {"S": "pending"}}
    assert default_stages(ID)[0].to_item()["Data"]["M"] == expected


def test_JE_22_every_default_stage_has_steps() -> None:
    # A stage without steps would be finished before it began.
    names = {stage.stage_id: [step.step_id for step in stage.steps] for stage in default_stages(ID)}
    assert names["raw_analysis"] == ["schema_extraction", "metadata_analysis", "data_profiling"]
    assert names["tmf_mapping"][1] == "attribute_mapping"
    assert [len(steps) for steps in names.values()] == [3, 3, 5, 4, 4, 5]


@pytest.mark.accepts("JE-23", "JE-24")
def test_JE_23_skipping_and_assistance_are_said_by_the_stage_and_its_steps() -> None:
    # Whoever runs the stages finds there what is allowed and what uses recommendations.
    stage = Stage.from_item(stored(STAGE))
    assert not stage.can_skip
    assert stage.second_brain_enabled
    assert [step.ai_assisted for step in stage.steps] == [True, True, False]


@pytest.mark.parametrize(
    "value", ["plain text", {"naturalLanguage": "Map sku", "jsonRule": {"min": 0.8, "on": None}}]
)
def test_JE_33_context_and_content_are_text_or_an_object(value: Any) -> None:
    # The document has text, the program behind it writes objects.
    rule = Rule.model_validate({**_values(Rule, RULE), "context": value, "content": value})
    again = Rule.from_item(rule.to_item())
    assert (again.context, again.content) == (value, value)


def test_JE_35_the_dashboards_line_of_a_job() -> None:
    # A job has one key in the index; the small item beside it answers the dashboard's literal
    # query.
    line = StageJob.of(Job.from_item(stored(JOB)))
    assert line.to_item() == {
        "PK": {"S": "JOURNEY#JRN-ABC123456789"},
        "SK": {"S": "DASHBOARD#01#raw_analysis#001"},
        "EntityType": {"S": "StageJob"},
        "GSI1PK": {"S": "STAGE#JRN-ABC123456789#raw_analysis"},
        "GSI1SK": {"S": "2025-11-01T20:30:00.000000Z"},
        "CreatedAt": {"S": "2025-11-01T20:30:00.000000Z"},
        "UpdatedAt": {"S": "2025-11-01T20:32:05.500000Z"},
        "Data": {
            "M": {
                "jobId": {"S": "JOB-456"},
                "journeyId": {"S": "JRN-ABC123456789"},
                "stageId": {"S": "raw_analysis"},
                "executionNumber": {"N": "1"},
                "status": {"S": "completed"},
                "progress": {"N": "100"},
                "startTime": {"S": "2025-11-01T20:30:00.000000Z"},
                "endTime": {"S": "2025-11-01T20:32:05.500000Z"},
            }
        },
    }


def test_JE_37_the_buckets_stand_in_the_job() -> None:
    # Only the flow diagram has them; a job without is a job of the examples.
    job = Job.from_item(stored(JOB)).changed(s3_config=S3Config())
    assert job.to_item()["Data"]["M"]["s3Config"] == {
        "M": {
            "logsBucket": {"S": "transformation-journey-logs"},
            "reportsBucket": {"S": "transformation-journey-reports"},
        }
    }


def test_JE_37_no_error_is_written_as_null() -> None:
    # The example has the attribute, and readers look for it.
    assert Job.from_item(stored(JOB)).error_message is None
    assert stored(JOB)["Data"]["M"]["errorMessage"] == {"NULL": True}


def test_JE_38_in_progress_is_running() -> None:
    # The document's flow writes it; items that have it must be readable, and new ones never get it.
    job = Job.model_validate({**_values(Job, JOB), "status": "in_progress"})
    assert job.status == "running"
    assert job.to_item()["Data"]["M"]["status"] == {"S": "running"}
    old = stored(JOB)
    old["Data"]["M"]["status"] = {"S": "in_progress"}
    assert Job.from_item(old).status == "running"


def test_JE_41_the_sums_of_the_example_hold_in_the_entity() -> None:
    # Reading must not lose a part of a sum: seconds are fractions, counts are whole.
    job = Job.from_item(stored(JOB))
    counts = job.metrics
    assert counts.total_logs == 145
    assert counts.error_count + counts.warning_count + counts.info_count + counts.debug_count == 145
    assert sum(step.duration or 0 for step in job.steps) == job.duration == 125.5
    assert (
        job.results.records_processed
        == job.results.records_succeeded + job.results.records_failed
        == 10000
    )


def test_JE_44_a_job_has_the_documents_limits_by_default() -> None:
    # 1800 seconds and three attempts.
    limits = Job.model_validate({**_values(Job, JOB), "configuration": {}}).configuration
    assert (limits.timeout, limits.retry_attempts) == (1800, 3)


PLACE = {
    "journey_id": ID,
    "stage_id": "raw_analysis",
    "job_id": "JOB-456",
    "step_id": "schema_extraction",
}


def test_JE_45_the_log_file_of_a_step() -> None:
    # The same place as the example entry names.
    location = f"s3://{S3Config().logs_bucket}/{LOG_FILE.render(PLACE)}"
    assert location == parsed(LOG)["Data"]["s3Location"]


def test_JE_53_the_report_file_of_a_step() -> None:
    # The same place as the example entry names.
    location = f"s3://{S3Config().reports_bucket}/{REPORT_FILE.render(PLACE)}"
    assert location == parsed(REPORT)["Data"]["s3Location"]


@pytest.mark.parametrize("attribute", ["jobId", "stageId"])
def test_JE_45_no_id_can_leave_its_folder(attribute: str) -> None:
    # An ID with a slash would write into another job's logs.
    with pytest.raises(ValidationError, match=attribute):
        Job.model_validate({**_values(Job, JOB), attribute: "JOB-1/../JOB-2"})


@pytest.mark.parametrize("line", parsed(examples.LOG_FILE))
def test_JE_46_the_lines_of_a_log_file_come_back_unchanged(line: dict[str, Any]) -> None:
    # Full logs are never lost, and that includes their form.
    assert LogLine.model_validate(line).model_dump(by_alias=True, mode="json") == line


@pytest.mark.accepts("JE-54", "JE-59")
def test_JE_59_a_report_file_comes_back_unchanged_with_its_recommendations() -> None:
    # The reports are read by people and by the next stage.
    report = ReportFile.model_validate(parsed(examples.REPORT_FILE))
    assert report.recommendations[1] == "Consider parallel processing for larger databases"
    assert report.model_dump(by_alias=True, mode="json") == parsed(examples.REPORT_FILE)


@pytest.mark.parametrize("level", ["DEBUG", "Info", "warning", "ERROR"])
def test_JE_48_levels_are_compared_without_case(level: str) -> None:
    # Upper case in S3, lower case in the table, and people write both.
    assert Log.model_validate({**_values(Log, LOG), "level": level}).level == level.lower()
    line = parsed(examples.LOG_FILE)[0]
    assert LogLine.model_validate({**line, "level": level}).level == level.upper()


def test_JE_56_a_report_has_an_id_in_the_catalog_and_one_in_S3() -> None:
    # The catalog's own, and the place where the other is found.
    report = Report.from_item(stored(REPORT))
    assert report.report_id == "RPT-ABC"
    assert report.s3_location.endswith("/executions/JOB-456/reports/schema_extraction.json")


def test_an_item_that_lacks_what_its_kind_needs_is_named() -> None:
    # Half an entity would be worse than an error that says which item is broken.
    item = stored(STAGE)
    del item["Data"]["M"]["name"]
    with pytest.raises(InvalidItem, match="name"):
        Stage.from_item(item)


def _values(entity: type[Entity], example: str) -> dict[str, Any]:
    """All values of an example by attribute, those of its key too."""
    return entity.from_item(stored(example)).model_dump(by_alias=True)


def _choices(entity: type[Entity], attribute: str) -> tuple[str, ...]:
    info = next(info for info in entity.model_fields.values() if info.alias == attribute)
    return get_args(info.annotation)
