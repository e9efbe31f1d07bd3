"""/database and /buckets."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from sortkey_systems.vams.answers import (
    ItemsAnswer,
    MessageAnswer,
    OperationAnswer,
    items,
    operation,
)
from sortkey_systems.vams.buckets import bucket_answer
from sortkey_systems.vams.databases import DatabaseChange, NewDatabase
from sortkey_systems.vams.pages import Page, page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

DatabasePath = Annotated[str, Path(max_length=256, examples=["plant-rotterdam"])]
ShowDeleted = Annotated[bool, Query(description="Deleted ones too")]


def router(service: Vams) -> APIRouter:
    """The routes of databases and buckets."""
    made = APIRouter(route_class=Route, tags=["databases"])
    _add_reads(made, service)
    _add_writes(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    @made.get("/database", summary="List databases", response_model=ItemsAnswer, responses=ERRORS)
    def list_databases(me: Me, paging: Pages, showDeleted: ShowDeleted = False) -> Any:
        found = service.databases.list(me, show_deleted=showDeleted)
        page = page_of_list("databases", found, paging, position=lambda each: each.database_id)
        return items(Page(list(service.databases.answers(me, page.items)), page.token))

    @made.get("/database/{database_id}", summary="Get a database", responses=ERRORS)
    def get_database(
        database_id: DatabasePath, me: Me, showDeleted: ShowDeleted = False
    ) -> dict[str, Any]:
        found = service.databases.get(me, database_id, is_deleted=showDeleted)
        return service.databases.answers(me, [found])[0]

    @made.get("/buckets", summary="List buckets", response_model=ItemsAnswer, responses=ERRORS)
    def list_buckets(me: Me, paging: Pages) -> Any:
        page = page_of_list(
            "buckets", service.buckets.all(me), paging, position=lambda each: each.bucket_id
        )
        return items(page, bucket_answer)

    _ = list_databases, get_database, list_buckets


def _add_writes(made: APIRouter, service: Vams) -> None:
    path = "/database/{database_id}"

    @made.post(
        "/database", summary="Create a database", response_model=MessageAnswer, responses=ERRORS
    )
    def create_database(wanted: NewDatabase, me: Me) -> Any:
        database = service.databases.create(me, wanted)
        message = f"Database {database.database_id} created successfully"
        return {"databaseId": database.database_id, "message": message}

    @made.put(path, summary="Change a database", response_model=OperationAnswer, responses=ERRORS)
    def change_database(database_id: DatabasePath, wanted: DatabaseChange, me: Me) -> Any:
        """What is not given stays."""
        service.databases.change(me, database_id, wanted)
        return operation("update", "Database updated successfully", databaseId=database_id)

    @made.delete(path, summary="Delete a database", response_model=MessageAnswer, responses=ERRORS)
    def delete_database(database_id: DatabasePath, me: Me) -> Any:
        """Only a database without assets, workflows and pipelines."""
        service.databases.delete(me, database_id)
        return {"message": "Database deleted"}

    _ = create_database, change_database, delete_database
