"""Executions: runs of workflows on assets. Who begins one may change the asset and use the workflow
and its pipelines.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sortkey import Job, JobQueue
from sortkey.errors import JobError, NotFound, ObjectNotFound
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.objects import Verb, WorkflowObject
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.model import Asset, Workflow, WorkflowExecution
from sortkey_systems.vams.model.workflows import ExecutionStep, WorkflowFunction
from sortkey_systems.vams.pages import Page, Paging, page_of_query
from sortkey_systems.vams.workflows import run_changes
from sortkey_systems.vams.workflows.pipelines import pipeline_object, workflow_object
from sortkey_systems.vams.workflows.run_records import (
    AlreadyRunning,
    RunRecords,
    new_execution_id,
    place_of_run,
)
from sortkey_systems.vams.workflows.step_jobs import StepJobs
from sortkey_systems.vams.workflows.values import GLOBAL, TIMEOUT_SECONDS, StartValues
from sortkey_systems.vams.workflows.workflows import unknown_workflow

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

PAGE_SIZE = 50
JOB_DAYS = 90
"""How long the log of a run is kept."""
JOBS_REMOVED_MAX = 1000


class Busy(Invalid):
    """The workflow runs on this file now."""


class Executions:
    """The runs of an installation."""

    def __init__(self, service: Vams, queue: JobQueue, records: RunRecords, jobs: StepJobs) -> None:
        self._service, self._queue, self._records, self._jobs = service, queue, records, jobs

    # -- start

    def start(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        workflow_id: str,
        wanted: StartValues,
        *,
        execution_id: str | None = None,
        after_workflows: tuple[str, ...] = (),
    ) -> WorkflowExecution:
        """Run a workflow on an asset or one of its files. Raises AlreadyStarted for an id that was
        used before.
        """
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        workflow = self._workflow(asset, workflow_id, wanted.workflowDatabaseId)
        self._service.access.require(caller, "POST", workflow_object(workflow))
        steps = tuple(self._step(caller, each) for each in workflow.functions)
        if not steps:
            raise Invalid(f"the workflow {workflow_id} has no pipelines")
        now = self._service.now()
        run = WorkflowExecution(
            database_id=database_id,
            asset_id=asset_id,
            execution_id=execution_id or new_execution_id(now),
            workflow_database_id=workflow.database_id,
            workflow_id=workflow.workflow_id,
            execution_status="NEW",
            start_date=now,
            input_asset_file_key=self._file_key(asset, wanted.fileKey),
            executed_by=caller.user_id,
            has_mfa=caller.has_mfa,
            stored_steps=steps,
            current_step=0,
            after_workflows=after_workflows or None,
        )
        stored = self._created(run)
        self._record(caller, "workflow.run", stored)
        return stored

    def _created(self, run: WorkflowExecution) -> WorkflowExecution:
        for _ in range(2):
            try:
                return self._records.create(run, self._jobs.next_job(run))
            except AlreadyRunning as error:
                other = self._records.find(run.database_id, run.asset_id, error.execution_id)
                if other is not None and run_changes.is_underway(self.refreshed(other)):
                    break
                self._records.release(run)
        raise Busy("the workflow is already running on this file: wait for it, or abort it")

    def _workflow(self, asset: Asset, workflow_id: str, database_id: str | None) -> Workflow:
        reach = (asset.database_id, GLOBAL) if database_id is None else (database_id,)
        if database_id not in (None, GLOBAL, asset.database_id):
            raise Invalid(
                f"workflowDatabaseId must be {GLOBAL} or the asset's, {asset.database_id}"
            )
        found = (self._service.workflows.find(each, workflow_id) for each in reach)
        workflow = next((each for each in found if each is not None), None)
        if workflow is None:
            raise unknown_workflow(workflow_id)
        return workflow

    def _step(self, caller: Caller, function: WorkflowFunction) -> ExecutionStep:
        pipeline = self._service.pipelines.find(function.database_id, function.name)
        if pipeline is None:
            raise Invalid(f"the pipeline {function.name} of the workflow does not exist any more")
        self._service.access.require(caller, "POST", pipeline_object(pipeline))
        if pipeline.enabled is False:
            raise Invalid(f"the pipeline {function.name} is not enabled")
        return ExecutionStep(
            name=pipeline.pipeline_id,
            database_id=pipeline.database_id,
            pipeline_type=pipeline.pipeline_type or "standardFile",
            execution_type=pipeline.pipeline_execution_type or "Lambda",
            output_type=function.output_type or "",
            waits=function.wait_for_callback == "Enabled",
            timeout_seconds=function.task_timeout or TIMEOUT_SECONDS,
            heartbeat_seconds=function.task_heartbeat_timeout,
            resource=pipeline.user_provided_resource or "{}",
            input_parameters=function.input_parameters or "",
        )

    def _file_key(self, asset: Asset, wanted: str | None) -> str | None:
        """The key of a file: a path within the asset, or already a key. None for the whole
        asset.
        """
        if wanted is None or wanted == "/":
            return None
        place = self._service.assets.place_of(asset)
        keys = [wanted] if wanted.startswith(place.prefix) else []
        for key in (*keys, place.key(wanted)):
            with suppress(ObjectNotFound, ValueError):  # the latter: it cannot be a key
                place.objects.head(key)
                return key
        raise NotThere("File not found")

    # -- reads

    def page(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        paging: Paging,
        *,
        workflow_id: str | None = None,
        workflow_database_id: str | None = None,
    ) -> Page[WorkflowExecution]:
        """Runs on an asset, the newest first: of one workflow, or of all that the caller may
        see.
        """
        asset = self._service.assets.get(caller, database_id, asset_id, archived=True)
        if workflow_id is not None and workflow_database_id is not None:
            subject = WorkflowObject(workflow_database_id, workflow_id)
            self._service.access.require(caller, "GET", subject)
        is_visible = self._service.access.filter(caller)

        def keep(run: WorkflowExecution) -> bool:
            return (
                workflow_id in (None, run.workflow_id)
                and workflow_database_id in (None, run.workflow_database_id)
                and is_visible(WorkflowObject(run.workflow_database_id, run.workflow_id))
            )

        query = WorkflowExecution.of_asset(
            database_id=asset.database_id, asset_id=asset.asset_id
        ).descending()
        page = page_of_query(
            self._service.store, query, paging, keep=keep, default=PAGE_SIZE, most=PAGE_SIZE
        )
        return Page([self.refreshed(run) for run in page.items], page.token)

    def get(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        execution_id: str,
        verb: Verb = "GET",
        *,
        workflow_id: str | None = None,
    ) -> WorkflowExecution:
        """A run that the caller may use in this way. Raises NotThere and Denied."""
        self._service.assets.get(caller, database_id, asset_id, verb, archived=verb == "GET")
        run = self._records.find(database_id, asset_id, execution_id)
        if run is None or workflow_id not in (None, run.workflow_id):
            raise NotThere("the execution does not exist")
        subject = WorkflowObject(run.workflow_database_id, run.workflow_id)
        self._service.access.require(caller, verb, subject)
        return self.refreshed(run)

    def logs(self, run: WorkflowExecution) -> Iterator[dict[str, Any]]:
        """The log of a run, line by line, in order."""
        ids = [(step.name, job_id) for step in run.steps for job_id in step.job_ids]
        if run.job_id is not None and run.job_id not in {job_id for _, job_id in ids}:
            ids.append(("", run.job_id))
        for name, job_id in ids:
            for line in self._queue.logs(job_id):
                yield {
                    "timestamp": line.at.isoformat().replace("+00:00", "Z"),
                    "step": name,
                    "level": line.level,
                    "message": line.message,
                }

    def progress(self, run: WorkflowExecution) -> int:
        """How far a run is, from 0 to 100."""
        if run.execution_status == "SUCCEEDED":
            return 100
        part = 0
        if run_changes.is_underway(run) and run.job_id is not None:
            job = self._job(run.job_id)
            part = job.progress if job is not None else 0
        steps = max(1, len(run.steps))
        return min(99, ((run.current_step or 0) * 100 + part) // steps)

    def refreshed(self, run: WorkflowExecution) -> WorkflowExecution:
        """A run as it is. One whose job has failed outside of its steps is ended here."""
        if not run_changes.is_underway(run) or run.job_id is None:
            return run
        job = self._job(run.job_id)
        if job is not None and job.status not in ("failed", "cancelled"):
            return run
        reason = job.error if job is not None and job.error else "its job was lost"
        self._jobs.end(run, "FAILED", f"the run could not go on: {reason}")
        return self._records.find(*place_of_run(run)) or run

    def repair(self) -> int:
        """End the runs whose jobs have failed, after a crash. Returns how many were looked at."""
        count, failed = 0, self._queue.jobs("failed")
        for job in failed.items:
            run = self._run_of(job)
            if run is not None and run.job_id == job.job_id:
                self.refreshed(run)
                count += 1
        return count

    def _run_of(self, job: Job) -> WorkflowExecution | None:
        match job.arguments.get("place"):
            case [str() as database_id, str() as asset_id, str() as execution_id]:
                return self._records.find(database_id, asset_id, execution_id)
            case _:
                return None

    # -- changes

    def abort(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        execution_id: str,
        *,
        workflow_id: str | None = None,
    ) -> WorkflowExecution:
        """End a run. What its current step has made is dropped."""
        run = self.get(caller, database_id, asset_id, execution_id, "POST", workflow_id=workflow_id)
        if not self._jobs.end(run, "ABORTED", f"aborted by {caller.user_id}"):
            raise Invalid(f"the execution has ended: it is {run.execution_status}")
        self._cancel(run)
        self._record(caller, "workflow.abort", run)
        return self._records.find(*place_of_run(run)) or run

    def rerun(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        execution_id: str,
        *,
        workflow_id: str | None = None,
    ) -> WorkflowExecution:
        """Begin another run of the same workflow on the same file, with the workflow as it is
        now.
        """
        run = self.get(caller, database_id, asset_id, execution_id, "POST", workflow_id=workflow_id)
        wanted = StartValues(
            workflowDatabaseId=run.workflow_database_id, fileKey=run.input_asset_file_key
        )
        return self.start(caller, database_id, asset_id, run.workflow_id, wanted)

    def remove_all(self, asset: Asset) -> None:
        """Delete the runs on an asset, with their jobs: a step of the permanent delete. Repeating
        it is fine.
        """
        for run in list(self._records.of_asset(asset.database_id, asset.asset_id)):
            self._cancel(run)
            self._jobs.clean(run, asset)
            ids = {job_id for step in run.steps for job_id in step.job_ids} | {run.job_id or ""}
            for job_id in ids - {""}:
                with suppress(JobError, NotFound):
                    self._queue.delete(job_id)
            self._records.delete(run)

    def remove_old_jobs(self) -> int:
        """Delete jobs, with their logs, that ended long ago. Returns how many."""
        removed, before = 0, self._service.now() - timedelta(days=JOB_DAYS)
        for status in ("completed", "failed", "cancelled"):
            query = Job.by_status(queue=self._queue.name, status=status).hydrated()
            for job in self._service.store.iterate(query, size=200):
                if job.ended_at is None or job.ended_at >= before or removed >= JOBS_REMOVED_MAX:
                    break
                self._queue.delete(job.job_id)
                removed += 1
        return removed

    def _cancel(self, run: WorkflowExecution) -> None:
        if run.job_id is not None:
            with suppress(JobError, NotFound):
                self._queue.cancel(run.job_id)

    def _job(self, job_id: str) -> Job | None:
        return self._service.store.find(Job.key(job_id=job_id), consistent=True)

    def _record(self, caller: Caller, action: str, run: WorkflowExecution) -> None:
        self._service.audit.record(
            "ACTIONS",
            caller,
            action,
            f"asset/{run.database_id}/{run.asset_id}",
            executionId=run.execution_id,
            workflow=f"{run.workflow_database_id}/{run.workflow_id}",
            file=run.input_asset_file_key or "",
        )
