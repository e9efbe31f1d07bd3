"""Executions of stages: what a job shows while it runs and when it has ended, and in which order
stages run.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sortkey.errors import NotFound
from sortkey_systems.jobengine.inputs import RuleDraft
from sortkey_systems.jobengine.journeys.progress import StageOutOfOrder, WrongState
from sortkey_systems.jobengine.model import Job, Report, StageJob
from sortkey_systems.jobengine.parts import LOG_FILE, REPORT_FILE, LogCounts
from sortkey_systems.jobengine.reports.reports import get_job_reports
from sortkey_systems.jobengine.rules.rules import Rules
from sortkey_systems.jobengine.stages.data_migration.target import Target
from sortkey_systems.jobengine.stages.work import StepContext, Work
from tests.systems.jobengine.engines import Engine, Scripted, engine, scripted
from tests.systems.jobengine.stage_runs import STAGES

__all__ = ["engine", "scripted"]


@pytest.mark.accepts("JE-35", "JE-37", "JE-38", "JE-39", "JE-80")
def test_JE_80_a_job_starts_with_its_record_its_line_and_its_buckets(engine: Engine) -> None:
    # Whoever starts a job sees it at once, before any worker has looked.
    journey = engine.journey()
    job = engine.start(journey)
    assert (job.status, job.progress, job.execution_number, job.triggered_by) == (
        "pending",
        0,
        1,
        "user",
    )
    assert job.s3_config == engine.buckets.s3_config
    assert [step.step_id for step in job.steps] == [
        "schema_extraction",
        "metadata_analysis",
        "data_profiling",
    ]
    (line,) = engine.store.query(
        StageJob.of_stage(journey_id=journey.journey_id, stage_id="raw_analysis")
    )
    assert (line.job_id, line.status, line.created_at) == (job.job_id, "pending", job.created_at)
    started = engine.again(journey)
    assert (started.status, started.aggregates.total_jobs) == ("running", 1)
    assert started.current_jobs == {"raw_analysis": job.job_id}


@pytest.mark.accepts("JE-37", "JE-40", "JE-41", "JE-49", "JE-80")
def test_JE_37_a_completed_job_tells_what_it_did_in_figures_that_add_up(engine: Engine) -> None:
    # The dashboard, the invoice and the audit are made of these figures.
    journey = engine.journey()
    job = engine.run(journey)
    assert (job.status, job.progress, job.error_message) == ("completed", 100, None)
    assert job.current_step == "data_profiling"
    assert [step.status for step in job.steps] == ["completed"] * 3
    assert round(sum(step.duration or 0 for step in job.steps), 6) == job.duration
    assert job.start_time == job.steps[0].start_time
    assert job.end_time == job.steps[-1].end_time
    results, metrics = job.results, job.metrics
    assert (results.tables_analyzed, results.fields_extracted) == (22, 126)
    assert results.records_processed == results.records_succeeded + results.records_failed > 600
    parts = (metrics.error_count, metrics.warning_count, metrics.info_count, metrics.debug_count)
    assert metrics.total_logs == sum(parts) == len(engine.messages(job))
    assert job.configuration.timeout == 1800
    line = engine.executions.dashboard(journey.journey_id, "raw_analysis")[0]
    assert (line.status, line.progress, line.end_time) == ("completed", 100, job.end_time)


@pytest.mark.accepts("JE-45", "JE-53", "JE-55", "JE-80")
def test_JE_80_each_step_leaves_one_log_and_one_report(engine: Engine) -> None:
    # Full logs and reports lie in the buckets under the document's names; the table has the
    # catalog.
    journey = engine.journey()
    job = engine.run(journey)
    for step in job.steps:
        place = {"journey_id": journey.journey_id, "stage_id": "raw_analysis", "job_id": job.job_id}
        lines = json.loads(
            engine.buckets.logs.read(str(LOG_FILE.render({**place, "step_id": step.step_id})))
        )
        assert {(line["jobId"], line["step_id"]) for line in lines} == {(job.job_id, step.step_id)}
        report = json.loads(
            engine.buckets.reports.read(str(REPORT_FILE.render({**place, "step_id": step.step_id})))
        )
        assert report["executionSummary"]["duration"] == step.duration
        assert report["detailedResults"]
    catalog = engine.store.query(Report.of_job(job_id=job.job_id))
    assert [entry.title for entry in catalog] == [
        "Schema Extraction",
        "Metadata Analysis",
        "Data Profiling",
    ]
    found = {each.file.execution_summary.step_id: each.file for each in _reports(engine, job)}
    assert found["schema_extraction"].performance_metrics.throughput > 0
    assert any(
        "registered_on mixes dates" in each for each in found["data_profiling"].recommendations
    )


def _reports(engine: Engine, job: Job) -> list[Any]:
    return list(
        get_job_reports(
            engine.buckets.reports, engine.store, job.journey_id, job.job_id, job.stage_id
        )
    )


@pytest.mark.accepts("JE-40", "JE-49")
def test_JE_49_logs_are_collected_while_a_step_runs_and_uploaded_when_it_has_ended(
    engine: Engine, scripted: Scripted
) -> None:
    # A request for each line would cost more than the step.
    seen: list[Any] = []

    def first(work: Work, ctx: StepContext) -> str:
        ctx.log("INFO", "one")
        ctx.log("WARNING", "two", table="orders")
        seen.append([found.key.rsplit("/", 1)[-1] for found in engine.buckets.logs.list().objects])
        return "done"

    def second(work: Work, ctx: StepContext) -> str:
        seen.append([found.key.rsplit("/", 1)[-1] for found in engine.buckets.logs.list().objects])
        return work.results["first"]

    job = engine.run(scripted.journey(first, second))
    assert job.status == "completed"
    assert "first.json" not in seen[0]
    assert "first.json" in seen[1]
    assert engine.messages(job, "first") == ["one", "two"]
    assert job.metrics == LogCounts(total_logs=2, warning_count=1, info_count=1)


@pytest.mark.accepts("JE-16", "JE-17", "JE-40")
def test_JE_40_progress_is_there_for_all_to_see_while_the_job_runs(
    engine: Engine, scripted: Scripted
) -> None:
    # On the job, on its line, and as the journey's own progress: 50 % of the first of six stages.
    shown: list[tuple[int, str | None, int, int]] = []

    def look(work: Work, ctx: StepContext) -> None:
        (job,) = engine.jobs(journey)
        (line,) = engine.executions.dashboard(journey.journey_id, "raw_analysis")
        shown.append(
            (job.progress, job.current_step, line.progress, engine.again(journey).overall_progress)
        )

    def once(work: Work, ctx: StepContext) -> None:
        look(work, ctx)

    def twice(work: Work, ctx: StepContext) -> None:
        look(work, ctx)

    journey = scripted.journey(once, twice)
    engine.run(journey)
    assert shown == [(0, "once", 0, 0), (50, "twice", 50, 8)]
    after = engine.again(journey)
    assert (after.overall_progress, after.current_stage_index, after.current_stage_id) == (
        16,
        1,
        "stripped_schema",
    )


@pytest.mark.accepts("JE-14", "JE-16", "JE-17", "JE-23", "JE-25")
def test_JE_23_stages_run_strictly_in_order(engine: Engine) -> None:
    # A mapping of a schema that nobody has read would be invented.
    journey = engine.journey()
    assert (journey.status, set(engine.stages(journey).values())) == ("pending", {"pending"})
    with pytest.raises(
        StageOutOfOrder, match="tmf_mapping comes after raw_analysis, stripped_schema"
    ):
        engine.start(journey, "tmf_mapping")
    engine.start(journey)
    assert engine.stages(journey)["raw_analysis"] == "running"
    with pytest.raises(WrongState, match="raw_analysis is running"):
        engine.start(journey)
    with pytest.raises(StageOutOfOrder):
        engine.start(journey, "stripped_schema")
    engine.work()
    assert engine.stages(journey)["raw_analysis"] == "completed"
    with pytest.raises(WrongState, match="raw_analysis is completed"):
        engine.start(journey)
    with pytest.raises(NotFound, match="no stage 'nothing'"):
        engine.start(journey, "nothing")


@pytest.mark.accepts("JE-23", "JE-25")
def test_JE_23_a_stage_that_may_be_skipped_is_bypassed(engine: Engine) -> None:
    # canSkip allows it; what a later stage then lacks it says itself.
    journey = engine.journey()
    engine.run(journey)
    engine.journeys.skip_stage(journey.journey_id, "stripped_schema")
    assert engine.stages(journey)["stripped_schema"] == "skipped"
    job = engine.run(journey, "tmf_mapping")
    assert job.status == "failed"
    assert "the result of data_model_simplification is missing" in (job.error_message or "")
    with pytest.raises(WrongState, match="may not be skipped"):
        engine.journeys.skip_stage(journey.journey_id, "tmf_mapping")


@pytest.mark.slow
@pytest.mark.accepts("JE-14", "JE-17", "JE-21", "JE-23", "JE-25", "JE-80")
def test_a_journey_runs_through_all_six_stages_for_real(engine: Engine) -> None:
    # Asked for once, each stage starts when the one before it is completed, on whichever worker is
    # free.
    journey = engine.journey()
    first = engine.executions.run_journey(journey.journey_id)
    assert engine.work() == 6
    done = engine.executions.wait_for_journey(journey.journey_id, timeout=10)
    assert (done.status, done.overall_progress) == ("completed", 100)
    assert set(engine.stages(journey).values()) == {"completed"}
    jobs = engine.jobs(journey)
    assert [job.stage_id for job in jobs] == STAGES
    assert {job.triggered_by for job in jobs} == {"journey"}
    assert jobs[0].job_id == first.job_id
    assert (
        done.aggregates.total_jobs,
        done.aggregates.completed_jobs,
        done.aggregates.failed_jobs,
    ) == (6, 6, 0)
    assert (
        done.aggregates.total_logs
        == sum(job.metrics.total_logs for job in jobs)
        == _lines(engine, jobs)
    )
    moved = jobs[4].results
    assert moved.records_processed == moved.records_succeeded + moved.records_failed > 400
    with Target(str(engine.folder / "out.sqlite")) as target:
        assert (
            sum(1 for name in target.resources() for _ in target.documents(name))
            == moved.records_succeeded
        )
    with pytest.raises(WrongState, match="nothing left to run"):
        engine.executions.run_journey(journey.journey_id)


def _lines(engine: Engine, jobs: list[Job]) -> int:
    return sum(len(engine.messages(job)) for job in jobs)


@pytest.mark.slow
@pytest.mark.accepts("JE-15")
def test_JE_15_critical_journeys_are_processed_first(engine: Engine) -> None:
    # The scheduler's order is the journeys' priority, whatever came first.
    journeys = {
        each: engine.journey(priority=each) for each in ("low", "medium", "critical", "high")
    }
    for journey in journeys.values():
        engine.start(journey)
    order: list[str] = []
    for _ in journeys:
        done = engine.worker.run_once()
        assert done is not None
        order.append(
            next(
                name
                for name, each in journeys.items()
                if each.journey_id == done.arguments["journey_id"]
            )
        )
    assert order == ["critical", "high", "medium", "low"]


@pytest.mark.accepts("JE-39")
def test_JE_39_of_starts_at_the_same_moment_one_wins(engine: Engine) -> None:
    # Two people press the button: one job, and one clear answer.
    journey = engine.journey()

    def press(_: int) -> str:
        try:
            return engine.start(journey).job_id
        except WrongState:
            return ""

    with ThreadPoolExecutor(6) as pool:
        started = [job_id for job_id in pool.map(press, range(6)) if job_id]
    assert [job.job_id for job in engine.jobs(journey)] == started
    assert engine.again(journey).aggregates.total_jobs == len(started) == 1


@pytest.mark.accepts("JE-24")
@pytest.mark.parametrize("is_on", [True, False], ids=["on", "off"])
def test_JE_24_rules_are_applied_where_the_second_brain_is_enabled(
    engine: Engine, is_on: bool
) -> None:
    # The switch of a stage, not only a field of it.
    journey = engine.journey()
    content = {"remove": ["customers"]}
    draft = RuleDraft(
        stage_id="stripped_schema", title="No people", type="business_logic", content=content
    )
    Rules(engine.store).add(journey.journey_id, draft, created_by="tests")
    engine.change(journey, "stripped_schema", second_brain_enabled=is_on)
    engine.run(journey)
    job = engine.run(journey, "stripped_schema")
    assert job.status == "completed"
    stripped = next(
        each.file for each in _reports(engine, job) if each.file.title == "Schema Stripping"
    )
    removed = {
        each["table"] for each in stripped.detailed_results["removed"] if each["column"] is None
    }
    assert ("customers" in removed) is is_on
    assert "audit_log" in removed


@pytest.mark.accepts("JE-24")
def test_JE_24_the_steps_that_use_recommendations_are_marked(engine: Engine) -> None:
    # A reader of the journey sees where the Second Brain has a say.
    marked = {
        step.step_id
        for stage in engine.journeys.stages(engine.journey().journey_id)
        for step in stage.steps
        if step.ai_assisted
    }
    assert {"schema_extraction", "metadata_analysis", "attribute_mapping"} <= marked
    assert "data_profiling" not in marked
    assert "transfer" not in marked


def test_jobs_are_listed_by_stage_and_status_page_by_page(engine: Engine) -> None:
    # list_jobs hides the query.
    journey = engine.journey(address=engine.folder / "missing.sqlite")
    jobs = [engine.run(journey)]
    jobs += [engine.executions.retry(jobs[-1].job_id) for _ in range(1)]
    engine.work()
    listed = engine.executions.list_jobs(journey.journey_id, "raw_analysis", size=1)
    assert [job.execution_number for job in listed.items] == [1]
    rest = engine.executions.list_jobs(
        journey.journey_id, "raw_analysis", size=1, cursor=listed.cursor
    )
    assert [job.execution_number for job in rest.items] == [2]
    assert len(engine.executions.list_jobs(journey.journey_id, status="failed").items) == 2
    assert engine.executions.list_jobs(journey.journey_id, status="completed").items == []
    with pytest.raises(NotFound, match="no job JOB-nothing"):
        engine.executions.get("JOB-nothing")
