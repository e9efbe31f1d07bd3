"""Output of `sortkey jobengine`: a progress bar for each stage, tables, and reports."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortkey.commands import JSON_SHOWS_ALL, console, print_table

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from sortkey_systems.jobengine.model import Job, Journey, Stage
    from sortkey_systems.jobengine.service import JobEngine

POLL_SECONDS = 0.1


def watch(
    engine: JobEngine,
    journey_id: str,
    stage_id: str | None = None,
    *,
    check: Callable[[], None] = lambda: None,
) -> Journey:
    """Show the progress of a journey or of one stage until nothing of it runs any more, and return
    the journey.

    A cancelled job is watched to its end, because a worker that is stopped earlier would leave it
    unfinished. `check` is called before each poll and may raise to end the watch.
    """

    def look() -> State:
        check()
        jobs = {job.stage_id: job for job in engine.executions.all_jobs(journey_id)}
        journey = engine.journeys.get(journey_id)
        if journey.status != "running":  # if its worker is gone, this ends the job
            jobs = {
                stage: engine.executions.get(job.job_id) if _is_live(job) else job
                for stage, job in jobs.items()
            }
        return State(journey, engine.journeys.stages(journey_id), jobs, stage_id)

    return _bars(look) if sys.stderr.isatty() else _lines(look)


@dataclass(frozen=True, slots=True)
class State:
    """A journey, its stages, and the latest job of each. `watched` is the stage to wait for, None
    for all.
    """

    journey: Journey
    stages: Sequence[Stage]
    jobs: dict[str, Job]
    watched: str | None

    @property
    def is_over(self) -> bool:
        if any(
            _is_live(job) for stage_id, job in self.jobs.items() if self.watched in (None, stage_id)
        ):
            return False
        if self.watched is None:
            return self.journey.status != "running"
        return all(
            stage.status != "running" for stage in self.stages if stage.stage_id == self.watched
        )


def _is_live(job: Job) -> bool:
    return job.status in ("pending", "running")


Look = Callable[[], State]


def _bars(look: Look) -> Journey:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[step]}", style="dim"),
    )
    with Progress(*columns, console=console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}
        while True:
            state = look()
            for stage in state.stages:
                task = tasks.get(stage.stage_id)
                if task is None:
                    task = tasks[stage.stage_id] = bars.add_task(
                        stage.name, total=100, start=False, step=""
                    )
                _advance(bars, task, stage, state.jobs.get(stage.stage_id))
            if state.is_over:
                return state.journey
            time.sleep(POLL_SECONDS)


def _advance(bars: Progress, task: TaskID, stage: Stage, job: Job | None) -> None:
    if job is None or stage.status == "pending":
        return
    if not bars.tasks[task].started:
        bars.start_task(task)
    done = stage.status == "completed"
    step = job.current_step or "" if not done else result_text(job)
    bars.update(task, completed=100 if done else job.progress, step=step)


def _lines(look: Look) -> Journey:
    """Without a terminal: one line for each stage that has ended."""
    seen: set[str] = set()
    while True:
        state = look()
        for stage in state.stages:
            job = state.jobs.get(stage.stage_id)
            if job is not None and job.job_id not in seen and not _is_live(job):
                seen.add(job.job_id)
                print(
                    f"{stage.order} {stage.name}: {job.status}, {result_text(job)}",
                    file=sys.stderr,
                    flush=True,
                )
        if state.is_over:
            return state.journey
        time.sleep(POLL_SECONDS)


def result_text(job: Job) -> str:
    """The result of a job as text."""
    parts = [f"{job.duration or 0:.1f} s"]
    if job.results.records_processed:
        parts.append(f"{job.results.records_processed:,} records")
    parts.append(f"{job.metrics.total_logs} lines")
    if job.metrics.warning_count:
        parts.append(f"{job.metrics.warning_count} warnings")
    if job.metrics.error_count:
        parts.append(f"{job.metrics.error_count} errors")
    return ", ".join(parts)


def print_markdown(text: str) -> None:
    """Print Markdown: rendered in a terminal, as it is in a pipe."""
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.markdown import Markdown

    console().print(Markdown(text))


def print_journeys(journeys: Sequence[Journey]) -> None:
    columns = ("journey", "name", "status", "priority", "progress", "stage", "jobs", "failed")
    rows = [
        (
            journey.journey_id,
            journey.name,
            journey.status,
            journey.priority,
            f"{journey.overall_progress} %",
            journey.current_stage_id,
            journey.aggregates.total_jobs,
            journey.aggregates.failed_jobs,
        )
        for journey in journeys
    ]
    print_table(columns, rows, whole=3, more=JSON_SHOWS_ALL)


def print_jobs(stages: Sequence[Stage], jobs: Sequence[Job]) -> None:
    columns = ("stage", "status", "job", "execution", "job status", "progress", "step", "result")
    rows: list[tuple[Any, ...]] = []
    for stage in stages:
        executions = [job for job in jobs if job.stage_id == stage.stage_id] or [None]
        for job in executions:
            cells = (None,) * 6 if job is None else _cells(job)
            rows.append((f"{stage.order} {stage.stage_id}", stage.status, *cells))
    print_table(columns, rows, whole=3, more=JSON_SHOWS_ALL)


def _cells(job: Job) -> tuple[Any, ...]:
    result = job.error_message or (result_text(job) if job.duration is not None else "")
    return (
        job.job_id,
        job.execution_number,
        job.status,
        f"{job.progress} %",
        job.current_step,
        result,
    )


def print_steps(job: Job) -> None:
    rows = [(step.step_id, step.status, step.start_time, step.duration) for step in job.steps]
    print_table(
        ("step", "status", "began", "seconds"),
        rows,
        title=f"{job.job_id}: {job.status}, {result_text(job)}",
    )
