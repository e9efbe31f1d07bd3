"""The queue of VAMS: ended jobs do not stay forever."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

import sortkey
from sortkey import JobContext, Store, job
from sortkey_systems.vams.jobs import Jobs


@pytest.fixture
def store() -> Iterator[Store]:
    with sortkey.open(":memory:") as opened:
        yield opened


def test_ended_jobs_are_removed_after_days_and_others_stay(store: Store) -> None:
    # Every upload enqueues some: the table would grow with all that was ever done.
    jobs = Jobs(store)

    @job("good", retries=0)
    def good(context: JobContext) -> None:
        context.step("a step", lambda: None)

    @job("bad", retries=0)
    def bad(context: JobContext) -> None:
        raise OSError("always")

    jobs.add(good, bad)
    done, failed = jobs.enqueue(good, {}), jobs.enqueue(bad, {})
    later = jobs.enqueue(good, {}, delay=86_400)
    assert len(jobs.run_due()) == 2
    now = datetime.now(UTC)
    assert jobs.remove_ended(now) == 0
    assert jobs.remove_ended(now + timedelta(days=2)) == 1
    assert jobs.queue.steps(done.job_id) == []
    assert jobs.queue.get(failed.job_id).status == "failed"
    assert jobs.remove_ended(now + timedelta(days=31)) == 1
    assert jobs.queue.get(later.job_id).status == "pending"
