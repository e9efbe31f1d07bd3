"""How executions end otherwise than well: failure, retry, cancellation, timeout, and workers that
are gone.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sortkey import Backoff, JobQueue
from sortkey.errors import JobLost, JobNotEnded, Unreachable
from sortkey_systems.jobengine.jobs import Executions, PlaceRefused, Places, ledger
from sortkey_systems.jobengine.journeys.progress import WrongState
from sortkey_systems.jobengine.model import Job
from sortkey_systems.jobengine.parts import LogCounts
from sortkey_systems.jobengine.sample_shop import make_shop
from sortkey_systems.jobengine.stages.work import StepContext, Work
from tests.systems.homes import Home
from tests.systems.jobengine.engines import Engine, Scripted, engine, scripted
from tests.systems.jobengine.stage_runs import Killed

__all__ = ["engine", "scripted"]


# -- failure and retry


@pytest.mark.accepts("JE-14", "JE-25", "JE-37", "JE-38", "JE-41")
def test_JE_37_a_job_that_fails_says_why_and_where(engine: Engine, scripted: Scripted) -> None:
    # Somebody has to repair it, and has only this to go by.
    def good(work: Work, ctx: StepContext) -> int:
        ctx.log("INFO", "all is well")
        return 1

    def bad(work: Work, ctx: StepContext) -> None:
        ctx.log("INFO", "on the way")
        raise ValueError("the table orders has no key")

    journey = scripted.journey(good, bad)
    job = engine.run(journey)
    assert (job.status, job.error_message) == ("failed", "ValueError: the table orders has no key")
    assert [step.status for step in job.steps] == ["completed", "failed"]
    assert round(sum(step.duration or 0 for step in job.steps), 6) == job.duration
    assert engine.messages(job, "bad") == ["on the way", "ValueError: the table orders has no key"]
    assert job.metrics == LogCounts(total_logs=3, error_count=1, info_count=2)
    assert (engine.again(journey).status, engine.stages(journey)["raw_analysis"]) == (
        "failed",
        "failed",
    )
    totals = engine.again(journey).aggregates
    assert (totals.total_jobs, totals.failed_jobs, totals.completed_jobs, totals.total_errors) == (
        1,
        1,
        0,
        1,
    )


@pytest.mark.accepts("JE-39", "JE-42")
def test_JE_42_a_retry_is_a_new_execution_and_the_failed_one_stays_as_it_is(engine: Engine) -> None:
    # For real: the file is missing, somebody puts it there, and the same stage runs again.
    address = engine.folder / "late.sqlite"
    journey = engine.journey(address=address)
    failed = engine.run(journey)
    assert failed.status == "failed"
    assert "no such file" in (failed.error_message or "")
    make_shop(address, customers=40)
    again = engine.executions.retry(failed.job_id)
    assert (again.execution_number, again.stage_id) == (2, "raw_analysis")
    assert again.job_id != failed.job_id
    engine.work()
    assert engine.executions.get(again.job_id).status == "completed"
    assert engine.executions.get(failed.job_id) == failed
    assert [job.execution_number for job in engine.jobs(journey, "raw_analysis")] == [1, 2]
    assert engine.again(journey).current_jobs["raw_analysis"] == again.job_id
    with pytest.raises(WrongState, match=f"was followed by {again.job_id}"):
        engine.executions.retry(failed.job_id)
    with pytest.raises(WrongState, match="is completed"):
        engine.executions.retry(again.job_id)


@pytest.mark.accepts("JE-42", "JE-44")
def test_JE_44_a_failed_job_is_tried_again_as_often_as_the_configuration_says(
    engine: Engine, scripted: Scripted
) -> None:
    # Three retries after the first try, each an execution of its own; then the journey has failed.
    tried: list[int] = []

    def flaky(work: Work, ctx: StepContext) -> None:
        tried.append(1)
        raise OSError("the line is down")

    journey = scripted.journey(flaky, retry_attempts=3)
    engine.run(journey)
    jobs = engine.jobs(journey)
    assert [(job.execution_number, job.status, job.triggered_by) for job in jobs] == [
        (1, "failed", "user"),
        (2, "failed", "retry"),
        (3, "failed", "retry"),
        (4, "failed", "retry"),
    ]
    assert len({job.job_id for job in jobs}) == len(tried) == 4
    assert (engine.again(journey).status, engine.again(journey).aggregates.failed_jobs) == (
        "failed",
        4,
    )


@pytest.mark.accepts("JE-44")
def test_JE_44_a_retry_that_helps_lets_the_journey_go_on(
    engine: Engine, scripted: Scripted
) -> None:
    # A line that is down for a moment must not need a person; between the two, nothing looks
    # failed.
    seen: list[tuple[str, str]] = []

    def flaky(work: Work, ctx: StepContext) -> str:
        seen.append((engine.again(journey).status, engine.stages(journey)["raw_analysis"]))
        if len(seen) == 1:
            raise OSError("the line is down")
        return "up"

    journey = scripted.journey(flaky, retry_attempts=1)
    engine.executions.run_journey(journey.journey_id)
    engine.worker.run_once()
    engine.worker.run_once()
    assert seen == [("running", "running")] * 2
    assert [job.status for job in engine.jobs(journey, "raw_analysis")] == ["failed", "completed"]
    assert (
        engine.stages(journey)["stripped_schema"] == "running"
    )  # what runs through goes on behind the retry


@pytest.mark.accepts("JE-44")
def test_JE_44_what_would_fail_again_is_not_tried_again(engine: Engine) -> None:
    # A journey without a source will not have one a second later.
    journey = engine.journey(address=engine.folder / "nothing.sqlite", retry_attempts=3)
    engine.run(journey)
    assert [job.status for job in engine.jobs(journey)] == ["failed"]


# -- cancellation


@pytest.mark.accepts("JE-38", "JE-43")
def test_JE_43_a_job_that_waits_is_cancelled_at_once(engine: Engine) -> None:
    # And the stage can start again.
    journey = engine.journey()
    job = engine.executions.cancel(engine.start(journey).job_id)
    assert (job.status, job.error_message) == ("cancelled", "it was cancelled before it began")
    assert engine.work() == 0
    assert (engine.again(journey).status, engine.stages(journey)["raw_analysis"]) == (
        "pending",
        "pending",
    )
    assert engine.executions.cancel(job.job_id) == job
    assert engine.run(journey).execution_number == 2


@pytest.mark.accepts("JE-38", "JE-43")
def test_JE_43_a_job_that_runs_ends_at_its_next_safe_point(
    engine: Engine, scripted: Scripted
) -> None:
    # Not in the middle of a batch, and not an hour later.
    reached: list[str] = []

    def first(work: Work, ctx: StepContext) -> None:
        ctx.log("INFO", "begun")
        (job,) = engine.jobs(journey)
        assert engine.executions.cancel(job.job_id).status == "running"
        reached.append("asked")
        ctx.check_cancelled()
        reached.append("went on")

    def second(work: Work, ctx: StepContext) -> None:
        reached.append("second")

    journey = scripted.journey(first, second)
    job = engine.run(journey)
    assert reached == ["asked"]
    assert (job.status, [step.status for step in job.steps]) == (
        "cancelled",
        ["cancelled", "pending"],
    )
    assert engine.messages(job) == ["begun", "cancelled at a safe point"]
    totals = engine.again(journey).aggregates
    assert (totals.total_jobs, totals.completed_jobs, totals.failed_jobs, totals.total_logs) == (
        1,
        0,
        0,
        2,
    )
    assert engine.executions.retry(job.job_id).execution_number == 2


@pytest.mark.accepts("JE-14", "JE-43")
def test_JE_43_a_journey_that_was_paused_or_cancelled_starts_no_further_stage(
    engine: Engine,
) -> None:
    # The job that runs comes to its end; the next one waits for somebody to resume.
    journey = engine.journey()
    engine.executions.run_journey(journey.journey_id)
    engine.journeys.pause(journey.journey_id)
    assert engine.work() == 1
    assert engine.again(journey).status == "paused"
    assert engine.stages(journey)["stripped_schema"] == "pending"
    with pytest.raises(WrongState, match="is paused: resume it first"):
        engine.start(journey, "stripped_schema")
    engine.journeys.resume(journey.journey_id)
    engine.executions.run_journey(journey.journey_id)
    engine.journeys.cancel(journey.journey_id)
    engine.work()
    assert engine.again(journey).status == "cancelled"
    assert engine.stages(journey)["tmf_mapping"] == "pending"


# -- time


@pytest.mark.accepts("JE-44")
def test_JE_44_a_job_that_takes_too_long_fails_at_its_next_safe_point(
    home: Home, tmp_path: Path, monkeypatch: Any
) -> None:
    # 1,800 seconds by default. The clock is the test's.
    now = [time.time()]
    engine = Engine(home, tmp_path, clock=lambda: now[0])
    scripted = Scripted(monkeypatch, engine)

    def slow(work: Work, ctx: StepContext) -> None:
        now[0] += 59
        ctx.check_cancelled()
        now[0] += 2
        ctx.check_cancelled()
        raise AssertionError("it went on")

    job = engine.run(scripted.journey(slow, timeout=60))
    assert (job.status, job.error_message) == ("failed", "it ran for longer than 60 seconds")
    assert job.duration == 61
    assert engine.messages(job) == ["it ran for longer than 60 seconds"]


@pytest.mark.slow
@pytest.mark.accepts("JE-44")
def test_JE_44_a_step_that_comes_to_no_safe_point_is_taken_away(
    home: Home, tmp_path: Path, monkeypatch: Any
) -> None:
    # It hangs in a call that nobody can interrupt: the job ends without it, and what it does later
    # counts for nothing.
    engine = Engine(home, tmp_path, grace_seconds=0.2)
    scripted, let_go, hung = (
        Scripted(monkeypatch, engine),
        threading.Event(),
        list[threading.Thread](),
    )

    def hangs(work: Work, ctx: StepContext) -> str:
        hung.append(threading.current_thread())
        let_go.wait(60)
        return "too late"

    journey = scripted.journey(hangs, timeout=1)
    job = engine.start(journey)
    with engine.executions.worker(threads=2, lease_seconds=0.5, poll_seconds=0.02):
        ended = engine.executions.wait(job.job_id, timeout=60)
        let_go.set()
        for thread in hung:
            thread.join(30)
    assert len(hung) == 1
    assert (ended.status, ended.error_message) == ("failed", "it ran for longer than 1 seconds")
    assert engine.executions.get(job.job_id) == ended


def test_waiting_has_an_end(engine: Engine) -> None:
    # Nobody works: whoever waits hears so.
    journey = engine.journey()
    job = engine.executions.run_journey(journey.journey_id)
    with pytest.raises(JobNotEnded):
        engine.executions.wait(job.job_id, timeout=0.05)
    with pytest.raises(JobNotEnded):
        engine.executions.wait_for_journey(journey.journey_id, timeout=0.05)


# -- workers that go


@pytest.mark.slow
@pytest.mark.parametrize("after_checkpoint", [1, 4, 9])
def test_a_worker_that_is_ended_in_the_middle_is_followed_by_one_that_goes_on(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, after_checkpoint: int
) -> None:
    # Steps that were done are not run again; the transfer goes on behind its last checkpoint, the
    # log behind its lines.
    journey = engine.journey()
    engine.executions.run_journey(journey.journey_id)
    for _ in range(4):
        engine.worker.run_once()
    from sortkey_systems.jobengine.jobs.step_context import RunningStep

    kept, real = [0], RunningStep.checkpoint

    def checkpoint(self: RunningStep, state: Any) -> None:
        real(self, state)
        kept[0] += 1
        if kept[0] == after_checkpoint:
            raise Killed

    monkeypatch.setattr(RunningStep, "checkpoint", checkpoint)
    with pytest.raises(Killed):
        engine.worker.run_once()
    (job,) = engine.jobs(journey, "data_migration")
    assert (job.status, job.current_step, job.attempt) == ("running", "transfer", 1)
    assert engine.work() == 2
    done = engine.executions.get(job.job_id)
    assert (done.status, done.attempt, done.execution_number) == ("completed", 2, 1)
    assert round(sum(step.duration or 0 for step in done.steps), 6) == done.duration
    assert [step.status for step in done.steps] == ["completed"] * 4
    lines = engine.messages(done, "transfer")
    assert len(lines) == len(set(lines))
    assert sum("taken up again" in line for line in lines) == 1
    assert engine.again(journey).status == "completed"
    assert done.metrics.total_logs == len(engine.messages(done))


def test_JE_43_a_cancelled_journey_whose_worker_is_gone_is_seen_to_by_the_next_one(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Killed between the cancellation and its next safe point: nobody else is left to say that the
    # job has ended.
    journey = engine.journey()
    job = engine.start(journey)
    lease = engine.worker._picker.take(job.job_id)
    assert lease is not None
    ledger.begin(engine.store, job, job.changed(status="running", attempt=1))
    engine.executions.tidy()
    engine.executions.queue.cancel(job.job_id)
    engine.journeys.cancel(journey.journey_id)
    later = lease.environment.clock() + 31
    heirs = Executions(engine.store, engine.buckets, JobQueue(engine.store, "jobengine"))
    assert heirs.worker(clock=lambda: later).run_once() is None
    heirs.tidy()
    (left,) = engine.jobs(journey)
    assert (left.status, engine.stages(journey)["raw_analysis"]) == ("cancelled", "pending")
    assert engine.again(journey).status == "cancelled"


def test_a_worker_that_lost_its_lease_writes_nothing_any_more(engine: Engine) -> None:
    # It was only slow; another one has the job now, and its figures must stand.
    journey = engine.journey()
    waiting = engine.start(journey)
    first = ledger.begin(engine.store, waiting, waiting.changed(status="running", attempt=1))
    second = ledger.begin(engine.store, first, first.changed(attempt=2))
    stages = engine.journeys.stages(journey.journey_id)
    with pytest.raises(JobLost):
        ledger.progress(engine.store, first, first.changed(progress=40), stages)
    with pytest.raises(JobLost):
        ledger.end(
            engine.store, first, lambda _: (first.changed(status="completed", progress=100), False)
        )
    with pytest.raises(JobLost):
        ledger.begin(engine.store, first, first.changed(attempt=2))
    ledger.progress(engine.store, second, second.changed(progress=30), stages)
    assert engine.executions.get(waiting.job_id).progress == 30


def test_a_job_that_was_created_and_not_enqueued_is_found(engine: Engine) -> None:
    # The process that started it ended in between: whoever looks next lets the workers have it.
    class Broken(JobQueue):
        def enqueue(self, *args: Any, **options: Any) -> Any:
            raise Unreachable("the table of jobs does not answer")

    journey = engine.journey()
    with pytest.raises(Unreachable):
        Executions(engine.store, engine.buckets, Broken(engine.store, "jobengine")).start_job(
            journey.journey_id, "raw_analysis"
        )
    (job,) = engine.jobs(journey)
    assert (job.status, engine.work()) == ("pending", 0)
    assert engine.executions.get(job.job_id).status == "pending"
    assert engine.work() == 1
    assert engine.executions.get(job.job_id).status == "completed"


def test_a_retry_waits_longer_each_time(home: Home, tmp_path: Path, monkeypatch: Any) -> None:
    # A service that is down is not helped by being asked in a loop.
    engine = Engine(home, tmp_path, backoff=Backoff(first_seconds=100, factor=2))

    def down(work: Work, ctx: StepContext) -> None:
        raise OSError("down")

    journey = Scripted(monkeypatch, engine).journey(down, retry_attempts=2)
    engine.run(journey)
    waiting = engine.executions.queue.get(engine.jobs(journey)[-1].job_id)
    assert waiting.created_at is not None
    assert waiting.due_at is not None
    assert round((waiting.due_at - waiting.created_at).total_seconds()) == 100


# -- places


@pytest.mark.parametrize("address", ["../secret.sqlite", "/etc/passwd", "a/../../b.sqlite", "."])
def test_journeys_of_strangers_stay_in_their_folder(engine: Engine, address: str) -> None:
    # Over REST anybody with a key may name a path.
    places = Places(root=engine.folder / "files")
    with pytest.raises(PlaceRefused, match="not in the folder"):
        places.source(engine.journey(address=Path(address)))
    with pytest.raises(PlaceRefused, match="not in the folder"):
        places.target(engine.journey(target=address))


def test_a_journey_in_its_folder_finds_its_file_and_a_place_for_its_documents(
    engine: Engine,
) -> None:
    places = Places(root=engine.folder, databases=False)
    journey = engine.journey(address=Path(engine.shop().name), target=None)
    assert places.source(journey) == str(engine.shop())
    assert places.target(journey) == str(engine.folder / f"{journey.journey_id}.sqlite")
    database = journey.changed(
        source=journey.source.model_copy(update={"address": "postgresql://localhost/shop"})
    )
    with pytest.raises(PlaceRefused, match="may not connect"):
        places.source(database)


@pytest.mark.parametrize("root", [True, False])
def test_a_journey_does_not_write_into_its_source(engine: Engine, root: bool) -> None:
    # Its tables would be taken for documents of another plan, and emptied.
    places = Places(root=engine.folder if root else None)
    shop = engine.shop()
    journey = engine.journey(address=shop, target=str(shop.parent / "more" / ".." / shop.name))
    with pytest.raises(PlaceRefused, match="is the source itself"):
        places.target(journey)
    assert engine.run(journey).status == "failed"


def test_more_executions_than_a_key_can_number_are_refused(engine: Engine) -> None:
    # Three digits: the thousandth would stand before the second.
    journey = engine.journey()
    job = engine.start(journey)
    engine.executions.cancel(job.job_id)
    assert job.created_at is not None
    engine.store.put(
        Job(**(dict(job) | {"execution_number": 999, "job_id": "JOB-last", "status": "cancelled"}))
    )
    with pytest.raises(WrongState, match="999 executions"):
        engine.start(journey)


def test_a_journey_that_is_broken_keeps_no_other_waiting(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    # Workers look at all that run, one after the other: what is wrong with the first must not end
    # the look.
    class Lost(JobQueue):
        def enqueue(self, *args: Any, **options: Any) -> Any:
            """As by a process that was killed before it came to that."""

    lost = Executions(engine.store, engine.buckets, Lost(engine.store, "jobengine"))
    broken, other = engine.journey(), engine.journey()
    for journey in (broken, other):
        lost.start_job(journey.journey_id, "raw_analysis")
    for stage in engine.journeys.stages(broken.journey_id):
        engine.store.delete(stage)
    engine.executions.tidy()
    assert broken.journey_id in caplog.text
    assert engine.work() == 1
    assert engine.jobs(other)[0].status == "completed"


@pytest.mark.slow
def test_workers_see_to_jobs_that_nobody_runs(engine: Engine) -> None:
    # Created and never enqueued, and nobody looks at it: the next worker that starts does.
    class Broken(JobQueue):
        def enqueue(self, *args: Any, **options: Any) -> Any:
            raise Unreachable("the table of jobs does not answer")

    journey = engine.journey()
    broken = Executions(engine.store, engine.buckets, Broken(engine.store, "jobengine"))
    with pytest.raises(Unreachable):
        broken.start_job(journey.journey_id, "raw_analysis")
    with engine.executions.worker(poll_seconds=0.02):
        for _ in range(2000):
            if engine.stages(journey)["raw_analysis"] == "completed":
                break
            time.sleep(0.02)
    assert engine.jobs(journey)[0].status == "completed"
