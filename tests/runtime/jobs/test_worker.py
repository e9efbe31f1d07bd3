"""Jobs over connections that lose answers, refuse for a moment, or are gone for a while."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import sortkey
from sortkey import Backoff, JobContext, JobQueue, JobWorker, Store, job
from sortkey.errors import TransactionCanceledException, TransactionConflictException, Unreachable
from sortkey.runtime.backend import Capabilities
from sortkey.runtime.jobs.job_selection import Picker
from sortkey.testing import FrozenClock

WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}


class Line:
    """A backend behind a bad line. What it does is the test's to say."""

    capabilities = Capabilities()

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.calls: Counter[str] = Counter()
        self.is_doubling = False
        self.refusals: list[Exception] = []
        self.is_down = False

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        self.calls[operation] += 1
        if self.is_down:
            raise Unreachable("no answer")
        if operation in WRITES and self.refusals:
            raise self.refusals.pop()
        if self.is_doubling and operation in WRITES:
            # The first answer was lost on the way, and the client has sent the request again.
            self._backend.call(operation, request)
        return self._backend.call(operation, request)

    def close(self) -> None:
        self._backend.close()


@pytest.fixture
def line() -> Iterator[Line]:
    with sortkey.open(":memory:") as store:
        JobQueue(store).ensure()
        yield Line(store.backend)


@pytest.fixture
def store(line: Line) -> Store:
    return Store(line, sleep=lambda seconds: None)


@job("talk", backoff=Backoff(first_seconds=1))
def talk(ctx: JobContext) -> str:
    ctx.log("INFO", "begin")
    said = ctx.step("say", lambda: ctx.log("INFO", "hello") or "hello")
    ctx.progress(50)
    ctx.checkpoint({"at": 1})
    if ctx.attempt == 1:
        raise OSError("once more")
    return said


@pytest.mark.parametrize("key", [None, "k"])
def test_requests_that_arrive_twice_change_nothing(
    line: Line, store: Store, key: str | None
) -> None:
    # Every write of the whole life of a job, sent again because its answer was lost.
    line.is_doubling = True
    clock = FrozenClock()
    queue = JobQueue(store, clock=clock)
    made = queue.enqueue(talk, key=key)
    worker = JobWorker(store, [talk], clock=clock, random=lambda: 0.0)
    assert worker.run_once() is not None
    clock.advance(1)
    done = worker.run_once()
    assert done is not None
    assert (done.status, done.result, done.attempt) == ("completed", "hello", 2)
    assert [attempt.outcome for attempt in queue.attempts(made.job_id)] == ["failed", "completed"]
    assert [log.message for log in queue.logs(made.job_id)] == [
        "begin",
        "hello",
        "attempt 1 failed: OSError: once more",
        "begin",
    ]
    assert worker.run_once() is None


def canceled(*codes: str) -> TransactionCanceledException:
    return TransactionCanceledException([{"Code": code} for code in codes])


def test_writes_that_meet_another_at_the_same_instant_are_tried_again(
    line: Line, store: Store
) -> None:
    # DynamoDB refuses one of two transactions on the same item; that is no reason to fail a job.
    slept: list[float] = []
    queue = JobQueue(store)
    made = queue.enqueue(talk, key="k", retries=0)
    line.refusals = [
        canceled("TransactionConflict", "None"),
        canceled("None", "TransactionConflict"),
    ]
    worker = JobWorker(store, [talk], sleep=slept.append, random=lambda: 1.0)
    worker.run_once()
    assert slept == [0.005, 0.01]
    line.refusals = [TransactionConflictException("busy")]
    assert queue.retry(made.job_id).status == "pending"


def test_a_job_whose_end_could_not_be_written_is_taken_up_again(
    line: Line, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    # The table was away for longer than the client tries. Nothing is known to be done that is not.
    caplog.set_level(logging.CRITICAL, "sortkey.jobs")
    clock = FrozenClock()

    @job("cut off")
    def cut_off(ctx: JobContext) -> int:
        line.is_down = ctx.attempt == 1
        return ctx.attempt

    queue = JobQueue(store, clock=clock)
    made = queue.enqueue(cut_off)
    worker = JobWorker(store, [cut_off], clock=clock)
    worker.run_once()
    line.is_down = False
    assert queue.get(made.job_id).status == "running"
    clock.advance(31)
    worker.run_once()
    assert queue.get(made.job_id).result == 2


def test_a_heartbeat_that_fails_is_tried_again(
    line: Line, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    # A lease outlives two heartbeats that do not arrive.
    caplog.set_level(logging.CRITICAL, "sortkey.jobs")
    clock = FrozenClock()

    @job("long")
    def long(ctx: JobContext) -> None:
        line.is_down = True
        clock.advance(12)
        worker.renew_leases()
        line.is_down = False
        worker.renew_leases()
        clock.advance(25)
        assert JobWorker(store, [long], clock=clock).run_once() is None

    queue = JobQueue(store, clock=clock)
    made = queue.enqueue(long, retries=0)
    worker = JobWorker(store, [long], clock=clock)
    worker.run_once()
    assert queue.get(made.job_id).status == "completed"


def test_a_worker_outlives_a_table_that_is_away(
    line: Line, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    # It says so, waits longer each time, and goes on when the table is back.
    caplog.set_level(logging.CRITICAL, "sortkey.jobs")
    queue = JobQueue(store)
    made = queue.enqueue(talk, retries=0)
    line.is_down = True
    with JobWorker(store, [talk], poll_seconds=0.002):
        while line.calls["Query"] < 3:
            time.sleep(0.001)
        line.is_down = False
        assert queue.wait(made.job_id, timeout=20).status == "failed"


def test_an_idle_worker_asks_seldom(line: Line, store: Store) -> None:
    # One small query a look, and then it sleeps: idle workers cost next to nothing.
    worker = JobWorker(store, [talk], poll_seconds=0.05)
    with worker:
        time.sleep(0.12)
    assert 1 <= line.calls["Query"] <= 4
    assert set(line.calls) == {"Query"}


def test_a_claim_whose_answer_was_lost_is_known_as_ones_own(line: Line, store: Store) -> None:
    # Or the job would be held by a worker that does not run it, until its lease is over.
    JobQueue(store).enqueue(talk)
    line.is_doubling = True
    worker = JobWorker(store, [talk])
    assert isinstance(worker._picker, Picker)
    assert worker._picker.next() is not None
