"""One journey in the console: its stages as a timeline that moves, its jobs, its rules and its
reports.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces, title
from sortkey_systems.jobengine.console.live import LIVE, follow, not_there
from sortkey_systems.jobengine.console.rules import rules_panel
from sortkey_systems.jobengine.console.verdict import verdict_card
from sortkey_systems.jobengine.model import Job, Journey, Stage
from sortkey_systems.jobengine.service import JobEngine
from sortkey_systems.jobengine.stages.default_stages import title_of

DOTS = {
    "completed": "check_circle",
    "running": "pending",
    "failed": "error",
    "skipped": "remove_circle_outline",
}
COLOURS = {"completed": "positive", "running": "primary", "failed": "negative"}


def journey_page(service: JobEngine, base: str, journey_id: str) -> None:
    try:
        journey = service.journeys.get(journey_id)
    except SortkeyError:
        not_there(
            "journey", f"{journey_id} was deleted or never existed.", ("Journeys", "/jobengine")
        )
        return
    title(journey.name, journey.description, ("Journeys", "/jobengine"))
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        names = (
            ("Stages", "timeline"),
            ("Jobs", "list"),
            ("Rules", "psychology"),
            ("Reports", "article"),
        )
        for name, icon in names:
            ui.tab(name, icon=icon)
    with pieces.tab_panels(tabs):
        with ui.tab_panel("Stages"):
            stages = _refreshed(_timeline, service, journey_id)
        with ui.tab_panel("Jobs"):
            jobs = _refreshed(_jobs, service, base, journey_id)
        with ui.tab_panel("Rules"):
            rules_panel(service, journey_id)
        with ui.tab_panel("Reports"):
            reports = _refreshed(_reports, service, base, journey_id)
    follow(lambda: _state(service, journey_id), stages, jobs, reports)


def _state(service: JobEngine, journey_id: str) -> tuple[Journey, list[Job]]:
    """What the page shows. The jobs of a finished journey do not change."""
    journey = service.journeys.get(journey_id)
    return journey, service.executions.all_jobs(journey_id) if journey.status in LIVE else []


def _refreshed(draw: Callable[..., None], *arguments: Any) -> Callable[[], Any]:
    """Draw a part of the page. Returns the function that redraws it."""
    refreshable = ui.refreshable(draw)
    refreshable(*arguments)
    return refreshable.refresh


def _timeline(service: JobEngine, journey_id: str) -> None:
    journey, stages = service.journeys.get(journey_id), service.journeys.stages(journey_id)
    verdict_card(service, journey_id)
    _summary(service, journey)
    latest = {job.stage_id: job for job in service.executions.all_jobs(journey_id)}
    with ui.element("section").classes("sk-card"), ui.timeline(side="right"):
        for stage in stages:
            _stage(stage, latest.get(stage.stage_id))


def _summary(service: JobEngine, journey: Journey) -> None:
    counted = journey.aggregates
    with (
        ui.element("section").classes("sk-card sk-stack").style("margin-bottom: 1rem; gap: 0.9rem")
    ):
        with ui.element("div").classes("sk-row sk-spread"):
            with ui.element("div").classes("sk-row").style("width: auto"):
                pieces.chip(journey.status)
                pieces.chip(f"{journey.priority} priority", "")
                ui.html(pieces.copied(journey.journey_id, 16), sanitize=False)
            _actions(service, journey)
        with ui.element("div").classes("sk-row").style("gap: 0.75rem 2.25rem"):
            pieces.figure(f"{journey.overall_progress} %", "done")
            pieces.figure(f"{counted.completed_jobs} of {counted.total_jobs}", "jobs completed")
            pieces.figure(f"{counted.total_logs:,}", "log lines")
            pieces.figure(f"{counted.total_warnings:,}", "warnings")
            pieces.figure(f"{counted.total_errors:,}", "errors")
        ui.linear_progress(journey.overall_progress / 100, show_value=False).props(
            'rounded aria-label="Progress"'
        )


def _actions(service: JobEngine, journey: Journey) -> None:
    """The actions that are possible now."""

    def act(what: Callable[[str], Any], message: str) -> None:
        try:
            what(journey.journey_id)
            ui.notify(message, type="positive")
        except SortkeyError as error:
            ui.notify(str(error), type="negative")

    again = "Try again" if journey.status == "failed" else "Run"
    buttons = (
        (again, service.run_journey, "Started", journey.status == "failed" or _waits(journey)),
        ("Resume", service.resume_journey, "Resumed", journey.status == "paused"),
        ("Pause", service.journeys.pause, "Paused", journey.status in LIVE),
        (
            "Cancel",
            service.cancel_journey,
            "Cancelled",
            journey.status not in ("completed", "cancelled"),
        ),
    )
    with ui.element("div").classes("sk-row").style("width: auto; gap: 0.5rem"):
        for text, what, message, is_possible in buttons:
            if is_possible:
                pieces.button(text, partial(act, what, message), is_main=text in (again, "Resume"))


def _waits(journey: Journey) -> bool:
    return journey.status == "pending" and not journey.current_jobs


def _stage(stage: Stage, job: Job | None) -> None:
    dot, colour = (
        DOTS.get(stage.status, "radio_button_unchecked"),
        COLOURS.get(stage.status, "grey"),
    )
    below = (
        f"{stage.status} · {job.duration:.1f} s"
        if job and job.duration is not None
        else stage.status
    )
    with ui.timeline_entry(title=stage.name, subtitle=below, icon=dot, color=colour):
        pieces.quiet(stage.description)
        if job is not None and job.status == "running":
            ui.linear_progress(job.progress / 100, show_value=False).props(
                'rounded aria-label="Progress"'
            )
            pieces.quiet(title_of(job.current_step or ""))
        if job is not None and job.error_message:
            pieces.error_text(job.error_message)
        done = {run.step_id: run.status for run in job.steps} if job else {}
        with ui.element("div").classes("sk-row").style("gap: 0.4rem; margin-top: 0.4rem"):
            for step in stage.steps:
                pieces.chip(step.name, pieces.TONES.get(done.get(step.step_id, ""), ""))


def _jobs(service: JobEngine, base: str, journey_id: str) -> None:
    jobs = service.executions.all_jobs(journey_id)
    if not jobs:
        pieces.empty("No job has run yet.")
        return
    rows = [
        (
            pieces.link(title_of(job.stage_id), f"{base}/jobengine/{journey_id}/jobs/{job.job_id}"),
            job.execution_number,
            pieces.chipped(job.status),
            f"{job.progress} %",
            "" if job.duration is None else f"{job.duration:.1f}",
            f"{job.results.records_processed:,}",
            f"{job.metrics.total_logs:,}",
            f"{job.metrics.error_count:,}",
            pieces.copied(job.job_id, 16),
        )
        for job in jobs
    ]
    with ui.element("section").classes("sk-card"):
        columns = (
            "stage",
            "execution",
            "status",
            "progress",
            "seconds",
            "records",
            "log lines",
            "errors",
            "id",
        )
        pieces.table(columns, rows, numbers=(1, 3, 4, 5, 6, 7))


def _reports(service: JobEngine, base: str, journey_id: str) -> None:
    reports = service.list_reports(journey_id)
    if not reports:
        pieces.empty("No report was written yet.")
        return
    rows = [
        (
            pieces.link(
                report.title,
                f"{base}/jobengine/{journey_id}/jobs/{report.job_id}?tab=Reports&report={report.report_id}",
            ),
            report.summary,
            f"{report.generated_at:%Y-%m-%d %H:%M:%S}",
        )
        for report in sorted(reports, key=lambda entry: entry.generated_at)
    ]
    with ui.element("section").classes("sk-card"):
        pieces.table(("report", "summary", "written, UTC"), rows)
