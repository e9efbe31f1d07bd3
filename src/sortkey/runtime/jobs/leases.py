"""The right to run one attempt of a job. Its writes are conditional on it, so a worker that lost it
writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sortkey.errors import ConditionFailed, JobLost, TransactionFailed
from sortkey.model.attributes import Condition, attr
from sortkey.model.operations import Put, Update, Write, set_actions
from sortkey.runtime.jobs.environment import Environment
from sortkey.runtime.jobs.records import LANES, RUNNING_LANE, Attempt, Job, Outcome, Slots, Status

ERROR_CHARACTERS_MAX = 4000


def job_update(job: Job, changes: dict[str, Any], when: Condition) -> Update[Job]:
    """An update of a job. Its queue never changes, and its lane follows its status, so index keys
    can be rebuilt.
    """
    if changes.get("due_at") is not None:
        waits = changes.get("status", job.status) == "pending"
        changes = {**changes, "lane": LANES[job.priority] if waits else RUNNING_LANE}
    return Update(Job.key(job_id=job.job_id), set_actions(Job, changes), when, {"queue": job.queue})


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ended, and the new status of the job: `pending` from `due_at` on, or ended."""

    outcome: Outcome
    status: Status
    due_at: datetime | None = None
    result: Any = None
    error: str | None = None
    attempts_more: int = 0
    worker_deaths: int | None = None


class Lease:
    """A claimed job, shared by the thread that runs the function and the thread that renews the
    lease.
    """

    def __init__(
        self, environment: Environment, job: Job, seconds: float, waited_seconds: float = 0.0
    ) -> None:
        self.environment, self.job, self.seconds, self.waited_seconds = (
            environment,
            job,
            seconds,
            waited_seconds,
        )
        self.is_cancel_requested = job.cancel_requested
        assert job.lease is not None
        self.token: str = job.lease

    @property
    def seconds_left(self) -> float:
        """Seconds until another worker may take the job."""
        return (
            (self.job.due_at - self.environment.now()).total_seconds() if self.job.due_at else 0.0
        )

    def renew(self, **changes: Any) -> Job:
        """Renew the lease, with other changes of the job. Raises JobLost."""
        write = job_update(self.job, {"due_at": self._until(), **changes}, self._held())
        try:
            self.job = self.environment.update(write)
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
        """End the attempt: write the job's status, the record of the attempt and its slots in one
        transaction. Raises JobLost.

        A job that would be pending again but was cancelled meanwhile is cancelled now.
        """
        goes_on = ending.status == "pending"
        try:
            return self._end(ending, (attr(Job.cancel_requested) == False) if goes_on else None)  # noqa: E712
        except _CancelledMeanwhile:
            return self._end(replace(ending, outcome="cancelled", status="cancelled", due_at=None))

    def _end(self, ending: Ending, when: Condition | None = None) -> Job:
        changes, writes = closing(self.environment, self.job, ending)
        held = self._held()
        self._transact(
            job_update(self.job, changes, held if when is None else held & when), *writes
        )
        self.job = self.job.changed(**changes)
        return self.job

    def _transact(self, first: Update[Job], *writes: Write[Any]) -> None:
        try:
            self.environment.transact(first, *writes)
        except TransactionFailed as failed:
            refused = next((reason for reason in failed.reasons if reason.index == 0), None)
            if refused is None:
                raise
            if (
                isinstance(refused.item, Job)
                and refused.item.lease == self.token
                and refused.item.cancel_requested
            ):
                raise _CancelledMeanwhile from failed
            raise self._lost() from failed

    def _held(self) -> Condition:
        return attr(Job.lease) == self.token

    def _until(self) -> datetime:
        return self.environment.now() + timedelta(seconds=self.seconds)

    def _lost(self) -> JobLost:
        return JobLost(
            f"job {self.job.job_id} is no longer held by attempt {self.job.attempt}: its lease was "
            "over"
        )


class _CancelledMeanwhile(Exception):
    """The job is still held, and was cancelled meanwhile."""


def closing(
    environment: Environment, job: Job, ending: Ending
) -> tuple[dict[str, Any], list[Write[Any]]]:
    """The writes that end an attempt: the changes of the job, its attempt and its slots."""
    assert job.started_at is not None
    now = environment.now()
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
