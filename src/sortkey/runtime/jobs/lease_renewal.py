"""Renews the leases of running attempts, and gives up those that exceed their timeout."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sortkey.errors import JobLost, JobStopped, JobTimedOut, SortkeyError
from sortkey.runtime.jobs import attempts
from sortkey.runtime.jobs.attempt import Running

TICK_SECONDS_MAX = 1.0
RENEWED_AT = 2 / 3
"""A lease is renewed when this share of it is left, so two renewals may fail before it ends."""


class Keeper:
    """The attempts that run on one worker. Threads share it."""

    def __init__(self, lease_seconds: float) -> None:
        self._lease_seconds = lease_seconds
        self._running: dict[str, Running] = {}
        self._changed = threading.Condition()

    def __len__(self) -> int:
        return len(self._running)

    @property
    def has_suspect(self) -> bool:
        """Whether a worker has already died while running one of them."""
        with self._changed:
            return any(running.job.worker_deaths for running in self._running.values())

    def enter(self, running: Running) -> None:
        with self._changed:
            self._running[running.lease.token] = running

    def leave(self, running: Running) -> bool:
        """Whether it was still there."""
        with self._changed:
            left = self._running.pop(running.lease.token, None) is not None
            self._changed.notify_all()
        return left

    def stop_all(self, reason: JobStopped) -> None:
        with self._changed:
            for running in self._running.values():
                running.stop(reason)

    def wait_until_empty(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def keep_until(self, over: threading.Event, left: Callable[[Running], object]) -> None:
        """Check all of them from time to time. `left` is called with attempts that were given
        up.
        """
        tick = min(self._lease_seconds / 4, TICK_SECONDS_MAX)
        while not over.wait(tick):
            self.keep(left)

    def keep(self, left: Callable[[Running], object]) -> None:
        """Check all of them once."""
        with self._changed:
            several = tuple(self._running.values())
        for running in several:
            try:
                self._look_after(running, left)
            except JobLost as lost:
                running.stop(lost)
            except SortkeyError as error:
                running.environment.on_error(
                    f"job {running.job.job_id}: its lease could not be renewed", error
                )

    def _look_after(self, running: Running, left: Callable[[Running], object]) -> None:
        if running.is_late:
            if isinstance(running.stopped, JobTimedOut):
                self._give_up(running, left)
            running.stop(
                running.timed_out()
            )  # it may still end at a safe point before the next check
        if running.lease.seconds_left < self._lease_seconds * RENEWED_AT:
            running.renew()

    def _give_up(self, running: Running, left: Callable[[Running], object]) -> None:
        """Take the job from a function that reached no safe point. It can no longer write."""
        running.is_given_up = True
        if self.leave(running):
            left(running)
            attempts.end(running, attempts.after_stop(running, running.timed_out()))
