"""Workers take jobs from a queue and run them in threads of one process.

One thread picks jobs, one renews leases and watches timeouts, and each job has its own thread. A
job that hangs blocks only its thread.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable
from typing import Any, Self

from sortkey.errors import JobInterrupted, ModelError
from sortkey.runtime.jobs import attempts
from sortkey.runtime.jobs.attempt import Running
from sortkey.runtime.jobs.definitions import JobFunction
from sortkey.runtime.jobs.environment import Environment
from sortkey.runtime.jobs.job_selection import Picker
from sortkey.runtime.jobs.lease_renewal import Keeper
from sortkey.runtime.jobs.leases import Lease
from sortkey.runtime.jobs.records import Job
from sortkey.runtime.jobs.wakeups import WAKEUPS, Wakeups, Watch, of_job, of_queue
from sortkey.runtime.metrics import gauge, histogram
from sortkey.runtime.store import Store

RUNNING = gauge("sortkey_jobs_running", "Jobs running on this worker.")
WAITED = histogram("sortkey_job_wait_seconds", "Seconds from when a job was due to its start.")
PICK_PAUSE_SECONDS_MAX = 30.0
HELD_BACK_SECONDS = 1.0
"""The pause before trying a due job again that a limit holds back."""


class JobWorker:
    """Runs the jobs of one queue. Start it, or call `run_once` for one job in the calling
    thread.
    """

    def __init__(
        self,
        store: Store,
        jobs: Iterable[JobFunction[..., Any]],
        *,
        queue: str = "default",
        threads: int = 4,
        limit: int | None = None,
        lease_seconds: float = 30.0,
        poll_seconds: float = 1.0,
        name: str | None = None,
        wakeups: Wakeups = WAKEUPS,
        **environment: Callable[..., Any],
    ) -> None:
        """`limit` is for all workers of the queue together. `environment` are clock, sleep, random,
        entropy and `on_error`.

        `on_error(message, error)` is called with errors outside of job functions. By default they
        are logged.
        """
        self._environment = Environment(store, wakeups=wakeups, **environment)
        self.queue, self.name = (
            queue,
            name or f"{socket.gethostname()}/{os.getpid()}/{self._environment.token()[:6]}",
        )
        self._jobs = _by_name(jobs)
        self._picker = Picker(self._environment, queue, self.name, self._jobs, lease_seconds, limit)
        self._threads, self._poll_seconds = threads, poll_seconds
        self._keeper = Keeper(lease_seconds)
        self._stopping, self._over = threading.Event(), threading.Event()
        self._own: list[threading.Thread] = []
        self._watch = Watch()

    # -- one at a time

    def run_once(self) -> Job | None:
        """Run the next job in this thread. Returns the ended job, or None if there was none
        to run.
        """
        return self._run_here(self._picker.next()) if self._may_start else None

    def run_job(self, job_id: str) -> Job | None:
        """Run a specific job in this thread, if it is due and not running."""
        return self._run_here(self._picker.take(job_id)) if self._may_start else None

    def run_announced(self, job_id: str) -> float | None:
        """Run an announced job. Returns the seconds after which to announce it again, or None if
        that is not needed.
        """
        done = self.run_job(job_id)
        job = done or self._environment.store.find(Job.key(job_id=job_id), consistent=True)
        if job is None or job.is_ended or job.due_at is None:
            return None
        return max((job.due_at - self._environment.now()).total_seconds(), HELD_BACK_SECONDS)

    def on_error(self, message: str, error: Exception) -> None:
        """Report an error outside of job functions."""
        self._environment.on_error(message, error)

    @property
    def _may_start(self) -> bool:
        """A job whose worker has died before runs alone: otherwise other jobs would be blamed if
        this worker dies too.
        """
        return not (self._stopping.is_set() or self._keeper.has_suspect)

    @property
    def lease_seconds(self) -> float:
        return self._picker.lease_seconds

    def _run_here(self, lease: Lease | None) -> Job | None:
        if lease is None:
            return None
        running, over = self._begun(lease), threading.Event()
        keeper = threading.Thread(
            target=self._keeper.keep_until, args=(over, self._left), daemon=True
        )
        keeper.start()
        try:
            return self._run(running)
        finally:
            over.set()
            keeper.join()

    # -- many at a time

    def start(self) -> Self:
        """Run jobs in the background until `stop`."""
        if self._own:
            raise ModelError(f"worker {self.name} was already started: create another one")
        targets: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
            (self._pick, ()),
            (self._keeper.keep_until, (self._over, self._left)),
        ]
        self._own = [
            threading.Thread(target=target, args=args, daemon=True) for target, args in targets
        ]
        for thread in self._own:
            thread.start()
        return self

    def stop(self, *, finish: bool = False, wait_seconds: float = 30.0) -> bool:
        """Take no more jobs, and wait for those that run: to their next safe point, or with
        `finish` to their end.

        What was stopped at a safe point goes on elsewhere at once. Says whether everything has
        ended in time; what has not is taken up by another worker when its lease is over.
        """
        self._stopping.set()
        self._watch.wake()
        for thread in self._own[:1]:
            thread.join()
        if not finish:
            self._keeper.stop_all(JobInterrupted(f"the worker {self.name} is being stopped"))
        all_ended = self._keeper.wait_until_empty(wait_seconds)
        self._over.set()
        for thread in self._own[1:]:
            thread.join()
        return all_ended

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def renew_leases(self) -> None:
        """Renew leases, and give up attempts that exceed their timeout. A started worker does this
        itself.
        """
        self._keeper.keep(self._left)

    # -- threads

    def _pick(self) -> None:
        failures = 0
        with self._environment.wakeups.listen(of_queue(self.queue), self._watch.wake):
            while not self._stopping.is_set():
                self._watch.clear(self._environment.clock())
                try:
                    if self._start_next():
                        failures = 0
                        continue
                    failures = 0
                except Exception as error:
                    # Whatever it is, a service that is away or an item that cannot be read, the
                    # worker stays.
                    self._environment.on_error(f"worker {self.name} could not pick a job", error)
                    failures += 1
                self._watch.wait(self._pause_seconds(failures), self._environment.clock())

    def _pause_seconds(self, failures: int) -> float:
        """Not all workers at the same instant; longer while picking fails."""
        most = max(self._poll_seconds, PICK_PAUSE_SECONDS_MAX)
        pause = min(self._poll_seconds * 2 ** min(failures, 10), most)
        return pause * (0.8 + 0.4 * self._environment.random())

    def _start_next(self) -> bool:
        if len(self._keeper) >= self._threads or not self._may_start:
            return False
        lease = self._picker.next()
        if lease is None:
            return False
        running = self._begun(lease)
        try:
            threading.Thread(target=self._run, args=(running,), daemon=True).start()
        except (
            RuntimeError
        ):  # no thread to be had: nobody keeps the lease, so another worker takes the job
            self._keeper.leave(running)
            raise
        return True

    def _run(self, running: Running) -> Job:
        try:
            with self._environment.wakeups.listen(of_job(running.job.job_id), running.hear):
                return attempts.run(running)
        finally:
            if self._keeper.leave(running):
                self._left(running)

    def _begun(self, lease: Lease) -> Running:
        running = Running(lease, self._jobs[lease.job.name])
        self._keeper.enter(running)
        metrics = self._environment.store.metrics
        if metrics is not None:
            metrics.add(RUNNING, 1, queue=self.queue)
            metrics.observe(WAITED, lease.waited_seconds, queue=self.queue)
        return running

    def _left(self, running: Running) -> None:
        """There is room for another."""
        metrics = self._environment.store.metrics
        if metrics is not None:
            metrics.add(RUNNING, -1, queue=running.job.queue)
        self._watch.wake()


def _by_name(jobs: Iterable[JobFunction[..., Any]]) -> dict[str, JobFunction[..., Any]]:
    by_name: dict[str, JobFunction[..., Any]] = {}
    for job in jobs:
        if job.name in by_name:
            raise ModelError(f"two jobs have the name {job.name!r}")
        by_name[job.name] = job
    return by_name
