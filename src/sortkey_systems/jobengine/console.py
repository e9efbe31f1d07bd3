"""The job engine in the console: journeys, their stages as a timeline that moves, logs, reports and rules."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from nicegui import ui

from sortkey.errors import SortkeyError
from sortkey.web import Refused
from sortkey.web.console import ConsolePage, pieces, title
from sortkey_systems.jobengine.log_search import LogFilter, search_logs
from sortkey_systems.jobengine.model import Job, Journey, Stage
from sortkey_systems.jobengine.service import JobEngine

SECONDS = 1.0
LIVE = ("pending", "running")
DOTS = {"completed": "check_circle", "running": "pending", "failed": "error", "skipped": "remove_circle_outline"}
COLOURS = {"completed": "positive", "running": "primary", "failed": "negative"}
LEVELS = ["all", "DEBUG", "INFO", "WARNING", "ERROR"]
LINES = 200


def pages(service: JobEngine, base: str) -> list[ConsolePage]:
    group, icon = "Job engine", "timeline"
    return [
        ConsolePage("/jobengine", "Journeys", icon, partial(journeys_page, service, base), group),
        ConsolePage(
            "/jobengine/{journey_id}", "Journey", icon, partial(journey_page, service, base), group, in_menu=False
        ),
        ConsolePage(
            "/jobengine/{journey_id}/jobs/{job_id}", "Job", icon, partial(job_page, service, base), group, in_menu=False
        ),
    ]


# -- all journeys


def journeys_page(service: JobEngine, base: str) -> None:
    title("Journeys", "A journey takes a database through six stages into TM Forum resources, and proves the result.")

    @ui.refreshable
    def listed() -> None:
        found = service.journeys.list()
        if not found:
            pieces.empty("There are no journeys yet.", "sortkey jobengine demo")
            return
        with ui.element("section").classes("sk-card"):
            columns = ("journey", "name", "status", "priority", "stage", "progress", "jobs", "errors")
            pieces.table(columns, [_row(each, base) for each in reversed(found)], numbers=(5, 6, 7))

    listed()
    _while_live(lambda: any(each.status in LIVE for each in service.journeys.list()), listed.refresh)


def _row(journey: Journey, base: str) -> tuple[Any, ...]:
    return (
        pieces.link(journey.journey_id, f"{base}/jobengine/{journey.journey_id}"),
        journey.name,
        pieces.chipped(journey.status),
        journey.priority,
        journey.current_stage_id or "",
        f"{journey.overall_progress} %",
        journey.aggregates.total_jobs,
        journey.aggregates.total_errors,
    )


# -- one journey


def journey_page(service: JobEngine, base: str, journey_id: str) -> None:
    try:
        journey = service.journeys.get(journey_id)
    except SortkeyError as error:
        title(journey_id)
        pieces.empty(str(error))
        return
    title(journey.name, f"{journey_id} · {journey.description}" if journey.description else journey_id)
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        timeline, jobs = ui.tab("Stages", icon="timeline"), ui.tab("Jobs", icon="list")
        rules, told = ui.tab("Rules", icon="psychology"), ui.tab("Reports", icon="article")
    with ui.tab_panels(tabs, value=timeline).classes("w-full").props("animated=false"):
        with ui.tab_panel(timeline).classes("q-pa-none"):
            _timeline(service, journey_id)
        with ui.tab_panel(jobs).classes("q-pa-none"):
            _jobs(service, base, journey_id)
        with ui.tab_panel(rules).classes("q-pa-none"):
            _rules(service, journey_id)
        with ui.tab_panel(told).classes("q-pa-none"):
            _reports(service, base, journey_id)


def _actions(service: JobEngine, journey: Journey) -> None:
    def act(what: Any, said: str) -> None:
        try:
            what(journey.journey_id)
            ui.notify(said, type="positive")
        except (SortkeyError, Refused) as error:
            ui.notify(str(error), type="negative")

    with ui.element("div").classes("sk-row").style("margin-bottom: 1rem"):
        run = pieces.button(
            "Run the stages that are left", partial(act, service.run_journey, "Started"), icon="play_arrow"
        )
        pause = pieces.button("Pause", partial(act, service.journeys.pause, "Paused"), is_main=False)
        resume = pieces.button("Resume", partial(act, service.resume_journey, "Resumed"), is_main=False)
        cancel = pieces.button("Cancel", partial(act, service.cancel_journey, "Cancelled"), is_main=False)
    run.set_enabled(journey.status in ("pending", "failed"))
    pause.set_enabled(journey.status in LIVE)
    resume.set_enabled(journey.status == "paused")
    cancel.set_enabled(journey.status not in ("completed", "cancelled"))


def _timeline(service: JobEngine, journey_id: str) -> None:
    @ui.refreshable
    def drawn() -> None:
        journey, stages = service.journeys.get(journey_id), service.journeys.stages(journey_id)
        _actions(service, journey)
        _summary(journey)
        latest = {job.stage_id: job for job in _all_jobs(service, journey_id)}
        with ui.element("section").classes("sk-card"), ui.timeline(side="right"):
            for stage in stages:
                _stage(stage, latest.get(stage.stage_id))

    drawn()
    _while_live(lambda: service.journeys.get(journey_id).status in LIVE, drawn.refresh)


def _summary(journey: Journey) -> None:
    counted = journey.aggregates
    with ui.element("section").classes("sk-card sk-stack").style("margin-bottom: 1rem"):
        with ui.element("div").classes("sk-row").style("gap: 2.25rem"):
            pieces.chip(journey.status)
            pieces.figure(f"{journey.overall_progress} %", "done")
            pieces.figure(f"{counted.completed_jobs} of {counted.total_jobs}", "jobs completed")
            pieces.figure(f"{counted.total_logs:,}", "log lines")
            pieces.figure(str(counted.total_warnings), "warnings")
            pieces.figure(str(counted.total_errors), "errors")
        ui.linear_progress(journey.overall_progress / 100, show_value=False).props('rounded aria-label="Progress"')


def _stage(stage: Stage, job: Job | None) -> None:
    dot, colour = DOTS.get(stage.status, "radio_button_unchecked"), COLOURS.get(stage.status, "grey")
    below = f"{stage.status} · {job.duration:.1f} s" if job and job.duration is not None else stage.status
    with ui.timeline_entry(title=stage.name, subtitle=below, icon=dot, color=colour):
        pieces.quiet(stage.description)
        if job is not None and job.status == "running":
            ui.linear_progress(job.progress / 100, show_value=False).props('rounded aria-label="Progress"')
            pieces.mono(job.current_step or "")
        if job is not None and job.error_message:
            ui.label(job.error_message).style("color: var(--bad)")
        done = {run.step_id: run.status for run in job.steps} if job else {}
        with ui.element("div").classes("sk-row").style("gap: 0.4rem; margin-top: 0.4rem"):
            for step in stage.steps:
                pieces.chip(step.name, pieces.TONES.get(done.get(step.step_id, ""), ""))


def _jobs(service: JobEngine, base: str, journey_id: str) -> None:
    found = _all_jobs(service, journey_id)
    if not found:
        pieces.empty("No job has run yet.", "Run the stages that are left.")
        return
    rows = [
        (
            pieces.link(job.job_id, f"{base}/jobengine/{journey_id}/jobs/{job.job_id}"),
            job.stage_id,
            job.execution_number,
            pieces.chipped(job.status),
            f"{job.progress} %",
            "" if job.duration is None else f"{job.duration:.1f}",
            job.results.records_processed,
            job.metrics.total_logs,
            job.metrics.error_count,
        )
        for job in found
    ]
    with ui.element("section").classes("sk-card"):
        columns = ("job", "stage", "execution", "status", "progress", "seconds", "records", "log lines", "errors")
        pieces.table(columns, rows, numbers=(2, 4, 5, 6, 7, 8))


def _rules(service: JobEngine, journey_id: str) -> None:
    found = service.rules.page(journey_id, size=500).items
    if not found:
        pieces.empty("This journey has no rules of its own.", "Names and types decide where no rule does.")
        return
    rows = [(rule.stage_id, rule.title, rule.type, pieces.chipped(rule.priority), rule.status) for rule in found]
    with ui.element("section").classes("sk-card"):
        pieces.table(("stage", "rule", "type", "priority", "status"), rows)


def _reports(service: JobEngine, base: str, journey_id: str) -> None:
    found = service.list_reports(journey_id)
    if not found:
        pieces.empty("No report was written yet.")
        return
    rows = [
        (
            f"{report.generated_at:%H:%M:%S}",
            report.title,
            report.report_type,
            report.summary,
            pieces.link("open", f"{base}/jobengine/{journey_id}/jobs/{report.job_id}?tab=Reports"),
        )
        for report in sorted(found, key=lambda each: each.generated_at)
    ]
    with ui.element("section").classes("sk-card"):
        pieces.table(("time", "report", "type", "summary", ""), rows)


# -- one job


def job_page(service: JobEngine, base: str, journey_id: str, job_id: str, tab: str = "Log") -> None:
    try:
        job = service.job(journey_id, job_id)
    except SortkeyError as error:
        title(job_id)
        pieces.empty(str(error))
        return
    title(job_id, f"{job.stage_id}, execution {job.execution_number}")
    with ui.element("div").classes("sk-row"):
        ui.link("The journey", f"/jobengine/{journey_id}").classes("sk-small")
        pieces.chip(job.status)
        if job.status == "failed":
            pieces.button("Retry", lambda: _again(service, base, journey_id, job_id), is_main=False)
        if job.status in LIVE:
            pieces.button("Cancel", lambda: service.executions.cancel(job_id), is_main=False)
    if job.error_message:
        ui.label(job.error_message).style("color: var(--bad)")
    with ui.tabs().props("align=left no-caps dense inline-label") as tabs:
        logs, told = ui.tab("Log", icon="subject"), ui.tab("Reports", icon="article")
    with ui.tab_panels(tabs, value=told if tab == "Reports" else logs).classes("w-full").props("animated=false"):
        with ui.tab_panel(logs).classes("q-pa-none"):
            _log(service, job)
        with ui.tab_panel(told).classes("q-pa-none"):
            _job_reports(service, job)


def _again(service: JobEngine, base: str, journey_id: str, job_id: str) -> None:
    try:
        made = service.executions.retry(job_id)
    except (SortkeyError, Refused) as error:
        ui.notify(str(error), type="negative")
        return
    ui.navigate.to(f"/jobengine/{journey_id}/jobs/{made.job_id}")


def _log(service: JobEngine, job: Job) -> None:
    steps = ["all steps", *(step.step_id for step in job.steps)]
    with ui.element("div").classes("sk-row"):
        level = ui.select(LEVELS, value="all", label="Level").props("outlined dense").style("min-width: 9rem")
        step = ui.select(steps, value="all steps", label="Step").props("outlined dense").style("min-width: 14rem")
        text = ui.input("Text").props("outlined dense clearable").style("flex: 1 1 14rem")

    @ui.refreshable
    def lines() -> None:
        wanted = LogFilter.of(level=None if level.value == "all" else level.value, text=text.value or None)
        chosen = None if step.value == "all steps" else step.value
        place = (service.buckets.logs, service.store, job.journey_id, job.stage_id, job.job_id)
        found = search_logs(*place, wanted, step=chosen, limit=LINES)
        if not found.items:
            pieces.empty("No line fits.")
            return
        rows = [
            (
                f"{line.timestamp:%H:%M:%S.%f}"[:-3],
                pieces.chipped(line.level, {"ERROR": "bad", "WARNING": "warn"}.get(line.level, "")),  # pyright: ignore
                line.step_id,
                line.message,
                pieces.code_cell(json.dumps(line.details, ensure_ascii=False) if line.details else ""),
            )
            for line in found.items
        ]
        with ui.element("section").classes("sk-card"):
            pieces.table(("time", "level", "step", "message", "details"), rows)
            if found.cursor:
                pieces.quiet(f"The first {LINES} lines; narrow the search to see others.")

    for each in (level, step, text):
        each.on_value_change(lambda _: lines.refresh())
    lines()
    if job.status in LIVE:
        _while_live(lambda: service.job(job.journey_id, job.job_id).status in LIVE, lines.refresh)


def _job_reports(service: JobEngine, job: Job) -> None:
    found = list(service.get_job_reports(job.journey_id, job.job_id, job.stage_id))
    if not found:
        pieces.empty("No report was written yet.")
    for each in found:
        with ui.expansion(each.file.title, caption=each.file.summary).style("margin-bottom: .5rem"):
            for line in each.file.recommendations:
                ui.label(f"→ {line}").classes("sk-small")
            pieces.code(json.dumps(each.file.detailed_results, indent=2, ensure_ascii=False, default=str)[:50_000])


def _all_jobs(service: JobEngine, journey_id: str) -> list[Job]:
    """In the order in which they ran."""
    return service.list_jobs(journey_id, size=1000).items


def _while_live(is_live: Any, refresh: Any) -> None:
    """Draw anew every second while something runs, and once more when it has ended."""
    was = [True]

    def look() -> None:
        live = bool(is_live())
        if live or was[0]:
            refresh()
        was[0] = live

    ui.timer(SECONDS, look)
