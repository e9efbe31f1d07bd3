"""Waits for the end of a job, in a thread or in an event loop.

A change of the job in this process wakes the caller. For changes elsewhere the table is polled.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sortkey.errors import JobNotEnded
from sortkey.runtime.jobs.environment import Environment
from sortkey.runtime.jobs.records import Job
from sortkey.runtime.jobs.wakeups import of_job

POLL_FIRST_SECONDS = 0.02
POLL_MOST_SECONDS = 1.0
POLL_GROWTH = 1.5


def wait(environment: Environment, job_id: str, timeout: float | None) -> Job:
    """The job when it has ended. Raises NotFound, and JobNotEnded after `timeout` seconds."""
    patience = _Patience(environment, timeout)
    with environment.wakeups.watch(of_job(job_id)) as watch:
        while True:
            watch.clear()
            job = _look(environment, job_id)
            if job.is_ended:
                return job
            watch.wait(patience.next_pause(job), environment.clock())


async def wait_async(environment: Environment, job_id: str, timeout: float | None) -> Job:
    """The same in an event loop. Each read of the table runs in a thread."""
    patience, woken, loop = (
        _Patience(environment, timeout),
        asyncio.Event(),
        asyncio.get_running_loop(),
    )

    def hear(_at: float | None) -> None:
        with suppress(RuntimeError):  # the loop was closed just now: nobody is waiting
            loop.call_soon_threadsafe(woken.set)

    with environment.wakeups.listen(of_job(job_id), hear):
        while True:
            woken.clear()
            job = await asyncio.to_thread(_look, environment, job_id)
            if job.is_ended:
                return job
            pause = patience.next_pause(job)  # its JobNotEnded is a TimeoutError too
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await woken.wait()


def _look(environment: Environment, job_id: str) -> Job:
    return environment.store.get(Job.key(job_id=job_id), consistent=True)


class _Patience:
    """The pauses between reads of the table: ever longer, within the timeout."""

    def __init__(self, environment: Environment, timeout: float | None) -> None:
        self._clock, self._timeout = environment.clock, timeout
        self._end = None if timeout is None else environment.clock() + timeout
        self._pause = POLL_FIRST_SECONDS

    def next_pause(self, job: Job) -> float:
        """The next pause in seconds. Raises JobNotEnded after the timeout."""
        pause = self._pause if self._end is None else min(self._pause, self._end - self._clock())
        if pause <= 0:
            raise JobNotEnded(f"job {job.job_id} is {job.status} after {self._timeout:g} seconds")
        self._pause = min(self._pause * POLL_GROWTH, POLL_MOST_SECONDS)
        return pause
