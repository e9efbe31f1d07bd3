"""A queue of jobs: enqueue, wait, cancel, retry, list and read. Workers run them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from hashlib import sha256
from typing import Any, Protocol

from sortkey.errors import AlreadyExists, ConditionFailed, JobConflict, JobError, ModelError
from sortkey.model.attributes import Condition, attr
from sortkey.model.operations import Put, Update
from sortkey.runtime.jobs import waits
from sortkey.runtime.jobs.definitions import JobFunction
from sortkey.runtime.jobs.environment import Environment
from sortkey.runtime.jobs.leases import job_update
from sortkey.runtime.jobs.logs import LEVELS, level_of
from sortkey.runtime.jobs.records import (
    LANES,
    RUNNING_LANE,
    WORKER_DEATHS_MAX,
    Attempt,
    Checkpoint,
    Job,
    LogLine,
    Priority,
    Status,
    StepRun,
    table,
)
from sortkey.runtime.jobs.values import storable
from sortkey.runtime.jobs.wakeups import WAKEUPS, Wakeups, of_job, of_queue
from sortkey.runtime.pages import Page
from sortkey.runtime.store import Store

log = logging.getLogger("sortkey.jobs")


class Announcer(Protocol):
    """Notifies workers in other processes of a job. It is only a hint: workers also find jobs in
    the table.
    """

    def announce(self, job: Job) -> None: ...


class JobQueue:
    """Jobs under one name, on the table `sortkey-jobs` of a store. Workers of the same name run
    them.
    """

    def __init__(
        self,
        store: Store,
        name: str = "default",
        *,
        announcer: Announcer | None = None,
        worker_deaths_max: int = WORKER_DEATHS_MAX,
        wakeups: Wakeups = WAKEUPS,
        **environment: Callable[..., Any],
    ) -> None:
        """`worker_deaths_max` is the number of workers that may die while running a job before it
        fails.

        `environment` are clock, sleep, random and entropy, for tests.
        """
        if worker_deaths_max < 1:
            raise ModelError(f"worker_deaths_max is {worker_deaths_max}: it must be at least 1")
        self.store, self.name, self.worker_deaths_max = store, name, worker_deaths_max
        self._environment = Environment(store, wakeups=wakeups, **environment)
        self._announcer = announcer

    def ensure(self) -> list[str]:
        """Create the table if it is missing. Returns how it differs from its declaration."""
        return self.store.ensure(table)

    # -- in

    def enqueue(
        self,
        job: JobFunction[..., Any] | str,
        arguments: Mapping[str, Any] | None = None,
        *,
        priority: Priority = "medium",
        delay: float = 0.0,
        idempotency_key: str | None = None,
        key: str | None = None,
        key_limit: int = 1,
        timeout: float | None = None,
        retries: int | None = None,
        job_id: str | None = None,
    ) -> Job:
        """Enqueue a job, by its name or by its function, which also checks the arguments.

        A second call with the same `idempotency_key` or `job_id` returns the first job. At most
        `key_limit` jobs with the same `key` run at the same time. `delay` and `timeout` are in
        seconds. `timeout` and `retries` override those of the function.
        """
        new_job = self._new_job(
            job,
            arguments,
            priority=priority,
            delay=delay,
            idempotency_key=idempotency_key,
            key=key,
            key_limit=key_limit,
            timeout=timeout,
            retries=retries,
            job_id=job_id,
        )
        try:
            stored = self.store.create(new_job)
        except AlreadyExists as there:
            stored = self._same(new_job, there.item or self.get(new_job.job_id))
        # Also for an existing job: the program that enqueued it may have died before announcing it.
        self.notify(stored)
        return stored

    def write_of(
        self,
        job: JobFunction[..., Any] | str,
        arguments: Mapping[str, Any] | None = None,
        *,
        delay: float = 0.0,
        key: str | None = None,
    ) -> Put[Job]:
        """The write that enqueues a new job, for a transaction: the job exists if and only if the
        other writes were made. Call `notify` with its entity afterwards, so that a worker takes it
        at once.
        """
        return Put(self._new_job(job, arguments, delay=delay, key=key), "create")

    def _new_job(
        self,
        job: JobFunction[..., Any] | str,
        arguments: Mapping[str, Any] | None,
        *,
        priority: Priority = "medium",
        delay: float = 0.0,
        idempotency_key: str | None = None,
        key: str | None = None,
        key_limit: int = 1,
        timeout: float | None = None,
        retries: int | None = None,
        job_id: str | None = None,
    ) -> Job:
        if isinstance(job, JobFunction):
            job.check_arguments(arguments or {})
        now = self._environment.now()
        return Job(
            job_id=job_id
            or self._new_id(job if isinstance(job, str) else job.name, idempotency_key),
            queue=self.name,
            name=job if isinstance(job, str) else job.name,
            arguments=storable(dict(arguments or {}), "the arguments of a job"),
            priority=priority,
            lane=LANES[priority],
            due_at=now + timedelta(seconds=delay),
            created_at=now,
            idempotency_key=idempotency_key,
            key_name=key,
            key_limit=key_limit,
            timeout_seconds=timeout,
            retries=retries,
            worker_deaths_max=self.worker_deaths_max,
        )

    def _new_id(self, name: str, idempotency_key: str | None) -> str:
        if idempotency_key is None:
            return f"JOB-{self._environment.entropy(10).hex()}"
        return f"JOB-{sha256(repr((self.name, name, idempotency_key)).encode()).hexdigest()[:32]}"

    def _same(self, wanted: Job, existing: Job) -> Job:
        if wanted.arguments != existing.arguments:
            raise JobConflict(
                f"job {existing.job_id} was enqueued under the key "
                f"{wanted.idempotency_key or wanted.job_id!r} with other "
                "arguments"
            )
        return existing

    def notify(self, job: Job) -> None:
        """Wake workers for a job that is stored. They find it without this too, a little later."""
        if job.due_at is not None:
            self._environment.wakeups.notify(of_queue(self.name), job.due_at.timestamp())
        if self._announcer is None or job.status != "pending":
            return
        try:
            self._announcer.announce(job)
        except (
            Exception
        ):  # the job is stored: an error here would make the caller enqueue it a second time
            log.exception(
                "job %s could not be announced; workers will find it in the table",
                job.job_id,
            )

    # -- out

    def get(self, job_id: str) -> Job:
        """The job as it is now. Raises NotFound."""
        return self.store.get(Job.key(job_id=job_id), consistent=True)

    def wait(self, job_id: str, timeout: float | None = None) -> Job:
        """Wait for the end of a job and return it. Raises JobNotEnded after `timeout` seconds."""
        return waits.wait(self._environment, job_id, timeout)

    async def wait_async(self, job_id: str, timeout: float | None = None) -> Job:
        """The same, awaited. It blocks no thread, so thousands can wait."""
        return await waits.wait_async(self._environment, job_id, timeout)

    def jobs(self, status: Status, *, cursor: str | None = None, size: int = 100) -> Page[Job]:
        """The jobs with a status, latest first."""
        wanted = Job.by_status(queue=self.name, status=status).descending().hydrated()
        return self.store.page(wanted, cursor=cursor, size=size)

    def waiting(self) -> int:
        """How many jobs are due and not taken, including those of dead workers."""
        now, lanes = self._environment.now(), (*LANES.values(), RUNNING_LANE)
        return sum(
            self.store.count(Job.due(queue=self.name, lane=lane).at_most(now)) for lane in lanes
        )

    def attempts(self, job_id: str) -> list[Attempt]:
        """The attempts that have ended, oldest first."""
        return self.store.query(Attempt.of_job(job_id=job_id).consistent())

    def steps(self, job_id: str) -> list[StepRun]:
        """The steps that have run, in the order in which they ended."""
        return sorted(
            self.store.query(StepRun.of_job(job_id=job_id).consistent()),
            key=lambda step: step.ended_at,
        )

    def state(self, job_id: str) -> Any:
        """The state of the last checkpoint."""
        checkpoint = self.store.find(Checkpoint.key(job_id=job_id), consistent=True)
        return checkpoint.state if checkpoint else None

    def logs(
        self,
        job_id: str,
        *,
        step: str | None = None,
        level: str | None = None,
        attempt: int | None = None,
    ) -> list[LogLine]:
        """The log in order, optionally of one attempt, of one step, or from a level on."""
        query = LogLine.of_job(job_id=job_id, attempt=attempt).consistent()
        if step is not None:
            query = query.where(LogLine.step == step)
        if level is not None:
            query = query.where(attr(LogLine.level).isin(*LEVELS[LEVELS.index(level_of(level)) :]))
        return self.store.query(query)

    # -- changes

    def cancel(self, job_id: str) -> Job:
        """Cancel a job. A running one ends at its next safe point. An ended one is left as it
        is.
        """
        for _ in range(3):  # it may start or end between the read and the write
            job = self.get(job_id)
            if job.is_ended:
                return job
            try:
                changed = self._environment.update(self._cancellation(job))
            except ConditionFailed:
                continue
            self._environment.wakeups.notify(of_job(job_id))
            return changed
        raise JobError(f"job {job_id} changes too fast to be cancelled: try again")

    def _cancellation(self, job: Job) -> Update[Job]:
        if job.status == "pending":
            changes = {
                "status": "cancelled",
                "due_at": None,
                "ended_at": self._environment.now(),
                "cancel_requested": True,
            }
        else:
            changes = {"cancel_requested": True}
        return job_update(job, changes, _is_still(job))

    def retry(self, job_id: str, *, delay: float = 0.0) -> Job:
        """Retry a failed or cancelled job, with as many tries as a new one. Completed steps are not
        run again.
        """
        job = self.get(job_id)
        if job.status not in ("failed", "cancelled"):
            raise JobError(
                f"job {job_id} is {job.status}: only failed and cancelled jobs can be retried"
            )
        changes: dict[str, Any] = {
            "status": "pending",
            "due_at": self._environment.now() + timedelta(seconds=delay),
            "ended_at": None,
            "cancel_requested": False,
            "attempts_before": job.attempt,
            "attempts_max": None,
            "worker_deaths": 0,
        }
        try:
            changed = self._environment.update(job_update(job, changes, _is_still(job)))
        except ConditionFailed as failed:
            raise JobError(
                f"job {job_id} was retried by somebody else at the same time"
            ) from failed
        self.notify(changed)
        return changed

    def delete(self, job_id: str) -> None:
        """Delete a job that has ended, with its attempts, steps and log. Jobs are never deleted
        otherwise.
        """
        job = self.get(job_id)
        if not job.is_ended:
            raise JobError(f"job {job_id} is {job.status}: cancel it before it is deleted")
        parts = [
            Attempt.of_job(job_id=job_id),
            StepRun.of_job(job_id=job_id),
            LogLine.of_job(job_id=job_id),
        ]
        keys = [key for part in parts for key in self.store.keys(part)]
        self.store.batch_write(deletes=[*keys, Checkpoint.key(job_id=job_id)])
        self.store.delete(
            Job.key(job_id=job_id), when=attr(Job.status).isin("completed", "failed", "cancelled")
        )


def _is_still(job: Job) -> Condition:
    """A condition that no other attempt of a job has begun since it was read."""
    return (attr(Job.attempt) == job.attempt) & (attr(Job.status) == job.status)
