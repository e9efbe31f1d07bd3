"""What a worker does with an execution: claim it, run its steps, record its end, and schedule what
follows.

Each part may be interrupted by a kill and is repeated by the next attempt. Nothing counts twice.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sortkey import JobContext
from sortkey.errors import GiveUp, JobCancelled, JobLost, JobStopped, LeaseLost, NotFound
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.jobs import ledger
from sortkey_systems.jobengine.jobs.endings import Status, ended
from sortkey_systems.jobengine.jobs.places import PlaceRefused, Places
from sortkey_systems.jobengine.jobs.results import StepResults
from sortkey_systems.jobengine.jobs.schedule import Course, Schedule
from sortkey_systems.jobengine.jobs.stage_run import StageRun, open_log
from sortkey_systems.jobengine.journeys.progress import LIVE, stage_of
from sortkey_systems.jobengine.model import Job, Journey, Rule, Stage, in_rank_order
from sortkey_systems.jobengine.parts import AllowedLosses
from sortkey_systems.jobengine.sources import open_source
from sortkey_systems.jobengine.stages.data_migration.ownership import TargetRefused, check_owner
from sortkey_systems.jobengine.stages.raw_analysis.schema_extraction import (
    NoSuchTable,
    SourceNotRead,
)
from sortkey_systems.jobengine.stages.work import MissingResult, Work

IN_VAIN = (PlaceRefused, TargetRefused, SourceNotRead, NoSuchTable, MissingResult, GiveUp)
"""Errors that another attempt would end with too."""


@dataclass(frozen=True, slots=True)
class Attempts:
    """Runs executions, and ends those whose workers are gone."""

    schedule: Schedule
    buckets: Buckets
    places: Places
    batch_rows: int

    def run(
        self,
        ctx: JobContext,
        journey_id: str,
        order: int,
        stage_id: str,
        execution_number: int,
        created_at: str,
        follow: bool,
        tries: int,
    ) -> dict[str, Any]:
        """The job function of workers. Raises GiveUp if the execution failed: a retry is a new
        execution.
        """
        key = Job.key(
            journey_id=journey_id,
            order=order,
            stage_id=stage_id,
            execution_number=execution_number,
            created_at=datetime.fromisoformat(created_at),
        )
        course = Course(follow, tries)
        job = self.schedule.store.get(key, consistent=True)
        if job.status in LIVE:
            job = self._run(ctx, job, course)
        self.go_on(job, course)
        if job.status == "failed":
            raise GiveUp(job.error_message or "it failed")
        return {"status": job.status}

    def go_on(self, job: Job, course: Course) -> None:
        """Schedule what follows an execution that has ended, unless that was already done."""
        if job.status == "completed" and course.follow:
            self.schedule.follow(job.journey_id)
        if job.status == "failed" and course.tries > 0:
            _, stages = self.schedule.journey(job.journey_id)
            # While a retry is due its stage keeps running. If it does not, somebody decided
            # against a retry.
            if stage_of(stages, job.stage_id).status == "running":
                self.schedule.retry(job, course)

    def settle(self, job: Job) -> Job:
        """The job, ended if nobody will run it any more, and enqueued if a crash prevented that."""
        if job.status not in LIVE:
            return job
        try:
            queued = self.schedule.queue.get(job.job_id)
        except NotFound:
            self.schedule.enqueue(job, self.schedule.course(job))
            return job
        job = self.schedule.store.get(ledger.key_of(job), consistent=True)
        if not queued.is_ended or job.status not in LIVE:
            return job
        # Another execution would kill as many workers again.
        tries = 0 if queued.is_dead_letter else int(queued.arguments["tries"])
        course = Course(bool(queued.arguments["follow"]), tries)
        status: Status = "cancelled" if queued.status == "cancelled" else "failed"
        job = self.abandon(job, status, queued.error or "it was cancelled before it began", course)
        self.go_on(job, course)
        return job

    def abandon(self, job: Job, status: Status, message: str, course: Course) -> Job:
        """End an execution that no worker runs. The log of its current step is closed with a last
        line.
        """
        store, counts = self.schedule.store, [job.metrics]
        for step in job.steps:
            if step.status == "running":
                log = open_log(self.buckets, store, job, step.step_id, None)
                log.add("ERROR" if status == "failed" else "WARNING", message)
                log.close()
                counts.append(log.counts)
        over = ended(job, status, counts, self.schedule.now(), error_message=message)
        with suppress(JobLost):  # another process has settled it
            self._end(job, over, course)
        return store.get(ledger.key_of(job), consistent=True)

    # -- one attempt

    def _run(self, ctx: JobContext, job: Job, course: Course) -> Job:
        schedule = self.schedule
        journey, stages = schedule.journey(job.journey_id)
        run = StageRun(
            ctx, schedule.store, self.buckets, self._begun(ctx, job), stages, schedule.now
        )
        try:
            with self._opened(run.job, journey, stages) as (work, results):
                over = run.run(work, results)
            return self._end(run.job, over, course, in_vain=over.status == "failed")
        except JobCancelled as reason:
            self._end(run.job, run.cancelled(reason), course)
            raise
        except (JobStopped, LeaseLost):  # another worker continues it
            raise
        except Exception as error:
            return self._end(run.job, run.failed(error), course, in_vain=isinstance(error, IN_VAIN))

    def _begun(self, ctx: JobContext, job: Job) -> Job:
        started = job.changed(attempt=ctx.attempt, start_time=job.start_time or self.schedule.now())
        if job.status == "pending":
            started = started.changed(status="running")
        return ledger.begin(self.schedule.store, job, started)

    def _end(self, old: Job, new: Job, course: Course, *, in_vain: bool = False) -> Job:
        def made(journey: Journey) -> tuple[Job, bool]:
            is_to_go_on = journey.status == "running" and course.tries > 0 and not in_vain
            return new, new.status == "failed" and is_to_go_on

        return ledger.end(self.schedule.store, old, made)

    @contextmanager
    def _opened(
        self, job: Job, journey: Journey, stages: list[Stage]
    ) -> Generator[tuple[Work, StepResults]]:
        """What the steps work with: the source, the target, the rules, and the results of earlier
        stages.
        """
        results = StepResults(self.buckets.reports)
        for stage in stages:
            latest = (
                self.schedule.latest(stage)
                if stage.order < job.order and stage.status == "completed"
                else None
            )
            if latest is not None:
                results.add(latest, [step.step_id for step in latest.steps])
        target = self.places.target(journey)
        check_owner(target, journey.journey_id)
        source = open_source(self.places.source(journey), dialect=journey.source.dialect)
        try:
            rules = self._rules(journey, stages, job.stage_id)
            allowed = journey.configuration.allowed_losses or AllowedLosses()
            yield (
                Work(source, target, rules, results, self.batch_rows, journey.journey_id, allowed),
                results,
            )
        finally:
            source.close()

    def _rules(self, journey: Journey, stages: list[Stage], stage_id: str) -> list[Rule]:
        """The rules of the whole journey, by rank, because planning uses those of verification.

        Empty if the Second Brain is off for the journey or the stage. Rules of another stage where
        it is off do not count either.
        """
        off = {stage.stage_id for stage in stages if not stage.second_brain_enabled}
        if stage_id in off or not journey.configuration.second_brain_enabled:
            return []
        active = Rule.of_journey(journey_id=journey.journey_id).where(Rule.status == "active")
        return in_rank_order(
            rule for rule in self.schedule.store.query(active) if rule.stage_id not in off
        )
