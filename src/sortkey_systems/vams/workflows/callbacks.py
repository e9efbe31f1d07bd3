"""SendTaskSuccess, SendTaskFailure and SendTaskHeartbeat: how a step that waits ends.

The token is all that is needed, as in Step Functions: whoever was given the step has it.
"""

from __future__ import annotations

import json
from typing import Any

from sortkey_systems.vams.model import WorkflowExecution
from sortkey_systems.vams.model.workflows import ExecutionStep
from sortkey_systems.vams.workflows import run_changes
from sortkey_systems.vams.workflows.run_records import RunRecords
from sortkey_systems.vams.workflows.step_jobs import StepJobs
from sortkey_systems.vams.workflows.task_tokens import TaskPlace

OUTPUT_CHARACTERS_MAX = 262_144
ERROR_CHARACTERS_MAX = 256
CAUSE_CHARACTERS_MAX = 32_768


class CallbackRefused(Exception):
    """An error of the protocol: `kind` is its name there."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind, self.message = kind, message


class Callbacks:
    """Answers the callbacks of steps."""

    def __init__(self, records: RunRecords, jobs: StepJobs) -> None:
        self._records, self._jobs = records, jobs

    def answer(self, operation: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to an operation. Raises CallbackRefused."""
        if operation == "SendTaskSuccess":
            output = body.get("output")
            _check_output(output)
            run, step, place = self._waiting(body)
            is_done = self._jobs.succeed(run, place.step, step.attempt)
        elif operation == "SendTaskFailure":
            run, step, place = self._waiting(body)
            is_done = self._jobs.fail(run, place.step, step.attempt, _reason(body))
        elif operation == "SendTaskHeartbeat":
            run, step, place = self._waiting(body)
            is_done = self._beat(run, step, place)
        else:
            raise CallbackRefused("UnknownOperationException", "This operation is not offered.")
        if not is_done:
            raise _gone()
        return {}

    def _waiting(self, body: dict[str, Any]) -> tuple[WorkflowExecution, ExecutionStep, TaskPlace]:
        """The step of a token, if it waits."""
        token = body.get("taskToken")
        if not isinstance(token, str) or not token:
            raise CallbackRefused("ValidationException", "taskToken is needed.")
        try:
            place = self._jobs.tokens.read(token)
        except ValueError:
            raise CallbackRefused("InvalidToken", "The token is not valid.") from None
        run = self._records.find(place.database_id, place.asset_id, place.execution_id)
        if run is None:
            raise CallbackRefused("TaskDoesNotExist", "The task does not exist.")
        if not run_changes.is_underway(run) or run.current_step != place.step:
            raise _gone()
        step = run.steps[place.step]
        if step.nonce != place.nonce or step.status not in ("RUNNING", "WAITING"):
            raise _gone()
        return run, step, place

    def _beat(self, run: WorkflowExecution, step: ExecutionStep, place: TaskPlace) -> bool:
        now = self._jobs.now()

        def decide(each: WorkflowExecution) -> WorkflowExecution | None:
            current = run_changes.step_at(each, place.step, step.attempt)
            if current is None or current.nonce != place.nonce:
                return None
            return run_changes.with_step(each, place.step, heartbeat_at=now)

        key = (run.database_id, run.asset_id, run.execution_id)
        return self._records.change(key, decide) is not None


def _gone() -> CallbackRefused:
    return CallbackRefused("TaskTimedOut", "The task has ended, or was given to somebody else.")


def _check_output(output: object) -> None:
    if not isinstance(output, str) or len(output) > OUTPUT_CHARACTERS_MAX:
        raise CallbackRefused("InvalidOutput", "output must be JSON text.")
    try:
        json.loads(output)
    except (ValueError, RecursionError):
        raise CallbackRefused("InvalidOutput", "output must be JSON text.") from None


def _reason(body: dict[str, Any]) -> str:
    error, cause = body.get("error"), body.get("cause")
    parts = (
        str(error)[:ERROR_CHARACTERS_MAX] if error else "",
        str(cause)[:CAUSE_CHARACTERS_MAX] if cause else "",
    )
    return ": ".join(part for part in parts if part) or "the step reported a failure"
