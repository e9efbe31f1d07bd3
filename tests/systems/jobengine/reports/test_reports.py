"""Reports of steps and jobs: the file of literal form, the catalog, large ones, recommendations."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, get_args

import pytest

from sortkey import Put, Store
from sortkey.errors import ModelError, NotFound, ObjectNotFound
from sortkey.values.sizes import ITEM_BYTES_MAX, text_size, value_size
from sortkey_systems.jobengine.buckets import REPORTS, Buckets
from sortkey_systems.jobengine.model import Job, Report, StageJob
from sortkey_systems.jobengine.parts import REPORT_FILE, ReportFile, ReportType, StepRun
from sortkey_systems.jobengine.reports.kinds import (
    KINDS,
    Facts,
    facts_of,
    make_report,
    recommendations,
)
from sortkey_systems.jobengine.reports.recommendations import recommendations_for
from sortkey_systems.jobengine.reports.reports import (
    FullReport,
    create_job_report,
    get_job_reports,
    open_report,
    read_report,
    write_step_report,
)
from sortkey_systems.jobengine.reports.usage import Usage, UsageMeter
from sortkey_systems.jobengine.stages.work import to_json
from tests.systems.jobengine import examples
from tests.systems.jobengine.log_lines import ID, STAGE, START, opened, written
from tests.systems.jobengine.service_fixtures import at_home, buckets

__all__ = ["at_home", "buckets"]

JOB = "JOB-456"


@pytest.fixture
def job(at_home: Store) -> Job:
    """The document's job: 125.5 s, 45 tables, 2 of 10,000 records failed."""
    return stored_job(at_home)


def stored_job(store: Store, **changes: Any) -> Job:
    made = Job.from_item(examples.stored(examples.JOB)).changed(**changes)
    store.transact(Put(made), Put(StageJob.of(made)))
    return made


def report_of(
    buckets: Buckets, store: Store, job: Job, step: StepRun | None = None, **changes: Any
) -> Report:
    given: dict[str, Any] = {
        "title": "Schema Extraction Performance Report",
        "summary": "Extracted 45 tables in 45.2 seconds",
        "results": {"tablesExtracted": 45, "fieldsExtracted": 450},
        "recommendations": ["Consider parallel processing for larger databases"],
        "items": 45,
        "tables": 45,
        "usage": Usage("256MB", "35%"),
    }
    step = step or job.steps[0].model_copy(update={"duration": 45.2})
    return write_step_report(buckets.reports, store, job=job, step=step, **(given | changes))


def reports(buckets: Buckets, store: Store) -> list[FullReport]:
    return list(get_job_reports(buckets.reports, store, ID, JOB, STAGE))


def place(step_id: str) -> str:
    return str(
        REPORT_FILE.render({"journey_id": ID, "stage_id": STAGE, "job_id": JOB, "step_id": step_id})
    )


@pytest.mark.accepts("JE-53", "JE-54", "JE-55", "JE-56", "JE-59")
def test_JE_54_a_step_leaves_a_report_of_the_documents_form_and_a_catalog_entry(
    buckets: Buckets, at_home: Store, job: Job
) -> None:
    # The same members as the example, at the same place; the catalog has an ID of its own and the
    # way to the file.
    entry = report_of(buckets, at_home, job)
    content = json.loads(buckets.reports.read(place("schema_extraction")))
    expected = examples.parsed(examples.REPORT_FILE)
    assert content.keys() == expected.keys()
    assert content["reportId"] == f"{JOB}_schema_extraction"
    assert content["performanceMetrics"].keys() == expected["performanceMetrics"].keys()
    assert content["executionSummary"].keys() == expected["executionSummary"].keys()
    figures = content["performanceMetrics"]
    assert (figures["throughput"], figures["averageTableProcessingTime"]) == (0.9956, 1.004)
    assert (figures["memoryUsage"], figures["cpuUtilization"], figures["errorRate"]) == (
        "256MB",
        "35%",
        0,
    )
    assert content["recommendations"][0] == "Consider parallel processing for larger databases"
    assert content["detailedResults"] == {"tablesExtracted": 45, "fieldsExtracted": 450}

    assert entry.s3_location == f"s3://{buckets.reports.name}/{place('schema_extraction')}"
    assert buckets.reports.name.endswith(REPORTS)
    assert entry.report_id.startswith("RPT-")
    assert (entry.status, entry.metrics.report_sections) == ("generated", 5)
    assert entry.metrics.content_size == buckets.reports.head(place("schema_extraction")).size
    (item,) = [report.to_item() for report in at_home.query(Report.of_job(job_id=JOB))]
    instant = item["GSI1SK"]["S"]
    assert item["SK"]["S"] == f"REPORT#{JOB}#performance#{instant}#{entry.report_id}"
    assert item["GSI1PK"]["S"] == f"REPORTS#{JOB}"


@pytest.mark.accepts("JE-53", "JE-58")
def test_JE_58_all_reports_of_a_job_are_listed_and_read(
    buckets: Buckets, at_home: Store, job: Job
) -> None:
    # Of every step, and of the job; each with its file and its entry, and none of another job.
    for step in job.steps:
        report_of(buckets, at_home, job, step)
    create_job_report(
        buckets.reports, at_home, ID, JOB, "performance", "All", {"seconds": 125.5}, "125.5 s"
    )
    other = stored_job(
        at_home, job_id="JOB-4567", execution_number=2, created_at=START + timedelta(hours=1)
    )
    report_of(buckets, at_home, other)
    found = reports(buckets, at_home)
    names = ["data_profiling", "metadata_analysis", "performance_summary", "schema_extraction"]
    assert [report.location.rsplit("/", 1)[1] for report in found] == [
        f"{name}.json" for name in names
    ]
    for report, name in zip(found, names, strict=True):
        assert report.file.report_id == f"{JOB}_{name}"
        assert report.catalog is not None
        assert report.catalog.s3_location == report.location
        assert report.content_size == report.catalog.metrics.content_size


@pytest.mark.accepts("JE-53", "JE-56")
def test_JE_56_a_report_that_is_written_again_replaces_itself(
    buckets: Buckets, at_home: Store, job: Job
) -> None:
    # A step that is taken up again after a crash: one file, one entry, and that of the newest.
    first = report_of(buckets, at_home, job)
    second = report_of(buckets, at_home, job, summary="Once more", report_type="summary")
    assert at_home.query(Report.of_job(job_id=JOB)) == [second]
    assert second.report_id == first.report_id
    (found,) = reports(buckets, at_home)
    assert (found.file.summary, found.catalog) == ("Once more", second)


@pytest.mark.accepts("JE-57")
def test_JE_57_there_are_six_types_and_five_of_them_are_made_of_a_job() -> None:
    # The sixth, custom, is whatever somebody writes.
    assert set(get_args(ReportType)) == {*KINDS, "custom"}


@pytest.mark.accepts("JE-58")
def test_JE_58_custom_reports_have_names(buckets: Buckets, at_home: Store, job: Job) -> None:
    # A second custom report must not replace the first, unless it has its name.
    about = (buckets.reports, at_home, ID, JOB, "custom", "Sizes")
    create_job_report(*about, {"largest": "orders"}, "sizes of tables", name="table_sizes")
    create_job_report(*about, ["a", "b"], "a list", recommendations=["Drop them"])
    found = {report.file.report_id: report.file for report in reports(buckets, at_home)}
    assert found[f"{JOB}_table_sizes"].detailed_results == {"largest": "orders"}
    assert found[f"{JOB}_custom_summary"].detailed_results == {"result": ["a", "b"]}
    assert found[f"{JOB}_custom_summary"].recommendations == ["Drop them"]


def test_a_report_of_a_job_that_is_not_there_is_refused(
    buckets: Buckets, at_home: Store, job: Job
) -> None:
    # Also of one in another journey: an ID alone opens nothing.
    for journey_id, job_id in [(ID, "JOB-9"), ("JRN-XXXXXXXXXXXX", JOB)]:
        with pytest.raises(NotFound, match=job_id):
            create_job_report(buckets.reports, at_home, journey_id, job_id, "summary", "?", {}, "?")
    assert buckets.reports.list().objects == ()


@pytest.mark.accepts("JE-60", "JE-68")
def test_JE_60_a_report_of_more_than_ten_megabytes_is_ordinary(
    buckets: Buckets, at_home: Store, job: Job
) -> None:
    # An item ends at 400 KB; the file has no limit, and the entry stays small.
    rows = [{"table": f"table_{number}", "note": "x" * 1000} for number in range(11_000)]
    entry = report_of(buckets, at_home, job, results={"rows": rows})
    assert entry.metrics.content_size > 11_000_000
    size = sum(text_size(name) + value_size(value) for name, value in entry.to_item().items())
    assert size < 2048 < ITEM_BYTES_MAX
    assert (
        read_report(buckets.reports, entry).detailed_results["rows"][10_999]["table"]
        == "table_10999"
    )
    with open_report(buckets.reports, entry) as stream:
        assert sum(len(chunk) for chunk in stream) == entry.metrics.content_size
    assert reports(buckets, at_home)[0].file.detailed_results["rows"] == rows


def test_an_entry_whose_file_is_gone_says_so(buckets: Buckets, at_home: Store, job: Job) -> None:
    # Somebody has removed it by hand.
    entry = report_of(buckets, at_home, job)
    buckets.reports.delete(place("schema_extraction"))
    with pytest.raises(ObjectNotFound):
        read_report(buckets.reports, entry)
    assert reports(buckets, at_home) == []


def test_a_usage_is_measured_as_the_reports_show_it() -> None:
    # Megabytes at the peak, percent of one processor.
    usage = UsageMeter().read()
    assert int(usage.memory.removesuffix("MB")) > 10
    assert 0 <= int(usage.cpu.removesuffix("%")) <= 10_000


# -- what stands in the reports of a job


@pytest.mark.accepts("JE-57", "JE-59")
@pytest.mark.parametrize("report_type", KINDS)
def test_JE_59_every_kind_of_report_is_made_of_a_job_with_recommendations(
    buckets: Buckets, at_home: Store, job: Job, report_type: ReportType
) -> None:
    # From the job's record and its log, in one call.
    written(buckets.logs, "schema_extraction", 200)
    entry = make_report(buckets, at_home, ID, JOB, report_type)
    assert entry.s3_location.endswith(f"/reports/{report_type}_summary.json")
    assert entry.report_type == report_type
    file = read_report(buckets.reports, entry)
    assert file.recommendations
    assert file.execution_summary.duration == 125.5
    assert _SAYS[report_type](file.detailed_results)


_SAYS: dict[str, Any] = {
    "summary": lambda found: (
        found["steps"] == {"completed": 3, "of": 3} and found["logs"]["errorCount"] == 2
    ),
    "performance": lambda found: (
        [step["share"] for step in found["steps"]] == [0.3586, 0.5219, 0.1195]
    ),
    "error_analysis": lambda found: (
        found["errors"][0]["count"] == 2 and found["warnings"][0]["count"] == 18
    ),
    "timeline": lambda found: (
        found["moments"][0]["text"] == "created by user" and len(found["moments"]) == 29
    ),
    "metrics": lambda found: (
        found["logsByStep"]["schema_extraction"]["lines"] == 200 and found["errorRate"] == 0.0002
    ),
}


def test_a_custom_report_cannot_be_made_of_a_job(
    buckets: Buckets, at_home: Store, job: Job
) -> None:
    # Nobody knows what should be in it.
    with pytest.raises(ModelError, match="create_job_report"):
        make_report(buckets, at_home, ID, JOB, "custom")


def facts(buckets: Buckets, store: Store, **changes: Any) -> Facts:
    stored_job(store, **changes)
    return facts_of(buckets, store, ID, JOB)


def advice(buckets: Buckets, store: Store, **changes: Any) -> str:
    return "\n".join(recommendations(facts(buckets, store, **changes)))


@pytest.mark.accepts("JE-59")
def test_JE_59_recommendations_follow_from_what_happened(buckets: Buckets, at_home: Store) -> None:
    # Each names its cause; none stands there for decoration.
    steps = Job.from_item(examples.stored(examples.JOB)).steps
    failed = [*steps[:2], steps[2].model_copy(update={"status": "failed"})]
    log = opened(buckets.logs, "data_profiling")
    for row in range(3):
        log.add("ERROR", f"row {row} has no id")
        log.add("WARNING", f"'t{row}' is empty")
    log.close()
    said = advice(buckets, at_home, status="failed", error_message="no ids", steps=failed)
    assert "failed in data_profiling: fix the cause (no ids), then retry it" in said
    assert "3 of 3 errors are of one kind, as in data_profiling: row 0 has no id" in said
    assert "2 records failed (0.02%)" in said
    assert "3 warnings are alike: 't0' is empty" in said
    assert "metadata_analysis takes 52% of the time" in said


def test_a_job_that_ran_well_is_reported_as_healthy(buckets: Buckets, at_home: Store) -> None:
    # Advice without a cause is not read the next time.
    clean = Job.from_item(examples.stored(examples.JOB)).results.model_copy(
        update={"records_failed": 0}
    )
    even = [
        step.model_copy(update={"duration": 40.0})
        for step in Job.from_item(examples.stored(examples.JOB)).steps
    ]
    said = advice(buckets, at_home, results=clean, steps=even, duration=120.0)
    assert said == "Raw Analysis Job ran without errors: nothing to do"


def test_a_job_that_takes_much_longer_than_the_last_time_is_reported(
    buckets: Buckets, at_home: Store
) -> None:
    # The execution before lies in the dashboard's lines.
    before = {"execution_number": 1, "job_id": "JOB-1", "end_time": START + timedelta(seconds=20)}
    stored_job(at_home, **before)
    said = advice(buckets, at_home, execution_number=2, created_at=START + timedelta(hours=1))
    assert "It took 126 s, the execution before 20 s" in said


@pytest.mark.parametrize(
    ("changes", "figures", "says"),
    [
        ({"status": "failed"}, {}, "did not end (failed): read its errors"),
        ({}, {"error_rate": 0.05}, "5.0% of the items failed"),
        ({}, {"error_rate": 0.001}, "0.10% of the items failed"),
        ({}, {"average_table_processing_time": 9.0}, "9.0 s on average"),
        ({"duration": 1200.0}, {}, "20 minutes"),
        ({}, {"memory_usage": "4096MB"}, "4,096 MB"),
        ({"duration": 400.0}, {"cpu_utilization": "99%"}, "processor is the limit"),
        ({"duration": 400.0}, {"cpu_utilization": "5%"}, "mostly waits"),
        ({}, {}, "performed well"),
    ],
)
def test_figures_of_a_step_advise_what_they_show(
    changes: dict[str, Any], figures: dict[str, Any], says: str
) -> None:
    # Each figure beyond its limit gives one piece of advice. Without any, the step is reported well.
    example = examples.parsed(examples.REPORT_FILE)
    file = ReportFile.model_validate(example)
    execution = file.execution_summary.model_copy(update=changes)
    metrics = file.performance_metrics.model_copy(update=figures)
    (only,) = [text for text in recommendations_for(execution, metrics) if says in text]
    assert only


def test_the_result_of_a_real_step_is_a_report(buckets: Buckets, at_home: Store, job: Job) -> None:
    # Steps return dataclasses.
    entry = report_of(buckets, at_home, job, results=Usage("1MB", "2%"))
    assert read_report(buckets.reports, entry).detailed_results == to_json(Usage("1MB", "2%"))
