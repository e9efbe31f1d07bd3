"""Pipelines: what can be done to the files of assets. Each names what runs it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sortkey import Condition, Delete, Put, Store, Update, attr
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import PipelineObject, WorkflowObject
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.failures import Conflict, Invalid, NotThere
from sortkey_systems.vams.model import Pipeline, Workflow
from sortkey_systems.vams.model.workflows import WorkflowFunction
from sortkey_systems.vams.workflows.values import GLOBAL, PipelineValues

if TYPE_CHECKING:
    from sortkey_systems.vams.databases import Databases
    from sortkey_systems.vams.runners.registry import Runners

WORKFLOWS_CHANGED_MAX = 40
"""Workflows that change with a pipeline, in one transaction with it."""


def pipeline_object(pipeline: Pipeline) -> PipelineObject:
    """What permissions see of a pipeline."""
    return PipelineObject(
        pipeline.database_id,
        pipeline.pipeline_id,
        pipeline.pipeline_type or "",
        pipeline.pipeline_execution_type or "",
    )


def workflow_object(workflow: Workflow) -> WorkflowObject:
    """What permissions see of a workflow."""
    return WorkflowObject(workflow.database_id, workflow.workflow_id)


class Pipelines:
    """The pipelines of an installation."""

    def __init__(
        self, store: Store, access: Access, databases: Databases, runners: Runners
    ) -> None:
        self._store, self._access = store, access
        self._databases, self._runners = databases, runners

    # -- reads

    def all(
        self, caller: Caller, database_id: str | None = None, *, show_deleted: bool = False
    ) -> list[Pipeline]:
        """The pipelines that the caller may see: of a database, or of all of them."""
        is_visible = self._access.filter(caller)
        found = self._of(database_id, show_deleted)
        return [pipeline for pipeline in found if is_visible(pipeline_object(pipeline))]

    def get(
        self, caller: Caller, database_id: str, pipeline_id: str, *, show_deleted: bool = False
    ) -> Pipeline:
        """A pipeline. Raises NotThere, and Denied."""
        pipeline = self.find(database_id, pipeline_id)
        if pipeline is None and show_deleted:
            key = Pipeline.key(database_id=database_id, pipeline_id=pipeline_id).archived()
            pipeline = self._store.find(key, consistent=True)
        if pipeline is None:
            raise unknown(pipeline_id)
        self._access.require(caller, "GET", pipeline_object(pipeline))
        return pipeline

    def find(self, database_id: str, pipeline_id: str) -> Pipeline | None:
        """A pipeline that is not deleted, without asking for permission."""
        key = Pipeline.key(database_id=database_id, pipeline_id=pipeline_id)
        return self._store.find(key, consistent=True)

    def _of(self, database_id: str | None, show_deleted: bool) -> Iterator[Pipeline]:
        if database_id is None:
            stored = self._store.scan(Pipeline)
            yield from (each for each in stored if show_deleted or not each.in_archive)
            return
        check_database(self._databases, database_id)
        query = Pipeline.of_database(database_id=database_id)
        yield from self._store.iterate(query)
        if show_deleted:
            yield from self._store.iterate(query.archived())

    # -- writes

    def put(self, caller: Caller, wanted: PipelineValues) -> Pipeline:
        """Create or replace a pipeline. Its execution type never changes afterwards."""
        current = self.find(wanted.databaseId, wanted.pipelineId)
        new = self._entity(wanted, current)
        self._access.require(caller, "PUT", pipeline_object(new))
        if current is not None:
            self._access.require(caller, "PUT", pipeline_object(current))
        check_database(self._databases, wanted.databaseId)
        if current is not None and current.pipeline_execution_type not in (
            None,
            wanted.pipelineExecutionType,
        ):
            raise Invalid(
                f"the execution type of {wanted.pipelineId} is {current.pipeline_execution_type} "
                "and cannot change: create another pipeline"
            )
        self._runners.check(wanted.pipelineExecutionType, wanted.resource())
        users = self._workflows_to_change(caller, new) if wanted.updateAssociatedWorkflows else []
        put = Put(new, "put", _unchanged(current)) if current else Put(new, "create")
        try:
            self._store.transact(put, *(Put(each) for each in users))
        except TransactionFailed:
            raise Conflict("the pipeline was changed at the same time: try again") from None
        self._record(caller, "pipeline.put", new)
        return new

    def delete(self, caller: Caller, database_id: str, pipeline_id: str) -> None:
        """Delete a pipeline, unless a workflow uses it."""
        pipeline = self.find(database_id, pipeline_id)
        if pipeline is None:
            raise unknown(pipeline_id)
        self._access.require(caller, "DELETE", pipeline_object(pipeline))
        user = next(self.workflows_with(pipeline), None)
        if user is not None:
            raise Invalid(
                f"{self._named(caller, user)} uses the pipeline {pipeline_id}: "
                "delete or change the workflow first"
            )
        key = Pipeline.key(database_id=database_id, pipeline_id=pipeline_id)
        try:
            self._store.transact(
                Put(pipeline.moved_to_archive(True)), Delete(key, _unchanged(pipeline))
            )
        except TransactionFailed:
            raise Conflict("a workflow began to use the pipeline: look again") from None
        self._record(caller, "pipeline.delete", pipeline)

    def usage_write(self, pipeline: Pipeline) -> Update[Pipeline]:
        """Part of each transaction by which a workflow begins to use a pipeline. It fails if the
        pipeline is gone.
        """
        key = Pipeline.key(database_id=pipeline.database_id, pipeline_id=pipeline.pipeline_id)
        return Update(key, (attr(Pipeline.usage_mark).set(secrets.token_hex(8)),))

    def workflows_with(self, pipeline: Pipeline) -> Iterator[Workflow]:
        """The workflows that use a pipeline. One of GLOBAL may be used everywhere."""
        if pipeline.database_id == GLOBAL:
            stored = (each for each in self._store.scan(Workflow) if not each.in_archive)
        else:
            query = Workflow.of_database(database_id=pipeline.database_id).consistent()
            stored = self._store.iterate(query)
        for workflow in stored:
            if any(_is_of(function, pipeline) for function in workflow.functions):
                yield workflow

    def _named(self, caller: Caller, workflow: Workflow) -> str:
        """A workflow in a message: by its id only for who may see it."""
        if self._access.allowed(caller, "GET", workflow_object(workflow)):
            return f"the workflow {workflow.workflow_id}"
        return "a workflow"

    def _workflows_to_change(self, caller: Caller, pipeline: Pipeline) -> list[Workflow]:
        """The workflows that use a pipeline, with its new settings. The caller must be allowed to
        change each of them. Raises Denied.
        """
        found = [_with_settings(each, pipeline) for each in self.workflows_with(pipeline)]
        self._access.require(caller, "PUT", *map(workflow_object, found))
        if len(found) > WORKFLOWS_CHANGED_MAX:
            raise Invalid(
                f"{len(found)} workflows use the pipeline, and at most {WORKFLOWS_CHANGED_MAX} "
                "change with it: leave updateAssociatedWorkflows out and change them one by one"
            )
        return found

    def _entity(self, wanted: PipelineValues, current: Pipeline | None) -> Pipeline:
        now = now_text()
        enabled = wanted.enabled
        if enabled is None:
            enabled = current is None or current.enabled is not False
        return Pipeline(
            database_id=wanted.databaseId,
            pipeline_id=wanted.pipelineId,
            description=wanted.description,
            pipeline_type=wanted.pipelineType,
            pipeline_execution_type=wanted.pipelineExecutionType,
            asset_type=wanted.assetType,
            output_type=wanted.outputType,
            wait_for_callback=wanted.waitForCallback,
            task_timeout=wanted.taskTimeout,
            task_heartbeat_timeout=wanted.taskHeartbeatTimeout,
            user_provided_resource=json.dumps(wanted.resource()),
            input_parameters=wanted.inputParameters,
            enabled=enabled,
            date_created=(current.date_created if current else None) or now,
            date_modified=now,
            usage_mark=(current.usage_mark if current else None) or secrets.token_hex(8),
        )

    def _record(self, caller: Caller, action: str, pipeline: Pipeline) -> None:
        subject = f"pipeline/{pipeline.database_id}/{pipeline.pipeline_id}"
        self._access.audit.record("ACTIONS", caller, action, subject)


def _unchanged(pipeline: Pipeline) -> Condition:
    """A condition that no workflow has begun or ceased to use it since it was read."""
    mark = attr(Pipeline.usage_mark)
    return mark.missing() if pipeline.usage_mark is None else mark == pipeline.usage_mark


def check_database(databases: Databases, database_id: str) -> None:
    """Raise NotThere unless the database exists. GLOBAL always does."""
    if database_id != GLOBAL and databases.find(database_id) is None:
        raise NotThere(f"the database {database_id[:63]} does not exist")


def unknown(pipeline_id: str) -> NotThere:
    """The error for a pipeline that does not exist."""
    return NotThere(f"the pipeline {pipeline_id[:63]} does not exist")


def _is_of(function: WorkflowFunction, pipeline: Pipeline) -> bool:
    return (function.name, function.database_id) == (pipeline.pipeline_id, pipeline.database_id)


def _with_settings(workflow: Workflow, pipeline: Pipeline) -> Workflow:
    functions = tuple(
        function_of(pipeline) if _is_of(function, pipeline) else function
        for function in workflow.functions
    )
    return workflow.changed(stored_functions=functions, date_modified=now_text())


def function_of(pipeline: Pipeline) -> WorkflowFunction:
    """The step that a pipeline is in a workflow, with the settings it has now."""
    return WorkflowFunction(
        name=pipeline.pipeline_id,
        database_id=pipeline.database_id,
        pipeline_type=pipeline.pipeline_type,
        pipeline_execution_type=pipeline.pipeline_execution_type,
        output_type=pipeline.output_type,
        wait_for_callback=pipeline.wait_for_callback,
        user_provided_resource=pipeline.user_provided_resource,
        task_timeout=pipeline.task_timeout,
        task_heartbeat_timeout=pipeline.task_heartbeat_timeout,
        input_parameters=pipeline.input_parameters,
    )


def pipeline_answer(pipeline: Pipeline) -> dict[str, Any]:
    """A pipeline as lists show it."""
    return {
        "pipelineId": pipeline.pipeline_id,
        "databaseId": pipeline.database_id,
        "description": pipeline.description or "",
        "pipelineType": pipeline.pipeline_type or "standardFile",
        "pipelineExecutionType": pipeline.pipeline_execution_type or "Lambda",
        "assetType": pipeline.asset_type or "",
        "outputType": pipeline.output_type or "",
        "waitForCallback": pipeline.wait_for_callback or "Disabled",
        "taskTimeout": _text(pipeline.task_timeout),
        "taskHeartbeatTimeout": _text(pipeline.task_heartbeat_timeout),
        "userProvidedResource": pipeline.user_provided_resource or "",
        "inputParameters": pipeline.input_parameters or "",
        "enabled": pipeline.enabled is not False,
        "dateCreated": pipeline.date_created or "",
        "dateModified": pipeline.date_modified or "",
        **({"isDeleted": True} if pipeline.in_archive else {}),
    }


def _text(seconds: int | None) -> str:
    return "" if seconds is None else str(seconds)
