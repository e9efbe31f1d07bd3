"""`Jobs`: the durable work of VAMS, on one queue. Each part adds its job functions; the host's
worker runs them, and resumes what a crash has interrupted.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

from sortkey import Job, JobFunction, JobQueue, JobWorker, Put, Store
from sortkey.errors import JobNotEnded

QUEUE = "vams"
WORKER_DEATHS_MAX = 20
"""A server that is killed often still finishes a long job."""
RUNS_MAX = 10_000
"""Of `run_due`, so that a job that enqueues itself cannot hold its caller."""
ENDED_DAYS: Mapping[Literal["completed", "cancelled", "failed"], int] = {
    "completed": 1,
    "cancelled": 7,
    "failed": 30,
}
"""For how many days a job can be read after its end."""
REMOVED_MAX = 2000
"""Jobs that one call of `remove_ended` removes."""

FINISH_PAUSE_SECONDS = 0.2
"""Between two looks of `finish` at whether its job can run."""


class Jobs:
    """The queue, and the functions that its worker knows."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.queue = JobQueue(store, QUEUE, worker_deaths_max=WORKER_DEATHS_MAX)
        self.queue.ensure()
        self._functions: list[JobFunction[..., Any]] = []

    def add(self, *functions: JobFunction[..., Any]) -> None:
        """Make functions known to the workers that are made later."""
        self._functions += functions

    def enqueue(
        self,
        function: JobFunction[..., Any],
        arguments: Mapping[str, Any],
        *,
        key: str | None = None,
        delay: float = 0.0,
    ) -> Job:
        """Enqueue a job. Jobs with the same `key` run one at a time."""
        return self.queue.enqueue(function, arguments, key=key, delay=delay)

    def write_of(
        self,
        function: JobFunction[..., Any],
        arguments: Mapping[str, Any],
        *,
        key: str | None = None,
    ) -> Put[Job]:
        """The write of a job, for the transaction with the change that it completes. Call `notify`
        with its entity afterwards.
        """
        return self.queue.write_of(function, arguments, key=key)

    def notify(self, job: Job) -> None:
        """Wake the workers for a job that a transaction has stored."""
        self.queue.notify(job)

    def worker(self, **settings: Any) -> JobWorker:
        """A worker for all functions. It is not started."""
        return JobWorker(self.store, self._functions, queue=QUEUE, **settings)

    def run_due(self, **settings: Any) -> list[Job]:
        """Run what is due in this thread: for commands and tests without a running host."""
        worker, done = self.worker(**settings), list[Job]()
        while len(done) < RUNS_MAX and (job := worker.run_once()) is not None:
            done.append(job)
        return done

    def finish(self, job: Job, seconds: float) -> Job:
        """Run a job in this thread, or wait while another does: for requests whose answer needs
        its result. Returns it when it has ended. Raises JobNotEnded after `seconds`.
        """
        worker, end = self.worker(), time.monotonic() + seconds
        while True:
            ran = worker.run_job(job.job_id)
            if ran is not None and ran.is_ended:
                return ran
            try:
                return self.queue.wait(job.job_id, FINISH_PAUSE_SECONDS)
            except JobNotEnded:
                if time.monotonic() > end:
                    raise

    def remove_ended(self, now: datetime) -> int:
        """Remove jobs that ended some days ago, the oldest first. Returns how many."""
        removed = 0
        for status, days in ENDED_DAYS.items():
            query = Job.by_status(queue=QUEUE, status=status).hydrated()
            for job in self.store.iterate(query, size=200):
                is_old = job.ended_at is not None and job.ended_at < now - timedelta(days=days)
                if not is_old or removed >= REMOVED_MAX:
                    break
                self.queue.delete(job.job_id)
                removed += 1
        return removed
