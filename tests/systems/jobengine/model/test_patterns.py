"""The document's retrieval patterns P1 to P6 and its dashboard, on the embedded engine."""

from datetime import timedelta
from typing import Any

import pytest

from sortkey import Put, Store, attr
from sortkey_systems.jobengine.model import (
    Job,
    Journey,
    Log,
    Report,
    Rule,
    Stage,
    StageJob,
    active_journeys,
    get_journey_complete,
    in_rank_order,
    jobs_of_stage,
    latest_execution,
    model,
    recent_logs,
    rules_for_stage,
)
from sortkey_systems.jobengine.parts import ReportMetrics
from tests.systems.jobengine.conftest import AT, ID, rule
from tests.systems.jobengine.examples import JOURNEY, LOG, stored

STAGES = [
    "raw_analysis",
    "stripped_schema",
    "tmf_mapping",
    "migration_planning",
    "data_migration",
    "verification_validation",
]


def logs(store: Store, job_id: str, count: int) -> None:
    """So many logs of a job, one a second."""
    first = Log.from_item(stored(LOG))
    times = [(number, AT + timedelta(seconds=number)) for number in range(1, count + 1)]
    store.batch_write(
        [
            first.changed(
                job_id=job_id,
                log_id=f"LOG-{number}",
                timestamp=at,
                created_at=at,
                message=f"line {number}",
            )
            for number, at in times
        ]
    )


def test_the_patterns_are_those_of_the_document_in_its_words() -> None:
    # Whoever looks for what the table can answer finds it under the document's own headings.
    described = {pattern.name: pattern.doc for pattern in model.patterns()}
    assert described["journey_details"].startswith("Pattern 1: Get Complete Journey Information")
    assert described["journey_jobs"].startswith("Pattern 1: Get Complete Journey Information")
    assert described["Journey.all"].startswith("Pattern 2: List All Journeys")
    assert described["Log.of_job"].startswith("Pattern 3: Get All Logs for a Job")
    assert described["Rule.of_stage"].startswith("Pattern 4: Get Stage-Specific Rules")
    assert described["Job.of_stage"].startswith("Pattern 5: Get Jobs for Specific Stage")
    assert described["recent_logs"].startswith("Pattern 6: Get Recent Job Logs")
    assert described["StageJob.of_stage"].startswith("Scenario 1: Dashboard - Show All Jobs")
    assert all(described.values())


@pytest.mark.parametrize("pattern", model.patterns(), ids=lambda pattern: pattern.name)
def test_JE_65_no_pattern_scans(pattern: Any) -> None:
    # Each has its partition key, and an index where it asks across journeys.
    explained = pattern.explain()
    assert explained.operation in ("GetItem", "Query")
    assert explained.table == "TransformationSystem"
    partition = "GSI1PK" if explained.index else "PK"
    assert f"{partition} = " in explained.key_condition


def test_the_table_that_was_made_does_not_differ_from_the_model(store: Store) -> None:
    # JE-1 and JE-5 as the engine describes them.
    assert store.ensure(model) == []


@pytest.mark.accepts("JE-61", "JE-35")
def test_JE_61_a_complete_journey_in_two_queries(store: Store, job: Job) -> None:
    # Metadata, reports, rules and stages lie behind METADATA, jobs before it; logs between them are
    # never read.
    details, jobs = (store.collection(read) for read in get_journey_complete(ID))
    assert details.one(Journey) == Journey.from_item(stored(JOURNEY))
    assert [stage.stage_id for stage in details.of(Stage)] == STAGES
    assert len(details.of(Rule)) == 1
    assert [report.report_id for report in details.of(Report)] == ["RPT-ABC"]
    assert jobs.of(Job) == [job]
    assert (len(details), len(jobs)) == (9, 1)


def test_JE_61_the_key_conditions_of_the_two_queries() -> None:
    # SK >= METADATA and begins_with JOB#, nothing else.
    conditions = {
        p.name: p.explain(journey_id=ID).key_condition
        for p in model.patterns()
        if p.name.startswith("jour")
    }
    assert conditions == {
        "journey_details": f"PK = 'JOURNEY#{ID}' AND SK >= 'METADATA'",
        "journey_jobs": f"PK = 'JOURNEY#{ID}' AND begins_with(SK, 'JOB#')",
    }


def test_JE_19_stages_come_in_order_from_the_table_and_from_the_index(
    store: Store, journey: Journey
) -> None:
    # The order of the keys is the order of execution.
    assert [stage.stage_id for stage in store.query(Stage.of_journey(journey_id=ID))] == STAGES
    assert [stage.stage_id for stage in store.query(Stage.in_order(journey_id=ID))] == STAGES
    (third,) = store.query(Stage.in_order(journey_id=ID, order=3))
    assert third.stage_id == "tmf_mapping"


def test_JE_62_all_journeys_by_creation_and_the_active_ones(store: Store) -> None:
    # The dashboard shows what still runs, and reads one partition of the index for it.
    example = Journey.from_item(stored(JOURNEY))
    for number, status in enumerate(
        ["completed", "running", "paused", "failed", "pending", "cancelled"]
    ):
        at = AT - timedelta(days=number)
        store.create(example.changed(journey_id=f"JRN-{number:012d}", status=status, created_at=at))
    numbers = [int(each.journey_id[4:]) for each in store.query(Journey.all())]
    assert numbers == [5, 4, 3, 2, 1, 0]
    assert [int(each.journey_id[4:]) for each in store.query(active_journeys())] == [4, 2, 1]


@pytest.mark.accepts("JE-63", "JE-36")
def test_JE_63_all_logs_of_a_job_in_the_order_of_time(store: Store, job: Job) -> None:
    # The job itself has the same partition in the index, and is no log.
    logs(store, "JOB-456", 30)
    logs(store, "JOB-4567", 3)
    found = store.query(Log.of_job(job_id="JOB-456"))
    assert len(found) == 31
    assert [log.timestamp for log in found] == sorted(log.timestamp for log in found)
    assert {log.job_id for log in found} == {"JOB-456"}


@pytest.mark.accepts("JE-63", "JE-36")
def test_JE_63_the_most_recent_hundred_logs(store: Store, job: Job) -> None:
    # Newest first, and full although the index also holds the job: the filter must not shorten the
    # page.
    logs(store, "JOB-456", 150)
    found = store.query(recent_logs("JOB-456"))
    assert [log.message for log in found] == [f"line {number}" for number in range(150, 50, -1)]


def test_JE_63_fewer_than_a_hundred_are_all_of_them(store: Store, job: Job) -> None:
    # The end of the partition is the end of the list, and there stands the job.
    logs(store, "JOB-456", 10)
    assert len(store.query(recent_logs("JOB-456"))) == 11


def test_JE_36_the_job_of_an_id_is_no_log(store: Store, job: Job) -> None:
    # The other side of the shared partition.
    logs(store, "JOB-456", 150)
    assert store.query(Job.by_id(job_id="JOB-456")) == [job]
    assert store.first(Job.by_id(job_id="JOB-456")) == job


@pytest.mark.accepts("JE-64", "JE-10")
def test_JE_64_rules_of_a_stage(store: Store, journey: Journey) -> None:
    # The prefix ends with the separator, so raw_analysis_2 is another stage.
    for number, stage in ((2, "raw_analysis"), (1, "raw_analysis_2"), (1, "tmf_mapping")):
        store.put(rule(number, stage_id=stage))
    found = store.query(Rule.of_stage(journey_id=ID, stage_id="raw_analysis"))
    assert [each.rule_index for each in found] == [1, 2]
    assert {each.stage_id for each in found} == {"raw_analysis"}
    assert len(store.query(Rule.of_journey(journey_id=ID))) == 4


def test_JE_64_jobs_of_a_stage(store: Store, job: Job) -> None:
    # By the narrower prefix, and by the document's filter where the order is not known.
    second = job.changed(stage_id="stripped_schema", order=2, job_id="JOB-457")
    store.put(second)
    assert store.query(Job.of_stage(journey_id=ID, order=1, stage_id="raw_analysis")) == [job]
    assert store.query(jobs_of_stage(ID, "stripped_schema")) == [second]
    assert store.query(Job.of_journey(journey_id=ID)) == [job, second]


def test_JE_31_rules_are_executed_critical_first(store: Store, journey: Journey) -> None:
    # The index orders priorities by the alphabet, where low comes before medium.
    for number, priority in enumerate(["low", "medium", "critical", "high", "critical"], start=2):
        store.put(rule(number, priority=priority))
    by_key = [
        each.priority
        for each in store.query(Rule.by_priority(journey_id=ID, stage_id="raw_analysis"))
    ]
    assert by_key == ["critical", "critical", "high", "high", "low", "medium"]
    ranked = in_rank_order(store.query(Rule.of_stage(journey_id=ID, stage_id="raw_analysis")))
    assert [(each.priority, each.rule_index) for each in ranked] == [
        ("critical", 4),
        ("critical", 6),
        ("high", 1),
        ("high", 5),
        ("medium", 3),
        ("low", 2),
    ]


@pytest.mark.accepts("JE-32", "JE-29", "JE-30")
def test_JE_32_rules_for_a_stage_are_also_those_that_name_it(
    store: Store, journey: Journey
) -> None:
    # A prefix finds only what is stored under the stage.
    only_here = {"created_by": "t", "applicable_stages": []}
    store.put(rule(1, stage_id="tmf_mapping", metadata=only_here))
    store.put(rule(2, stage_id="tmf_mapping", metadata=only_here, status="inactive"))
    store.put(rule(3, stage_id="data_migration", metadata=only_here, scope="global"))
    store.put(rule(4, stage_id="data_migration", metadata=only_here, scope="project"))
    store.put(rule(5, stage_id="data_migration", metadata=only_here))
    found = {
        (each.stage_id, each.rule_index) for each in store.query(rules_for_stage(ID, "tmf_mapping"))
    }
    assert found == {
        ("tmf_mapping", 1),
        ("raw_analysis", 1),
        ("data_migration", 3),
        ("data_migration", 4),
    }


def test_JE_35_the_dashboard_lists_the_jobs_of_a_stage(store: Store, job: Job) -> None:
    # The document's literal query, which the job's own index key cannot answer.
    (line,) = store.query(StageJob.of_stage(journey_id=ID, stage_id="raw_analysis"))
    assert (line.job_id, line.status, line.progress) == ("JOB-456", "completed", 100)
    assert (line.start_time, line.end_time) == (job.start_time, job.end_time)
    explained = next(p for p in model.patterns() if p.name == "StageJob.of_stage").explain(
        journey_id=ID, stage_id="raw_analysis"
    )
    assert explained.index == "GSI1"
    assert explained.key_condition == f"GSI1PK = 'STAGE#{ID}#raw_analysis'"


def test_JE_42_the_latest_execution_is_the_one_with_the_highest_number(
    store: Store, job: Job
) -> None:
    # By number, not by time: 010 comes after 009.
    for number in (2, 10, 9):
        at = AT + timedelta(minutes=20 - number)
        store.create(
            job.changed(
                execution_number=number, created_at=at, job_id=f"JOB-{number}", status="pending"
            )
        )
    found = store.first(latest_execution(ID, 1, "raw_analysis"))
    assert found is not None
    assert found.execution_number == 10
    assert len(store.query(Job.of_stage(journey_id=ID, order=1, stage_id="raw_analysis"))) == 4


def test_JE_55_reports_of_a_job(store: Store, job: Job) -> None:
    # The catalog: what reports there are, and where.
    (report,) = store.query(Report.of_job(job_id="JOB-456"))
    assert report.summary == "Job completed in 125.5 seconds with 2 errors"
    assert store.query(
        Report.of_type(journey_id=ID, job_id="JOB-456", report_type="performance")
    ) == [report]
    assert store.query(Report.of_type(journey_id=ID, job_id="JOB-456", report_type="summary")) == []


@pytest.mark.accepts("JE-58", "JE-60")
def test_JE_58_a_new_report_is_in_the_catalog_however_large_it_is(store: Store, job: Job) -> None:
    # 10 MB lie in S3; the item has its summary, its size and its place.
    made = store.create(
        Report(
            journey_id=ID,
            report_id="RPT-DEF",
            job_id="JOB-456",
            report_type="summary",
            title="Summary",
            s3_location="s3://transformation-journey-reports/journeys/x.json",
            generated_at=AT + timedelta(hours=1),
            metrics=ReportMetrics(content_size=10 * 2**20, report_sections=40),
        )
    )
    assert [report.report_id for report in store.query(Report.of_job(job_id="JOB-456"))] == [
        "RPT-ABC",
        "RPT-DEF",
    ]
    assert store.query(Report.of_type(journey_id=ID, job_id="JOB-456", report_type="summary")) == [
        made
    ]


def test_JE_47_logs_of_one_step(store: Store, job: Job) -> None:
    # The journey's own partition, by job and step.
    other = Log.from_item(stored(LOG)).changed(step="data_profiling", log_id="LOG-1")
    store.put(other)
    assert store.query(Log.of_step(journey_id=ID, job_id="JOB-456", step="data_profiling")) == [
        other
    ]
    assert len(store.query(Log.of_step(journey_id=ID, job_id="JOB-456"))) == 2


def test_JE_65_large_results_come_in_pages(store: Store, job: Job) -> None:
    # Thousands of logs are not for one answer.
    logs(store, "JOB-456", 60)
    asked, cursor, sizes = Log.of_job(job_id="JOB-456"), None, []
    while True:
        page = store.page(asked, cursor=cursor, size=25)
        sizes.append(len(page.items))
        cursor = page.cursor
        if cursor is None:
            break
    assert sum(sizes) == 61
    assert sizes[:2] == [25, 25]


def test_JE_18_aggregates_are_counted_in_place(store: Store, journey: Journey) -> None:
    # Two jobs that end at once must both be counted.
    key = Journey.key(journey_id=ID)
    for _ in range(2):
        store.update(
            key,
            attr(Journey.aggregates.completed_jobs).add(1),
            attr(Journey.aggregates.total_logs).add(5),
        )
    counted = store.get(key).aggregates
    assert (counted.completed_jobs, counted.total_logs, counted.total_jobs) == (10, 1460, 12)


def test_examples_are_stored_and_read_as_they_are(store: Store, job: Job) -> None:
    # From the document into the engine and back.
    assert store.get(Journey.key(journey_id=ID)).to_item() == stored(JOURNEY)
    log = store.query(Log.of_job(job_id="JOB-456"))[0]
    assert log.to_item() == stored(LOG)
    assert Put(log).request(0)["Item"] == stored(LOG)
