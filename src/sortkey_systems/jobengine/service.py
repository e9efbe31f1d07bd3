"""The AI Job Engine as one object: journeys, rules, executions, logs, reports and backups on one
store.

Read-only methods never write: `job`, `watch` and all that read logs and reports are safe for
read-only callers.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sortkey import JobQueue, JobWorker, Page, Store
from sortkey.errors import JobNotEnded, NotFound
from sortkey.systems import Resources
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.inputs import JourneyDraft
from sortkey_systems.jobengine.jobs import Executions
from sortkey_systems.jobengine.jobs.ledger import key_of
from sortkey_systems.jobengine.jobs.places import Places
from sortkey_systems.jobengine.journeys import aggregates, backup
from sortkey_systems.jobengine.journeys.journeys import Journeys
from sortkey_systems.jobengine.journeys.progress import LIVE, next_stage
from sortkey_systems.jobengine.logs import step_log
from sortkey_systems.jobengine.model import Job, Journey, Report, StageJob, model
from sortkey_systems.jobengine.parts import Aggregates, JobStatus, LogLine, ReportType
from sortkey_systems.jobengine.reports import reports
from sortkey_systems.jobengine.reports.reports import FullReport
from sortkey_systems.jobengine.rules.rules import Rules
from sortkey_systems.jobengine.stages.data_migration.ownership import check_owner

DATABASES = "SORTKEY_JOBENGINE_DATABASES"
"""An environment variable: `1` lets journeys that come over REST name a PostgreSQL server."""


def make_service(resources: Resources) -> JobEngine:
    """The engine on the resources of a host. Journeys may name files in the host's folder
    of files.
    """
    places = Places(root=resources.files, databases=os.environ.get(DATABASES) == "1")
    engine = JobEngine(resources.store, Buckets.of(resources.buckets), places=places)
    engine.ensure()
    return engine


def make_workers(engine: JobEngine) -> list[JobWorker]:
    """The workers that run journeys in the background."""
    return [engine.worker()]


SETTLE_SECONDS = 0.02


class JobEngine:
    """The whole engine. `places` is what journeys may read and write; by default whatever the
    process may.
    """

    def __init__(
        self,
        store: Store,
        buckets: Buckets,
        queue: JobQueue | None = None,
        *,
        places: Places | None = None,
        **settings: Any,
    ) -> None:
        self.store, self.buckets, self.places = store, buckets, places or Places()
        self.journeys, self.rules = Journeys(store, buckets), Rules(store)
        self.executions = Executions(store, buckets, queue, places=self.places, **settings)

    def ensure(self) -> list[str]:
        """Create missing tables. Returns the differences in the others."""
        return [*self.store.ensure(model), *self.executions.queue.ensure()]

    def worker(self, **settings: Any) -> JobWorker:
        """A worker that runs executions, most urgent journeys first. It is not started."""
        return self.executions.worker(**settings)

    # -- journeys

    def create_journey(self, draft: JourneyDraft, *, created_by: str) -> Journey:
        """Create a journey. Its creator is named by the draft, otherwise it is the caller."""
        values = {name: value for name, value in draft.given().items() if name != "created_by"}
        return self.journeys.create(**values, created_by=draft.created_by or created_by)

    def run_journey(self, journey_id: str) -> Job:
        """Run all remaining stages, one after the other. Returns the first job."""
        self._check_places(journey_id)
        return self.executions.run_journey(journey_id)

    def resume_journey(self, journey_id: str, *, run: bool | None = None) -> Journey:
        """End a pause. `run` continues the journey; by default if it was run as a whole before."""
        journey, stages = self.journeys.resume(journey_id), self.journeys.stages(journey_id)
        if run is None:
            run = any(
                job.triggered_by == "journey"
                for job in self.store.query(Job.of_journey(journey_id=journey_id))
            )
        if run and next_stage(journey, stages) is not None:
            self.run_journey(journey_id)
        return self.journeys.get(journey_id)

    def cancel_journey(self, journey_id: str) -> Journey:
        """Cancel a journey permanently. Its running job ends at its next safe point."""
        journey = self.journeys.cancel(journey_id)
        for job_id in journey.current_jobs.values():
            with suppress(NotFound):
                self.executions.cancel(job_id)
        return self.journeys.get(journey_id)

    def rebuild_aggregates(self, journey_id: str) -> Aggregates:
        """Recompute the journey's counts of jobs, logs and rules."""
        return aggregates.rebuild(self.store, journey_id)

    def get_journey_complete(self, journey_id: str) -> backup.Complete:
        """Metadata, stages, rules, jobs and the catalog of reports, in two queries."""
        return backup.get_journey_complete(self.store, journey_id)

    def import_journey_complete(
        self, backup_data: Mapping[str, Any] | str | bytes, *, replace: bool = False
    ) -> Journey:
        """Store the result of `get_journey_complete`, or the content of a backup."""
        return backup.import_journey_complete(self.store, backup_data, replace=replace)

    def export_journey(self, journey_id: str) -> str:
        """Write the journey's backup and return its `s3://` address."""
        return backup.export(self.store, self.buckets, journey_id)

    def restore_journey(self, journey_id: str, *, replace: bool = False) -> Journey:
        """Import the newest backup of a journey."""
        return backup.restore(self.store, self.buckets, journey_id, replace=replace)

    # -- jobs

    def start_job(self, journey_id: str, stage_id: str, *, triggered_by: str = "user") -> Job:
        """Run one stage."""
        self._check_places(journey_id)
        return self.executions.start_job(journey_id, stage_id, triggered_by=triggered_by)

    def job(self, journey_id: str, job_id: str) -> Job:
        """The job as it is stored now. Raises NotFound."""
        stored = reports.job_of(self.store, journey_id, job_id)
        return self.store.get(key_of(stored), consistent=True)

    async def watch(self, journey_id: str, job_id: str, seconds: float) -> Job:
        """Wait for the end of a job; after this many seconds, return it as it is. No thread is
        blocked meanwhile.
        """
        end = time.monotonic() + seconds
        while True:
            job = await asyncio.to_thread(self.job, journey_id, job_id)
            left = end - time.monotonic()
            if job.status not in LIVE or left <= 0:
                return job
            with suppress(JobNotEnded, NotFound):
                await self.executions.queue.wait_async(job_id, left)
            await asyncio.sleep(SETTLE_SECONDS)  # a cancelled job ends in the queue first

    def list_jobs(
        self,
        journey_id: str,
        stage_id: str | None = None,
        *,
        status: JobStatus | None = None,
        cursor: str | None = None,
        size: int = 100,
    ) -> Page[Job]:
        """The executions of a journey, or of one of its stages."""
        self.journeys.get(journey_id)
        return self.executions.list_jobs(
            journey_id, stage_id, status=status, cursor=cursor, size=size
        )

    def dashboard(self, journey_id: str, stage_id: str) -> list[StageJob]:
        """The jobs of a stage with status, progress and times, in one query of the index."""
        return self.executions.dashboard(journey_id, stage_id)

    # -- logs and reports

    def get_job_logs(
        self, journey_id: str, stage_name: str, job_id: str, step_name: str | None = None
    ) -> Iterator[LogLine]:
        """The full log of a job, or of one step, line by line."""
        return step_log.get_job_logs(self.buckets.logs, journey_id, stage_name, job_id, step_name)

    def get_job_reports(
        self, journey_id: str, job_id: str, stage_name: str
    ) -> Iterator[FullReport]:
        """All reports of a job, read one at a time."""
        return reports.get_job_reports(
            self.buckets.reports, self.store, journey_id, job_id, stage_name
        )

    def list_reports(self, journey_id: str) -> list[Report]:
        """The catalog of a journey's reports."""
        return self.store.query(Report.of_type(journey_id=journey_id))

    def create_job_report(
        self,
        journey_id: str,
        job_id: str,
        report_type: ReportType,
        title: str,
        content: Any,
        summary: str,
        *,
        recommendations: Sequence[str] = (),
        name: str | None = None,
    ) -> Report:
        """Write a report of a job and its catalog entry."""
        return reports.create_job_report(
            self.buckets.reports,
            self.store,
            journey_id,
            job_id,
            report_type,
            title,
            content,
            summary,
            recommendations=recommendations,
            name=name,
        )

    def _check_places(self, journey_id: str) -> None:
        """If journeys are confined, refuse one that reads or writes elsewhere, or into the target
        of another, before anything starts. Otherwise the workers check it: they may be on another
        machine.
        """
        if self.places.root is not None:
            journey = self.journeys.get(journey_id)
            self.places.source(journey)
            check_owner(self.places.target(journey), journey_id)
