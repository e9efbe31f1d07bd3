"""The reports of a whole job: summary, performance, error_analysis, timeline, metrics. Each is a
function of its facts.

`make_report` gathers the facts in one pass over the log and writes the report, with
recommendations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from sortkey import Store, instant_text
from sortkey.errors import ModelError
from sortkey_systems.jobengine.buckets import Buckets
from sortkey_systems.jobengine.logs.summary import (
    ErrorGroup,
    LogSummary,
    Moment,
    error_summary,
    job_timeline,
)
from sortkey_systems.jobengine.model import Job, Report, StageJob
from sortkey_systems.jobengine.parts import ReportType, StepRun
from sortkey_systems.jobengine.reports.reports import create_job_report, job_of, measured

GROUPS_SHOWN = 20
SLOW_SHARE = 0.5
SLOW_SECONDS = 10.0
SLOWER = 1.5
"""An execution that takes this many times as long as the previous one is mentioned."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about a job. `before` is the previous execution of the same stage, if any."""

    job: Job
    log: LogSummary
    moments: list[Moment]
    before: StageJob | None

    @property
    def seconds(self) -> float:
        return self.job.duration or sum(step.duration or 0.0 for step in self.job.steps)

    @property
    def slowest(self) -> StepRun | None:
        timed = [step for step in self.job.steps if step.duration]
        return max(timed, key=lambda step: step.duration or 0.0, default=None)


@dataclass(frozen=True, slots=True)
class Made:
    """A report before it is written."""

    title: str
    summary: str
    content: dict[str, Any]


def make_report(
    buckets: Buckets, store: Store, journey_id: str, job_id: str, report_type: ReportType
) -> Report:
    """Write one of the reports of a job: the file, then the catalog entry. Raises NotFound, and
    ModelError.
    """
    if report_type not in KINDS:
        raise ModelError(
            f"{report_type!r} is not a report that is generated: {', '.join(KINDS)}. Write it with "
            "create_job_report"
        )
    facts = facts_of(buckets, store, journey_id, job_id)
    report = KINDS[report_type](facts)
    return create_job_report(
        buckets.reports,
        store,
        journey_id,
        job_id,
        report_type,
        report.title,
        report.content,
        report.summary,
        recommendations=recommendations(facts),
    )


def facts_of(buckets: Buckets, store: Store, journey_id: str, job_id: str) -> Facts:
    """Read the facts for the reports of a job. Raises NotFound."""
    job = job_of(store, journey_id, job_id)
    lines = store.query(StageJob.of_stage(journey_id=journey_id, stage_id=job.stage_id))
    before = [line for line in lines if line.execution_number == job.execution_number - 1]
    return Facts(
        job,
        error_summary(buckets.logs, journey_id, job.stage_id, job_id),
        job_timeline(buckets.logs, store, journey_id, job_id),
        before[0] if before else None,
    )


def summary(facts: Facts) -> Made:
    """A short summary of the job."""
    job, counts = facts.job, facts.log.counts
    done = sum(step.status == "completed" for step in job.steps)
    text = f"{_name(job)} {job.status} after {facts.seconds:.1f} s with {counts.error_count} errors"
    content = {
        "status": job.status,
        "progress": job.progress,
        "execution": job.execution_number,
        "triggeredBy": job.triggered_by,
        "steps": {"completed": done, "of": len(job.steps)},
        "results": job.results.model_dump(by_alias=True),
        "logs": counts.model_dump(by_alias=True),
        "error": job.error_message,
    }
    return Made(f"Summary Report - {_name(job)}", text, content)


def performance(facts: Facts) -> Made:
    """Where the time went."""
    job, results = facts.job, facts.job.results
    figures = measured(
        facts.seconds, results.records_processed, results.records_failed, results.tables_analyzed
    )
    content = {
        "seconds": facts.seconds,
        "figures": figures.model_dump(by_alias=True),
        "steps": [_step_time(step, facts.seconds) for step in job.steps],
        "executionBefore": _seconds(facts.before),
    }
    slowest = facts.slowest
    text = f"{facts.seconds:.1f} s, {figures.throughput:,.1f} records a second"
    text += f", longest step {slowest.step_id}" if slowest else ""
    return Made(f"Performance Analysis Report - {_name(job)}", text, content)


def error_analysis(facts: Facts) -> Made:
    """What went wrong, most frequent first."""
    errors, warnings = facts.log.errors("ERROR"), facts.log.errors("WARNING")
    content = {
        "error": facts.job.error_message,
        "counts": facts.log.counts.model_dump(by_alias=True),
        "errors": [_shown(group) for group in errors[:GROUPS_SHOWN]],
        "warnings": [_shown(group) for group in warnings[:GROUPS_SHOWN]],
        "furtherKinds": max(0, len(errors) - GROUPS_SHOWN) + max(0, len(warnings) - GROUPS_SHOWN),
        "ungrouped": dict(facts.log.ungrouped),
        "failedSteps": [step.step_id for step in facts.job.steps if step.status == "failed"],
    }
    counts = facts.log.counts
    text = (
        f"{counts.error_count} errors of {len(errors)} kinds, {counts.warning_count} warnings of "
        f"{len(warnings)}"
    )
    return Made(f"Error Analysis Report - {_name(facts.job)}", text, content)


def timeline(facts: Facts) -> Made:
    """The timeline of the job."""
    moments = [{**asdict(moment), "at": instant_text(moment.at)} for moment in facts.moments]
    text = f"{len(facts.job.steps)} steps in {facts.seconds:.1f} s, {len(moments)} moments"
    return Made(f"Timeline Report - {_name(facts.job)}", text, {"moments": moments})


def metrics(facts: Facts) -> Made:
    """All figures."""
    job = facts.job
    steps = {
        step.step_id: {"seconds": step.seconds, "lines": step.by_level.total(), **step.by_level}
        for step in facts.log.steps.values()
    }
    content = {
        "job": {
            "seconds": facts.seconds,
            "progress": job.progress,
            "execution": job.execution_number,
        },
        "results": job.results.model_dump(by_alias=True),
        "logs": facts.log.counts.model_dump(by_alias=True),
        "logsByStep": steps,
        "errorRate": measured(
            0, job.results.records_processed, job.results.records_failed
        ).error_rate,
    }
    text = f"{facts.log.counts.total_logs:,} log lines, {job.results.records_processed:,} records"
    return Made(f"Metrics Report - {_name(job)}", text, content)


KINDS: dict[ReportType, Callable[[Facts], Made]] = {
    "summary": summary,
    "performance": performance,
    "error_analysis": error_analysis,
    "timeline": timeline,
    "metrics": metrics,
}


# -- what to do


def recommendations(facts: Facts) -> list[str]:
    """What the facts recommend, most urgent first."""
    texts = [text for advice in ADVICE if (text := advice(facts))]
    return texts or [f"{_name(facts.job)} ran without errors: nothing to do"]


def _retry(facts: Facts) -> str | None:
    job = facts.job
    if job.status == "failed":
        failed = [step.step_id for step in job.steps if step.status == "failed"]
        where = f" in {', '.join(failed)}" if failed else ""
        return (
            f"The job failed{where}: fix the cause ({job.error_message or 'see its errors'}), "
            "then retry it"
        )
    if job.status == "cancelled":
        return "The job was cancelled: start the stage again when it should go on"
    return None


def _most_frequent(facts: Facts) -> str | None:
    errors = facts.log.errors()
    if not errors:
        return None
    worst, count = errors[0], facts.log.counts.error_count
    return (
        f"{worst.count} of {count} errors are of one kind, as in {worst.main_step}: {worst.example}"
    )


def _warnings(facts: Facts) -> str | None:
    warnings = facts.log.errors("WARNING")
    if not warnings or warnings[0].count < 2:
        return None
    return (
        f"{warnings[0].count} warnings are alike: {warnings[0].example}. One rule may settle them "
        "all"
    )


def _refused(facts: Facts) -> str | None:
    results = facts.job.results
    if not results.records_failed:
        return None
    share = results.records_failed / max(1, results.records_processed)
    return (
        f"{results.records_failed:,} records failed ({share:.2%}): look at them before the next "
        "stage"
    )


def _one_step(facts: Facts) -> str | None:
    slowest = facts.slowest
    if (
        not slowest
        or not slowest.duration
        or len(facts.job.steps) < 2
        or facts.seconds < SLOW_SECONDS
    ):
        return None
    share = slowest.duration / facts.seconds
    return (
        f"{slowest.step_id} takes {share:.0%} of the time: start there to make it faster"
        if share > SLOW_SHARE
        else None
    )


def _slower(facts: Facts) -> str | None:
    before = _seconds(facts.before)
    if not before or facts.seconds < max(SLOW_SECONDS, before * SLOWER):
        return None
    return (
        f"It took {facts.seconds:.0f} s, the execution before {before:.0f} s: has the source grown?"
    )


ADVICE: tuple[Callable[[Facts], str | None], ...] = (
    _retry,
    _most_frequent,
    _refused,
    _warnings,
    _one_step,
    _slower,
)


def _name(job: Job) -> str:
    return f"{job.stage_id.replace('_', ' ').title()} Job"


def _seconds(line: StageJob | None) -> float | None:
    if line is None or line.start_time is None or line.end_time is None:
        return None
    return (line.end_time - line.start_time).total_seconds()


def _step_time(step: StepRun, seconds: float) -> dict[str, Any]:
    share = round((step.duration or 0.0) / seconds, 4) if seconds else 0.0
    return {"stepId": step.step_id, "status": step.status, "seconds": step.duration, "share": share}


def _shown(group: ErrorGroup) -> dict[str, Any]:
    return {
        "count": group.count,
        "example": group.example,
        "details": group.details,
        "first": instant_text(group.first),
        "last": instant_text(group.last),
        "steps": dict(group.steps),
    }
