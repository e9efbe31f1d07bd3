"""What writes must hold: journeys are made whole, attempts are kept, statuses follow each other,
items have a limit.
"""

from datetime import timedelta

import pytest

from sortkey import Put, Store, Update, attr
from sortkey.errors import (
    AlreadyExists,
    ItemTooLarge,
    ModelError,
    TransactionFailed,
    TransitionRefused,
)
from sortkey.values.sizes import text_size, value_size
from sortkey_systems.jobengine.model import Job, Journey, Log, Rule, Stage, StageJob
from sortkey_systems.jobengine.stages.default_stages import default_stages
from tests.systems.jobengine.conftest import AT, ID, rule
from tests.systems.jobengine.examples import JOB, JOURNEY, LOG, RULE, STAGE, stored


def started(number: int = 1) -> Job:
    """A job as it is made: pending, without an instant of its own."""
    return Job(
        job_id=f"JOB-{number}",
        journey_id=ID,
        order=1,
        stage_id="raw_analysis",
        execution_number=number,
    )


def create(store: Store, job: Job) -> None:
    store.transact(Put(job, "create"), Put(StageJob.of(job), "create"))


@pytest.mark.accepts("JE-66", "JE-67")
def test_JE_66_a_journey_is_made_with_its_stages_or_not_at_all(store: Store) -> None:
    # A batch would leave half a journey behind when one of its writes fails.
    journey, stages = Journey.from_item(stored(JOURNEY)), default_stages(ID)
    store.create(stages[3])
    with pytest.raises(TransactionFailed) as failed:
        store.transact(Put(journey, "create"), *(Put(stage, "create") for stage in stages))
    assert [reason.index for reason in failed.value.reasons] == [4]
    assert store.find(Journey.key(journey_id=ID)) is None
    assert len(store.query(Stage.of_journey(journey_id=ID))) == 1


def test_JE_66_a_transaction_has_at_most_a_hundred_items(store: Store) -> None:
    # A journey with many rules is made in several; the limit is reported before anything is sent.
    with pytest.raises(ModelError, match="100"):
        store.transact(*(Put(rule(number)) for number in range(1, 102)))


def test_JE_4_a_second_journey_of_the_same_id_is_refused(store: Store, journey: Journey) -> None:
    # One METADATA item per journey.
    with pytest.raises(AlreadyExists):
        store.create(journey)


@pytest.mark.accepts("JE-35", "JE-39", "JE-42")
def test_JE_42_a_retry_is_a_new_execution_and_the_first_is_kept(store: Store) -> None:
    # The audit trail: a failed attempt stays as it was.
    create(store, started(1))
    (first,) = store.query(Job.of_stage(journey_id=ID, order=1, stage_id="raw_analysis"))
    create(store, started(2))
    attempts = store.query(Job.of_stage(journey_id=ID, order=1, stage_id="raw_analysis"))
    assert [job.execution_number for job in attempts] == [1, 2]
    assert attempts[0] == first
    lines = store.query(StageJob.of_stage(journey_id=ID, stage_id="raw_analysis"))
    assert [line.job_id for line in lines] == ["JOB-1", "JOB-2"]


def test_JE_39_two_starts_at_once_cannot_be_the_same_attempt(store: Store) -> None:
    # Their keys differ in the timestamp; the dashboard's line, written with each, has only the
    # number.
    create(store, started(1).changed(created_at=AT))
    with pytest.raises(TransactionFailed):
        create(store, started(1).changed(created_at=AT + timedelta(seconds=1), job_id="JOB-other"))
    assert len(store.query(Job.of_stage(journey_id=ID, order=1, stage_id="raw_analysis"))) == 1


def test_JE_34_a_job_without_an_instant_gets_one_for_attribute_and_keys(store: Store) -> None:
    # Key, index key and attribute must be the same text, in the job and in its line.
    create(store, started(1))
    (job,) = store.query(Job.of_journey(journey_id=ID))
    (line,) = store.query(StageJob.of_stage(journey_id=ID, stage_id="raw_analysis"))
    item, text = job.to_item(), job.to_item()["CreatedAt"]["S"]
    assert item["SK"]["S"] == f"JOB#01#raw_analysis#001#{text}"
    assert item["GSI1SK"]["S"] == line.to_item()["GSI1SK"]["S"] == text


@pytest.mark.accepts("JE-35", "JE-40")
def test_JE_40_progress_is_written_to_the_job_and_its_line_together(store: Store) -> None:
    # The dashboard never shows another progress than the job has.
    create(store, started(1).changed(created_at=AT))
    job = Job.key(
        journey_id=ID, order=1, stage_id="raw_analysis", execution_number=1, created_at=AT
    )
    line = StageJob.key(journey_id=ID, order=1, stage_id="raw_analysis", execution_number=1)
    store.transact(
        Update(job, (attr(Job.status).set("running"), attr(Job.progress).set(40))),
        Update(line, (attr(StageJob.status).set("running"), attr(StageJob.progress).set(40))),
    )
    assert (store.get(job).progress, store.get(line).progress) == (40, 40)
    assert (store.get(job).status, store.get(line).status) == ("running", "running")


@pytest.mark.accepts("JE-38", "JE-42", "JE-43")
@pytest.mark.parametrize("end", ["completed", "failed", "cancelled"])
def test_JE_38_a_job_that_ended_stays_so(store: Store, end: str) -> None:
    # Cancelled by the user while the worker reports success: one of the two wins, and it is not
    # rewritten.
    create(store, started(1).changed(created_at=AT))
    key = Job.key(
        journey_id=ID, order=1, stage_id="raw_analysis", execution_number=1, created_at=AT
    )
    store.update(key, set={"status": "running"})
    store.update(key, set={"status": end})
    for status in ("running", "completed", "failed", "cancelled"):
        with pytest.raises(TransitionRefused):
            store.update(key, set={"status": status})


def test_JE_26_a_new_priority_moves_the_rule_in_the_index(store: Store, journey: Journey) -> None:
    # The index key holds the priority: both change in one write, or the index would lie.
    first = Rule.from_item(stored(RULE))
    key = Rule.key(journey_id=ID, stage_id="raw_analysis", rule_index=1, rule_id=first.rule_id)
    store.update(key, set={"priority": "low"})
    assert (
        store.query(Rule.by_priority(journey_id=ID, stage_id="raw_analysis", priority="high")) == []
    )
    (moved,) = store.query(Rule.by_priority(journey_id=ID, stage_id="raw_analysis", priority="low"))
    assert moved.to_item()["GSI1SK"] == {"S": "raw_analysis#low#001"}


def test_JE_68_the_examples_are_within_the_documents_sizes() -> None:
    # What it expects an item to weigh is an upper bound for its own examples.
    limits = {JOURNEY: 10, STAGE: 5, RULE: 3, JOB: 20, LOG: 1}
    for example, kilobytes in limits.items():
        size = sum(text_size(name) + value_size(value) for name, value in stored(example).items())
        assert size <= kilobytes * 1024


def test_JE_68_an_item_over_400_KB_is_refused_with_the_reason(store: Store) -> None:
    # Large content goes to S3 with its URI in the item; the error says what is large.
    log = Log.from_item(stored(LOG)).changed(message="x" * 410_000)
    with pytest.raises(ItemTooLarge) as refused:
        store.put(log)
    assert refused.value.sizes[0][0] == "Data"
