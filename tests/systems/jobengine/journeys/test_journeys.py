"""Journeys as a service: made whole, listed, skipped, paused, cancelled, deleted; in both homes."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from sortkey import Store
from sortkey.errors import NotFound, TransactionFailed
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.inputs import JourneyChange, StageChange
from sortkey_systems.jobengine.journeys.journeys import (
    Journeys,
    StageOutOfOrder,
    WrongState,
    priority_order,
    startable,
)
from sortkey_systems.jobengine.journeys.progress import next_stage, overall_progress
from sortkey_systems.jobengine.model import Job, Journey, Log, Report, Rule, Stage, StageJob
from sortkey_systems.jobengine.parts import JourneyConfiguration
from sortkey_systems.jobengine.stages.default_stages import default_stages
from tests.systems.jobengine.examples import LOG, REPORT, stored
from tests.systems.jobengine.service_fixtures import (
    STAGES,
    at_home,
    begin,
    buckets,
    created,
    draft,
    end,
    journeys,
)

__all__ = ["at_home", "buckets", "journeys"]

ID = "JRN-ABC123456789"


# -- making


@pytest.mark.accepts("JE-1", "JE-2", "JE-4", "JE-12", "JE-66", "JE-67")
def test_JE_66_a_journey_is_made_with_its_stages_and_rules_in_one_transaction(
    journeys: Journeys, at_home: Store
) -> None:
    # Related writes go together, and a reader never sees a journey without its stages.
    made = created(journeys, rules=[draft(), draft("tmf_mapping"), draft()], priority="high")
    assert re.fullmatch(r"JRN-[0-9A-Z]{12}", made.journey_id)
    assert [stage.stage_id for stage in journeys.stages(made.journey_id)] == STAGES
    rules = at_home.query(Rule.of_journey(journey_id=made.journey_id))
    assert [(rule.stage_id, rule.rule_index) for rule in rules] == [
        ("raw_analysis", 1),
        ("raw_analysis", 2),
        ("tmf_mapping", 1),
    ]
    item = made.to_item()
    assert (item["PK"], item["SK"]) == ({"S": f"JOURNEY#{made.journey_id}"}, {"S": "METADATA"})
    assert (item["GSI1PK"], item["GSI1SK"]) == ({"S": "JOURNEYS"}, item["CreatedAt"])


def test_JE_66_an_id_that_is_taken_leaves_the_first_journey_alone(journeys: Journeys) -> None:
    # All or nothing: not one stage of the second is written over the first.
    first = created(journeys, journey_id=ID)
    journeys.change_stage(ID, "tmf_mapping", StageChange(can_skip=True))
    with pytest.raises(TransactionFailed):
        created(journeys, journey_id=ID, name="Another")
    assert journeys.get(ID) == first
    assert journeys.stage(ID, "tmf_mapping").can_skip


def test_JE_66_a_journey_cannot_be_made_with_more_than_a_transaction_holds(
    journeys: Journeys,
) -> None:
    # 100 items: METADATA, six stages, 93 rules. It is said before anything is written.
    many = [draft(STAGES[number % 6]) for number in range(94)]
    with pytest.raises(WrongState, match="93"):
        created(journeys, rules=many)
    made = created(journeys, rules=many[:93])
    assert made.aggregates.total_rules == 93


def test_a_rule_of_a_stage_that_there_is_not_is_refused(journeys: Journeys) -> None:
    # It would never be applied, and nobody would notice.
    with pytest.raises(NotFound, match="raw_analysis, stripped_schema"):
        created(journeys, rules=[draft("raw_analysys")])
    assert journeys.list() == []


@pytest.mark.accepts("JE-13", "JE-14", "JE-16", "JE-17", "JE-18")
def test_JE_13_a_new_journey_waits_at_its_first_stage(journeys: Journeys) -> None:
    # What a dashboard shows before anything ran, with the document's defaults.
    made = created(journeys)
    assert (made.status, made.priority, made.overall_progress) == ("pending", "medium", 0)
    assert (made.current_stage_index, made.current_stage_id, made.current_jobs) == (
        0,
        "raw_analysis",
        {},
    )
    assert made.configuration == JourneyConfiguration()
    assert (
        made.configuration.timeout,
        made.configuration.max_depth,
        made.configuration.retry_attempts,
    ) == (1800, 5, 3)
    assert made.aggregates.total_execution_time == "0m"


@pytest.mark.accepts("JE-20", "JE-21", "JE-22", "JE-24")
def test_JE_22_the_stages_of_a_new_journey_have_their_steps(journeys: Journeys) -> None:
    # The engine runs what the items say.
    first, *others = journeys.stages(created(journeys).journey_id)
    assert [(step.step_id, step.ai_assisted, step.estimated_duration) for step in first.steps] == [
        ("schema_extraction", True, "10m"),
        ("metadata_analysis", True, "15m"),
        ("data_profiling", False, "5m"),
    ]
    assert first.second_brain_enabled
    assert all(stage.steps and stage.status == "pending" for stage in others)


# -- listing


@pytest.mark.accepts("JE-62")
def test_JE_62_journeys_are_listed_by_creation_in_pages(journeys: Journeys) -> None:
    # Pattern 2, and the filter on active ones must not make pages short.
    made = [created(journeys, name=f"Journey {number}") for number in range(5)]
    for each in made[:2]:
        journeys.cancel(each.journey_id)
    first = journeys.page(size=3)
    second = journeys.page(size=3, cursor=first.cursor)
    assert [each.name for each in [*first.items, *second.items]] == [
        f"Journey {number}" for number in range(5)
    ]
    assert second.cursor is None
    assert [each.name for each in journeys.page(active=True, size=3).items] == [
        "Journey 2",
        "Journey 3",
        "Journey 4",
    ]
    assert [each.name for each in journeys.page(status="cancelled").items] == [
        "Journey 0",
        "Journey 1",
    ]


@pytest.mark.accepts("JE-15")
def test_JE_15_active_journeys_come_critical_first_and_then_the_oldest(journeys: Journeys) -> None:
    # The scheduler's order; in text, low would come before medium.
    for priority in ("low", "medium", "critical", "high", "critical"):
        created(journeys, priority=priority)
    ordered = journeys.active()
    assert [each.priority for each in ordered] == ["critical", "critical", "high", "medium", "low"]
    assert ordered[0].created_at is not None
    assert ordered[1].created_at is not None
    assert ordered[0].created_at < ordered[1].created_at


def test_JE_15_a_new_priority_changes_the_order(journeys: Journeys) -> None:
    # Somebody is in a hurry.
    created(journeys, priority="high")
    late = created(journeys, priority="low")
    journeys.change(late.journey_id, JourneyChange(priority="critical"))
    assert journeys.active()[0].journey_id == late.journey_id


def test_JE_15_the_same_instant_still_has_an_order() -> None:
    # Two schedulers must agree on who is next.
    at = datetime(2025, 11, 1, tzinfo=UTC)
    made = Journey(
        journey_id=ID,
        name="n",
        created_by="c",
        oda_component_type="t",
        source=_source(),
        created_at=at,
        updated_at=at,
    )
    others = [
        made.changed(journey_id=f"JRN-{number:012d}", created_at=at + timedelta(number > 1))
        for number in (2, 1)
    ]
    assert [each.journey_id[-1] for each in priority_order([*others, made])] == ["1", "9", "2"]


@pytest.mark.accepts("JE-73")
def test_JE_73_each_journey_is_one_partition(journeys: Journeys, at_home: Store) -> None:
    # A thousand journeys are a thousand partitions: nothing of one lies in that of another.
    several = [created(journeys, rules=[draft()]) for _ in range(3)]
    for each in several:
        begin(at_home, each.journey_id)
    for each in several:
        queries = (Stage.of_journey, Rule.of_journey, Job.of_journey, StageJob.of_journey)
        items = [
            found.to_item()
            for query in queries
            for found in at_home.query(query(journey_id=each.journey_id))
        ]
        assert len(items) == 9
        assert {item["PK"]["S"] for item in items} == {f"JOURNEY#{each.journey_id}"}


# -- stages


@pytest.mark.accepts("JE-23", "JE-25")
def test_JE_23_stages_start_strictly_in_their_order(journeys: Journeys, at_home: Store) -> None:
    # A mapping of a schema that nobody has analysed yet would be worth nothing.
    made = created(journeys)
    stages = journeys.stages(made.journey_id)
    assert startable(made, stages, "raw_analysis").order == 1
    with pytest.raises(StageOutOfOrder, match="raw_analysis, stripped_schema"):
        startable(made, stages, "tmf_mapping")
    end(at_home, begin(at_home, made.journey_id))
    journey, stages = journeys.get(made.journey_id), journeys.stages(made.journey_id)
    assert startable(journey, stages, "stripped_schema").order == 2
    with pytest.raises(WrongState, match="completed"):
        startable(journey, stages, "raw_analysis")


@pytest.mark.accepts("JE-23", "JE-17")
def test_JE_23_a_stage_that_may_be_skipped_is_bypassed_and_another_is_not(
    journeys: Journeys,
) -> None:
    # canSkip=false forbids it; a skipped stage is done, for the order and for the progress.
    made = created(journeys, skippable=["raw_analysis"])
    with pytest.raises(WrongState, match="canSkip is false"):
        journeys.skip_stage(made.journey_id, "stripped_schema")
    assert journeys.skip_stage(made.journey_id, "raw_analysis").status == "skipped"
    after = journeys.get(made.journey_id)
    assert (after.current_stage_id, after.current_stage_index, after.overall_progress) == (
        "stripped_schema",
        1,
        16,
    )
    assert startable(after, journeys.stages(made.journey_id), "stripped_schema")
    with pytest.raises(WrongState, match="skipped"):
        journeys.skip_stage(made.journey_id, "raw_analysis")


def test_JE_23_a_journey_whose_last_stages_are_skipped_is_completed(journeys: Journeys) -> None:
    # Nothing is left that could complete it.
    made = created(journeys, skippable=STAGES)
    for stage_id in STAGES:
        journeys.skip_stage(made.journey_id, stage_id)
    after = journeys.get(made.journey_id)
    assert (after.status, after.overall_progress) == ("completed", 100)


def test_a_failed_stage_that_may_be_skipped_lets_the_journey_go_on(
    journeys: Journeys, at_home: Store
) -> None:
    # Otherwise an optional stage could stop everything.
    made = created(journeys, skippable=["raw_analysis"])
    end(at_home, begin(at_home, made.journey_id), "failed")
    journeys.skip_stage(made.journey_id, "raw_analysis")
    after = journeys.get(made.journey_id)
    assert (after.status, after.current_stage_id) == ("pending", "stripped_schema")
    assert startable(after, journeys.stages(made.journey_id), "stripped_schema")


@pytest.mark.accepts("JE-17", "JE-16")
def test_JE_17_the_documents_example_of_progress() -> None:
    # 45 with two of six done: the third is at 70. Its index is 2, its order 3.
    stages = default_stages(ID)
    done = [stage.changed(status="completed") if stage.order < 3 else stage for stage in stages]
    job = Job(job_id="JOB-1", journey_id=ID, order=3, stage_id="tmf_mapping", progress=70)
    assert overall_progress(done, job) == 45
    assert overall_progress(done) == 33
    assert overall_progress([stage.changed(status="completed") for stage in stages]) == 100
    almost = [stage.changed(status="completed") if stage.order < 6 else stage for stage in stages]
    assert (
        overall_progress(
            almost, job.changed(stage_id="verification_validation", order=6, progress=99)
        )
        == 99
    )
    assert overall_progress([]) == 0


# -- its life


@pytest.mark.accepts("JE-14")
def test_JE_14_a_paused_journey_starts_nothing_until_it_is_resumed(journeys: Journeys) -> None:
    # The scheduler asks the same question.
    made = created(journeys)
    paused, stages = journeys.pause(made.journey_id), journeys.stages(made.journey_id)
    assert (paused.status, next_stage(paused, stages)) == ("paused", None)
    with pytest.raises(WrongState, match="resume it first"):
        startable(paused, stages, "raw_analysis")
    resumed = journeys.resume(made.journey_id)
    assert resumed.status == "pending"
    following = next_stage(resumed, stages)
    assert following is not None
    assert following.stage_id == "raw_analysis"


def test_JE_14_what_was_running_runs_again_after_a_pause(
    journeys: Journeys, at_home: Store
) -> None:
    # The job that was running when it was paused came to its end meanwhile, and did not wake the
    # journey.
    made = created(journeys)
    job = begin(at_home, made.journey_id)
    journeys.pause(made.journey_id)
    end(at_home, job)
    assert journeys.get(made.journey_id).status == "paused"
    assert journeys.get(made.journey_id).overall_progress == 16
    assert journeys.resume(made.journey_id).status == "running"


@pytest.mark.parametrize(
    ("moves", "refused"), [(["cancel"], "pause"), (["cancel"], "cancel"), ([], "resume")]
)
def test_JE_14_what_cannot_follow_is_refused_with_the_reason(
    journeys: Journeys, moves: list[str], refused: str
) -> None:
    # A journey that is over stays over.
    made = created(journeys)
    for move in moves:
        getattr(journeys, move)(made.journey_id)
    with pytest.raises(WrongState, match="cannot become") as error:
        getattr(journeys, refused)(made.journey_id)
    assert error.value.details["status"] == ("cancelled" if moves else "pending")


@pytest.mark.parametrize("ask", ["get", "pause", "resume", "cancel", "delete", "stages"])
def test_a_journey_that_is_not_there_is_not_found(journeys: Journeys, ask: str) -> None:
    # Whatever is asked of it, and nothing is made by asking.
    with pytest.raises(NotFound):
        getattr(journeys, ask)(ID)
    assert journeys.list() == []


# -- deleting


def _with_logs(journeys: Journeys, store: Store, buckets: Buckets) -> str:
    """A journey that has run, with a log and a report in the table and in the buckets."""
    made = created(journeys, journey_id=ID, rules=[draft()])
    end(store, begin(store, made.journey_id))
    store.batch_write([Log.from_item(stored(LOG)), Report.from_item(stored(REPORT))])
    buckets.logs.put(
        f"journeys/{ID}/stages/raw_analysis/executions/JOB-456/logs/schema_extraction.json", b"[]"
    )
    buckets.reports.put(
        f"journeys/{ID}/stages/raw_analysis/executions/JOB-456/reports/schema_extraction.json",
        b"{}",
    )
    journeys.cancel(made.journey_id)
    return made.journey_id


@pytest.mark.accepts("JE-51")
def test_JE_51_a_delete_keeps_every_log_and_report(
    journeys: Journeys, at_home: Store, buckets: Buckets
) -> None:
    # The audit trail outlives what it is about.
    journey_id = _with_logs(journeys, at_home, buckets)
    journeys.delete(journey_id)
    with pytest.raises(NotFound):
        journeys.get(journey_id)
    for query in (Stage.of_journey, Rule.of_journey, Job.of_journey, StageJob.of_journey):
        assert at_home.query(query(journey_id=journey_id)) == []
    assert len(at_home.query(Log.of_journey(journey_id=journey_id))) == 1
    assert len(at_home.query(Report.of_type(journey_id=journey_id))) == 1
    assert len(buckets.logs.list("journeys/").objects) == 1
    assert len(buckets.reports.list("journeys/").objects) == 1
    with pytest.raises(NotFound):
        journeys.delete(journey_id)


@pytest.mark.accepts("JE-51")
def test_JE_51_a_purge_removes_them_also_after_the_delete(
    journeys: Journeys, at_home: Store, buckets: Buckets
) -> None:
    # Only who asks for it; every version of the files, and nothing of other journeys.
    journey_id = _with_logs(journeys, at_home, buckets)
    buckets.logs.put("journeys/JRN-ABC12345678X/stages/a/executions/b/logs/c.json", b"[]")
    journeys.delete(journey_id)
    journeys.delete(journey_id, purge=True)
    assert at_home.query(Log.of_journey(journey_id=journey_id)) == []
    assert at_home.query(Report.of_type(journey_id=journey_id)) == []
    assert [each.key for each in buckets.logs.versions("journeys/")] == [
        "journeys/JRN-ABC12345678X/stages/a/executions/b/logs/c.json"
    ]
    assert list(buckets.reports.versions("journeys/")) == []


def test_a_journey_that_runs_is_not_deleted(journeys: Journeys, at_home: Store) -> None:
    # Its worker would write on into nothing.
    made = created(journeys)
    job = begin(at_home, made.journey_id)
    for prepare in (lambda: None, lambda: journeys.pause(made.journey_id)):
        prepare()
        with pytest.raises(WrongState, match="raw_analysis"):
            journeys.delete(made.journey_id)
    end(at_home, job)
    journeys.delete(made.journey_id)


def test_a_delete_that_was_interrupted_can_be_ended(journeys: Journeys, at_home: Store) -> None:
    # METADATA goes first: what is left is found without it.
    made = created(journeys, rules=[draft()])
    at_home.delete(Journey.key(journey_id=made.journey_id))
    journeys.delete(made.journey_id)
    assert at_home.query(Stage.of_journey(journey_id=made.journey_id)) == []


def test_JE_74_the_prefix_of_logs_finds_logs_only(
    journeys: Journeys, at_home: Store, buckets: Buckets
) -> None:
    # The document says that they come mixed with stages: the sort key's prefix tells them apart.
    journey_id = _with_logs(journeys, at_home, buckets)
    found = at_home.backend.call(
        "Query",
        {
            "TableName": "TransformationSystem",
            "KeyConditionExpression": "PK = :pk AND begins_with(SK, :sk)",
            "ExpressionAttributeValues": {
                ":pk": {"S": f"JOURNEY#{journey_id}"},
                ":sk": {"S": "LOG#"},
            },
        },
    )
    assert [item["EntityType"] for item in found["Items"]] == [{"S": "LogEntry"}]


def _source() -> dict[str, str]:
    return {"type": "t", "schemaId": "s", "schemaName": "n", "schemaVersion": "1"}
