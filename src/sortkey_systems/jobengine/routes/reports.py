"""Reports over HTTP: the catalog of a job, each report as a file of any size, new ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import ConfigDict, Field

from sortkey import CamelPart, ObjectReader, attr
from sortkey.errors import NotFound
from sortkey.web import Page
from sortkey_systems.jobengine.inputs import Input, Text, Title
from sortkey_systems.jobengine.model import Report
from sortkey_systems.jobengine.parts import Name, ReportFile, ReportType
from sortkey_systems.jobengine.reports.kinds import make_report
from sortkey_systems.jobengine.reports.reports import open_report
from sortkey_systems.jobengine.routes import examples
from sortkey_systems.jobengine.routes.arguments import (
    READ,
    WRITE,
    Cursor,
    JobPath,
    JourneyPath,
    Limit,
    Reader,
    ReportPath,
    Writer,
    example,
)
from sortkey_systems.jobengine.routes.examples import page_of
from sortkey_systems.jobengine.service import JobEngine
from sortkey_systems.jobengine.storable import storable


class ReportDraft(Input):
    """A custom report."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"title": "Review", "summary": "Fine.", "content": {"reviewedBy": "Ann"}}]
        }
    )

    report_type: ReportType = "custom"
    title: Title
    summary: Text = ""
    content: dict[str, Any] = {}
    recommendations: list[str] = []
    name: Annotated[Name, Field(max_length=100)] | None = None


class FinalReport(CamelPart):
    """The verdict on a migration. `outcome` is passed, needs_review or failed; a journey is
    completed if it passed.
    """

    outcome: Literal["passed", "needs_review", "failed"]
    verdict: str
    is_passed: bool
    exceeded: list[str] = Field(
        [], description="Limits and thresholds because of which it did not pass"
    )
    allowed: list[str] = Field([], description="Losses that the limits of the journey allow")
    missing: dict[str, list[str]] = Field(
        {}, description="What of the source is not in the target, by kind"
    )
    figures: dict[str, float] = {}
    tables: list[dict[str, str | int]] = Field(
        [], description="All tables of the source, and where their rows went"
    )
    rules: list[str] = []
    recommendations: list[str] = []
    text: str = Field(description="The whole report in Markdown")


class ReportOrder(Input):
    """A report that the engine generates for a job."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reportType": "error_analysis"}]})

    report_type: Literal["summary", "performance", "error_analysis", "timeline", "metrics"]


def router(engine: JobEngine) -> APIRouter:
    routes = APIRouter()
    _add_reading(routes, engine)
    _add_writing(routes, engine)
    return routes


def _add_reading(routes: APIRouter, engine: JobEngine) -> None:
    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}/reports",
        summary="List the reports of a job",
        responses=example(page_of(examples.REPORT), also=READ),
    )
    def list_reports(
        _: Reader,
        journey_id: JourneyPath,
        job_id: JobPath,
        cursor: Cursor = None,
        limit: Limit = 50,
    ) -> Page[Report]:
        """The catalog of a job's reports, by time."""
        engine.job(journey_id, job_id)
        page = engine.store.page(Report.of_job(job_id=job_id), cursor=cursor, size=limit)
        return Page[Report](items=page.items, cursor=page.cursor)

    @routes.get(
        "/journeys/{journeyId}/report",
        summary="Get the verdict on a migration",
        responses=example(examples.FINAL_REPORT, also=READ),
    )
    def get_final_report(_: Reader, journey_id: JourneyPath) -> FinalReport:
        """The final report, when the last stage has ended: what was migrated, what was lost, and
        whether the journey's limits allow it.
        """
        return FinalReport(**engine.executions.final_report(journey_id))

    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}/reports/{reportId}",
        summary="Get a report",
        response_class=StreamingResponse,
        responses={**READ, 200: {"description": "The full report", "model": ReportFile}},
    )
    def get_report(
        _: Reader, journey_id: JourneyPath, job_id: JobPath, report_id: ReportPath
    ) -> StreamingResponse:
        """The full report, streamed."""
        engine.job(journey_id, job_id)
        report = engine.store.first(
            Report.of_job(job_id=job_id).where(attr(Report.report_id) == report_id)
        )
        if report is None:
            raise NotFound(f"job {job_id} has no report {report_id}: list its reports first")
        reader = open_report(engine.buckets.reports, report)
        size = {"Content-Length": str(reader.info.size)}
        return StreamingResponse(_pieces(reader), media_type="application/json", headers=size)

    _ = list_reports, get_final_report, get_report


def _add_writing(routes: APIRouter, engine: JobEngine) -> None:
    created = example(examples.REPORT, 201, WRITE)

    @routes.post(
        "/journeys/{journeyId}/jobs/{jobId}/reports",
        summary="Write a report",
        status_code=201,
        responses=created,
    )
    def create_report(
        _: Writer, journey_id: JourneyPath, job_id: JobPath, body: ReportDraft
    ) -> Report:
        """Write a report of a job. A second one of the same name replaces the first."""
        about = (body.report_type, body.title, storable(body.content), body.summary)
        more: dict[str, Any] = {"recommendations": body.recommendations, "name": body.name}
        return engine.create_job_report(journey_id, job_id, *about, **more)

    @routes.post(
        "/journeys/{journeyId}/jobs/{jobId}/make-report",
        summary="Generate a report",
        status_code=201,
        responses=created,
    )
    def generate_report(
        _: Writer, journey_id: JourneyPath, job_id: JobPath, body: ReportOrder
    ) -> Report:
        """Generate a summary, performance, error or metrics report or a timeline of the job."""
        return make_report(engine.buckets, engine.store, journey_id, job_id, body.report_type)

    _ = create_report, generate_report


def _pieces(reader: ObjectReader) -> Iterator[bytes]:
    with reader:
        yield from reader
