"""The jobs that carry a run on: one for each try of a step, one that stores the outputs, and one
that watches a step which waits for its callback.

A job that finds its run elsewhere does nothing, so a job may run twice: after a crash it does.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sortkey import Job, JobContext, JobQueue, JobWorker, Put, job
from sortkey.errors import JobStopped, ObjectNotFound
from sortkey_systems.vams.access.callers import SYSTEM_USER, Caller
from sortkey_systems.vams.failures import Failure
from sortkey_systems.vams.model import Asset, WorkflowExecution
from sortkey_systems.vams.model.workflows import ExecutionStatus, ExecutionStep
from sortkey_systems.vams.runners.pipeline_step import FILES
from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut, Task
from sortkey_systems.vams.workflows import run_changes
from sortkey_systems.vams.workflows.outputs import Outputs
from sortkey_systems.vams.workflows.run_records import RunRecords, place_of_run
from sortkey_systems.vams.workflows.step_files import (
    InputFile,
    StepFiles,
    listed,
    remove_left_behind,
    remove_versions,
)
from sortkey_systems.vams.workflows.step_message import (
    RunPlaces,
    body_of,
    metadata_text,
    outputs_prefix,
)
from sortkey_systems.vams.workflows.task_tokens import TaskPlace, TaskTokens
from sortkey_systems.vams.workflows.values import TIMEOUT_SECONDS_MAX

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

log = logging.getLogger("sortkey.vams")

QUEUE = "vams-workflows"
THREADS = 2
JOB_SECONDS = TIMEOUT_SECONDS_MAX + 3600.0
LINK_SECONDS_MAX = 86_400
STORE_TRIES = 3
"""Of storing outputs, when it fails for a reason of the machine."""


class StepJobs:
    """Runs the steps of runs."""

    def __init__(self, service: Vams, queue: JobQueue, records: RunRecords) -> None:
        self._service, self._queue, self._records = service, queue, records
        self.tokens = TaskTokens(service.resources.derive_secret("task tokens"))
        self.outputs = Outputs(service)
        self.retry_seconds = run_changes.RETRY_SECONDS
        self._root = service.resources.folder / "runs"
        declare = job("vams.workflow-step", timeout=JOB_SECONDS, retries=5, log_buffer=20)
        self._step_job = declare(self._run)
        self._deadline_job = job("vams.workflow-deadline", timeout=60, retries=20)(self._watch)

    def worker(self, *more: Any, threads: int = THREADS, **settings: Any) -> JobWorker:
        """A worker for the steps of runs, and for other job functions of the queue."""
        remove_left_behind(self._root)
        functions = (self._step_job, self._deadline_job, *more)
        store = self._service.store
        return JobWorker(store, functions, queue=QUEUE, threads=threads, **settings)

    def next_job(self, run: WorkflowExecution, *, delay: float = 0.0) -> Put[Job]:
        """The write of the job that carries a run on from where it is."""
        number = run.current_step or 0
        attempt = run.steps[number].attempt if number < len(run.steps) else 1
        arguments = {"place": list(place_of_run(run)), "number": number, "attempt": attempt}
        return self._queue.write_of(self._step_job, arguments, delay=delay)

    def now(self) -> datetime:
        """The instant of the host's clock."""
        return self._service.now()

    # -- endings, also by callbacks

    def succeed(self, run: WorkflowExecution, number: int, attempt: int) -> bool:
        """A step is done. False if the run has moved on."""
        now = self._service.now()
        return self._changed(
            run, lambda each: run_changes.succeeded(each, number, attempt, now), self.next_job
        )

    def fail(self, run: WorkflowExecution, number: int, attempt: int, message: str) -> bool:
        """A step has failed: it is tried again, or the run fails."""
        delay = self.retry_seconds * 2 ** (attempt - 1)

        def next_job(each: WorkflowExecution) -> Put[Job]:
            return self.next_job(each, delay=delay)

        def decide(each: WorkflowExecution) -> WorkflowExecution | None:
            if run_changes.step_at(each, number, attempt) is None:
                return None
            repeated = run_changes.repeated(each, number, attempt, message)
            return repeated or run_changes.ended(each, "FAILED", self._service.now(), message)

        changed = self._records.change(place_of_run(run), decide, next_job)
        if changed is not None and not run_changes.is_underway(changed):
            self.clean(run)
        return changed is not None

    def end(self, run: WorkflowExecution, status: ExecutionStatus, error: str | None) -> bool:
        """End a run, and delete what it has collected."""
        now = self._service.now()
        is_ended = self._changed(run, lambda each: run_changes.ended(each, status, now, error))
        if is_ended:
            self.clean(run)
        return is_ended

    def clean(self, run: WorkflowExecution, asset: Asset | None = None) -> None:
        """Delete the outputs that a run has collected."""
        asset = asset or self._asset(run)
        if asset is not None:
            objects = self._service.assets.place_of(asset).objects
            remove_versions(objects, outputs_prefix(run))

    def _changed(
        self,
        run: WorkflowExecution,
        decide: Callable[[WorkflowExecution], WorkflowExecution | None],
        next_job: Callable[[WorkflowExecution], Put[Job]] | None = None,
    ) -> bool:
        return self._records.change(place_of_run(run), decide, next_job) is not None

    # -- a step

    def _run(self, context: JobContext, place: list[str], number: int, attempt: int) -> None:
        """The job of a step; one past the last step it stores the outputs."""
        run = self._records.find(place[0], place[1], place[2])
        if run is None or not run_changes.is_underway(run) or run.current_step != number:
            return
        if number >= len(run.steps):
            self._store_outputs(context, run)
            return
        nonce, job_id, now = secrets.token_hex(16), context.job.job_id, self._service.now()
        changed = self._records.change(
            place_of_run(run),
            lambda each: run_changes.begun(each, number, attempt, nonce, job_id, now),
        )
        if changed is not None:
            self._run_step(context, changed, number, attempt)

    def _run_step(
        self, context: JobContext, run: WorkflowExecution, number: int, attempt: int
    ) -> None:
        step = run.steps[number]
        context.log("INFO", f"step {number + 1} of {len(run.steps)}: {step.name}, try {attempt}")
        try:
            runner = self._service.runners.find(step.execution_type, json.loads(step.resource))
            runner.run(self._task(context, run, step, number))
        except JobStopped:
            raise
        except StepTimedOut as error:
            context.log("ERROR", str(error))
            self.end(run, "TIMED_OUT", str(error))
            return
        except Exception as error:
            message = str(error) if isinstance(error, (StepFailed, Failure)) else _named(error)
            context.log("ERROR", message)
            if not isinstance(error, (StepFailed, Failure)):
                log.exception("a step of the run %s failed", run.execution_id)
            self.fail(run, number, attempt, message)
            return
        if step.waits:
            self._wait(run, number, attempt)
        elif not self.succeed(run, number, attempt):
            self.clean(run)  # it was aborted while its last outputs were stored

    def _task(
        self, context: JobContext, run: WorkflowExecution, step: ExecutionStep, number: int
    ) -> Task:
        asset = self._asset(run)
        if asset is None:
            raise StepFailed("the asset does not exist any more, or is archived")
        place, service = self._service.assets.place_of(asset), self._service
        auxiliary = service.buckets.auxiliary
        input_key = run.input_asset_file_key or place.prefix
        places = RunPlaces(
            place.objects.name, auxiliary.name, place.prefix, input_key, outputs_prefix(run)
        )
        inputs, read_key = self._inputs(run, number, places, asset)
        path = place.relative(input_key) if run.input_asset_file_key else None
        body = body_of(
            run,
            step,
            places,
            input_key=read_key,
            input_metadata=self._known(asset, path),
            task_token=self._token(run, step, number),
        )
        files = StepFiles(place.objects, inputs, places.outputs, auxiliary, places.auxiliary(step))
        return Task(
            body=body,
            seconds=float(step.timeout_seconds),
            open_folder=lambda has_input: files.opened(self._root, body, has_input),
            input_links=lambda: files.links(min(step.timeout_seconds, LINK_SECONDS_MAX)),
            check=context.check_cancelled,
            log=lambda message: context.log("INFO", message),
            progress=context.progress,
        )

    def _inputs(
        self, run: WorkflowExecution, number: int, places: RunPlaces, asset: Asset
    ) -> tuple[tuple[InputFile, ...], str]:
        """The files that a step reads, and their key or prefix: what the steps before it have made,
        or the input of the run if they made no files.
        """
        place = self._service.assets.place_of(asset)
        if number > 0:
            prefix = places.output(FILES)
            made = tuple(listed(place.objects, prefix))
            if made:
                return made, prefix
        if run.input_asset_file_key is None:
            live = self._service.files.live(asset)
            files = (each for each in live if not each.is_folder)
            return tuple(InputFile(each.relative_path, each.key) for each in files), place.prefix
        key = run.input_asset_file_key
        try:
            place.objects.head(key)
        except ObjectNotFound:
            raise StepFailed("the file does not exist any more, or is archived") from None
        return (InputFile(place.relative(key), key),), key

    def _known(self, asset: Asset, path: str | None) -> str:
        metadata = self._service.metadata
        of_file = metadata.of_file(asset, path) if path else {}
        attributes = metadata.attributes_of_file(asset, path) if path else {}
        return metadata_text(asset, metadata.of_asset(asset), of_file, attributes)

    def _token(self, run: WorkflowExecution, step: ExecutionStep, number: int) -> str | None:
        if not step.waits:
            return None
        return self.tokens.write(TaskPlace(*place_of_run(run), number, step.nonce or ""))

    # -- a step that waits

    def _wait(self, run: WorkflowExecution, number: int, attempt: int) -> None:
        """Wait for the callback without a thread. It may have come already."""

        def watch(each: WorkflowExecution) -> Put[Job]:
            step = each.steps[number]
            return self._queue.write_of(
                self._deadline_job,
                {"place": list(place_of_run(each)), "number": number, "attempt": attempt},
                delay=self._seconds_left(step),
            )

        self._changed(run, lambda each: run_changes.waiting(each, number, attempt), watch)

    def _watch(self, context: JobContext, place: list[str], number: int, attempt: int) -> None:
        """The job at the deadline of a step that waits."""
        run = self._records.find(place[0], place[1], place[2])
        if run is not None:
            self.check_deadline(run, number, attempt)

    def check_deadline(self, run: WorkflowExecution, number: int, attempt: int) -> None:
        """End a run whose step has waited for too long, or look again later."""
        now = self._service.now()

        def decide(each: WorkflowExecution) -> WorkflowExecution | None:
            end = run_changes.overdue(each, number, attempt, now)
            return run_changes.ended(each, "TIMED_OUT", now, end) if end is not None else None

        if self._changed(run, decide):
            self.clean(run)
            return
        step = run_changes.step_at(run, number, attempt)
        if step is not None and step.status == "WAITING":
            arguments = {"place": list(place_of_run(run)), "number": number, "attempt": attempt}
            self._queue.enqueue(self._deadline_job, arguments, delay=self._seconds_left(step))

    def _seconds_left(self, step: ExecutionStep) -> float:
        now: datetime = self._service.now()
        return max(0.0, (run_changes.deadline_of(step, now)[0] - now).total_seconds())

    # -- after the last step

    def _store_outputs(self, context: JobContext, run: WorkflowExecution) -> None:
        """Let the outputs enter the asset, as the user who began the run."""
        asset = self._asset(run)
        if asset is None:
            self.end(run, "FAILED", "the asset does not exist any more, or is archived")
            return
        try:
            self.outputs.store(context, self._caller(run), asset, run)
        except JobStopped:
            raise
        except Failure as error:
            context.log("ERROR", str(error))
            self.end(run, "FAILED", f"an output was refused: {error}")
        except Exception as error:
            if context.attempt < STORE_TRIES:
                raise
            log.exception("the outputs of the run %s could not be stored", run.execution_id)
            self.end(run, "FAILED", f"the outputs could not be stored: {_named(error)}")
        else:
            self.end(run, "SUCCEEDED", None)

    def _caller(self, run: WorkflowExecution) -> Caller:
        access, user_id = self._service.access, run.executed_by or SYSTEM_USER
        if user_id == SYSTEM_USER:
            return access.system_caller()
        return access.caller(user_id, has_mfa=bool(run.has_mfa))

    def _asset(self, run: WorkflowExecution) -> Asset | None:
        return self._service.assets.find(run.database_id, run.asset_id)


def _named(error: Exception) -> str:
    """What users see of an error that is not theirs: its message may name files of the server."""
    return f"{type(error).__name__}: the log of the server has more"
