"""How an execution ends: its figures, which add up, and the step at which it was stopped. Pure
functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from sortkey_systems.jobengine.model import Job
from sortkey_systems.jobengine.parts import LogCounts, StepRun

Status = Literal["completed", "failed", "cancelled"]


def ended(
    job: Job, status: Status, counts: Iterable[LogCounts], now: datetime, **changes: Any
) -> Job:
    """The job with its final figures. Steps follow each other without a gap, so its duration is
    their sum.
    """
    steps = [
        _stopped(step, status, now) if step.status == "running" else step for step in job.steps
    ]
    began = job.start_time
    over = max((step.end_time for step in steps if step.end_time is not None), default=began or now)
    return job.changed(
        status=status,
        end_time=over,
        duration=seconds_between(began, over) if began else None,
        metrics=added(counts),
        steps=steps,
        **changes,
    )


def timed(step_id: str, status: Any, began: datetime, over: datetime) -> StepRun:
    """The record of a finished step."""
    duration = seconds_between(began, over)
    return StepRun(
        step_id=step_id, status=status, start_time=began, end_time=over, duration=duration
    )


def added(counts: Iterable[LogCounts]) -> LogCounts:
    """The sum of the counts of several steps."""
    several = list(counts)
    return LogCounts(
        **{name: sum(getattr(count, name) for count in several) for name in LogCounts.model_fields}
    )


def seconds_between(began: datetime, over: datetime) -> float:
    """Rounded to microseconds, as instants are stored."""
    return round((over - began).total_seconds(), 6)


def _stopped(step: StepRun, status: Status, now: datetime) -> StepRun:
    return timed(step.step_id, status, step.start_time or now, max(now, step.start_time or now))
