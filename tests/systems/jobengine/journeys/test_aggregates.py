"""What a journey counts of its jobs, logs and rules: in the same transactions, and the same when
counted again.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from sortkey import Store, attr
from sortkey.errors import TransactionFailed
from sortkey_systems.jobengine.inputs import RuleChange
from sortkey_systems.jobengine.journeys import aggregates
from sortkey_systems.jobengine.journeys.aggregates import (
    job_progressed,
    minutes,
    rebuild,
    seconds_of,
    with_journey,
)
from sortkey_systems.jobengine.journeys.journeys import Journeys
from sortkey_systems.jobengine.model import Job, Journey, StageJob
from sortkey_systems.jobengine.parts import Aggregates, LogCounts
from sortkey_systems.jobengine.rules.rules import Rules
from tests.systems.jobengine.examples import JOURNEY, stored
from tests.systems.jobengine.service_fixtures import (
    LOGGED,
    STAGES,
    at_home,
    begin,
    buckets,
    created,
    draft,
    end,
    journeys,
    rules,
)

__all__ = ["at_home", "buckets", "journeys", "rules"]

NINE = {
    "totalJobs",
    "completedJobs",
    "failedJobs",
    "totalExecutionTime",
    "totalLogs",
    "totalErrors",
    "totalWarnings",
    "totalRules",
    "activeRules",
}


@pytest.mark.accepts("JE-18", "JE-13")
def test_JE_18_all_nine_are_kept_by_a_journey_that_has_run(
    journeys: Journeys, rules: Rules, at_home: Store
) -> None:
    # The section on metrics forgets the rules; the item has them.
    made = created(journeys, rules=[draft(), draft(status="inactive")])
    end(at_home, begin(at_home, made.journey_id), "failed", seconds=30)
    end(at_home, begin(at_home, made.journey_id, number=2))
    rules.add(made.journey_id, draft("tmf_mapping"), created_by="me")
    kept = journeys.get(made.journey_id).aggregates
    assert kept == Aggregates(
        total_jobs=2,
        completed_jobs=1,
        failed_jobs=1,
        total_execution_time="3m",
        total_execution_seconds=155.5,
        total_logs=290,
        total_errors=4,
        total_warnings=16,
        total_rules=3,
        active_rules=2,
    )
    assert journeys.get(made.journey_id).to_item()["Data"]["M"]["aggregates"]["M"].keys() >= NINE


def test_JE_18_minutes_are_made_of_seconds_so_that_short_jobs_count(
    journeys: Journeys, at_home: Store
) -> None:
    # Ten jobs of twelve seconds are two minutes; rounded one by one they would be none.
    made = created(journeys)
    for number in range(1, 11):
        end(at_home, begin(at_home, made.journey_id, number=number), "failed", seconds=12)
    kept = journeys.get(made.journey_id).aggregates
    assert (kept.total_execution_time, kept.total_execution_seconds) == ("2m", 120.0)


def test_JE_18_a_journey_that_knows_minutes_only_counts_on_from_them(
    journeys: Journeys, at_home: Store
) -> None:
    # As the document's own example does.
    example = Journey.from_item(stored(JOURNEY))
    created(journeys, journey_id=example.journey_id)
    at_home.put(example.changed(status="pending"))
    end(at_home, begin(at_home, example.journey_id), seconds=90)
    kept = journeys.get(example.journey_id).aggregates
    assert (kept.total_execution_time, kept.total_execution_seconds) == ("126m", 7590.0)
    assert (kept.total_jobs, kept.completed_jobs, kept.total_logs) == (13, 9, 1595)
    assert seconds_of(Aggregates(total_execution_time="125m")) == 7500
    assert [minutes(each) for each in (0, 29, 31, 7500)] == ["0m", "0m", "1m", "125m"]


@pytest.mark.accepts("JE-16", "JE-17", "JE-23", "JE-35")
def test_JE_16_the_journey_follows_its_jobs_to_the_end(journeys: Journeys, at_home: Store) -> None:
    # Current stage, current jobs, status and progress are written with the job, never after it.
    made = created(journeys)
    for number, stage_id in enumerate(STAGES):
        job = begin(at_home, made.journey_id, stage_id)
        during = journeys.get(made.journey_id)
        assert (during.status, during.current_stage_id, during.current_stage_index) == (
            "running",
            stage_id,
            number,
        )
        assert during.current_jobs[stage_id] == job.job_id
        assert journeys.stage(made.journey_id, stage_id).status == "running"
        end(at_home, job)
        assert journeys.get(made.journey_id).overall_progress == (number + 1) * 100 // 6
    after = journeys.get(made.journey_id)
    assert (after.status, after.overall_progress, len(after.current_jobs)) == ("completed", 100, 6)
    assert {stage.status for stage in journeys.stages(made.journey_id)} == {"completed"}
    lines = at_home.query(StageJob.of_stage(journey_id=made.journey_id, stage_id="tmf_mapping"))
    assert [(line.status, line.progress) for line in lines] == [("completed", 100)]


@pytest.mark.parametrize(
    ("ending", "stage", "journey"),
    [("failed", "failed", "failed"), ("cancelled", "pending", "pending")],
)
def test_what_a_job_that_did_not_succeed_leaves_can_start_again(
    journeys: Journeys, at_home: Store, ending: str, stage: str, journey: str
) -> None:
    # A failed stage is retried; one whose job was cancelled waits as if it had not begun.
    made = created(journeys)
    end(at_home, begin(at_home, made.journey_id), ending)
    assert journeys.stage(made.journey_id, "raw_analysis").status == stage
    assert journeys.get(made.journey_id).status == journey
    begin(at_home, made.journey_id, number=2)
    assert journeys.get(made.journey_id).status == "running"


def test_a_job_that_ends_after_the_journey_was_cancelled_does_not_wake_it(
    journeys: Journeys, at_home: Store
) -> None:
    # Cancelled is for good, whatever a worker reports later.
    made = created(journeys)
    job = begin(at_home, made.journey_id)
    journeys.cancel(made.journey_id)
    end(at_home, job)
    assert journeys.get(made.journey_id).status == "cancelled"


@pytest.mark.accepts("JE-17", "JE-40")
def test_JE_17_the_progress_of_a_job_is_partial_credit(journeys: Journeys, at_home: Store) -> None:
    # And what it has logged so far is counted in the same update.
    made = created(journeys)
    end(at_home, begin(at_home, made.journey_id))
    job = begin(at_home, made.journey_id, "stripped_schema")
    half = job.changed(progress=50, metrics=LogCounts(total_logs=10, warning_count=3, info_count=7))
    stages = journeys.stages(made.journey_id)
    at_home.transact(*job_progressed(half, job, stages))
    after = journeys.get(made.journey_id)
    assert after.overall_progress == 25
    assert (after.aggregates.total_logs, after.aggregates.total_warnings) == (155, 11)
    more = half.changed(
        metrics=LogCounts(total_logs=12, warning_count=3, error_count=2, info_count=7)
    )
    for old in (half, more):  # the second time nothing new is logged, and nothing counted
        at_home.transact(*job_progressed(more, old, stages))
        counted = journeys.get(made.journey_id).aggregates
        assert (counted.total_logs, counted.total_errors, counted.total_warnings) == (157, 4, 11)


@pytest.mark.accepts("JE-18")
def test_JE_18_aggregates_counted_again_from_the_items_are_the_same(
    journeys: Journeys, rules: Rules, at_home: Store
) -> None:
    # And a journey whose figures were damaged is set right.
    made = created(journeys, rules=[draft(), draft()])
    for number, ending in enumerate(["failed", "cancelled", "completed"], start=1):
        end(at_home, begin(at_home, made.journey_id, number=number), ending, seconds=17.25)
    first = rules.page(made.journey_id).items[0]
    rules.deactivate(made.journey_id, first.rule_id)
    kept = journeys.get(made.journey_id).aggregates
    assert rebuild(at_home, made.journey_id) == kept
    key = Journey.key(journey_id=made.journey_id)
    at_home.update(
        key, attr(Journey.aggregates).set(Aggregates(total_jobs=99, total_execution_time="9m"))
    )
    assert rebuild(at_home, made.journey_id) == kept
    assert journeys.get(made.journey_id).aggregates == kept


def test_a_count_that_is_overtaken_counts_again(
    journeys: Journeys, at_home: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A job that ends between reading the jobs and writing the sum must not be lost.
    made = created(journeys)
    job, count, calls = begin(at_home, made.journey_id), aggregates.aggregates_of, list[int]()

    def overtaken(jobs: list[Job], rules: list[object]) -> Aggregates:
        found = count(jobs, rules)  # type: ignore[arg-type]
        if not calls:
            end(at_home, job)
        calls.append(1)
        return found

    monkeypatch.setattr(aggregates, "aggregates_of", overtaken)
    assert rebuild(at_home, made.journey_id).completed_jobs == 1
    assert len(calls) == 2


def test_of_two_that_start_the_same_stage_at_once_one_is_refused(
    journeys: Journeys, at_home: Store
) -> None:
    # The same number: their lines in the dashboard have the same key, and nothing of the second is
    # written.
    made = created(journeys)
    begin(at_home, made.journey_id)
    with pytest.raises(TransactionFailed):
        begin(at_home, made.journey_id)
    assert journeys.get(made.journey_id).aggregates.total_jobs == 1


def test_many_at_once_are_all_counted(journeys: Journeys, rules: Rules, at_home: Store) -> None:
    # Rules are added by many programs while logs are counted: no count is lost, no index is given
    # twice.
    made = created(journeys)
    job = begin(at_home, made.journey_id)
    more, stages = job.changed(metrics=LOGGED), journeys.stages(made.journey_id)

    def add(number: int) -> None:
        if number % 2:
            rules.add(made.journey_id, draft(title=f"Rule {number}"), created_by="me")
        else:
            at_home.transact(*job_progressed(more, job, stages))

    with ThreadPoolExecutor(4) as several:
        list(several.map(add, range(16)))
    kept = journeys.get(made.journey_id).aggregates
    assert (kept.total_rules, kept.active_rules, kept.total_logs) == (8, 8, 8 * 145)
    assert [rule.rule_index for rule in rules.page(made.journey_id).items] == list(range(1, 9))


def test_what_is_refused_for_good_is_not_tried_again(journeys: Journeys, at_home: Store) -> None:
    # Only what was overtaken is repeated.
    made = created(journeys)
    tries: list[int] = []

    def stale(journey: Journey, stages: list[object]) -> list[object]:
        tries.append(1)
        return list(
            aggregates.rules_changed(journey.changed(journey_id="JRN-000000000000"), total=1)
        )

    with pytest.raises(TransactionFailed):
        with_journey(at_home, made.journey_id, stale)  # type: ignore[arg-type]
    assert len(tries) == 1


# -- rules


@pytest.mark.accepts("JE-26", "JE-27", "JE-28", "JE-30", "JE-33")
def test_JE_27_a_rule_gets_its_id_its_index_and_its_keys(journeys: Journeys, rules: Rules) -> None:
    # rule-{stageId}-{type}-{8 hex}, behind the others of its stage.
    made = created(journeys, rules=[draft()])
    content = {"naturalLanguage": "Keep it", "jsonRule": {"preserve": ["audit_log"]}}
    added = rules.add(
        made.journey_id, draft(content=content, type="business_logic"), created_by="ann"
    )
    assert added.rule_id.startswith("rule-raw_analysis-business_logic-")
    assert (added.rule_index, added.content, added.metadata.created_by) == (2, content, "ann")
    assert (added.metadata.applicable_stages, added.metadata.rule_engine) == (
        ["raw_analysis"],
        "second_brain_v1",
    )
    item = added.to_item()
    assert item["SK"] == {"S": f"RULE#raw_analysis#002#{added.rule_id}"}
    assert item["GSI1SK"] == {"S": "raw_analysis#medium#002"}


@pytest.mark.accepts("JE-31", "JE-32", "JE-29")
def test_JE_31_the_rules_of_a_stage_come_in_rank_order(journeys: Journeys, rules: Rules) -> None:
    # Its own, those that name it, those of the whole journey; only active ones.
    made = created(journeys)
    given = [
        draft(title="own low", priority="low"),
        draft(title="own critical", priority="critical"),
        draft(title="off", priority="critical", status="inactive"),
        draft(
            "tmf_mapping",
            title="names it",
            priority="high",
            applicable_stages=["raw_analysis", "tmf_mapping"],
        ),
        draft("data_migration", title="everywhere", scope="global"),
        draft("data_migration", title="elsewhere", priority="critical"),
    ]
    for each in given:
        rules.add(made.journey_id, each, created_by="me")
    found = rules.for_stage(made.journey_id, "raw_analysis")
    assert [rule.title for rule in found] == ["own critical", "names it", "everywhere", "own low"]


@pytest.mark.accepts("JE-29", "JE-18")
def test_JE_29_the_number_of_active_rules_follows_their_status(
    journeys: Journeys, rules: Rules
) -> None:
    # Twice the same changes nothing, and a deprecated rule is no active one.
    made = created(journeys, rules=[draft(), draft()])
    first = rules.page(made.journey_id).items[0]

    def active() -> int:
        return journeys.get(made.journey_id).aggregates.active_rules

    assert active() == 2
    assert rules.deactivate(made.journey_id, first.rule_id).status == "inactive"
    rules.deactivate(made.journey_id, first.rule_id)
    rules.change(made.journey_id, first.rule_id, RuleChange(status="deprecated"))
    assert active() == 1
    rules.change(made.journey_id, first.rule_id, RuleChange(status="active"))
    assert (active(), journeys.get(made.journey_id).aggregates.total_rules) == (2, 2)


def test_JE_26_a_changed_rule_keeps_its_place_and_moves_in_the_index(
    journeys: Journeys, rules: Rules
) -> None:
    # What is in its key stays; the priority is in the key of the index.
    made = created(journeys, rules=[draft()])
    first = rules.page(made.journey_id).items[0]
    change = RuleChange(
        priority="critical", title="Better", tags=["new"], applicable_stages=["tmf_mapping"]
    )
    after = rules.change(made.journey_id, first.rule_id, change)
    assert (after.title, after.metadata.tags, after.rule_index) == ("Better", ["new"], 1)
    assert after.to_item()["GSI1SK"] == {"S": "raw_analysis#critical#001"}
    assert after.metadata.created_by == "data_team"
    assert rules.change(made.journey_id, first.rule_id, RuleChange()) == after


@pytest.mark.accepts("JE-9")
def test_JE_9_the_thousandth_rule_of_a_stage_is_refused(
    journeys: Journeys, rules: Rules, at_home: Store
) -> None:
    # Three digits hold no more; a fourth would break the order of the keys.
    made = created(journeys, rules=[draft()])
    first = rules.page(made.journey_id).items[0]
    at_home.put(first.changed(rule_index=999))
    with pytest.raises(Exception, match="999"):
        rules.add(made.journey_id, draft(), created_by="me")
    rules.add(made.journey_id, draft("tmf_mapping"), created_by="me")
