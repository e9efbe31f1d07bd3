"""Waits for the end of a job, in a thread or in an event loop.

A bell rings when the job is changed in this process. For changes elsewhere the table is polled.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from sortkey.errors import JobNotEnded
from sortkey.runtime.jobs.bells import of_job
from sortkey.runtime.jobs.means import Means
from sortkey.runtime.jobs.records import Job

POLL_FIRST_SECONDS = 0.02
POLL_MOST_SECONDS = 1.0
POLL_GROWTH = 1.5


def wait(means: Means, job_id: str, timeout: float | None) -> Job:
    """The job when it has ended. Raises NotFound, and JobNotEnded after `timeout` seconds."""
    patience = _Patience(means, timeout)
    with means.bells.watch(of_job(job_id)) as watch:
        while True:
            watch.clear()
            job = _look(means, job_id)
            if job.is_ended:
                return job
            watch.wait(patience.next_pause(job), means.clock())


async def wait_async(means: Means, job_id: str, timeout: float | None) -> Job:
    """The same in an event loop. Each read of the table runs in a thread."""
    patience, rang, loop = _Patience(means, timeout), asyncio.Event(), asyncio.get_running_loop()

    def hear(_at: float | None) -> None:
        with suppress(RuntimeError):  # the loop was closed just now: nobody is waiting
            loop.call_soon_threadsafe(rang.set)

    with means.bells.listen(of_job(job_id), hear):
        while True:
            rang.clear()
            job = await asyncio.to_thread(_look, means, job_id)
            if job.is_ended:
                return job
            pause = patience.next_pause(job)  # its JobNotEnded is a TimeoutError too
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await rang.wait()


def _look(means: Means, job_id: str) -> Job:
    return means.store.get(Job.key(job_id=job_id), consistent=True)


class _Patience:
    """The pauses between reads of the table: ever longer, within the timeout."""

    def __init__(self, means: Means, timeout: float | None) -> None:
        self._clock, self._timeout = means.clock, timeout
        self._end = None if timeout is None else means.clock() + timeout
        self._pause = POLL_FIRST_SECONDS

    def next_pause(self, job: Job) -> float:
        """The next pause in seconds. Raises JobNotEnded after the timeout."""
        pause = self._pause if self._end is None else min(self._pause, self._end - self._clock())
        if pause <= 0:
            raise JobNotEnded(f"job {job.job_id} is {job.status} after {self._timeout:g} seconds")
        self._pause = min(self._pause * POLL_GROWTH, POLL_MOST_SECONDS)
        return pause
