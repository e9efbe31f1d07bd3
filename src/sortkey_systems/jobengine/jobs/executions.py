"""Executions of stages: start, watch, retry, cancel, wait; and the workers that run them.

The engine's `Job` and its job in the runtime's queue have the same id. The item in the engine's
table is what people see; the queue knows which worker runs it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sortkey import Backoff, JobQueue, JobWorker, Page, Store, job
from sortkey.errors import JobNotEnded, NotFound
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.jobs import ledger
from sortkey_systems.jobengine.jobs.attempt import Attempts
from sortkey_systems.jobengine.jobs.outcomes import FINAL
from sortkey_systems.jobengine.jobs.places import Places
from sortkey_systems.jobengine.jobs.results import StepResults
from sortkey_systems.jobengine.jobs.schedule import STAGE_JOB, Course, Schedule
from sortkey_systems.jobengine.jobs.upkeep import Upkeep
from sortkey_systems.jobengine.jobs.worker import StageWorker
from sortkey_systems.jobengine.journeys.progress import LIVE, WrongState, current_stage, stage_of
from sortkey_systems.jobengine.model import Job, Journey, StageJob
from sortkey_systems.jobengine.parts import JobStatus

QUEUE = "jobengine"
TRIES_MAX = 25
"""How many workers may try to record the end of an execution."""
GRACE_SECONDS = 30.0
"""A step that reaches no safe point is abandoned this long after its timeout."""
POLL_SECONDS = 0.05


class Executions:
    """The executions of journeys. `queue` is the queue of the workers; `places` is what journeys
    may read and write.
    """

    def __init__(
        self,
        store: Store,
        buckets: Buckets,
        queue: JobQueue | None = None,
        *,
        places: Places | None = None,
        backoff: Backoff | None = None,
        grace_seconds: float = GRACE_SECONDS,
        batch_rows: int = 500,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store, self.buckets, self.queue = store, buckets, queue or JobQueue(store, QUEUE)
        self._schedule = Schedule(
            store,
            self.queue,
            buckets.s3_config,
            lambda: datetime.fromtimestamp(clock(), UTC),
            backoff or Backoff(first_seconds=1, factor=2, max_seconds=60),
            TRIES_MAX,
            grace_seconds,
        )
        self._attempts = Attempts(self._schedule, buckets, places or Places(), batch_rows)
        self._upkeep = Upkeep(self._attempts)
        self.stage_job = job(STAGE_JOB, retries=TRIES_MAX, backoff=Backoff(first_seconds=0.1))(
            self._attempts.run
        )

    # -- running

    def start_job(self, journey_id: str, stage_id: str, *, triggered_by: str = "user") -> Job:
        """Run one stage. Raises NotFound, WrongState, and StageOutOfOrder if an earlier stage is
        not done.
        """
        return self._schedule.start(journey_id, stage_id, triggered_by=triggered_by, follow=False)

    def run_journey(self, journey_id: str, *, triggered_by: str = "journey") -> Job:
        """Run all remaining stages, one after the other. Returns the first job. Use
        `wait_for_journey` to wait.
        """
        journey, stages = self._schedule.journey(journey_id)
        stage = current_stage(stages)
        if journey.status == "completed":
            raise WrongState(f"journey {journey_id} is completed: there is nothing left to run")
        return self._schedule.start(
            journey_id, stage.stage_id, triggered_by=triggered_by, follow=True
        )

    def retry(self, job_id: str, *, triggered_by: str = "user") -> Job:
        """A new execution in place of one that failed or was cancelled. The old one does not
        change.
        """
        before = self.get(job_id)
        if before.status not in ("failed", "cancelled"):
            raise WrongState(
                f"job {job_id} is {before.status}: only one that failed or was cancelled is retried"
            )
        _, stages = self._schedule.journey(before.journey_id)
        latest = self._schedule.latest(stage_of(stages, before.stage_id))
        if latest is not None and latest.execution_number > before.execution_number:
            text = (
                f"job {job_id} was followed by {latest.job_id}, which is {latest.status}: look at "
                "that one"
            )
            raise WrongState(text, latest=latest.job_id)
        follow = self._schedule.course(before).follow
        return self._schedule.start(
            before.journey_id, before.stage_id, triggered_by=triggered_by, follow=follow
        )

    def cancel(self, job_id: str) -> Job:
        """Cancel a pending job at once and a running one at its next safe point. A finished job
        does not change.
        """
        job = self.get(job_id)
        if job.status not in LIVE:
            return job
        try:
            self.queue.cancel(job_id)
        except NotFound:
            return self._attempts.abandon(
                job, "cancelled", "it was cancelled before it began", Course(False, 0)
            )
        return self._attempts.settle(job)

    def worker(self, **settings: Any) -> JobWorker:
        """A worker that runs executions, most urgent journeys first. Start it, or call `run_once`.
        Settings are those of `JobWorker`.
        """
        return StageWorker(
            self.store, [self.stage_job], self.tidy, queue=self.queue.name, **settings
        )

    def tidy(self) -> None:
        """Continue journeys that nobody works on. Workers do this by themselves."""
        self._upkeep.run()

    # -- watching

    def get(self, job_id: str) -> Job:
        """The current state of a job. Raises NotFound."""
        job = self.store.first(Job.by_id(job_id=job_id))
        if job is None:
            raise NotFound(f"there is no job {job_id}")
        return self._attempts.settle(self.store.get(ledger.key_of(job), consistent=True))

    def wait(self, job_id: str, timeout: float | None = None) -> Job:
        """Wait for the end of a job. Raises JobNotEnded after `timeout` seconds."""
        job = self.get(job_id)
        if job.status not in LIVE:
            return job
        self.queue.wait(job_id, timeout)
        return self.get(job_id)

    def wait_for_journey(self, journey_id: str, timeout: float | None = None) -> Journey:
        """Wait until nothing of a journey runs any more. Raises JobNotEnded after `timeout`
        seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            journey, stages = self._schedule.journey(journey_id)
            if journey.status != "running":
                return journey
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise JobNotEnded(f"journey {journey_id} still runs after {timeout:g} seconds")
            latest = self._schedule.latest(current_stage(stages))
            if latest is not None and latest.status in LIVE:
                self.wait(latest.job_id, left)
            else:
                time.sleep(POLL_SECONDS)  # between two jobs

    def list_jobs(
        self,
        journey_id: str,
        stage_id: str | None = None,
        *,
        status: JobStatus | None = None,
        cursor: str | None = None,
        size: int = 100,
    ) -> Page[Job]:
        """The executions of a journey, or of one of its stages, ordered by stage and number."""
        query = Job.of_journey(journey_id=journey_id)
        if stage_id is not None:
            stage = stage_of(self._schedule.journey(journey_id)[1], stage_id)
            query = Job.of_stage(journey_id=journey_id, order=stage.order, stage_id=stage_id)
        return self.store.page(
            query.where(Job.status == status) if status else query, cursor=cursor, size=size
        )

    def all_jobs(self, journey_id: str) -> list[Job]:
        """Every execution of a journey, in the same order."""
        return self.store.query(Job.of_journey(journey_id=journey_id))

    def final_report(self, journey_id: str) -> dict[str, Any]:
        """The report of the last stage: verdict, what is not in the target, figures, and `text`,
        all of it in Markdown.

        It exists whether the migration passed or not. Raises NotFound if the journey has not
        reached it.
        """
        _, stages = self._schedule.journey(journey_id)
        stage = next(
            (
                candidate
                for candidate in stages
                if any(step.step_id == FINAL for step in candidate.steps)
            ),
            None,
        )
        latest = self._schedule.latest(stage) if stage is not None else None
        steps = {step.step_id: step.status for step in latest.steps} if latest is not None else {}
        if latest is None or steps.get(FINAL) != "completed":
            raise NotFound(
                f"journey {journey_id} has no final report yet: its last stage has not come to an "
                "end"
            )
        results = StepResults(self.buckets.reports)
        results.add(latest, [FINAL])
        return results[FINAL]

    def dashboard(self, journey_id: str, stage_id: str) -> list[StageJob]:
        """The jobs of a stage with status, progress and times, in one query."""
        return self.store.query(StageJob.of_stage(journey_id=journey_id, stage_id=stage_id))
