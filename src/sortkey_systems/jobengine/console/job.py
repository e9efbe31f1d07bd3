"""One job in the console: its log with filters, and what it reported."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web.console import pieces, title
from sortkey_systems.jobengine.console.live import LIVE, follow, not_there
from sortkey_systems.jobengine.logs.search import LogFilter, search_logs
from sortkey_systems.jobengine.model import Job
from sortkey_systems.jobengine.parts import LogLine
from sortkey_systems.jobengine.reports.reports import FullReport
from sortkey_systems.jobengine.service import JobEngine
from sortkey_systems.jobengine.stages.default_stages import title_of

LEVELS = ["all", "DEBUG", "INFO", "WARNING", "ERROR"]
TONES: dict[str, pieces.Tone] = {"ERROR": "bad", "WARNING": "warn"}
LINES = 200
REPORT_CHARACTERS = 50_000


def job_page(service: JobEngine, journey_id: str, job_id: str, report: str = "") -> None:
    try:
        journey, job = service.journeys.get(journey_id), service.job(journey_id, job_id)
    except SortkeyError:
        not_there(
            "job",
            f"{job_id} was deleted with its journey or never existed.",
            ("Journeys", "/jobengine"),
        )
        return
    title(
        title_of(job.stage_id),
        f"Execution {job.execution_number}",
        (journey.name, f"/jobengine/{journey_id}"),
    )
    with ui.element("div").classes("sk-row"):
        pieces.chip(job.status)
        ui.html(pieces.copied(job_id, 16), sanitize=False)
        if job.status == "failed":
            pieces.button("Retry", lambda: _again(service, journey_id, job_id), is_main=False)
        if job.status in LIVE:
            pieces.button("Cancel", lambda: service.executions.cancel(job_id), is_main=False)
    if job.error_message:
        pieces.error_text(job.error_message)
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        ui.tab("Log", icon="subject")
        ui.tab("Reports", icon="article")
    with pieces.tab_panels(tabs):
        with ui.tab_panel("Log"):
            _log(service, job)
        with ui.tab_panel("Reports"):
            _job_reports(service, job, report)


def _again(service: JobEngine, journey_id: str, job_id: str) -> None:
    try:
        execution = service.executions.retry(job_id)
    except SortkeyError as error:
        ui.notify(str(error), type="negative")
        return
    ui.navigate.to(f"/jobengine/{journey_id}/jobs/{execution.job_id}")


def _log(service: JobEngine, job: Job) -> None:
    steps = {"": "all steps"} | {step.step_id: title_of(step.step_id) for step in job.steps}
    with ui.element("div").classes("sk-row"):
        level = (
            ui.select(LEVELS, value="all", label="Level")
            .props("outlined dense")
            .style("min-width: 9rem")
        )
        step = (
            ui.select(steps, value="", label="Step")
            .props("outlined dense")
            .style("min-width: 14rem")
        )
        text = ui.input("Text").props("outlined dense clearable").style("flex: 1 1 14rem")

    @ui.refreshable
    def lines() -> None:
        criteria = LogFilter.of(
            level=None if level.value == "all" else level.value, text=text.value or None
        )
        step_id = step.value or None
        place = (service.buckets.logs, service.store, job.journey_id, job.stage_id, job.job_id)
        page = search_logs(*place, criteria, step=step_id, limit=LINES)
        if not page.items:
            pieces.empty("No line fits.")
            return
        with ui.element("section").classes("sk-card"):
            pieces.table(
                ("time, UTC", "level", "step", "message", "details"),
                [_line(item) for item in page.items],
            )
            if page.cursor:
                pieces.quiet(f"The first {LINES} lines; narrow the search to see others.")

    for control in (level, step, text):
        control.on_value_change(lambda _: lines.refresh())
    lines()
    if job.status in LIVE:
        follow(lambda: _state(service, job), lines.refresh)


def _state(service: JobEngine, job: Job) -> tuple[Job, float]:
    """A running job gets new lines at any time."""
    now = service.job(job.journey_id, job.job_id)
    return now, time.monotonic() if now.status in LIVE else 0.0


def _line(line: LogLine) -> tuple[Any, ...]:
    return (
        f"{line.timestamp:%H:%M:%S.%f}"[:-3],
        pieces.chipped(line.level, TONES.get(line.level, "")),
        title_of(line.step_id),
        line.message,
        _details(line.details or {}),
    )


def _details(details: Mapping[str, Any]) -> pieces.Markup:
    """`rows 399 · table orders`: other values as JSON, and long ones folded."""
    texts = {
        name: member if isinstance(member, str) else json.dumps(member, default=str)
        for name, member in details.items()
    }
    short = " · ".join(f"{name} {text}" for name, text in texts.items() if "\n" not in text)
    long = "".join(pieces.folded(name, text) for name, text in texts.items() if "\n" in text)
    return pieces.Markup(pieces.code_cell(short) + long)


def _job_reports(service: JobEngine, job: Job, open_report: str) -> None:
    reports = list(service.get_job_reports(job.journey_id, job.job_id, job.stage_id))
    if not reports:
        pieces.empty("No report was written yet.")
    with ui.element("div").classes("sk-stack"):
        for report in reports:
            fold = pieces.fold(partial(_report, report), report.file.title, report.file.summary)
            if report.catalog is not None and report.catalog.report_id == open_report:
                fold.open()


def _report(report: FullReport) -> None:
    with ui.element("div").classes("sk-stack"):
        for line in report.file.recommendations:
            ui.label(f"→ {line}").classes("sk-small")
        results = json.dumps(
            report.file.detailed_results, indent=2, ensure_ascii=False, default=str
        )
        pieces.code(results[:REPORT_CHARACTERS])
