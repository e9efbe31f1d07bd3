"""Executions over HTTP: start, show, wait, retry, cancel."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from sortkey.web import Page, Waits, errors_for
from sortkey_systems.jobengine.model import Job
from sortkey_systems.jobengine.routes import examples
from sortkey_systems.jobengine.routes.arguments import (
    NAME,
    READ,
    WRITE,
    Cursor,
    JobPath,
    JourneyPath,
    Limit,
    Reader,
    StagePath,
    StageQuery,
    Writer,
    example,
)
from sortkey_systems.jobengine.routes.examples import page_of
from sortkey_systems.jobengine.service import JobEngine

WAIT_SECONDS_MAX = 30

StatusQuery = Annotated[
    Literal["pending", "running", "in_progress", "completed", "failed", "cancelled"] | None,
    Query(description="Only those of this status; in_progress is running"),
]
SecondsQuery = Annotated[
    float,
    Query(
        ge=0,
        le=WAIT_SECONDS_MAX,
        description="How long to wait before the job is returned as it is",
    ),
]


def router(engine: JobEngine) -> APIRouter:
    routes = APIRouter()
    _add_looks(routes, engine)
    _add_changes(routes, engine)
    return routes


def _add_looks(routes: APIRouter, engine: JobEngine) -> None:
    waits = Waits()

    @routes.get(
        "/journeys/{journeyId}/jobs",
        summary="List the jobs of a journey",
        responses=example(page_of(examples.JOB), also=READ),
    )
    def list_jobs(
        _: Reader,
        journey_id: JourneyPath,
        stage_id: StageQuery = None,
        status: StatusQuery = None,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Page[Job]:
        """Every execution of a journey, or of one of its stages, by stage and number."""
        stored_status = "running" if status == "in_progress" else status
        page = engine.list_jobs(
            journey_id, stage_id, status=stored_status, cursor=cursor, size=limit
        )
        return Page[Job](items=page.items, cursor=page.cursor)

    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}",
        summary="Get a job",
        responses=example(examples.JOB, also=READ),
    )
    def get_job(_: Reader, journey_id: JourneyPath, job_id: JobPath) -> Job:
        """An execution: status, progress, steps, results, and its log counts."""
        return engine.job(journey_id, job_id)

    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}/wait",
        summary="Wait for the end of a job",
        responses=example(examples.JOB, also=READ | errors_for(429)),
    )
    async def wait_for_job(
        request: Request,
        me: Reader,
        journey_id: JourneyPath,
        job_id: JobPath,
        seconds: SecondsQuery = 10,
    ) -> Job:
        """The job when it has ended, or as it is when the time is over: check its status and ask
        again.

        A key may have 20 of these requests at once; further ones get 429.
        """
        return await waits.run(request, me, partial(engine.watch, journey_id, job_id, seconds))

    _ = list_jobs, get_job, wait_for_job


def _add_changes(routes: APIRouter, engine: JobEngine) -> None:
    started = example(examples.STARTED, 202, WRITE)

    @routes.post(
        "/journeys/{journeyId}/stages/{stageId}/jobs",
        summary="Run one stage",
        status_code=202,
        responses=started,
    )
    def start_job(
        _: Writer, journey_id: JourneyPath, stage_id: StagePath, response: Response
    ) -> Job:
        """Run a stage. Earlier stages must be completed or skipped."""
        job = engine.start_job(journey_id, stage_id)
        response.headers["Location"] = f"/{NAME}/journeys/{journey_id}/jobs/{job.job_id}"
        return job

    @routes.post(
        "/journeys/{journeyId}/jobs/{jobId}/retry",
        summary="Retry a job",
        status_code=202,
        responses=started,
    )
    def retry_job(_: Writer, journey_id: JourneyPath, job_id: JobPath, response: Response) -> Job:
        """A new execution, with the next number, in place of one that failed or was cancelled. The
        old one does not change.
        """
        engine.job(journey_id, job_id)
        job = engine.executions.retry(job_id)
        response.headers["Location"] = f"/{NAME}/journeys/{journey_id}/jobs/{job.job_id}"
        return job

    @routes.post(
        "/journeys/{journeyId}/jobs/{jobId}/cancel",
        summary="Cancel a job",
        status_code=202,
        responses=started,
    )
    def cancel_job(_: Writer, journey_id: JourneyPath, job_id: JobPath) -> Job:
        """Cancel a pending job at once, and a running one at its next safe point."""
        engine.job(journey_id, job_id)
        return engine.executions.cancel(job_id)

    _ = start_job, retry_job, cancel_job
