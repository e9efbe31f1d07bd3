"""The contract of jobs, on every store that they can lie in."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from sortkey import Backoff, JobContext, JobQueue, job
from sortkey.errors import (
    GiveUp,
    JobConflict,
    JobError,
    JobInterrupted,
    JobLost,
    JobNotEnded,
    ModelError,
    NotFound,
    TransactionFailed,
)
from sortkey.runtime.jobs.attempts import ATTEMPTS
from sortkey.runtime.jobs.records import Slots
from sortkey.runtime.jobs.wakeups import Wakeups
from sortkey.runtime.jobs.worker import RUNNING, WAITED
from tests.contract.jobs_adapters import Yard, jobs_store, yard

__all__ = ["jobs_store", "yard"]


@job("add")
def add(ctx: JobContext, a: int, b: int) -> int:
    return a + b


# -- one job


def test_a_job_runs_and_its_result_is_kept(yard: Yard) -> None:
    # The least that a queue must do.
    made = yard.queue.enqueue(add, {"a": 2, "b": 3})
    assert yard.queue.get(made.job_id).status == "pending"
    done = yard.worker(add).run_once()
    assert done is not None
    stored = yard.queue.get(made.job_id)
    assert (stored.status, stored.result, stored.progress, stored.attempt) == (
        "completed",
        5,
        100,
        1,
    )
    assert stored.ended_at is not None
    assert stored.lease is None
    (attempt,) = yard.queue.attempts(made.job_id)
    assert (attempt.number, attempt.outcome, attempt.error) == (1, "completed", None)
    assert yard.worker(add).run_once() is None


def test_wrong_arguments_are_refused_when_they_are_enqueued(yard: Yard) -> None:
    # Whoever made the mistake should hear of it, not a worker an hour later.
    with pytest.raises(ModelError, match="missing a required argument: 'b'"):
        yard.queue.enqueue(add, {"a": 2})
    with pytest.raises(ModelError, match="cannot be stored"):
        yard.queue.enqueue(add, {"a": (1, 2), "b": 3})
    with pytest.raises(ModelError, match="store it as an object"):
        yard.queue.enqueue("anything", {"text": "x" * 360_000})


def test_a_job_that_is_not_there_is_not_found(yard: Yard) -> None:
    with pytest.raises(NotFound):
        yard.queue.get("JOB-nothing")
    assert yard.worker(add).run_job("JOB-nothing") is None


def test_a_worker_leaves_jobs_alone_that_it_does_not_know(yard: Yard) -> None:
    # During a deployment old and new workers share a queue.
    yard.queue.enqueue("new")
    known = yard.queue.enqueue(add, {"a": 1, "b": 1})
    done = yard.worker(add).run_once()
    assert done is not None
    assert done.job_id == known.job_id
    assert yard.worker(add).run_once() is None
    assert [item.name for item in yard.queue.jobs("pending").items] == ["new"]


# -- the order


def test_the_most_urgent_job_runs_first_and_then_the_oldest(yard: Yard) -> None:
    # critical > high > medium > low, then time: what the AI Job Engine promises its users.
    ran: list[int] = []

    @job("note")
    def note(ctx: JobContext, n: int) -> None:
        ran.append(n)

    for n, priority in enumerate(
        ("low", "medium", "critical", "high", "medium", "critical", "low")
    ):
        yard.queue.enqueue(note, {"n": n}, priority=priority)  # type: ignore[arg-type]
        yard.clock.advance(0.001)
    worker = yard.worker(note)
    while worker.run_once():
        pass
    assert ran == [2, 5, 3, 1, 4, 0, 6]


def test_a_delayed_job_waits_for_its_time_whatever_its_priority(yard: Yard) -> None:
    # A critical job of tomorrow must not hold up one of today.
    late = yard.queue.enqueue(add, {"a": 1, "b": 1}, priority="critical", delay=60)
    now = yard.queue.enqueue(add, {"a": 1, "b": 1}, priority="low")
    worker = yard.worker(add)
    assert worker.run_job(late.job_id) is None
    assert [done.job_id for done in (worker.run_once(),) if done] == [now.job_id]
    assert worker.run_once() is None
    assert yard.queue.waiting() == 0
    yard.clock.advance(60)
    assert yard.queue.waiting() == 1
    assert [done.job_id for done in (worker.run_once(),) if done] == [late.job_id]


def test_jobs_are_listed_by_status_the_newest_first(yard: Yard) -> None:
    # A console shows what failed and what waits; pages go on where they ended.
    ids = []
    for _ in range(5):
        ids.append(yard.queue.enqueue(add, {"a": 1, "b": 1}).job_id)
        yard.clock.advance(1)
    yard.worker(add).run_once()
    first = yard.queue.jobs("pending", size=3)
    second = yard.queue.jobs("pending", size=3, cursor=first.cursor)
    assert [item.job_id for item in (*first.items, *second.items)] == ids[:0:-1]
    assert [item.job_id for item in yard.queue.jobs("completed").items] == ids[:1]
    assert yard.queue.jobs("failed").items == []


# -- once


def test_the_same_idempotency_key_gives_the_same_job(yard: Yard) -> None:
    # Who does not know whether the first call arrived calls again.
    first = yard.queue.enqueue(add, {"a": 1, "b": 2}, idempotency_key="order-7")
    again = yard.queue.enqueue(add, {"a": 1, "b": 2}, idempotency_key="order-7")
    other = yard.queue.enqueue(add, {"a": 1, "b": 2}, idempotency_key="order-8")
    assert again.job_id == first.job_id != other.job_id
    worker = yard.worker(add)
    assert [bool(worker.run_once()) for _ in range(3)] == [True, True, False]
    assert yard.queue.enqueue(add, {"a": 1, "b": 2}, idempotency_key="order-7").result == 3


def test_a_job_is_enqueued_with_the_other_writes_of_a_transaction_or_not_at_all(
    yard: Yard,
) -> None:
    # The change that a job completes and the job itself: a crash in between leaves neither alone.
    first = yard.queue.write_of(add, {"a": 1, "b": 1})
    yard.queue.store.transact(first)
    yard.queue.notify(first.entity)
    other = yard.queue.write_of(add, {"a": 2, "b": 2}, key="one at a time")
    with pytest.raises(TransactionFailed):
        yard.queue.store.transact(other, first)  # it exists
    with pytest.raises(ModelError):
        yard.queue.write_of(add, {"a": 1})
    worker = yard.worker(add)
    done = worker.run_once()
    assert done is not None
    assert (done.job_id, done.result) == (first.entity.job_id, 2)
    assert worker.run_once() is None


def test_a_job_can_have_an_id_of_the_callers_own(yard: Yard) -> None:
    # What the job is about often has an id already; enqueued again after a crash, it is the same
    # job.
    own = f"JOB-own-{yard.queue_name}"
    assert yard.queue.enqueue(add, {"a": 1, "b": 2}, job_id=own).job_id == own
    assert yard.queue.enqueue(add, {"a": 1, "b": 2}, job_id=own).job_id == own
    assert len(yard.queue.jobs("pending").items) == 1
    with pytest.raises(JobConflict, match=own):
        yard.queue.enqueue(add, {"a": 1, "b": 3}, job_id=own)


def test_one_idempotency_key_for_two_different_jobs_is_refused(yard: Yard) -> None:
    # To give back the other job would hide that this one is never run.
    yard.queue.enqueue(add, {"a": 1, "b": 2}, idempotency_key="order-7")
    with pytest.raises(JobConflict):
        yard.queue.enqueue(add, {"a": 1, "b": 3}, idempotency_key="order-7")


def test_nobody_takes_a_job_while_its_lease_holds(yard: Yard) -> None:
    # Two at once would do everything twice.
    others: list[Any] = []

    @job("look")
    def look(ctx: JobContext) -> None:
        yard.clock.advance(29)
        others.append(yard.worker(look).run_once())
        others.append(yard.worker(look).run_job(ctx.job.job_id))

    yard.queue.enqueue(look)
    yard.worker(look).run_once()
    assert others == [None, None]


def test_many_workers_at_once_run_every_job_once(yard: Yard) -> None:
    # The index shows the same job to all of them; the conditional write gives it to one.
    ran: list[int] = []

    @job("note")
    def note(ctx: JobContext, n: int) -> int:
        ran.append(n)
        return n

    ids = [yard.queue.enqueue(note, {"n": n}).job_id for n in range(24)]

    def work() -> None:
        worker = yard.worker(note)
        while any(yard.queue.get(job_id).status == "pending" for job_id in ids):
            worker.run_once()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ran) == list(range(24))
    assert [yard.queue.get(job_id).result for job_id in ids] == list(range(24))
    assert all(len(yard.queue.attempts(job_id)) == 1 for job_id in ids)


# -- failures


@job("fail", retries=2, backoff=Backoff(first_seconds=10, factor=3, max_seconds=25, jitter=0.5))
def fail(ctx: JobContext) -> None:
    raise ValueError(f"no {ctx.attempt}")


def test_a_job_that_fails_is_tried_again_later_and_then_no_more(yard: Yard) -> None:
    # retries=2 are three tries, with longer and longer pauses; every try is on record.
    made = yard.queue.enqueue(fail)
    worker = yard.worker(fail)
    for pause in (10, 25):
        failed = worker.run_once()
        assert failed is not None
        assert (failed.status, failed.due_at.timestamp()) == ("pending", yard.clock.now + pause)  # type: ignore[union-attr]
        yard.clock.advance(pause - 1)
        assert worker.run_once() is None
        yard.clock.advance(1)
    ended = worker.run_once()
    assert ended is not None
    assert (ended.status, ended.error, ended.attempt) == ("failed", "ValueError: no 3", 3)
    assert yard.queue.get(made.job_id).error == "ValueError: no 3"
    assert [(attempt.number, attempt.error) for attempt in yard.queue.attempts(made.job_id)] == [
        (1, "ValueError: no 1"),
        (2, "ValueError: no 2"),
        (3, "ValueError: no 3"),
    ]
    errors = yard.queue.logs(made.job_id, level="ERROR")
    assert len(errors) == 3
    assert "ValueError: no 1" in errors[0].details["traceback"]


def test_what_is_enqueued_with_a_job_goes_before_what_its_function_says(yard: Yard) -> None:
    # A journey's configuration names timeout and retries for its own jobs.
    made = yard.queue.enqueue(fail, retries=0, timeout=5)
    ended = yard.worker(fail).run_once()
    assert ended is not None
    assert (ended.status, ended.attempts_max, ended.timeout_seconds) == ("failed", 1, 5)
    assert len(yard.queue.attempts(made.job_id)) == 1


def test_a_function_can_give_up_at_once(yard: Yard) -> None:
    # An upload that is no archive will be none in ten minutes either.
    @job("refuse", retries=5)
    def refuse(ctx: JobContext) -> None:
        raise GiveUp("not a zip")

    yard.queue.enqueue(refuse)
    ended = yard.worker(refuse).run_once()
    assert ended is not None
    assert (ended.status, ended.error) == ("failed", "GiveUp: not a zip")


def test_a_failed_job_can_be_retried_by_hand_with_as_many_tries_again(yard: Yard) -> None:
    # A new execution with a higher number; earlier attempts are never overwritten.
    made = yard.queue.enqueue(fail, retries=1)
    worker = yard.worker(fail)
    for _ in range(2):
        worker.run_once()
        yard.clock.advance(30)
    assert yard.queue.get(made.job_id).status == "failed"
    again = yard.queue.retry(made.job_id)
    assert (again.status, again.ended_at) == ("pending", None)
    for _ in range(2):
        worker.run_once()
        yard.clock.advance(30)
    assert yard.queue.get(made.job_id).status == "failed"
    assert [attempt.number for attempt in yard.queue.attempts(made.job_id)] == [1, 2, 3, 4]


def test_a_job_that_waits_runs_or_is_completed_is_not_retried(yard: Yard) -> None:
    # It would run twice, or do again what is done.
    messages: list[str] = []

    @job("try")
    def try_it(ctx: JobContext) -> None:
        with pytest.raises(JobError, match="is running"):
            yard.queue.retry(ctx.job.job_id)
        messages.append("running")

    made = yard.queue.enqueue(try_it)
    with pytest.raises(JobError, match="is pending"):
        yard.queue.retry(made.job_id)
    yard.worker(try_it).run_once()
    with pytest.raises(JobError, match="is completed"):
        yard.queue.retry(made.job_id)
    assert messages == ["running"]


def test_a_result_that_cannot_be_kept_fails_the_attempt(yard: Yard) -> None:
    # Better than a job that is completed and has lost what it made.
    @job("odd", retries=0)
    def odd(ctx: JobContext) -> Any:
        return {1, 2}

    made = yard.queue.enqueue(odd)
    yard.worker(odd).run_once()
    assert "cannot be stored with a job" in (yard.queue.get(made.job_id).error or "")


# -- steps


def test_a_step_that_is_done_is_not_run_again_and_its_result_is_kept(yard: Yard) -> None:
    # What cost an hour is not done twice because what came after it failed.
    calls: list[str] = []

    @job("steps", backoff=Backoff(first_seconds=1))
    def steps(ctx: JobContext) -> Any:
        one = ctx.step(
            "one", lambda: calls.append("one") or {"rows": [1, 2.5, None], "sum": 0.1 + 0.2}
        )

        @ctx.step("two")
        def two() -> int:
            calls.append("two")
            if ctx.attempt == 1:
                raise OSError("no space")
            return len(one["rows"])

        return [one, two]

    made = yard.queue.enqueue(steps)
    worker = yard.worker(steps)
    worker.run_once()
    one, two = yard.queue.steps(made.job_id)
    assert (one.name, one.status, one.attempt) == ("one", "completed", 1)
    assert (two.name, two.status, two.error) == ("two", "failed", "OSError: no space")
    assert yard.queue.get(made.job_id).current_step == "two"
    yard.clock.advance(1)
    worker.run_once()
    assert calls == ["one", "two", "two"]
    done = yard.queue.get(made.job_id)
    assert done.result == [{"rows": [1, 2.5, None], "sum": 0.1 + 0.2}, 3]
    assert [(step.name, step.status, step.attempt) for step in yard.queue.steps(made.job_id)] == [
        ("one", "completed", 1),
        ("two", "completed", 2),
    ]


def test_a_step_can_be_tried_again_by_itself(yard: Yard) -> None:
    # The steps of an image pipeline are retried three times each, without starting the others over.
    calls: list[int] = []

    @job("thumbs", retries=0, backoff=Backoff(first_seconds=2))
    def thumbs(ctx: JobContext) -> int:
        def shrink() -> int:
            calls.append(1)
            if len(calls) < 3:
                raise OSError("busy")
            return len(calls)

        return ctx.step("shrink", retries=3)(shrink)

    made = yard.queue.enqueue(thumbs)
    done = yard.worker(thumbs).run_once()
    assert done is not None
    assert (done.status, done.result, yard.slept) == ("completed", 3, [2, 4])
    assert [line.message for line in yard.queue.logs(made.job_id, step="shrink")] == [
        "OSError: busy"
    ] * 2


@pytest.mark.parametrize("twice", ["again", "inside"])
def test_steps_that_cannot_be_distinguished_are_refused(yard: Yard, twice: str) -> None:
    # The second call of a name would silently give the first one's result.
    @job("loop", retries=0)
    def loop(ctx: JobContext) -> None:
        if twice == "again":
            for _ in range(2):
                ctx.step("row", lambda: None)
        else:
            ctx.step("outer", lambda: ctx.step("inner", lambda: None))

    made = yard.queue.enqueue(loop)
    yard.worker(loop).run_once()
    assert (yard.queue.get(made.job_id).error or "").startswith("ModelError: step")


def test_a_loop_goes_on_from_its_last_checkpoint(yard: Yard) -> None:
    # A migration of a million rows that dies at 900,000 has 100,000 to go.
    seen: list[int] = []

    @job("loop", backoff=Backoff(first_seconds=1))
    def loop(ctx: JobContext) -> int:
        for n in range(ctx.state["next"] if ctx.state else 0, 5):
            seen.append(n)
            if n == 3 and ctx.attempt == 1:
                raise OSError
            ctx.checkpoint({"next": n + 1})
        return ctx.state["next"]

    made = yard.queue.enqueue(loop)
    worker = yard.worker(loop)
    worker.run_once()
    assert yard.queue.state(made.job_id) == {"next": 3}
    yard.clock.advance(1)
    worker.run_once()
    assert seen == [0, 1, 2, 3, 3, 4]
    assert yard.queue.get(made.job_id).result == 5


def test_progress_is_seen_while_the_job_runs(yard: Yard) -> None:
    # 0 to 100, with a word on what is going on.
    shown: list[tuple[int, str | None]] = []

    @job("show", retries=0)
    def show(ctx: JobContext) -> None:
        ctx.progress(45, "mapping")
        stored = yard.queue.get(ctx.job.job_id)
        shown.append((stored.progress, stored.progress_text))
        ctx.progress(101)

    made = yard.queue.enqueue(show)
    yard.worker(show).run_once()
    assert shown == [(45, "mapping")]
    assert "101" in (yard.queue.get(made.job_id).error or "")


@pytest.mark.parametrize("buffer", [1, 7, 1000])
def test_the_log_has_every_line_once_in_order_under_its_step(yard: Yard, buffer: int) -> None:
    # What a support engineer reads first. Also where lines are collected, and of the attempt that
    # failed.
    @job("talk", backoff=Backoff(first_seconds=1), log_buffer=buffer)
    def talk(ctx: JobContext) -> None:
        ctx.log("INFO", "begin", attempt=ctx.attempt)

        @ctx.step("work")
        def work() -> None:
            for n in range(30):
                ctx.log(
                    "DEBUG" if n % 2 else "WARNING", f"row {n}", n=n, share=n / 7, tags=["a", None]
                )

        if ctx.attempt == 1:
            raise OSError("gone")

    made = yard.queue.enqueue(talk)
    worker = yard.worker(talk)
    worker.run_once()
    yard.clock.advance(1)
    worker.run_once()
    lines = yard.queue.logs(made.job_id)
    messages = [(line.attempt, line.step, line.message) for line in lines]
    rows = [(1, "work", f"row {n}") for n in range(30)]
    assert messages == [
        (1, None, "begin"),
        *rows,
        (1, None, "attempt 1 failed: OSError: gone"),
        (2, None, "begin"),
    ]
    assert lines[8].details == {"n": 7, "share": 1.0, "tags": ["a", None]}
    assert [line.number for line in yard.queue.logs(made.job_id, attempt=1)] == list(range(1, 33))
    assert len(yard.queue.logs(made.job_id, step="work", level="warning")) == 15
    assert [line.level for line in yard.queue.logs(made.job_id, level="ERROR")] == ["ERROR"]


# -- workers that are gone


def test_a_job_whose_worker_is_gone_is_taken_up_when_its_lease_is_over(yard: Yard) -> None:
    # kill -9 says nothing to anybody; the lease does.
    made = yard.queue.enqueue(add, {"a": 1, "b": 2})
    assert yard.worker(add, name="dead")._picker.next() is not None
    worker = yard.worker(add, name="heir")
    yard.clock.advance(29.9)
    assert worker.run_once() is None
    yard.clock.advance(0.2)
    done = worker.run_once()
    assert done is not None
    assert (done.status, done.attempt) == ("completed", 2)
    lost, completed = yard.queue.attempts(made.job_id)
    assert (lost.outcome, lost.worker, lost.error) == (
        "lost",
        "dead",
        "the worker dead stopped renewing its lease",
    )
    assert (completed.outcome, completed.worker) == ("completed", "heir")


def test_a_job_that_kills_its_workers_fails_in_the_end(yard: Yard) -> None:
    # A lost attempt counts, or one bad job would take down worker after worker for ever.
    made = yard.queue.enqueue(add, {"a": 1, "b": 2}, retries=1)
    for _ in range(2):
        assert yard.worker(add)._picker.next() is not None
        yard.clock.advance(31)
    assert yard.worker(add).run_once() is None
    assert yard.queue.get(made.job_id).status == "failed"
    assert [attempt.outcome for attempt in yard.queue.attempts(made.job_id)] == ["lost", "lost"]


def test_a_job_whose_worker_died_twice_is_dead_lettered_however_many_retries_it_has(
    yard: Yard,
) -> None:
    # A job that needs more memory than there is would take down every worker, and everything else
    # with it.
    made = yard.queue.enqueue(add, {"a": 1, "b": 2}, retries=1000)
    lose_worker(yard, made.job_id)
    assert yard.queue.get(made.job_id).worker_deaths == 0  # nobody has noticed yet
    lose_worker(yard, made.job_id)
    assert yard.worker(add).run_once() is None
    dead = yard.queue.get(made.job_id)
    assert (dead.status, dead.error) == ("failed", "its worker died twice while running it")
    assert dead.is_dead_letter


def test_how_many_deaths_are_too_many_is_the_queues_to_say(yard: Yard) -> None:
    queue = JobQueue(yard.store, yard.queue_name, worker_deaths_max=3, clock=yard.clock)
    made = queue.enqueue(add, {"a": 1, "b": 2})
    for _ in range(2):
        lose_worker(yard, made.job_id)
    assert yard.worker(add).run_once() is not None
    done = queue.get(made.job_id)
    assert (done.status, done.worker_deaths, done.is_dead_letter) == ("completed", 2, False)
    with pytest.raises(ModelError, match="worker_deaths_max is 0: it must be at least 1"):
        JobQueue(yard.store, worker_deaths_max=0)


def test_an_error_is_no_death(yard: Yard) -> None:
    # Errors have a number of tries of their own.
    @job("flaky", retries=5, backoff=Backoff(first_seconds=0.0))
    def flaky(ctx: JobContext) -> None:
        raise OSError

    made = yard.queue.enqueue(flaky)
    for _ in range(3):
        yard.worker(flaky).run_once()
    lose_worker(yard, made.job_id, flaky)
    yard.worker(flaky).run_once()
    assert (yard.queue.get(made.job_id).status, yard.queue.get(made.job_id).worker_deaths) == (
        "pending",
        1,
    )


def test_a_dead_letter_that_is_retried_by_hand_has_all_its_lives_again(yard: Yard) -> None:
    # Somebody has given the machine more memory.
    made = yard.queue.enqueue(add, {"a": 1, "b": 2})
    for _ in range(2):
        lose_worker(yard, made.job_id)
    assert yard.worker(add).run_once() is None
    assert yard.queue.retry(made.job_id).worker_deaths == 0
    lose_worker(yard, made.job_id)
    assert yard.worker(add).run_once() is not None
    assert yard.queue.get(made.job_id).status == "completed"


def test_nothing_starts_beside_a_job_that_has_lost_a_worker_before(yard: Yard) -> None:
    # Whatever runs in the process when it is killed loses its worker too: an innocent job must not
    # be condemned.
    outside: list[Any] = []

    @job("suspect")
    def suspect(ctx: JobContext) -> None:
        outside.append(worker.run_once())

    made = yard.queue.enqueue(suspect)
    lose_worker(yard, made.job_id, suspect)
    other = yard.queue.enqueue(add, {"a": 1, "b": 2})
    worker = yard.worker(suspect, add)
    assert worker.run_job(made.job_id) is not None
    assert outside == [None]
    assert yard.queue.get(other.job_id).status == "pending"
    assert worker.run_once() is not None
    assert yard.queue.get(other.job_id).result == 3


def lose_worker(yard: Yard, job_id: str, function: Any = add) -> None:
    """A worker takes the job and is not heard of again until its lease is over."""
    assert yard.worker(function)._picker.take(job_id) is not None
    yard.clock.advance(31)


def test_a_heartbeat_keeps_a_long_job(yard: Yard) -> None:
    # A job may run for hours on a lease of seconds.
    others: list[Any] = []

    @job("long", timeout=3600)
    def long(ctx: JobContext) -> None:
        for _ in range(10):
            yard.clock.advance(20)
            worker.renew_leases()
            others.append(yard.worker(long).run_once())

    made = yard.queue.enqueue(long)
    worker = yard.worker(long)
    worker.run_once()
    assert others == [None] * 10
    assert [attempt.outcome for attempt in yard.queue.attempts(made.job_id)] == ["completed"]


WRITES = {
    "progress": lambda ctx: ctx.progress(50),
    "checkpoint": lambda ctx: ctx.checkpoint({"late": True}),
    "step": lambda ctx: ctx.step("late", lambda: "late"),
    "safe point": lambda ctx: ctx.check_cancelled(),
    "result": lambda ctx: None,
}


@pytest.mark.parametrize("write", WRITES)
def test_a_worker_that_lost_its_job_can_write_nothing(yard: Yard, write: str) -> None:
    # It was only slow, and comes back to a job that another has finished: fenced by the token of
    # its lease.
    messages: list[str] = []

    @job("slow")
    def slow(ctx: JobContext) -> str:
        if ctx.attempt == 2:
            return "second"
        yard.clock.advance(31)
        done = yard.worker(slow).run_once()
        assert done is not None
        assert done.result == "second"
        try:
            WRITES[write](ctx)
        except JobLost as lost:
            messages.append(str(lost))
            raise
        return "first"

    made = yard.queue.enqueue(slow)
    yard.worker(slow).run_once()
    assert len(messages) == (write != "result")
    stored = yard.queue.get(made.job_id)
    assert (stored.status, stored.result, stored.attempt, stored.progress) == (
        "completed",
        "second",
        2,
        100,
    )
    assert [attempt.outcome for attempt in yard.queue.attempts(made.job_id)] == [
        "lost",
        "completed",
    ]
    assert yard.queue.steps(made.job_id) == []
    assert yard.queue.state(made.job_id) is None


def test_a_step_that_ends_after_the_lease_was_lost_is_not_kept(yard: Yard) -> None:
    # Its result would stand beside those of the attempt that runs now.
    @job("slow")
    def slow(ctx: JobContext) -> str:
        def part() -> str:
            if ctx.attempt == 1:
                yard.clock.advance(31)
                yard.worker(slow).run_once()
            return f"of attempt {ctx.attempt}"

        return ctx.step("part", part)

    made = yard.queue.enqueue(slow)
    yard.worker(slow).run_once()
    assert yard.queue.get(made.job_id).result == "of attempt 2"
    assert [step.result for step in yard.queue.steps(made.job_id)] == ["of attempt 2"]


# -- time and cancellation


def test_a_job_that_runs_too_long_ends_at_its_next_safe_point(yard: Yard) -> None:
    # timeout is for one try; the next one has its own.
    @job("late", timeout=100, retries=1, backoff=Backoff(first_seconds=1))
    def late(ctx: JobContext) -> str:
        if ctx.attempt == 1:
            yard.clock.advance(20)
            ctx.progress(10)
            yard.clock.advance(20)
            worker.renew_leases()
            yard.clock.advance(61)
            ctx.check_cancelled()
        return "in time"

    made = yard.queue.enqueue(late)
    worker = yard.worker(late, lease_seconds=200)
    first = worker.run_once()
    assert first is not None
    assert (first.status, first.error) == ("pending", "it ran for longer than 100 seconds")
    yard.clock.advance(1)
    worker.run_once()
    assert yard.queue.get(made.job_id).result == "in time"
    assert [attempt.outcome for attempt in yard.queue.attempts(made.job_id)] == [
        "timed_out",
        "completed",
    ]


def test_a_function_that_comes_to_no_safe_point_loses_its_job_after_its_timeout(yard: Yard) -> None:
    # A thread cannot be killed. Its job is taken away, and whatever it does later changes nothing.
    @job("hang", timeout=100, retries=0)
    def hang(ctx: JobContext) -> str:
        yard.clock.advance(101)
        worker.renew_leases()  # asks
        assert yard.queue.get(ctx.job.job_id).status == "running"
        worker.renew_leases()  # takes
        assert yard.queue.get(ctx.job.job_id).status == "failed"
        return "too late"

    made = yard.queue.enqueue(hang)
    worker = yard.worker(hang, lease_seconds=200)
    worker.run_once()
    stored = yard.queue.get(made.job_id)
    assert (stored.status, stored.result) == ("failed", None)
    assert [attempt.outcome for attempt in yard.queue.attempts(made.job_id)] == ["timed_out"]


def test_a_job_that_waits_is_cancelled_at_once(yard: Yard) -> None:
    made = yard.queue.enqueue(add, {"a": 1, "b": 2})
    assert yard.queue.cancel(made.job_id).status == "cancelled"
    assert yard.worker(add).run_once() is None
    assert yard.queue.attempts(made.job_id) == []
    assert yard.queue.retry(made.job_id).cancel_requested is False
    done = yard.worker(add).run_once()
    assert done is not None
    assert yard.queue.cancel(made.job_id).status == "completed"  # what has ended stays as it is


@pytest.mark.parametrize("seen_by", ["check", "progress", "step", "checkpoint", "heartbeat"])
def test_a_job_that_runs_is_cancelled_at_its_next_safe_point(yard: Yard, seen_by: str) -> None:
    # Not in the middle of a write. Also where the one who cancels is in another process.
    reached: list[str] = []

    @job("run")
    def run(ctx: JobContext) -> None:
        ctx.step("before", lambda: None)
        other = type(yard.queue)(yard.store, yard.queue_name, clock=yard.clock, wakeups=Wakeups())
        assert other.cancel(ctx.job.job_id).status == "running"
        yard.clock.advance(1.5)
        reached.append("asked")
        if seen_by == "check":
            ctx.check_cancelled()
        elif seen_by == "progress":
            ctx.progress(50)
        elif seen_by == "step":
            ctx.step("after", lambda: reached.append("ran"))
        elif seen_by == "checkpoint":
            ctx.checkpoint(1)
        else:
            yard.clock.advance(15)
            worker.renew_leases()
            ctx.progress(0)
        reached.append("went on")

    made = yard.queue.enqueue(run)
    worker = yard.worker(run)
    worker.run_once()
    assert reached == ["asked"]
    stored = yard.queue.get(made.job_id)
    assert (stored.status, stored.attempt) == ("cancelled", 1)
    assert [attempt.outcome for attempt in yard.queue.attempts(made.job_id)] == ["cancelled"]
    assert [step.name for step in yard.queue.steps(made.job_id)] == ["before"]


def test_a_function_that_makes_an_error_of_its_own_of_it_is_cancelled_all_the_same(
    yard: Yard,
) -> None:
    # Libraries wrap whatever they catch. The user has cancelled, and wants no further try.
    @job("wrap")
    def wrap(ctx: JobContext) -> None:
        try:
            yard.queue.cancel(ctx.job.job_id)
            ctx.check_cancelled()
        except Exception as error:
            raise RuntimeError("something went wrong") from error

    made = yard.queue.enqueue(wrap)
    yard.worker(wrap).run_once()
    assert yard.queue.get(made.job_id).status == "cancelled"


def test_a_cancelled_job_whose_worker_is_gone_is_not_taken_up_again(yard: Yard) -> None:
    made = yard.queue.enqueue(add, {"a": 1, "b": 2})
    assert yard.worker(add)._picker.next() is not None
    yard.queue.cancel(made.job_id)
    yard.clock.advance(31)
    assert yard.worker(add).run_once() is None
    assert yard.queue.get(made.job_id).status == "cancelled"


# -- limits


def test_a_queue_runs_no_more_at_once_than_its_limit(yard: Yard) -> None:
    # Across all workers: it is counted where the jobs lie.
    inside: list[Any] = []

    @job("hold")
    def hold(ctx: JobContext, depth: int) -> None:
        inside.append(yard.worker(hold, limit=2).run_once())

    for _ in range(4):
        yard.queue.enqueue(hold, {"depth": 1})
    yard.worker(hold, limit=2).run_once()
    # The first runs the second inside itself; that one finds the queue full.
    assert inside[0] is None
    assert inside[1] is not None
    assert len(yard.queue.jobs("completed").items) == 2
    assert yard.worker(hold, limit=1).run_once() is not None


def test_of_one_key_only_so_many_run_at_once_and_others_go_ahead(yard: Yard) -> None:
    # One journey's stages run one after the other; another journey need not wait for them.
    ran: list[str] = []

    @job("stage")
    def stage(ctx: JobContext, journey: str, n: int) -> None:
        ran.append(f"{journey}{n}")
        if n == 0:
            while yard.worker(stage).run_once():
                pass
            ran.append("end of a0")

    for n in range(30):
        yard.queue.enqueue(stage, {"journey": "a", "n": n}, key="a")
        yard.clock.advance(0.001)
    yard.queue.enqueue(stage, {"journey": "b", "n": 1}, key="b")
    worker = yard.worker(stage)
    worker.run_once()
    assert ran == ["a0", "b1", "end of a0"]
    while worker.run_once():
        pass
    assert ran[3:] == [f"a{n}" for n in range(1, 30)]


def test_the_place_of_a_worker_that_is_gone_is_free_when_its_lease_is_over(yard: Yard) -> None:
    # A limit that a crash uses up would stop the queue for good.
    yard.queue.enqueue(add, {"a": 1, "b": 1}, key="k")
    second = yard.queue.enqueue(add, {"a": 2, "b": 2}, key="k")
    worker = yard.worker(add, limit=1)
    assert yard.worker(add, limit=1)._picker.next() is not None
    assert worker.run_once() is None
    yard.clock.advance(31)
    assert worker.run_once() is not None
    assert worker.run_once() is not None
    assert yard.queue.get(second.job_id).result == 4
    for name in (yard.queue_name, f"{yard.queue_name}#k"):
        assert not yard.store.get(Slots.key(name=name), consistent=True).holders


# -- waiting, and workers in threads


def test_a_started_worker_wakes_up_for_a_job_of_its_own_process(yard: Yard) -> None:
    # It would look by itself in an hour: only a notification can wake it.
    queue = yard.real_queue()
    with yard.real_worker(add, poll_seconds=3600.0):
        made = queue.enqueue(add, {"a": 2, "b": 3})
        assert queue.wait(made.job_id, timeout=300).result == 5
        delayed = queue.enqueue(add, {"a": 2, "b": 3}, delay=0.05)
        assert queue.wait(delayed.job_id, timeout=300).status == "completed"


def test_a_started_worker_finds_jobs_of_other_processes_by_looking(yard: Yard) -> None:
    # Wake-ups do not cross processes: the table is polled.
    queue = yard.real_queue()
    with yard.real_worker(add, poll_seconds=0.02, wakeups=Wakeups()):
        time.sleep(0.05)
        made = queue.enqueue(add, {"a": 2, "b": 3})
        assert queue.wait(made.job_id, timeout=20).status == "completed"


def test_a_worker_runs_several_jobs_at_a_time(yard: Yard) -> None:
    together = threading.Barrier(3, timeout=20)

    @job("meet", retries=0)
    def meet(ctx: JobContext) -> int:
        return together.wait()

    queue = yard.real_queue()
    ids = [queue.enqueue(meet).job_id for _ in range(3)]
    with yard.real_worker(meet, threads=3):
        assert sorted(queue.wait(job_id, 20).result for job_id in ids) == [0, 1, 2]


def test_waiting_ends_when_it_was_long_enough(yard: Yard) -> None:
    made = yard.queue.enqueue(add, {"a": 1, "b": 1})
    with pytest.raises(JobNotEnded, match="is pending after 0 seconds"):
        yard.queue.wait(made.job_id, timeout=0)


def test_a_wait_can_be_awaited(yard: Yard) -> None:
    # A server has thousands of callers who wait, and some dozen threads.
    queue = yard.real_queue()
    made = queue.enqueue(add, {"a": 1, "b": 2})

    async def main() -> None:
        with pytest.raises(JobNotEnded, match=r"is pending after 0\.01 seconds"):
            await queue.wait_async(made.job_id, timeout=0.01)
        waits = [asyncio.ensure_future(queue.wait_async(made.job_id)) for _ in range(100)]
        await asyncio.to_thread(yard.real_worker(add).run_once)
        assert [job.result for job in await asyncio.gather(*waits)] == [3] * 100

    asyncio.run(main())


def test_a_worker_that_is_stopped_gives_its_jobs_back_at_their_next_safe_point(yard: Yard) -> None:
    # A deployment costs no attempt and loses no step: the job goes on elsewhere, at once.
    begun = threading.Event()

    @job("long", retries=0)
    def long(ctx: JobContext) -> list[str]:
        first = ctx.step("first", lambda: f"of attempt {ctx.attempt}")
        while ctx.attempt == 1:
            begun.set()
            ctx.check_cancelled()
            time.sleep(0.001)
        return [first, f"of attempt {ctx.attempt}"]

    queue = yard.real_queue()
    made = queue.enqueue(long)
    worker = yard.real_worker(long).start()
    assert begun.wait(20)
    assert worker.stop(wait_seconds=20)
    assert queue.get(made.job_id).status == "pending"
    yard.real_worker(long).run_once()
    assert queue.get(made.job_id).result == ["of attempt 1", "of attempt 2"]
    assert [attempt.outcome for attempt in queue.attempts(made.job_id)] == ["released", "completed"]


def test_a_job_that_is_to_be_cancelled_is_not_left_to_others_by_a_worker_that_is_stopped(
    yard: Yard,
) -> None:
    # Where there are no others it would wait for ever, and seem to go on.
    queue = JobQueue(
        yard.store, yard.queue_name, clock=yard.clock, wakeups=Wakeups()
    )  # as of another process

    @job("interrupted")
    def interrupted(ctx: JobContext) -> None:
        queue.cancel(ctx.job.job_id)
        worker._keeper.stop_all(JobInterrupted("the worker is being stopped"))
        ctx.check_cancelled()

    made = queue.enqueue(interrupted)
    worker = yard.worker(interrupted)
    worker.run_once()
    assert queue.get(made.job_id).status == "cancelled"
    assert [attempt.outcome for attempt in queue.attempts(made.job_id)] == ["cancelled"]


def test_a_job_that_fails_after_its_cancellation_is_not_tried_again(yard: Yard) -> None:
    @job("fails", retries=5)
    def fails(ctx: JobContext) -> None:
        yard.queue.cancel(ctx.job.job_id)
        raise OSError("no")

    made = yard.queue.enqueue(fails)
    yard.worker(fails).run_once()
    assert yard.queue.get(made.job_id).status == "cancelled"


def test_a_worker_that_is_stopped_can_finish_what_it_runs(yard: Yard) -> None:
    begun, go_on = threading.Event(), threading.Event()

    @job("long")
    def long(ctx: JobContext) -> str:
        begun.set()
        assert go_on.wait(20)
        ctx.check_cancelled()
        return "done"

    queue = yard.real_queue()
    made, left = queue.enqueue(long), queue.enqueue(long)
    worker = yard.real_worker(long, threads=1).start()
    assert begun.wait(20)
    threading.Timer(0.02, go_on.set).start()
    assert worker.stop(finish=True)
    assert {queue.get(made.job_id).status, queue.get(left.job_id).status} == {
        "completed",
        "pending",
    }


# -- the rest


def test_a_job_that_has_ended_can_be_deleted_with_all_it_left(yard: Yard) -> None:
    # Nothing else ever deletes a log; this does, when somebody says so.
    @job("talk")
    def talk(ctx: JobContext) -> None:
        ctx.step("say", lambda: ctx.log("INFO", "hello"))
        ctx.checkpoint(1)

    made = yard.queue.enqueue(talk)
    with pytest.raises(JobError, match="is pending"):
        yard.queue.delete(made.job_id)
    yard.worker(talk).run_once()
    yard.queue.delete(made.job_id)
    with pytest.raises(NotFound):
        yard.queue.get(made.job_id)
    assert yard.queue.logs(made.job_id) == []
    assert yard.queue.attempts(made.job_id) == []
    assert yard.queue.steps(made.job_id) == []
    assert yard.queue.jobs("completed").items == []


def test_attempts_and_times_are_counted(yard: Yard) -> None:
    # Job times belong to the metrics of the store.
    metrics = yard.store.metrics
    assert metrics is not None
    yard.queue.enqueue(fail, retries=0)
    yard.clock.advance(5)
    yard.worker(fail).run_once()
    labels = {"queue": yard.queue_name, "name": "fail"}
    assert metrics.value(ATTEMPTS, **labels, outcome="failed") == 1
    assert metrics.value(WAITED, queue=yard.queue_name) == pytest.approx(5)
    assert metrics.value(RUNNING, queue=yard.queue_name) == 0
