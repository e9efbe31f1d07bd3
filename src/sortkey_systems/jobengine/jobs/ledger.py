"""Records the state of an execution: the job, its dashboard line and its journey, together.

Every write is one transaction, conditional on the attempt, so a worker that lost its lease cannot
write.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from sortkey import Action, Condition, ItemKey, Put, Store, Update, attr
from sortkey.errors import JobLost, TransactionFailed
from sortkey_systems.jobengine.journeys.aggregates import (
    Write,
    job_created,
    job_ended,
    job_progressed,
    with_journey,
)
from sortkey_systems.jobengine.model import Job, Journey, Stage, StageJob

CONFLICT_TRIES = 12
_ON_LINE = ("status", "progress", "start_time", "end_time")
"""The fields of a job that its dashboard line shows."""


def key_of(job: Job) -> ItemKey[Job]:
    assert job.created_at is not None
    return Job.key(
        journey_id=job.journey_id,
        order=job.order,
        stage_id=job.stage_id,
        execution_number=job.execution_number,
        created_at=job.created_at,
    )


def create(store: Store, journey_id: str, make: Callable[[Journey, list[Stage]], Job]) -> Job:
    """Create an execution, its line, and count it in the journey: all or nothing."""
    jobs: list[Job] = []

    def writes(journey: Journey, stages: list[Stage]) -> list[Write]:
        job = make(journey, stages)
        jobs[:] = [job]
        return [
            Put(job, "create"),
            Put(StageJob.of(job), "create"),
            *job_created(job, journey=journey, stages=stages),
        ]

    with_journey(store, journey_id, writes)
    return jobs[0]


def end(store: Store, old: Job, make: Callable[[Journey], tuple[Job, bool]]) -> Job:
    """Record the end of an execution, with its effect on stage and journey. `make` also says
    whether a retry follows.

    Raises JobLost if another process ended the job.
    """
    jobs: list[Job] = []

    def writes(journey: Journey, stages: list[Stage]) -> list[Write]:
        job, will_retry = make(journey)
        jobs[:] = [job]
        totals = job_ended(job, old, journey=journey, stages=stages, will_retry=will_retry)
        return [*changes(old, job), *totals]

    try:
        with_journey(store, old.journey_id, writes)
    except TransactionFailed as failed:
        raise _lost(old, failed) from failed
    return jobs[0]


def progress(store: Store, old: Job, new: Job, stages: Sequence[Stage]) -> Job:
    """Record progress on the job, its line and its journey."""
    _transact(store, old, *changes(old, new), *job_progressed(new, old, stages))
    return new


def begin(store: Store, old: Job, new: Job) -> Job:
    """Claim the execution for an attempt. Raises JobLost if a later attempt has it."""
    is_later = attr(Job.attempt) < (new.attempt or 0)
    _transact(store, old, *changes(old, new, attr(Job.attempt).missing() | is_later))
    return new


def changes(old: Job, new: Job, condition: Condition | None = None) -> list[Write]:
    """The updates that turn one state of a job into another, on its item and its line."""
    both = [
        (name, getattr(new, name))
        for name in Job.model_fields
        if getattr(new, name) != getattr(old, name)
    ]
    job = Update(key_of(old), _actions(Job, both), _held(old) if condition is None else condition)
    on_line = [(name, value) for name, value in both if name in _ON_LINE]
    line = StageJob.key(
        journey_id=old.journey_id,
        order=old.order,
        stage_id=old.stage_id,
        execution_number=old.execution_number,
    )
    return [job, Update(line, _actions(StageJob, on_line))] if on_line else [job]


def _transact(store: Store, job: Job, *writes: Write) -> None:
    """Write once, even if a response is lost. Retried if another transaction touched the items at
    the same time.
    """
    token = uuid.uuid4().hex
    for tries_left in reversed(range(CONFLICT_TRIES)):
        try:
            return store.transact(*writes, token=token)
        except TransactionFailed as failed:
            if not tries_left or any(
                reason.code != "TransactionConflict" for reason in failed.reasons
            ):
                raise _lost(job, failed) from failed
            time.sleep(0.005 * (CONFLICT_TRIES - tries_left))
    return None


def _actions(of: type[Any], values: list[tuple[str, Any]]) -> tuple[Action, ...]:
    """A status is set only if it changes, because its transitions are conditions."""
    return tuple(attr(getattr(of, name)).set(value) for name, value in values)


def _held(job: Job) -> Condition:
    same = attr(Job.status) == job.status
    return same & (
        attr(Job.attempt) == job.attempt if job.attempt is not None else attr(Job.attempt).missing()
    )


def _lost(job: Job, failed: TransactionFailed) -> Exception:
    """Whether the job itself refused the write: another attempt has it, or it has ended."""
    refused = [reason for reason in failed.reasons if reason.code == "ConditionalCheckFailed"]
    if any(isinstance(reason.item, (Job, StageJob)) for reason in refused):
        return JobLost(
            f"job {job.job_id} is no longer held by attempt {job.attempt}: another one has it, or "
            "it ended"
        )
    return failed
