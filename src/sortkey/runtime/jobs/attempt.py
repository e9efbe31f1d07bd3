"""One attempt while it runs: its lease, its log, the step it is in, and what should stop it.

Two threads share it: the one that runs the function, and the worker's, which keeps the lease and
watches the time.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sortkey.errors import JobCancelled, JobStopped, JobTimedOut
from sortkey.runtime.jobs.definitions import JobFunction
from sortkey.runtime.jobs.environment import Environment
from sortkey.runtime.jobs.leases import Lease
from sortkey.runtime.jobs.logs import LogBook
from sortkey.runtime.jobs.records import Job, StepRun

LOOK_SECONDS = 1.0
"""The maximum age of the cached cancellation status at a safe point without a write."""


class Running:
    """A running attempt. `step` is the name of the current step. `is_given_up` is True once its
    worker no longer waits for it.
    """

    def __init__(self, lease: Lease, definition: JobFunction[..., Any]) -> None:
        self.lease, self.definition = lease, definition
        self.log = LogBook(
            lease.environment, lease.job.job_id, lease.job.attempt, definition.log_buffer
        )
        self.step: str | None = None
        self.steps_used: set[str] = set()
        self.stopped: JobStopped | None = None
        self.is_given_up = False
        self._steps_done: dict[str, StepRun] | None = None
        self._looked_at = lease.environment.clock()

    @property
    def job(self) -> Job:
        return self.lease.job

    @property
    def environment(self) -> Environment:
        return self.lease.environment

    @property
    def is_first(self) -> bool:
        return self.job.attempt == 1

    @property
    def is_late(self) -> bool:
        started, timeout = self.job.started_at, self.job.timeout_seconds
        assert started is not None
        assert timeout is not None
        return self.environment.now() >= started + timedelta(seconds=timeout)

    def timed_out(self) -> JobTimedOut:
        return JobTimedOut(f"it ran for longer than {self.job.timeout_seconds:g} seconds")

    def stop(self, reason: JobStopped) -> None:
        """Let the function end at its next safe point. The first reason stays."""
        self.stopped = self.stopped or reason

    def hear(self, _at: float | None = None) -> None:
        """The job was changed in this process: read it at the next safe point."""
        self._looked_at = float("-inf")

    def renew(self, **changes: Any) -> None:
        """Renew the lease, and read what others have changed. Raises JobLost."""
        self._looked_at = self.environment.clock()
        self.lease.renew(**changes)

    def safe_point(self) -> None:
        """Raise the error that should end the function here."""
        if self.stopped is None and self.is_late:
            self.stop(self.timed_out())
        if self.stopped is None and self.environment.clock() >= self._looked_at + LOOK_SECONDS:
            self.renew()
        if self.stopped is None and self.lease.is_cancel_requested:
            self.stop(JobCancelled(f"job {self.job.job_id} was cancelled"))
        if self.stopped is not None:
            raise self.stopped

    def finished_step(self, name: str) -> StepRun | None:
        """The step, if an earlier attempt has done it."""
        if self._steps_done is None:
            wanted = StepRun.of_job(job_id=self.job.job_id).consistent()
            runs = [] if self.is_first else self.environment.store.query(wanted)
            self._steps_done = {step.name: step for step in runs if step.status == "completed"}
        return self._steps_done.get(name)
