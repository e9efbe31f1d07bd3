"""The aggregates of a journey over its jobs, logs and rules, as updates for the transactions that
change them.

A transaction may name an item once, so each function returns one update of METADATA, which a caller
may extend.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sortkey import Action, Check, Condition, Delete, Put, Store, Update, attr
from sortkey.errors import TransactionFailed
from sortkey_systems.jobengine.journeys.progress import (
    current_stage,
    is_done,
    overall_progress,
    stage_of,
    with_stage,
)
from sortkey_systems.jobengine.model import Job, Journey, Rule, Stage
from sortkey_systems.jobengine.parts import Aggregates, JourneyStatus, LogCounts, StageStatus

Write = Put[Any] | Update[Any] | Delete[Any] | Check[Any]
TRIES = 10
_TOTALS = Journey.aggregates


# -- jobs


def job_created(
    job: Job, *, journey: Journey, stages: Sequence[Stage] | None = None
) -> list[Update[Any]]:
    """Count one more job. With the `stages`, also set the journey's position, and that the job's
    stage runs.
    """
    actions = [
        attr(_TOTALS.total_jobs).add(1),
        attr(Journey.current_jobs)[job.stage_id].set(job.job_id),
    ]
    if stages is None:
        return [_of_journey(journey, actions, None)]
    actions += _standing(with_stage(stages, job.stage_id, "running"), "running", job)
    return [
        _of_journey(journey, actions, _unmoved(journey)),
        _of_stage(stage_of(stages, job.stage_id), "running"),
    ]


def job_progressed(job: Job, old: Job, stages: Sequence[Stage]) -> list[Update[Any]]:
    """The journey's progress, and what the job has logged since `old`, the stored job."""
    actions = [
        attr(Journey.overall_progress).set(overall_progress(stages, job)),
        *_logged(job.metrics, old.metrics),
    ]
    return [Update(Journey.key(journey_id=job.journey_id), tuple(actions))]


def job_ended(
    job: Job,
    old: Job,
    *,
    journey: Journey,
    stages: Sequence[Stage] | None = None,
    will_retry: bool = False,
) -> list[Update[Any]]:
    """Count a job that completed, failed or was cancelled. `old` is the stored job.

    With the `stages`, also set the journey's position. While a retry follows, it keeps running.
    """
    time_taken = job.duration or 0.0
    actions = [
        *_counted(job),
        *_timed(journey.aggregates, time_taken),
        *_logged(job.metrics, old.metrics),
    ]
    if stages is None:
        return [_of_journey(journey, actions, _same_time(journey))]
    becomes = _stage_status(job, will_retry)
    after = with_stage(stages, job.stage_id, becomes)
    actions += _standing(after, _journey_status(journey, after, job, will_retry), None)
    same = _unmoved(journey) & _same_time(journey)
    return [_of_journey(journey, actions, same), _of_stage(stage_of(stages, job.stage_id), becomes)]


def stage_skipped(stage_id: str, *, journey: Journey, stages: Sequence[Stage]) -> list[Update[Any]]:
    """Mark a stage as bypassed, and set the journey's position."""
    after = with_stage(stages, stage_id, "skipped")
    status: JourneyStatus = "pending" if journey.status == "failed" else journey.status
    actions = _standing(after, "completed" if is_done(after) else status, None)
    return [
        _of_journey(journey, actions, _unmoved(journey)),
        _of_stage(stage_of(stages, stage_id), "skipped"),
    ]


# -- rules


def rules_changed(journey: Journey, *, total: int = 0, active: int = 0) -> list[Update[Any]]:
    """Count added and activated rules. Writers that add rules take turns: the condition on the
    number of rules keeps their indexes apart.
    """
    actions = [
        *([attr(_TOTALS.total_rules).add(total)] if total else []),
        *([attr(_TOTALS.active_rules).add(active)] if active else []),
    ]
    when = attr(_TOTALS.total_rules) == journey.aggregates.total_rules if total else None
    return [_of_journey(journey, actions, when)] if actions else []


# -- all of it


def aggregates_of(jobs: Iterable[Job], rules: Iterable[Rule]) -> Aggregates:
    """The aggregates computed from the items themselves."""
    several, book = list(jobs), list(rules)
    seconds = sum(job.duration or 0.0 for job in several)
    return Aggregates(
        total_jobs=len(several),
        completed_jobs=sum(job.status == "completed" for job in several),
        failed_jobs=sum(job.status == "failed" for job in several),
        total_execution_time=minutes(seconds),
        total_execution_seconds=seconds,
        total_logs=sum(job.metrics.total_logs for job in several),
        total_errors=sum(job.metrics.error_count for job in several),
        total_warnings=sum(job.metrics.warning_count for job in several),
        total_rules=len(book),
        active_rules=sum(rule.status == "active" for rule in book),
    )


def rebuild(store: Store, journey_id: str) -> Aggregates:
    """Recompute everything and store it, repeating if it changed in between."""

    def counted(journey: Journey, stages: Sequence[Stage]) -> list[Write]:
        jobs = store.query(Job.of_journey(journey_id=journey_id).consistent())
        rules = store.query(Rule.of_journey(journey_id=journey_id).consistent())
        aggregates = aggregates_of(jobs, rules)
        same = attr(Journey.aggregates) == journey.aggregates
        return [_of_journey(journey, [attr(Journey.aggregates).set(aggregates)], same)]

    with_journey(store, journey_id, counted)
    return store.get(Journey.key(journey_id=journey_id), consistent=True).aggregates


def with_journey(
    store: Store,
    journey_id: str,
    make: Callable[[Journey, list[Stage]], Sequence[Write]],
    *,
    tries: int = TRIES,
) -> None:
    """Write what `make` returns for a journey and its stages, repeating if they changed in between.

    Raises NotFound, and TransactionFailed if something other than the journey or a stage refuses: a
    concurrent writer may have created the same item.
    """
    for tries_left in reversed(range(tries)):
        journey = store.get(Journey.key(journey_id=journey_id), consistent=True)
        stages = store.query(Stage.of_journey(journey_id=journey_id).consistent())
        writes = make(journey, stages)
        if not writes:
            return
        try:
            store.transact(*writes)
            return
        except TransactionFailed as failed:
            if not tries_left or not any(_was_late(reason) for reason in failed.reasons):
                raise
            time.sleep(0.002 * (tries - tries_left))


def minutes(seconds: float) -> str:
    """`125m`, as the document has it."""
    return f"{round(seconds / 60)}m"


def seconds_of(aggregates: Aggregates) -> float:
    """The exact seconds, if known; otherwise from the minutes."""
    if aggregates.total_execution_seconds is not None:
        return aggregates.total_execution_seconds
    return 60.0 * int(aggregates.total_execution_time.removesuffix("m"))


# -- parts of the updates


def _of_journey(
    journey: Journey, actions: Sequence[Action], when: Condition | None
) -> Update[Journey]:
    return Update(Journey.key(journey_id=journey.journey_id), tuple(actions), when)


def _of_stage(stage: Stage, status: StageStatus) -> Update[Stage]:
    key = Stage.key(journey_id=stage.journey_id, order=stage.order, stage_id=stage.stage_id)
    return Update(key, (attr(Stage.status).set(status),), attr(Stage.status) == stage.status)


def _unmoved(journey: Journey) -> Condition:
    """It may have been paused or cancelled since it was read."""
    return attr(Journey.status) == journey.status


def _same_time(journey: Journey) -> Condition:
    """Minutes are a text and cannot be incremented: they are set, if nobody else has set them in
    between.
    """
    total, place = journey.aggregates.total_execution_seconds, attr(_TOTALS.total_execution_seconds)
    return place.missing() if total is None else place == total


def _standing(stages: Sequence[Stage], status: JourneyStatus, job: Job | None) -> list[Action]:
    """The journey's position."""
    stage = current_stage(stages)
    return [
        attr(Journey.status).set(status),
        attr(Journey.current_stage_index).set(stage.order - 1),
        attr(Journey.current_stage_id).set(stage.stage_id),
        attr(Journey.overall_progress).set(overall_progress(stages, job)),
    ]


def _counted(job: Job) -> list[Action]:
    counts = {"completed": _TOTALS.completed_jobs, "failed": _TOTALS.failed_jobs}
    return [attr(counts[job.status]).add(1)] if job.status in counts else []


def _timed(aggregates: Aggregates, seconds: float) -> list[Action]:
    total = seconds_of(aggregates) + seconds
    return [
        attr(_TOTALS.total_execution_seconds).set(total),
        attr(_TOTALS.total_execution_time).set(minutes(total)),
    ]


def _logged(now: LogCounts, before: LogCounts) -> list[Action]:
    changes = (
        (_TOTALS.total_logs, now.total_logs - before.total_logs),
        (_TOTALS.total_errors, now.error_count - before.error_count),
        (_TOTALS.total_warnings, now.warning_count - before.warning_count),
    )
    return [attr(place).add(change) for place, change in changes if change]


def _stage_status(job: Job, will_retry: bool) -> StageStatus:
    if job.status == "completed":
        return "completed"
    if will_retry:
        return "running"
    return (
        "failed" if job.status == "failed" else "pending"
    )  # of a cancelled job: it may start again


def _journey_status(
    journey: Journey, after: Sequence[Stage], job: Job, will_retry: bool
) -> JourneyStatus:
    if journey.status == "cancelled":
        return "cancelled"
    if is_done(after):
        return "completed"
    if journey.status == "paused":
        return "paused"
    if job.status == "failed" and not will_retry:
        return "failed"
    return "pending" if job.status == "cancelled" else "running"


def _was_late(reason: Any) -> bool:
    """Whether reading again helps: a condition on what was read failed, or another transaction
    touched the same items.
    """
    if reason.code == "TransactionConflict":
        return True
    return reason.code == "ConditionalCheckFailed" and isinstance(
        reason.item, (Journey, Stage, Rule)
    )
