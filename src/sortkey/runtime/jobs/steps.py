"""Steps: named parts of a job that run once. The result is stored before the job continues."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, ParamSpec, TypeVar

from sortkey.errors import JobStopped, ModelError, SortkeyError
from sortkey.model.operations import Put
from sortkey.runtime.jobs.attempt import Running
from sortkey.runtime.jobs.leases import ERROR_CHARACTERS_MAX
from sortkey.runtime.jobs.records import StepRun
from sortkey.runtime.jobs.values import storable

P = ParamSpec("P")
T = TypeVar("T")


class Step:
    """A named part of a job. Call it with a function, or use it as a decorator, which replaces the
    function by its result.
    """

    def __init__(self, running: Running, name: str, retries: int = 0) -> None:
        self._running, self.name, self._retries = running, name, retries

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        running = self._running
        self._check(running)
        running.steps_used.add(self.name)
        done = running.finished_step(self.name)
        if done is not None:
            return done.result
        running.safe_point()
        running.renew(current_step=self.name)
        running.safe_point()
        running.step = self.name
        try:
            return self._run(lambda: function(*args, **kwargs))
        finally:
            running.step = None

    def _check(self, running: Running) -> None:
        if running.step is not None:
            raise ModelError(
                f"step {self.name!r} inside step {running.step!r}: steps follow each other"
            )
        if self.name in running.steps_used:
            raise ModelError(
                f"step {self.name!r} was used before: a second call would return the result of the "
                "first"
            )

    def _run(self, call: Callable[[], T]) -> T:
        failures = 0
        while True:
            started_at = self._running.environment.now()
            try:
                result = storable(call(), f"the result of step {self.name!r}")
            except JobStopped:
                raise
            except Exception as error:
                failures += 1
                self._failed(error, started_at)
                if failures > self._retries:
                    raise
                self._pause(failures)
            else:
                self._running.log.flush()
                self._running.lease.commit(
                    Put(self._record("completed", started_at, result=result))
                )
                return result

    def _failed(self, error: Exception, started_at: datetime) -> None:
        message = f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS_MAX]
        try:
            self._running.log.add(self.name, "ERROR", message, {})
            self._running.log.flush()
            self._running.lease.commit(Put(self._record("failed", started_at, error=message)))
        except SortkeyError:
            # The function's own error is what counts; whether the job is still held shows when it
            # ends.
            return

    def _pause(self, failures: int) -> None:
        environment = self._running.environment
        self._running.safe_point()
        environment.sleep(self._running.definition.backoff.seconds(failures, environment.random))
        self._running.safe_point()

    def _record(
        self, status: Literal["completed", "failed"], started_at: datetime, **rest: Any
    ) -> StepRun:
        job = self._running.job
        ended_at = self._running.environment.now()
        times = {"started_at": started_at, "ended_at": ended_at}
        return StepRun(
            job_id=job.job_id, name=self.name, status=status, attempt=job.attempt, **times, **rest
        )
