"""Workflows: pipelines in order, which run on an asset or one of its files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sortkey import Put, Store
from sortkey.errors import TransactionFailed
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.access.control import Access
from sortkey_systems.vams.access.objects import WorkflowObject
from sortkey_systems.vams.answers import now_text, without_none
from sortkey_systems.vams.failures import Conflict, Invalid, NotThere
from sortkey_systems.vams.model import Pipeline, Workflow
from sortkey_systems.vams.model.workflows import WorkflowFunction
from sortkey_systems.vams.workflows.pipelines import (
    Pipelines,
    check_database,
    function_of,
    pipeline_object,
    unknown,
    workflow_object,
)
from sortkey_systems.vams.workflows.values import (
    GLOBAL,
    FunctionValues,
    WorkflowValues,
    extensions_text,
)

if TYPE_CHECKING:
    from sortkey_systems.vams.databases import Databases


class Workflows:
    """The workflows of an installation."""

    def __init__(
        self, store: Store, access: Access, databases: Databases, pipelines: Pipelines
    ) -> None:
        self._store, self._access = store, access
        self._databases, self._pipelines = databases, pipelines

    # -- reads

    def all(
        self, caller: Caller, database_id: str | None = None, *, show_deleted: bool = False
    ) -> list[Workflow]:
        """The workflows that the caller may see: of a database, or of all of them."""
        is_visible = self._access.filter(caller)
        found = self._of(database_id, show_deleted)
        return [workflow for workflow in found if is_visible(workflow_object(workflow))]

    def get(
        self, caller: Caller, database_id: str, workflow_id: str, *, show_deleted: bool = False
    ) -> Workflow:
        """A workflow. Raises NotThere, and Denied."""
        workflow = self.find(database_id, workflow_id)
        if workflow is None and show_deleted:
            key = Workflow.key(database_id=database_id, workflow_id=workflow_id).archived()
            workflow = self._store.find(key, consistent=True)
        if workflow is None:
            raise unknown_workflow(workflow_id)
        self._access.require(caller, "GET", workflow_object(workflow))
        return workflow

    def find(self, database_id: str, workflow_id: str) -> Workflow | None:
        """A workflow that is not deleted, without asking for permission."""
        key = Workflow.key(database_id=database_id, workflow_id=workflow_id)
        return self._store.find(key, consistent=True)

    def of_database(self, database_id: str) -> Iterator[Workflow]:
        """The workflows of a database, without asking for permission."""
        return self._store.iterate(Workflow.of_database(database_id=database_id))

    def _of(self, database_id: str | None, show_deleted: bool) -> Iterator[Workflow]:
        if database_id is None:
            stored = self._store.scan(Workflow)
            yield from (each for each in stored if show_deleted or not each.in_archive)
            return
        check_database(self._databases, database_id)
        query = Workflow.of_database(database_id=database_id)
        yield from self._store.iterate(query)
        if show_deleted:
            yield from self._store.iterate(query.archived())

    # -- writes

    def put(self, caller: Caller, wanted: WorkflowValues) -> Workflow:
        """Create or replace a workflow."""
        database_id, workflow_id = wanted.databaseId, wanted.workflowId
        self._access.require(caller, "PUT", WorkflowObject(database_id, workflow_id))
        check_database(self._databases, database_id)
        functions, used = list[WorkflowFunction](), dict[tuple[str, str], Pipeline]()
        for each in wanted.specifiedPipelines.functions:
            pipeline = self._pipeline(caller, database_id, each)
            used[pipeline.database_id, pipeline.pipeline_id] = pipeline
            functions.append(_function(each, pipeline))
        current, now = self.find(database_id, workflow_id), now_text()
        workflow = Workflow(
            database_id=database_id,
            workflow_id=workflow_id,
            description=wanted.description,
            stored_functions=tuple(functions),
            auto_trigger_on_file_extensions_upload=extensions_text(
                wanted.autoTriggerOnFileExtensionsUpload
            ),
            date_created=(current.date_created if current else None) or now,
            date_modified=now,
        )
        try:
            usage = (self._pipelines.usage_write(each) for each in used.values())
            self._store.transact(Put(workflow), *usage)
        except TransactionFailed:
            raise Conflict("one of the pipelines was deleted at the same time") from None
        self._record(caller, "workflow.put", workflow)
        return workflow

    def delete(self, caller: Caller, database_id: str, workflow_id: str) -> None:
        """Delete a workflow. Its runs stay, and those underway go on."""
        workflow = self.find(database_id, workflow_id)
        if workflow is None:
            raise unknown_workflow(workflow_id)
        self._access.require(caller, "DELETE", workflow_object(workflow))
        deleted = Workflow.key(database_id=database_id, workflow_id=workflow_id).archived()
        self._store.delete(deleted)  # one that had this id before
        self._store.archive(workflow)
        self._record(caller, "workflow.delete", workflow)

    def _pipeline(self, caller: Caller, database_id: str, wanted: FunctionValues) -> Pipeline:
        allowed = {GLOBAL, database_id}
        if wanted.databaseId not in allowed:
            reach = "GLOBAL" if database_id == GLOBAL else f"GLOBAL and of {database_id}"
            raise Invalid(f"a workflow of {database_id} uses pipelines of {reach} only")
        pipeline = self._pipelines.find(wanted.databaseId, wanted.name)
        if pipeline is None:
            raise unknown(wanted.name)
        self._access.require(caller, "GET", pipeline_object(pipeline))
        return pipeline

    def _record(self, caller: Caller, action: str, workflow: Workflow) -> None:
        subject = f"workflow/{workflow.database_id}/{workflow.workflow_id}"
        self._access.audit.record("ACTIONS", caller, action, subject)


def unknown_workflow(workflow_id: str) -> NotThere:
    """The error for a workflow that does not exist."""
    return NotThere(f"the workflow {workflow_id[:63]} does not exist")


def _function(wanted: FunctionValues, pipeline: Pipeline) -> WorkflowFunction:
    """A step: its settings where they are given, otherwise those of the pipeline. What runs it is
    always the pipeline's.
    """
    own = function_of(pipeline)
    given = {
        "output_type": wanted.outputType,
        "wait_for_callback": wanted.waitForCallback,
        "task_timeout": wanted.taskTimeout,
        "task_heartbeat_timeout": wanted.taskHeartbeatTimeout,
        "input_parameters": wanted.inputParameters,
    }
    return own.model_copy(update=without_none(given))


def workflow_answer(workflow: Workflow) -> dict[str, Any]:
    """A workflow as lists show it."""
    return {
        "workflowId": workflow.workflow_id,
        "databaseId": workflow.database_id,
        "description": workflow.description or "",
        "specifiedPipelines": {"functions": [_shown(each) for each in workflow.functions]},
        "workflow_arn": f"arn:aws:states:local:vams:stateMachine:{workflow.database_id}-"
        f"{workflow.workflow_id}",
        "autoTriggerOnFileExtensionsUpload": workflow.auto_trigger_on_file_extensions_upload or "",
        "dateCreated": workflow.date_created or "",
        "dateModified": workflow.date_modified or "",
        **({"isDeleted": True} if workflow.in_archive else {}),
    }


def _shown(function: WorkflowFunction) -> dict[str, Any]:
    return {
        "name": function.name,
        "databaseId": function.database_id,
        "pipelineType": function.pipeline_type or "standardFile",
        "pipelineExecutionType": function.pipeline_execution_type or "Lambda",
        "outputType": function.output_type or "",
        "waitForCallback": function.wait_for_callback or "Disabled",
        "userProvidedResource": function.user_provided_resource or "",
        "taskTimeout": "" if function.task_timeout is None else str(function.task_timeout),
        "taskHeartbeatTimeout": ""
        if function.task_heartbeat_timeout is None
        else str(function.task_heartbeat_timeout),
        "inputParameters": function.input_parameters or "",
    }
