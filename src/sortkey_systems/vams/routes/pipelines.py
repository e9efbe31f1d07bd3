"""/pipelines and /database/{databaseId}/pipelines."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from sortkey_systems.vams.answers import MessageAnswer, WrappedItemsAnswer, wrapped
from sortkey_systems.vams.model import Pipeline
from sortkey_systems.vams.pages import Paging, page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route, errors_for
from sortkey_systems.vams.service import Vams
from sortkey_systems.vams.workflows.pipelines import pipeline_answer
from sortkey_systems.vams.workflows.values import PipelineValues

DatabasePath = Annotated[str, Path(max_length=256, examples=["plant-rotterdam"])]
PipelinePath = Annotated[str, Path(max_length=256, examples=["step-to-glb"])]
ShowDeleted = Annotated[bool, Query(description="Also deleted ones")]


def router(service: Vams) -> APIRouter:
    """The routes of pipelines."""
    made = APIRouter(route_class=Route, tags=["pipelines"])
    _add_reads(made, service)
    _add_writes(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    @made.get(
        "/pipelines",
        summary="List pipelines",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_pipelines(me: Me, paging: Pages, showDeleted: ShowDeleted = False) -> Any:
        return _page(service.pipelines.all(me, show_deleted=showDeleted), paging)

    @made.get(
        "/database/{databaseId}/pipelines",
        summary="List the pipelines of a database",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_of_database(
        databaseId: DatabasePath, me: Me, paging: Pages, showDeleted: ShowDeleted = False
    ) -> Any:
        return _page(service.pipelines.all(me, databaseId, show_deleted=showDeleted), paging)

    @made.get(
        "/database/{databaseId}/pipelines/{pipelineId}",
        summary="Get a pipeline",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def get_pipeline(
        databaseId: DatabasePath,
        pipelineId: PipelinePath,
        me: Me,
        showDeleted: ShowDeleted = False,
    ) -> Any:
        found = service.pipelines.get(me, databaseId, pipelineId, show_deleted=showDeleted)
        return {"message": pipeline_answer(found)}

    _ = list_pipelines, list_of_database, get_pipeline


def _add_writes(made: APIRouter, service: Vams) -> None:
    @made.put(
        "/pipelines",
        summary="Create or change a pipeline",
        response_model=MessageAnswer,
        responses=errors_for(404, 409),
    )
    def put_pipeline(wanted: PipelineValues, me: Me) -> Any:
        service.pipelines.put(me, wanted)
        return {"message": "Succeeded"}

    @made.delete(
        "/database/{databaseId}/pipelines/{pipelineId}",
        summary="Delete a pipeline",
        response_model=MessageAnswer,
        responses=errors_for(404, 409),
    )
    def delete_pipeline(databaseId: DatabasePath, pipelineId: PipelinePath, me: Me) -> Any:
        """Delete a pipeline that no workflow uses."""
        service.pipelines.delete(me, databaseId, pipelineId)
        return {"message": "Pipeline deleted"}

    _ = put_pipeline, delete_pipeline


def _page(found: list[Pipeline], paging: Paging) -> Any:
    page = page_of_list(
        "pipelines",
        found,
        paging,
        position=lambda each: f"{each.database_id}/{each.pipeline_id}/{int(each.in_archive)}",
    )
    return wrapped(page, pipeline_answer)
