"""The context of a job function: steps, progress, log, state, and the safe points where it can be
stopped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeVar, overload

from sortkey.model.operations import Put
from sortkey.runtime.jobs.attempt import Running
from sortkey.runtime.jobs.records import Checkpoint, Job
from sortkey.runtime.jobs.steps import Step
from sortkey.runtime.jobs.values import storable
from sortkey.runtime.store import Store

P = ParamSpec("P")
T = TypeVar("T")

_NOT_READ: Any = object()


class JobContext:
    """One attempt of a job, for its function. Steps, progress and checkpoints are safe points."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._state: Any = None if running.is_first else _NOT_READ

    # -- what it is

    @property
    def job(self) -> Job:
        """The job as it was last read."""
        return self._running.job

    @property
    def attempt(self) -> int:
        """1 for the first try."""
        return self._running.job.attempt

    @property
    def store(self) -> Store:
        """The store of the job."""
        return self._running.environment.store

    # -- steps

    @overload
    def step(self, name: str, /, *, retries: int = 0) -> Step: ...
    @overload
    def step(
        self, name: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T: ...
    def step(
        self, name: str, function: Callable[..., Any] | None = None, /, *args: Any, **kwargs: Any
    ) -> Any:
        """Call a function as a step. A completed step is not run again in later attempts; its
        result is stored.

        Without a function, returns a `Step` to call with one. With `retries` a failed step is tried
        again at once.
        """
        if function is None:
            return Step(self._running, name, **kwargs)
        return Step(self._running, name)(function, *args, **kwargs)

    # -- progress and log

    def progress(self, percent: int, text: str | None = None) -> None:
        """Report progress, from 0 to 100. A safe point."""
        running = self._running
        running.safe_point()
        if (percent, text) != (running.job.progress, running.job.progress_text):
            running.log.flush()
            running.renew(progress=percent, progress_text=text)
            running.safe_point()

    def log(
        self, level: Literal["DEBUG", "INFO", "WARNING", "ERROR"], message: str, **details: Any
    ) -> None:
        """Log a line under the current step. It is stored when this returns (but see
        `log_buffer`).
        """
        self._running.log.add(self._running.step, level, message, details)

    # -- checkpoints

    @property
    def state(self) -> Any:
        """The state of the last checkpoint, possibly of an earlier attempt. None before the
        first.
        """
        if self._state is _NOT_READ:
            checkpoint = self.store.find(Checkpoint.key(job_id=self.job.job_id), consistent=True)
            self._state = checkpoint.state if checkpoint else None
        return self._state

    def checkpoint(self, state: Any) -> None:
        """Store a state from which a later attempt resumes. A safe point."""
        running = self._running
        running.safe_point()
        state = storable(state, "the state of a job")
        running.log.flush()
        running.lease.commit(
            Put(Checkpoint(job_id=self.job.job_id, attempt=self.attempt, state=state))
        )
        self._state = state

    def check_cancelled(self) -> None:
        """A safe point: raises JobCancelled, or another error that should end the function."""
        self._running.safe_point()
