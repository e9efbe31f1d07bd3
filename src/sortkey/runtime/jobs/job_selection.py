"""Selects the next job of a worker: the most urgent due job that it knows and no limit holds back.

Conditional writes decide who gets a job. The index only suggests candidates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sortkey.errors import ConditionFailed, TransactionFailed
from sortkey.model.attributes import Condition, attr
from sortkey.model.operations import Update, Write
from sortkey.runtime.jobs.definitions import JobFunction
from sortkey.runtime.jobs.environment import CONFLICT, Environment
from sortkey.runtime.jobs.leases import Ending, Lease, closing, job_update
from sortkey.runtime.jobs.records import LANES, RUNNING_LANE, Job, Slots
from sortkey.runtime.jobs.wakeups import of_job
from sortkey.runtime.transactions import Reason

PAGES_JOBS = (3, 17, 80, *[100] * 9)
"""How many jobs of a lane are considered. Usually the first can be taken. If a thousand cannot run
now, the jobs after them have to wait.
"""

HEAD_JOBS = 3
REAP_SECONDS = 1.0
"""How often a busy worker looks for jobs of dead workers."""


class Picker:
    """Picks jobs for one worker. `limit` is the number of jobs of the queue that may run at once,
    on all workers.
    """

    def __init__(
        self,
        environment: Environment,
        queue: str,
        worker: str,
        jobs: Mapping[str, JobFunction[..., Any]],
        lease_seconds: float,
        limit: int | None = None,
    ) -> None:
        self._environment, self._queue, self._worker, self._jobs = environment, queue, worker, jobs
        self.lease_seconds, self._limit = lease_seconds, limit
        self._reaped_at = environment.clock()

    def next(self) -> Lease | None:
        """Claim the next job, or return None if none can run now."""
        head = self._head()
        if (
            head
            and self._environment.clock() >= self._reaped_at + REAP_SECONDS
            and self._reap_all()
        ):
            head = self._head()
        if not head or (head[0].lane == RUNNING_LANE and not self._is_due(head[0])):
            return None  # no job is waiting, and no worker is dead
        lease = self._first_of(head)
        if lease is None:
            lease = self._next()
        if lease is None and self._reap_all():
            lease = self._next()
        return lease

    def take(self, job_id: str) -> Lease | None:
        """Claim a specific job, if it is due."""
        job = self._environment.store.find(Job.key(job_id=job_id), consistent=True)
        if job is not None and job.status == "running":
            job = self._reap(job)
        return None if job is None or not self._is_due(job) else self._take(job, set())

    def _head(self) -> list[Job]:
        return self._environment.store.page(
            Job.due(queue=self._queue).hydrated(), size=HEAD_JOBS
        ).items

    def _first_of(self, head: Iterable[Job]) -> Lease | None:
        """The first job of the whole queue if it can be taken: one query instead of one for each
        lane.
        """
        for job in head:
            if not self._is_due(job):
                return None  # a delayed job may come before others that are due
            lease = self._take(job, set())
            if lease is not None:
                return lease
        return None

    def _next(self) -> Lease | None:
        full: set[str] = set()
        for lane in LANES.values():
            for job in self._due(lane):
                lease = self._take(job, full)
                if lease is not None or self._queue in full:
                    return lease
        return None

    def _due(self, lane: int) -> Iterator[Job]:
        wanted = Job.due(queue=self._queue, lane=lane).at_most(self._environment.now()).hydrated()
        cursor: str | None = None
        for size in PAGES_JOBS:
            page = self._environment.store.page(wanted, cursor=cursor, size=size)
            yield from page.items
            cursor = page.cursor
            if cursor is None:
                return

    def _reap_all(self) -> bool:
        """Release the jobs of dead workers. Returns whether there were any."""
        self._reaped_at = self._environment.clock()
        reaped = [self._reap(job) for job in self._due(RUNNING_LANE)]
        return any(job is not None for job in reaped)

    def _reap(self, job: Job) -> Job | None:
        # The index may be stale: the job itself has the end of its lease.
        return (
            reap(self._environment, job) if job.status == "running" and self._is_due(job) else None
        )

    def _is_due(self, job: Job) -> bool:
        return job.due_at is not None and job.due_at <= self._environment.now()

    def _take(self, job: Job, full: set[str]) -> Lease | None:
        definition = self._jobs.get(job.name)
        if job.status != "pending" or definition is None or full.intersection(self._slots(job)):
            return None
        return self._claim(job, definition, full)

    def _slots(self, job: Job) -> dict[str, int]:
        """The limits that apply to a job, by name."""
        slots = {} if self._limit is None else {self._queue: self._limit}
        return (
            slots
            if job.key_name is None
            else slots | {f"{self._queue}#{job.key_name}": job.key_limit}
        )

    def _claim(self, job: Job, definition: JobFunction[..., Any], full: set[str]) -> Lease | None:
        slots, now, token = self._slots(job), self._environment.now(), self._environment.token()
        retries = definition.retries if job.retries is None else job.retries
        changes: dict[str, Any] = {
            "status": "running",
            "attempt": job.attempt + 1,
            "attempts_max": job.attempts_max or job.attempts_before + retries + 1,
            "timeout_seconds": job.timeout_seconds or definition.timeout_seconds,
            "lease": token,
            "worker": self._worker,
            "slots": list(slots),
            "started_at": now,
            "due_at": now + timedelta(seconds=self.lease_seconds),
        }
        write = job_update(job, changes, attr(Job.attempt) == job.attempt)
        claimed = (
            self._claim_with_slots(job, write, slots, full)
            if slots
            else self._claim_alone(write, token)
        )
        if not claimed:
            return None
        waited_seconds = (now - job.due_at).total_seconds() if job.due_at else 0.0
        return Lease(self._environment, job.changed(**changes), self.lease_seconds, waited_seconds)

    def _claim_alone(self, write: Update[Job], token: str) -> bool:
        try:
            self._environment.update(write)
        except ConditionFailed as failed:
            # Ours after all, where the answer to the first try was lost and the second found it
            # done.
            return isinstance(failed.item, Job) and failed.item.lease == token
        return True

    def _claim_with_slots(
        self, job: Job, write: Update[Job], slots: Mapping[str, int], full: set[str]
    ) -> bool:
        try:
            self._environment.transact(
                write, *(_enter(name, job.job_id, limit) for name, limit in slots.items())
            )
        except TransactionFailed as failed:
            reasons: list[Reason] = failed.reasons
            full.update(
                list(slots)[r.index - 1] for r in reasons if r.index > 0 and r.code != CONFLICT
            )
            return False
        return True


def reap(environment: Environment, job: Job) -> Job | None:
    """Take a job from a dead worker: it is pending again, or failed. None if the worker is
    alive.
    """
    ending = _after_loss(environment, job)
    still = (attr(Job.lease) == job.lease) & (attr(Job.due_at) == job.due_at)
    changes, writes = closing(environment, job, ending)
    try:
        environment.transact(job_update(job, changes, still), *writes)
    except TransactionFailed:
        return None
    environment.wakeups.notify(of_job(job.job_id))
    return job.changed(**changes)


def _after_loss(environment: Environment, job: Job) -> Ending:
    deaths = job.worker_deaths + 1
    lost = Ending(
        "lost",
        "failed",
        error=f"the worker {job.worker} stopped renewing its lease",
        worker_deaths=deaths,
    )
    if job.cancel_requested:
        return replace(lost, status="cancelled")
    if deaths >= job.worker_deaths_max:
        return replace(lost, error=f"its worker died {_times(deaths)} while running it")
    if job.attempts_max is not None and job.attempt >= job.attempts_max:
        return lost
    return replace(lost, status="pending", due_at=environment.now())


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _enter(slots: str, job_id: str, limit: int) -> Write[Any]:
    """Take a slot of a limit if one is free. A holder keeps its slot."""
    holders = attr(Slots.holders)
    room: Condition = holders.missing() | (holders.size() < limit) | holders.contains(job_id)
    return Update(Slots.key(name=slots), (holders.add({job_id}),), room, upsert=True)
