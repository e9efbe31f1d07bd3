"""/database/{databaseId}/assets/{assetId}/workflows: runs of workflows on an asset."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.answers import (
    MessageAnswer,
    OperationAnswer,
    WrappedItemsAnswer,
    now_text,
    operation,
    wrapped,
)
from sortkey_systems.vams.model import WorkflowExecution
from sortkey_systems.vams.model.workflows import ExecutionStep
from sortkey_systems.vams.pages import Paging, page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams
from sortkey_systems.vams.workflows.values import ListValues, StartValues

BASE = "/database/{databaseId}/assets/{assetId}/workflows"
ONE = BASE + "/executions/{workflowId}/{executionId}"
LOG_PAGE = 1000

DatabasePath = Annotated[str, Path(max_length=256, examples=["plant-rotterdam"])]
AssetPath = Annotated[str, Path(max_length=256, examples=["pump-p101"])]
WorkflowPath = Annotated[str, Path(max_length=256, examples=["web-model"])]
ExecutionPath = Annotated[str, Path(max_length=256, examples=["run-0140"])]
OfDatabase = Annotated[str | None, Query(max_length=256, description="Of this database only")]
ListBody = Annotated[ListValues | None, Body()]
StartBody = Annotated[StartValues | None, Body()]


def router(service: Vams) -> APIRouter:
    """The routes of executions."""
    made = APIRouter(route_class=Route, tags=["executions"])
    _add_lists(made, service)
    _add_lists_by_post(made, service)
    _add_one(made, service)
    _add_changes(made, service)
    _add_start(made, service)  # last: its path would take those of the lists
    return made


def _add_lists(made: APIRouter, service: Vams) -> None:
    @made.get(
        BASE + "/executions",
        summary="List the executions on an asset",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_all(
        databaseId: DatabasePath,
        assetId: AssetPath,
        me: Me,
        paging: Pages,
        workflowDatabaseId: OfDatabase = None,
    ) -> Any:
        return _listed(service, me, databaseId, assetId, paging, workflowDatabaseId)

    @made.get(
        BASE + "/executions/{workflowId}",
        summary="List the executions of a workflow on an asset",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_of_workflow(
        databaseId: DatabasePath,
        assetId: AssetPath,
        workflowId: WorkflowPath,
        me: Me,
        paging: Pages,
        workflowDatabaseId: OfDatabase = None,
    ) -> Any:
        return _listed(service, me, databaseId, assetId, paging, workflowDatabaseId, workflowId)

    _ = list_all, list_of_workflow


def _add_lists_by_post(made: APIRouter, service: Vams) -> None:
    @made.post(
        BASE + "/executions",
        summary="List the executions on an asset",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_by_post(
        databaseId: DatabasePath,
        assetId: AssetPath,
        me: Me,
        paging: Pages,
        wanted: ListBody = None,
    ) -> Any:
        """The same list, as the command line tool asks for it. Nothing is run."""
        values = wanted or ListValues()
        found = _paging(values, paging)
        return _listed(service, me, databaseId, assetId, found, values.workflowDatabaseId)

    @made.post(
        BASE + "/executions/{workflowId}",
        summary="List the executions of a workflow on an asset",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_of_workflow_by_post(
        databaseId: DatabasePath,
        assetId: AssetPath,
        workflowId: WorkflowPath,
        me: Me,
        paging: Pages,
        wanted: ListBody = None,
    ) -> Any:
        """The same list, as the command line tool asks for it. Nothing is run."""
        values = wanted or ListValues()
        found = _paging(values, paging)
        return _listed(
            service, me, databaseId, assetId, found, values.workflowDatabaseId, workflowId
        )

    _ = list_by_post, list_of_workflow_by_post


def _add_one(made: APIRouter, service: Vams) -> None:
    @made.get(ONE, summary="Get an execution", response_model=MessageAnswer, responses=ERRORS)
    def get_execution(
        databaseId: DatabasePath,
        assetId: AssetPath,
        workflowId: WorkflowPath,
        executionId: ExecutionPath,
        me: Me,
    ) -> Any:
        """One execution with its steps and its progress."""
        run = service.executions.get(me, databaseId, assetId, executionId, workflow_id=workflowId)
        return {"message": full_answer(run, service.executions.progress(run))}

    @made.get(
        ONE + "/logs",
        summary="Read the log of an execution",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def get_logs(
        databaseId: DatabasePath,
        assetId: AssetPath,
        workflowId: WorkflowPath,
        executionId: ExecutionPath,
        me: Me,
        paging: Pages,
    ) -> Any:
        run = service.executions.get(me, databaseId, assetId, executionId, workflow_id=workflowId)
        lines = list(enumerate(service.executions.logs(run)))
        page = page_of_list(
            "logs",
            lines,
            paging,
            position=lambda each: f"{each[0]:08d}",
            default=LOG_PAGE,
            most=LOG_PAGE,
        )
        return wrapped(page, lambda each: each[1])

    _ = get_execution, get_logs


def _add_changes(made: APIRouter, service: Vams) -> None:
    @made.post(
        ONE + "/abort",
        summary="Abort an execution",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def abort(
        databaseId: DatabasePath,
        assetId: AssetPath,
        workflowId: WorkflowPath,
        executionId: ExecutionPath,
        me: Me,
    ) -> Any:
        run = service.executions.abort(me, databaseId, assetId, executionId, workflow_id=workflowId)
        return operation("update", "Execution aborted", executionId=run.execution_id)

    @made.post(
        ONE + "/rerun",
        summary="Run a workflow again on the same file",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def rerun(
        databaseId: DatabasePath,
        assetId: AssetPath,
        workflowId: WorkflowPath,
        executionId: ExecutionPath,
        me: Me,
    ) -> Any:
        run = service.executions.rerun(me, databaseId, assetId, executionId, workflow_id=workflowId)
        return {"message": run.execution_id}

    _ = abort, rerun


def _add_start(made: APIRouter, service: Vams) -> None:
    @made.post(
        BASE + "/{workflowId}",
        summary="Run a workflow on an asset or a file",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def start(
        databaseId: DatabasePath,
        assetId: AssetPath,
        workflowId: WorkflowPath,
        me: Me,
        wanted: StartBody = None,
    ) -> Any:
        """The message is the id of the execution."""
        run = service.executions.start(me, databaseId, assetId, workflowId, wanted or StartValues())
        return {"message": run.execution_id}

    _ = start


def _listed(
    service: Vams,
    caller: Caller,
    database_id: str,
    asset_id: str,
    paging: Paging,
    workflow_database_id: str | None,
    workflow_id: str | None = None,
) -> Any:
    page = service.executions.page(
        caller,
        database_id,
        asset_id,
        paging,
        workflow_id=workflow_id,
        workflow_database_id=workflow_database_id or None,
    )
    return wrapped(page, execution_answer)


def _paging(values: ListValues, paging: Paging) -> Paging:
    """The page that the body asks for, otherwise the query."""
    size = values.pageSize or values.maxItems or paging.size
    return Paging(size, values.startingToken or paging.token)


def execution_answer(run: WorkflowExecution) -> dict[str, Any]:
    """An execution as lists show it."""
    return {
        "workflowDatabaseId": run.workflow_database_id,
        "workflowId": run.workflow_id,
        "executionId": run.execution_id,
        "executionStatus": run.execution_status or "SUCCEEDED",
        "startDate": _instant(run.start_date),
        "stopDate": _instant(run.stop_date),
        "inputAssetFileKey": run.input_asset_file_key or "",
    }


def full_answer(run: WorkflowExecution, progress: int) -> dict[str, Any]:
    """An execution with its steps."""
    return {
        **execution_answer(run),
        "executedBy": run.executed_by or "",
        "progress": progress,
        "error": run.error,
        "steps": [_step_answer(step) for step in run.steps],
    }


def _step_answer(step: ExecutionStep) -> dict[str, Any]:
    return {
        "pipelineId": step.name,
        "databaseId": step.database_id,
        "status": step.status,
        "attempt": step.attempt,
        "startDate": _instant(step.start_date),
        "stopDate": _instant(step.stop_date),
        "message": step.message,
    }


def _instant(instant: datetime | None) -> str:
    return now_text(instant) if instant is not None else ""
