"""/workflows and /database/{databaseId}/workflows."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from sortkey_systems.vams.answers import MessageAnswer, WrappedItemsAnswer, wrapped
from sortkey_systems.vams.model import Workflow
from sortkey_systems.vams.pages import Paging, page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route, errors_for
from sortkey_systems.vams.service import Vams
from sortkey_systems.vams.workflows.values import WorkflowValues
from sortkey_systems.vams.workflows.workflows import workflow_answer

DatabasePath = Annotated[str, Path(max_length=256, examples=["plant-rotterdam"])]
WorkflowPath = Annotated[str, Path(max_length=256, examples=["web-model"])]
ShowDeleted = Annotated[bool, Query(description="Also deleted ones")]


def router(service: Vams) -> APIRouter:
    """The routes of workflows."""
    made = APIRouter(route_class=Route, tags=["workflows"])
    _add_reads(made, service)
    _add_writes(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    @made.get(
        "/workflows",
        summary="List workflows",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_workflows(me: Me, paging: Pages, showDeleted: ShowDeleted = False) -> Any:
        return _page(service.workflows.all(me, show_deleted=showDeleted), paging)

    @made.get(
        "/database/{databaseId}/workflows",
        summary="List the workflows of a database",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_of_database(
        databaseId: DatabasePath, me: Me, paging: Pages, showDeleted: ShowDeleted = False
    ) -> Any:
        return _page(service.workflows.all(me, databaseId, show_deleted=showDeleted), paging)

    @made.get(
        "/database/{databaseId}/workflows/{workflowId}",
        summary="Get a workflow",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def get_workflow(
        databaseId: DatabasePath,
        workflowId: WorkflowPath,
        me: Me,
        showDeleted: ShowDeleted = False,
    ) -> Any:
        found = service.workflows.get(me, databaseId, workflowId, show_deleted=showDeleted)
        return {"message": workflow_answer(found)}

    _ = list_workflows, list_of_database, get_workflow


def _add_writes(made: APIRouter, service: Vams) -> None:
    @made.put(
        "/workflows",
        summary="Create or change a workflow",
        response_model=MessageAnswer,
        responses=errors_for(404, 409),
    )
    def put_workflow(wanted: WorkflowValues, me: Me) -> Any:
        service.workflows.put(me, wanted)
        return {"message": "Succeeded"}

    @made.delete(
        "/database/{databaseId}/workflows/{workflowId}",
        summary="Delete a workflow",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def delete_workflow(databaseId: DatabasePath, workflowId: WorkflowPath, me: Me) -> Any:
        """Delete a workflow. Its executions stay."""
        service.workflows.delete(me, databaseId, workflowId)
        return {"message": "Workflow deleted"}

    _ = put_workflow, delete_workflow


def _page(found: list[Workflow], paging: Paging) -> Any:
    page = page_of_list(
        "workflows",
        found,
        paging,
        position=lambda each: f"{each.database_id}/{each.workflow_id}/{int(each.in_archive)}",
    )
    return wrapped(page, workflow_answer)
