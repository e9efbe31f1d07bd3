"""Logs over HTTP: searched page by page, summarised, as a timeline, and as a download."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime, BeforeValidator

from sortkey import CamelPart
from sortkey.web import Page
from sortkey_systems.jobengine.logs.export import CONTENT_TYPES, Format, export_logs
from sortkey_systems.jobengine.logs.search import LogFilter, recent, search_logs
from sortkey_systems.jobengine.logs.summary import (
    ErrorGroup,
    LogSummary,
    Moment,
    error_summary,
    job_timeline,
)
from sortkey_systems.jobengine.model import Job, Log
from sortkey_systems.jobengine.parts import LogCounts, LogLine
from sortkey_systems.jobengine.routes import examples
from sortkey_systems.jobengine.routes.arguments import (
    READ,
    Cursor,
    JobPath,
    JourneyPath,
    Limit,
    Reader,
    example,
)
from sortkey_systems.jobengine.routes.examples import page_of
from sortkey_systems.jobengine.service import JobEngine

LevelName = Literal["DEBUG", "INFO", "WARNING", "ERROR", "debug", "info", "warning", "error"]
Levels = Annotated[
    list[LevelName], Query(alias="level", description="One or several levels, in either case")
]
StepQuery = Annotated[
    str | None, Query(pattern=r"^[0-9A-Za-z_-]{1,100}$", description="Of this step only")
]


def _is_date(value: object) -> object:
    """Refuse a bare number, which pydantic would read as seconds since 1970: the document says date
    and time.
    """
    if isinstance(value, str) and "-" not in value[1:]:
        raise ValueError("give a date and a time, as 2025-11-01T20:30:00Z")
    return value


_Moment = Annotated[AwareDatetime, BeforeValidator(_is_date)]
Since = Annotated[
    _Moment | None,
    Query(description="From this instant, inclusive", examples=["2025-11-01T20:30:00Z"]),
]
Until = Annotated[_Moment | None, Query(description="Before this instant")]
Wanted = Annotated[
    str | None, Query(max_length=200, description="In the message or the details, in either case")
]
Details = Annotated[
    list[Annotated[str, Query(pattern=r"^[^=]{1,100}=.{0,200}$")]],
    Query(alias="detail", description="name=value of the details; table.rows=3 for a nested value"),
]
Follow = Annotated[bool, Query(description="Return a cursor at the end too, for later lines")]


class Group(CamelPart):
    """Errors or warnings that differ only in numbers and names."""

    message: str
    count: int
    step_id: str
    first: datetime
    last: datetime
    details: dict[str, Any]

    @classmethod
    def of(cls, group: ErrorGroup) -> Group:
        return cls(
            message=group.example,
            count=group.count,
            step_id=group.main_step,
            first=group.first,
            last=group.last,
            details=group.details,
        )


class Summary(CamelPart):
    """A summary of a log: lines of each level and step, and errors grouped, most frequent first."""

    counts: LogCounts
    steps: dict[str, dict[str, int]]
    errors: list[Group]
    warnings: list[Group]

    @classmethod
    def of(cls, summary: LogSummary) -> Summary:
        return cls(
            counts=summary.counts,
            steps={name: dict(step.by_level) for name, step in summary.steps.items()},
            errors=[Group.of(error) for error in summary.errors()],
            warnings=[Group.of(error) for error in summary.errors("WARNING")],
        )


class Event(CamelPart):
    """An event of a job."""

    at: datetime
    kind: Literal["job", "step", "error", "warning"]
    text: str
    step_id: str | None = None

    @classmethod
    def of(cls, moment: Moment) -> Event:
        return cls(at=moment.at, kind=moment.kind, text=moment.text, step_id=moment.step_id)


def router(engine: JobEngine) -> APIRouter:
    routes = APIRouter()
    _add_search(routes, engine)
    _add_export(routes, engine)
    _add_overviews(routes, engine)
    return routes


def _add_search(routes: APIRouter, engine: JobEngine) -> None:
    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}/logs",
        summary="Search the log of a job",
        responses=example(page_of(examples.LOG_LINE), also=READ),
    )
    def search_log(
        _: Reader,
        journey_id: JourneyPath,
        job_id: JobPath,
        level: Levels = [],  # noqa: B006 - FastAPI copies it
        step: StepQuery = None,
        since: Since = None,
        until: Until = None,
        text: Wanted = None,
        detail: Details = [],  # noqa: B006
        cursor: Cursor = None,
        limit: Limit = 100,
        follow: Follow = False,
    ) -> Page[LogLine]:
        """The lines of a job in the order in which they were logged, page by page, also while it
        runs.
        """
        job, where = engine.job(journey_id, job_id), _filter(level, since, until, text, detail)
        about = (engine.buckets.logs, engine.store, journey_id, job.stage_id, job_id, where)
        page = search_logs(*about, step=step, cursor=cursor, limit=limit, follow=follow)
        return Page[LogLine](items=page.items, cursor=page.cursor)

    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}/logs/recent",
        summary="List the newest warnings and errors",
        responses=example([examples.LOG], also=READ),
    )
    def list_recent_logs(_: Reader, journey_id: JourneyPath, job_id: JobPath) -> list[Log]:
        """The newest hundred entries in the table, newest first: warnings and errors."""
        engine.job(journey_id, job_id)
        return recent(engine.store, job_id)

    _ = search_log, list_recent_logs


def _add_export(routes: APIRouter, engine: JobEngine) -> None:
    files: dict[str, Any] = {content_type: {} for content_type in CONTENT_TYPES.values()}

    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}/logs/export",
        summary="Export the log of a job",
        response_class=StreamingResponse,
        responses={**READ, 200: {"description": "The file, as a stream", "content": files}},
    )
    def export_log(
        _: Reader,
        journey_id: JourneyPath,
        job_id: JobPath,
        format: Annotated[Format, Query(description="The form of the file")] = "json",
        level: Levels = [],  # noqa: B006
        step: StepQuery = None,
        since: Since = None,
        until: Until = None,
        text: Wanted = None,
    ) -> StreamingResponse:
        """The matching lines, or all, as a file: a JSON array, CSV, or text."""
        job, where = engine.job(journey_id, job_id), _filter(level, since, until, text, [])
        lines = export_logs(
            engine.buckets.logs, journey_id, job.stage_id, job_id, format, where, step=step
        )
        name = f'attachment; filename="{job_id}.{format}"'
        return StreamingResponse(
            lines, media_type=CONTENT_TYPES[format], headers={"Content-Disposition": name}
        )

    _ = export_log


def _add_overviews(routes: APIRouter, engine: JobEngine) -> None:
    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}/logs/summary",
        summary="Summarise the log of a job",
        responses=READ,
    )
    def summarize_log(_: Reader, journey_id: JourneyPath, job_id: JobPath) -> Summary:
        """Lines of each level and step, and errors and warnings in groups."""
        job: Job = engine.job(journey_id, job_id)
        return Summary.of(error_summary(engine.buckets.logs, journey_id, job.stage_id, job_id))

    @routes.get(
        "/journeys/{journeyId}/jobs/{jobId}/timeline",
        summary="See a job as a timeline",
        responses=READ,
    )
    def show_timeline(_: Reader, journey_id: JourneyPath, job_id: JobPath) -> list[Event]:
        """The job from start to end: its steps, and what went wrong in them."""
        timeline = job_timeline(engine.buckets.logs, engine.store, journey_id, job_id)
        return [Event.of(moment) for moment in timeline]

    _ = summarize_log, show_timeline


def _filter(
    levels: list[LevelName],
    since: datetime | None,
    until: datetime | None,
    text: str | None,
    details: list[str],
) -> LogFilter:
    pairs = dict(detail.split("=", 1) for detail in details)
    return LogFilter.of(level=levels, since=since, until=until, text=text, details=pairs)
