"""The right to run one attempt of a job. Its writes are conditional on it: who has lost it writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sortkey.errors import ConditionFailed, JobLost, TransactionFailed
from sortkey.model.attributes import Condition, attr
from sortkey.model.operations import Put, Update, Write, set_actions
from sortkey.runtime.jobs.means import Means
from sortkey.runtime.jobs.records import LANES, RUNNING_LANE, Attempt, Job, Outcome, Slots, Status

ERROR_CHARACTERS_MAX = 4000


def job_update(job: Job, changes: dict[str, Any], when: Condition) -> Update[Job]:
    """A change of a job. Its queue, of which index keys are made, never changes; its lane follows its status."""
    if changes.get("due_at") is not None:
        waits = changes.get("status", job.status) == "pending"
        changes = {**changes, "lane": LANES[job.priority] if waits else RUNNING_LANE}
    return Update(Job.key(job_id=job.job_id), set_actions(Job, changes), when, {"queue": job.queue})


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ended, and what becomes of the job: `pending` again from `due_at` on, or ended."""

    outcome: Outcome
    status: Status
    due_at: datetime | None = None
    result: Any = None
    error: str | None = None
    attempts_more: int = 0
    worker_deaths: int | None = None


class Lease:
    """A claimed job. Threads may share it: the one that runs the function, and the one that keeps it alive."""

    def __init__(self, means: Means, job: Job, seconds: float, waited_seconds: float = 0.0) -> None:
        self.means, self.job, self.seconds, self.waited_seconds = means, job, seconds, waited_seconds
        self.is_cancel_requested = job.cancel_requested
        assert job.lease is not None
        self.token: str = job.lease

    @property
    def seconds_left(self) -> float:
        """After which another may take the job."""
        return (self.job.due_at - self.means.now()).total_seconds() if self.job.due_at else 0.0

    def renew(self, **changes: Any) -> Job:
        """Write, and hold the job for another while. Raises JobLost."""
        write = job_update(self.job, {"due_at": self._until(), **changes}, self._held())
        try:
            self.job = self.means.update(write)
        except ConditionFailed as failed:
            raise self._lost() from failed
        self.is_cancel_requested |= self.job.cancel_requested
        return self.job

    def commit(self, *writes: Write[Any], **changes: Any) -> None:
        """Write several items at once, if the job is still held. Raises JobLost."""
        until = self._until()
        self._transact(job_update(self.job, {"due_at": until, **changes}, self._held()), *writes)
        self.job = self.job.changed(due_at=until, **changes)

    def end(self, ending: Ending) -> Job:
        """Give the job back: its status, the record of the attempt and its slots in one write. Raises JobLost."""
        changes, writes = closing(self.means, self.job, ending)
        self._transact(job_update(self.job, changes, self._held()), *writes)
        self.job = self.job.changed(**changes)
        return self.job

    def _transact(self, first: Update[Job], *writes: Write[Any]) -> None:
        try:
            self.means.transact(first, *writes)
        except TransactionFailed as failed:
            if any(reason.index == 0 for reason in failed.reasons):
                raise self._lost() from failed
            raise

    def _held(self) -> Condition:
        return attr(Job.lease) == self.token

    def _until(self) -> datetime:
        return self.means.now() + timedelta(seconds=self.seconds)

    def _lost(self) -> JobLost:
        return JobLost(f"job {self.job.job_id} is no longer held by attempt {self.job.attempt}: its lease was over")


def closing(means: Means, job: Job, ending: Ending) -> tuple[dict[str, Any], list[Write[Any]]]:
    """What ends an attempt: the changes of the job, and what is written with them."""
    assert job.started_at is not None
    now = means.now()
    error = ending.error[:ERROR_CHARACTERS_MAX] if ending.error else None
    changes: dict[str, Any] = {
        "status": ending.status,
        "due_at": ending.due_at,
        "lease": None,
        "worker": None,
        "slots": [],
        "result": ending.result,
        "error": error,
        "ended_at": None if ending.status == "pending" else now,
    }
    if ending.status == "completed":
        changes |= {"progress": 100, "current_step": None}
    if ending.attempts_more:
        changes["attempts_max"] = (job.attempts_max or 0) + ending.attempts_more
    if ending.worker_deaths is not None:
        changes["worker_deaths"] = ending.worker_deaths
    record = Attempt(
        job_id=job.job_id,
        number=job.attempt,
        outcome=ending.outcome,
        worker=job.worker or "",
        started_at=job.started_at,
        ended_at=now,
        error=error,
    )
    return changes, [Put(record, "create"), *(_left(name, job.job_id) for name in job.slots)]


def _left(slots: str, job_id: str) -> Write[Any]:
    return Update(Slots.key(name=slots), (attr(Slots.holders).discard(job_id),), upsert=True)
