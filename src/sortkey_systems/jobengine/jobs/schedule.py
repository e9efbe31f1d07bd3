"""Which execution comes next: the first of a stage, a retry, or the next stage of a running
journey.

An execution is created first, then enqueued. Both may be repeated after a crash: the number of an
execution is unique in its stage, and the queue identifies a job by its id.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sortkey import Backoff, JobQueue, Store, Update, attr
from sortkey.errors import NotFound, TransactionFailed
from sortkey_systems.jobengine.jobs import ledger
from sortkey_systems.jobengine.journeys.aggregates import with_journey
from sortkey_systems.jobengine.journeys.progress import (
    WrongState,
    current_stage,
    next_stage,
    stage_of,
    startable,
)
from sortkey_systems.jobengine.model import Job, Journey, Stage, latest_execution
from sortkey_systems.jobengine.parts import JobConfiguration, S3Config, StepRun

STAGE_JOB = "jobengine.stage"
EXECUTIONS_MAX = 999


@dataclass(frozen=True, slots=True)
class Course:
    """What follows an execution: with `follow` the next stage if it completes; otherwise up to
    `tries` retries.
    """

    follow: bool
    tries: int


@dataclass(frozen=True, slots=True)
class Schedule:
    """Creates and enqueues executions. `tries_max` is how many attempts of workers one may take."""

    store: Store
    queue: JobQueue
    s3_config: S3Config
    now: Callable[[], datetime]
    backoff: Backoff
    tries_max: int
    grace_seconds: float

    def start(self, journey_id: str, stage_id: str, *, triggered_by: str, follow: bool) -> Job:
        """Create an execution of a stage. Raises NotFound, WrongState, StageOutOfOrder."""

        def made(journey: Journey, stages: list[Stage]) -> Job:
            stage = startable(journey, stages, stage_id)
            latest = self.latest(stage)
            return self._new(
                journey, stage, (latest.execution_number if latest else 0) + 1, triggered_by
            )

        job = ledger.create(self.store, journey_id, made)
        self.enqueue(job, Course(follow, job.configuration.retry_attempts))
        return self.store.get(ledger.key_of(job), consistent=True)

    def retry(self, failed: Job, course: Course) -> Job | None:
        """The automatic retry of a failed execution, or None if the journey was stopped
        meanwhile.
        """
        if self._is_stopped(failed):
            return None

        def made(journey: Journey, stages: list[Stage]) -> Job:
            return self._new(
                journey, stage_of(stages, failed.stage_id), failed.execution_number + 1, "retry"
            )

        try:
            job = ledger.create(self.store, failed.journey_id, made)
        except TransactionFailed:
            job = self._latest_of(failed)  # a killed attempt had created it
            if job is None or job.execution_number <= failed.execution_number:
                raise
        failures = max(1, failed.configuration.retry_attempts - course.tries + 1)
        delay = self.backoff.seconds(failures, lambda: 0.0)
        self.enqueue(job, Course(course.follow, course.tries - 1), delay=delay)
        return job

    def follow(self, journey_id: str) -> Job | None:
        """The first execution of the next stage, unless it exists already or the journey no longer
        runs.
        """
        journey, stages = self.journey(journey_id)
        if journey.status != "running":
            return None
        stage = next_stage(journey, stages)
        if stage is not None:
            try:
                return self.start(journey_id, stage.stage_id, triggered_by="journey", follow=True)
            except WrongState:  # another process started it or stopped the journey
                return None
        job = self.latest(current_stage(stages))
        if job is not None and job.status == "pending":
            self.enqueue(job, Course(True, job.configuration.retry_attempts))
        return job

    def enqueue(self, job: Job, course: Course, *, delay: float = 0.0) -> None:
        """Enqueue it with the priority of its journey. Enqueuing twice is harmless."""
        try:
            self.queue.get(job.job_id)
        except NotFound:
            journey = self.store.get(Journey.key(journey_id=job.journey_id))
            timeout = job.configuration.timeout
            self.queue.enqueue(
                STAGE_JOB,
                arguments_of(job, course),
                priority=journey.priority,
                delay=delay,
                timeout=timeout + self.grace_seconds if timeout else None,
                retries=self.tries_max,
                job_id=job.job_id,
            )

    def course(self, job: Job) -> Course:
        """What follows an execution, as it was enqueued, or as it will be if a crash prevented
        that.
        """
        try:
            arguments = self.queue.get(job.job_id).arguments
        except NotFound:
            return Course(job.triggered_by == "journey", job.configuration.retry_attempts)
        return Course(bool(arguments["follow"]), int(arguments["tries"]))

    def latest(self, stage: Stage) -> Job | None:
        """The execution of a stage with the highest number."""
        query = latest_execution(stage.journey_id, stage.order, stage.stage_id)
        return self.store.first(query.consistent())

    def journey(self, journey_id: str) -> tuple[Journey, list[Stage]]:
        """Raises NotFound."""
        journey = self.store.get(Journey.key(journey_id=journey_id), consistent=True)
        return journey, self.store.query(Stage.of_journey(journey_id=journey_id).consistent())

    def _latest_of(self, job: Job) -> Job | None:
        _, stages = self.journey(job.journey_id)
        return self.latest(stage_of(stages, job.stage_id))

    def _new(self, journey: Journey, stage: Stage, number: int, triggered_by: str) -> Job:
        if number > EXECUTIONS_MAX:
            raise WrongState(
                f"stage {stage.stage_id} had {EXECUTIONS_MAX} executions, and can have no more"
            )
        limits = {
            name: getattr(journey.configuration, name) for name in JobConfiguration.model_fields
        }
        return Job(
            job_id=f"JOB-{secrets.token_hex(6).upper()}",
            journey_id=journey.journey_id,
            order=stage.order,
            stage_id=stage.stage_id,
            execution_number=number,
            triggered_by=triggered_by,
            configuration=JobConfiguration(**limits),
            s3_config=self.s3_config,
            steps=[StepRun(step_id=step.step_id) for step in stage.steps],
            created_at=self.now(),
        )

    def _is_stopped(self, failed: Job) -> bool:
        """Whether the journey no longer runs. Then the stage that waited for the retry has
        failed.
        """
        stopped: list[bool] = []

        def marked(journey: Journey, stages: Sequence[Stage]) -> list[Any]:
            stage = stage_of(stages, failed.stage_id)
            stopped[:] = [journey.status != "running"]
            if not stopped[0] or stage.status != "running":
                return []
            key = Stage.key(journey_id=stage.journey_id, order=stage.order, stage_id=stage.stage_id)
            return [
                Update(key, (attr(Stage.status).set("failed"),), attr(Stage.status) == "running")
            ]

        with_journey(self.store, failed.journey_id, marked)
        return stopped[0]


def arguments_of(job: Job, course: Course) -> dict[str, Any]:
    """The arguments of the worker's job: the job's key, and what follows it."""
    assert job.created_at is not None
    return {
        "journey_id": job.journey_id,
        "order": job.order,
        "stage_id": job.stage_id,
        "execution_number": job.execution_number,
        "created_at": job.created_at.isoformat(),
        "follow": course.follow,
        "tries": course.tries,
    }
