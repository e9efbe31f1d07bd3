"""How a run changes from step to step. Pure: a run in, a run out; None if it has moved on.

A run is at `current_step`; one past the last step means that outputs are being stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sortkey_systems.vams.model import WorkflowExecution
from sortkey_systems.vams.model.workflows import ExecutionStatus, ExecutionStep, StepStatus

TRIES = 3
"""Of a step, before the run fails."""
RETRY_SECONDS = 5.0
MESSAGE_CHARACTERS_MAX = 2000


def is_underway(run: WorkflowExecution) -> bool:
    """Whether a run has not ended."""
    return run.execution_status in ("NEW", "RUNNING")


def step_at(run: WorkflowExecution, number: int, attempt: int) -> ExecutionStep | None:
    """The step of an attempt, if the run is there."""
    if not is_underway(run) or run.current_step != number or number >= len(run.steps):
        return None
    step = run.steps[number]
    return step if step.attempt == attempt else None


def with_step(run: WorkflowExecution, number: int, **values: Any) -> WorkflowExecution:
    """A run with other values of one step."""
    steps = list(run.steps)
    steps[number] = steps[number].model_copy(update=values)
    return run.changed(stored_steps=tuple(steps))


def begun(
    run: WorkflowExecution, number: int, attempt: int, nonce: str, job_id: str, now: datetime
) -> WorkflowExecution | None:
    """The step begins. After a crash it begins again, with the same token."""
    step = step_at(run, number, attempt)
    if step is None or step.status not in ("NEW", "RUNNING"):
        return None
    changed = with_step(
        run,
        number,
        status="RUNNING",
        start_date=step.start_date if step.status == "RUNNING" else now,
        heartbeat_at=now,
        nonce=step.nonce or nonce,
        job_ids=tuple(dict.fromkeys((*step.job_ids, job_id))),
    )
    return changed.changed(execution_status="RUNNING")


def waiting(run: WorkflowExecution, number: int, attempt: int) -> WorkflowExecution | None:
    """The step waits for its callback."""
    step = step_at(run, number, attempt)
    if step is None or step.status != "RUNNING":
        return None
    return with_step(run, number, status="WAITING")


def succeeded(
    run: WorkflowExecution, number: int, attempt: int, now: datetime
) -> WorkflowExecution | None:
    """The step is done, and the run is at the next one."""
    step = step_at(run, number, attempt)
    if step is None:
        return None
    changed = with_step(run, number, status="SUCCEEDED", stop_date=now, nonce=None, message=None)
    return changed.changed(current_step=number + 1)


def repeated(
    run: WorkflowExecution, number: int, attempt: int, message: str
) -> WorkflowExecution | None:
    """The step has failed and is tried again. None if it was tried often enough."""
    step = step_at(run, number, attempt)
    if step is None or attempt >= TRIES:
        return None
    return with_step(
        run,
        number,
        status="NEW",
        attempt=attempt + 1,
        nonce=None,
        message=message[:MESSAGE_CHARACTERS_MAX],
    )


def ended(
    run: WorkflowExecution, status: ExecutionStatus, now: datetime, error: str | None = None
) -> WorkflowExecution | None:
    """The run is over. None if it already was."""
    if not is_underway(run):
        return None
    text = error[:MESSAGE_CHARACTERS_MAX] if error else None
    number = run.current_step or 0
    changed = run
    if status != "SUCCEEDED" and number < len(run.steps):
        state = _STEP_STATUS[status]
        changed = with_step(run, number, status=state, stop_date=now, nonce=None, message=text)
    return changed.changed(execution_status=status, stop_date=now, error=text)


_STEP_STATUS: Mapping[ExecutionStatus, StepStatus] = {
    "FAILED": "FAILED",
    "TIMED_OUT": "TIMED_OUT",
    "ABORTED": "ABORTED",
}


def deadline_of(step: ExecutionStep, now: datetime) -> tuple[datetime, str]:
    """When a step that waits is over, and why."""
    begun_at = step.start_date or now
    end = begun_at + timedelta(seconds=step.timeout_seconds)
    if step.heartbeat_seconds is not None:
        beat = (step.heartbeat_at or begun_at) + timedelta(seconds=step.heartbeat_seconds)
        if beat < end:
            return beat, f"no heartbeat came for {step.heartbeat_seconds} s"
    return end, f"no callback came within {step.timeout_seconds} s"


def overdue(run: WorkflowExecution, number: int, attempt: int, now: datetime) -> str | None:
    """Why a step has waited for too long; None if it has not."""
    step = step_at(run, number, attempt)
    if step is None or step.status != "WAITING":
        return None
    end, reason = deadline_of(step, now)
    return reason if end <= now else None
