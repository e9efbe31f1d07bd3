"""A summary of a log: lines by step and level, similar errors grouped, and a timeline.

One pass over the lines. Memory does not grow with their number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sortkey import Objects, Store
from sortkey_systems.jobengine.logs.step_log import get_job_logs
from sortkey_systems.jobengine.parts import LogCounts, LogLine
from sortkey_systems.jobengine.reports.reports import job_of

GROUPS_MAX = 200
MOMENTS_MAX = 200
_VARYING = re.compile(r"""'[^']*'|"[^"]*"|\b[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]+)*\b|\d+(?:\.\d+)?""")


@dataclass(slots=True)
class StepSummary:
    """The lines of one step."""

    step_id: str
    first: datetime
    last: datetime
    by_level: Counter[str] = field(default_factory=Counter[str])

    @property
    def seconds(self) -> float:
        """From the first line to the last."""
        return (self.last - self.first).total_seconds()


@dataclass(slots=True)
class ErrorGroup:
    """Errors or warnings that differ only in numbers and names. The first of them is the
    example.
    """

    level: str
    shape: str
    example: str
    details: dict[str, Any]
    first: datetime
    last: datetime
    count: int = 0
    steps: Counter[str] = field(default_factory=Counter[str])

    @property
    def main_step(self) -> str:
        """The step with most of them."""
        return self.steps.most_common(1)[0][0]


@dataclass(slots=True)
class LogSummary:
    """A summary of a log. `ungrouped` counts errors and warnings beyond the maximum number of
    groups.
    """

    steps: dict[str, StepSummary] = field(default_factory=dict[str, StepSummary])
    groups: dict[tuple[str, str], ErrorGroup] = field(
        default_factory=dict[tuple[str, str], ErrorGroup]
    )
    ungrouped: Counter[str] = field(default_factory=Counter[str])

    @property
    def counts(self) -> LogCounts:
        """The counts of all steps together."""
        levels = sum((step.by_level for step in self.steps.values()), Counter[str]())
        counts = {f"{level.lower()}_count": count for level, count in levels.items()}
        return LogCounts(total_logs=levels.total(), **counts)

    def errors(self, level: str = "ERROR") -> list[ErrorGroup]:
        """The groups of a level, largest first."""
        groups = [group for group in self.groups.values() if group.level == level.upper()]
        return sorted(groups, key=lambda group: (-group.count, group.first))

    def add(self, line: LogLine) -> None:
        step = self.steps.get(line.step_id)
        if step is None:
            step = self.steps[line.step_id] = StepSummary(
                line.step_id, line.timestamp, line.timestamp
            )
        step.first, step.last = min(step.first, line.timestamp), max(step.last, line.timestamp)
        step.by_level[line.level] += 1
        if line.level in ("ERROR", "WARNING"):
            self._group(line)

    def _group(self, line: LogLine) -> None:
        key = line.level, shape_of(line.message)
        if key not in self.groups and len(self.groups) >= GROUPS_MAX:
            self.ungrouped[line.level] += 1
            return
        if key not in self.groups:
            self.groups[key] = ErrorGroup(
                *key, line.message, line.details, line.timestamp, line.timestamp
            )
        group = self.groups[key]
        group.count += 1
        group.steps[line.step_id] += 1
        group.first, group.last = min(group.first, line.timestamp), max(group.last, line.timestamp)


def summary_of(lines: Iterable[LogLine]) -> LogSummary:
    """Summarise lines."""
    summary = LogSummary()
    for line in lines:
        summary.add(line)
    return summary


def error_summary(objects: Objects, journey_id: str, stage_name: str, job_id: str) -> LogSummary:
    """Summarise the log of a job: `errors()` and `errors("warning")` are its groups."""
    return summary_of(get_job_logs(objects, journey_id, stage_name, job_id))


def shape_of(message: str) -> str:
    """A message without numbers, ids and quoted names: `row 17 of 'orders'` and `row 4 of 'items'`
    have the same shape.
    """
    return _VARYING.sub("…", message)


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a job."""

    at: datetime
    kind: Literal["job", "step", "error", "warning"]
    text: str
    step_id: str | None = None


def job_timeline(objects: Objects, store: Store, journey_id: str, job_id: str) -> list[Moment]:
    """A job from start to end: its steps, and what went wrong in them. Raises NotFound."""
    job = job_of(store, journey_id, job_id)
    moments = (
        [Moment(job.created_at, "job", f"created by {job.triggered_by}")] if job.created_at else []
    )
    if job.start_time:
        moments.append(
            Moment(
                job.start_time, "job", f"execution {job.execution_number} of {job.stage_id} starts"
            )
        )
    for step in job.steps:
        if step.start_time:
            moments.append(Moment(step.start_time, "step", f"{step.step_id} starts", step.step_id))
        if step.end_time:
            took = f" after {step.duration:.1f} s" if step.duration is not None else ""
            moments.append(
                Moment(step.end_time, "step", f"{step.step_id} {step.status}{took}", step.step_id)
            )
    moments += _mishaps(get_job_logs(objects, journey_id, job.stage_id, job_id))
    if job.end_time:
        moments.append(Moment(job.end_time, "job", f"{job.status}{_because(job.error_message)}"))
    return sorted(moments, key=lambda moment: moment.at)


def _mishaps(lines: Iterable[LogLine]) -> list[Moment]:
    """The first errors and warnings, and how many more there were."""
    moments, more = list[Moment](), Counter[str]()
    for line in lines:
        if line.level not in ("ERROR", "WARNING"):
            continue
        if len(moments) < MOMENTS_MAX:
            moments.append(Moment(line.timestamp, _KINDS[line.level], line.message, line.step_id))
        else:
            more[line.level] += 1
    for level, count in more.items():
        many = "s" if count > 1 else ""
        moments.append(
            Moment(
                moments[-1].at, _KINDS[level], f"{count:,} more {level.lower()}{many} in the log"
            )
        )
    return moments


_KINDS: dict[str, Literal["error", "warning"]] = {"ERROR": "error", "WARNING": "warning"}


def _because(error: str | None) -> str:
    return f": {error}" if error else ""
