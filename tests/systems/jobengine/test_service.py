"""The engine as one object: the calls that the document writes, as it writes them, in
both homes.
"""

import json
from pathlib import Path

import pytest

from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.inputs import RuleDraft, StageChange
from sortkey_systems.jobengine.jobs import Places
from sortkey_systems.jobengine.model import Job
from sortkey_systems.jobengine.sample import load
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.service import JobEngine
from tests.systems.homes import Home
from tests.systems.jobengine.service_fixtures import SOURCE, at_home, buckets
from tests.systems.jobengine.stage_runs import Killed

__all__ = ["at_home", "buckets"]


@pytest.fixture
def engine(home: Home, buckets: Buckets) -> JobEngine:
    made = JobEngine(home.store, buckets)
    made.ensure()
    return made


@pytest.fixture
def analysed(engine: JobEngine, tmp_path: Path) -> Job:
    """The first stage of a journey, done."""
    shop = make_shop(tmp_path / "shop.sqlite", customers=40)
    source = SOURCE.model_copy(update={"address": str(shop)})
    about = {"name": "Shop", "created_by": "data_team", "oda_component_type": "PRODUCTCATALOG"}
    journey = engine.journeys.create(**about, source=source)
    job = engine.start_job(journey.journey_id, "raw_analysis")
    engine.worker().run_once()
    return engine.job(journey.journey_id, job.job_id)


@pytest.mark.accepts("JE-50", "JE-58", "JE-76")
def test_JE_58_the_documents_functions_with_its_signatures(
    engine: JobEngine, analysed: Job
) -> None:
    # Each line as in the document, with its names and in its order.
    journey_id, stage_name, job_id, step_name = (
        analysed.journey_id,
        "raw_analysis",
        analysed.job_id,
        "data_profiling",
    )
    get_job_logs, get_job_reports = engine.get_job_logs, engine.get_job_reports
    logs = list(get_job_logs(journey_id, stage_name, job_id, step_name))
    assert {line.step_id for line in logs} == {step_name}
    logs = list(get_job_logs(journey_id, stage_name, job_id))
    assert len(logs) == analysed.metrics.total_logs
    reports = list(get_job_reports(journey_id, job_id, stage_name))
    assert len(reports) == 3
    report_type, title, content, summary = "custom", "Review", {"by": "Ann"}, "Fine."
    made = engine.create_job_report(journey_id, job_id, report_type, title, content, summary)
    assert len(list(get_job_reports(journey_id, job_id, stage_name))) == 4
    assert made.job_id == job_id
    assert [job.job_id for job in engine.list_jobs(journey_id).items] == [job_id]
    journey_data = engine.get_journey_complete(journey_id)
    engine.journeys.cancel(journey_id)
    engine.journeys.delete(journey_id)
    engine.import_journey_complete(json.loads(json.dumps(journey_data)))
    assert engine.get_journey_complete(journey_id) == journey_data


@pytest.mark.accepts("JE-35", "JE-65")
def test_JE_35_the_documents_dashboard_query_works_literally(
    engine: JobEngine, analysed: Job
) -> None:
    # Scenario 1, sent as it is written: GSI1PK = STAGE#{journey_id}#{stage_id}.
    journey_id, stage_id = analysed.journey_id, analysed.stage_id
    jobs = engine.store.backend.call(
        "Query",
        {
            "TableName": "TransformationSystem",
            "IndexName": "GSI1",
            "KeyConditionExpression": "GSI1PK = :pk",
            "ExpressionAttributeValues": {":pk": {"S": f"STAGE#{journey_id}#{stage_id}"}},
        },
    )["Items"]
    (line,) = [item["Data"]["M"] for item in jobs]
    assert (line["jobId"], line["status"], line["progress"]) == (
        {"S": analysed.job_id},
        {"S": "completed"},
        {"N": "100"},
    )
    assert line.keys() >= {"startTime", "endTime"}


@pytest.mark.accepts("JE-36", "JE-63")
def test_JE_36_the_index_of_a_job_holds_it_and_its_logs(engine: JobEngine, analysed: Job) -> None:
    # The document's query by JOB#{jobId} also finds the job: EntityType tells them apart.
    found = engine.store.backend.call(
        "Query",
        {
            "TableName": "TransformationSystem",
            "IndexName": "GSI1",
            "KeyConditionExpression": "GSI1PK = :pk",
            "ExpressionAttributeValues": {":pk": {"S": f"JOB#{analysed.job_id}"}},
        },
    )["Items"]
    kinds = [item["EntityType"]["S"] for item in found]
    assert kinds.count("JobExecution") == 1
    assert kinds.count("LogEntry") == len(kinds) - 1 > 0


@pytest.mark.accepts("JE-24", "JE-31")
def test_JE_24_a_stage_whose_second_brain_is_off_applies_no_rules(
    tmp_path: Path, engine: JobEngine
) -> None:
    # The same rule, once with and once without assistance.
    shop = make_shop(tmp_path / "shop.sqlite", customers=40)
    source = SOURCE.model_copy(update={"address": str(shop)})
    rule = RuleDraft(
        stage_id="stripped_schema", title="Drop", type="business_logic", content="Remove 'reviews'."
    )

    def stripped(second_brain: bool) -> str:
        about = {"name": "Shop", "created_by": "data_team", "oda_component_type": "PRODUCTCATALOG"}
        journey = engine.journeys.create(**about, source=source, rules=[rule])
        change = StageChange(second_brain_enabled=second_brain)
        engine.journeys.change_stage(journey.journey_id, "stripped_schema", change)
        engine.start_job(journey.journey_id, "raw_analysis")
        engine.worker().run_once()
        job = engine.start_job(journey.journey_id, "stripped_schema")
        engine.worker().run_once()
        lines = engine.get_job_logs(
            journey.journey_id, "stripped_schema", job.job_id, "schema_stripping"
        )
        return "\n".join(f"{line.message} {line.details}" for line in lines)

    assert "reviews" in stripped(second_brain=True)
    assert "reviews" not in stripped(second_brain=False)


def test_resuming_runs_on_only_what_was_run_as_a_whole(engine: JobEngine, analysed: Job) -> None:
    # Whoever starts stages by hand is not surprised by the next one.
    engine.journeys.pause(analysed.journey_id)
    engine.resume_journey(analysed.journey_id)
    assert len(engine.list_jobs(analysed.journey_id).items) == 1
    engine.journeys.pause(analysed.journey_id)
    engine.resume_journey(analysed.journey_id, run=True)
    assert [job.stage_id for job in engine.list_jobs(analysed.journey_id).items] == [
        "raw_analysis",
        "stripped_schema",
    ]


def test_a_sample_that_was_cut_off_is_started_and_not_made_again(
    home: Home, buckets: Buckets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Killed between making the journey and running it: the next start has one journey to show, and
    # it runs.
    engine = JobEngine(home.store, buckets, places=Places(tmp_path))
    engine.ensure()
    with monkeypatch.context() as cut:
        cut.setattr(engine, "run_journey", killed)
        with pytest.raises(Killed):
            load(engine)
    started = load(engine)
    assert started is not None
    assert load(engine) is None
    assert [journey.journey_id for journey in engine.journeys.list()] == [started.journey_id]
    assert len(engine.list_jobs(started.journey_id).items) == 1


def killed(journey_id: str) -> None:
    raise Killed
