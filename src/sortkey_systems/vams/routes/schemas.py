"""/metadataschema and /database/{id}/metadataSchema/{schemaId}."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from sortkey_systems.vams.answers import ItemsAnswer, OperationAnswer, items, operation
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.metadata.schema_values import NewSchema, SchemaChange, schema_answer
from sortkey_systems.vams.pages import page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

DatabasePath = Annotated[str, Path(max_length=256, examples=["plant-rotterdam"])]
SchemaPath = Annotated[str, Path(max_length=256, examples=["schema-equipment"])]
Filter = Annotated[str | None, Query(max_length=256, pattern="^[^:#]*$")]
ONE = "/database/{database_id}/metadataSchema/{schema_id}"


class SchemaDeletion(BaseModel):
    """The deletion must be confirmed."""

    confirmDelete: bool = False


def router(service: Vams) -> APIRouter:
    """The routes of schemas."""
    made = APIRouter(route_class=Route, tags=["metadata schemas"])
    _add_reads(made, service)
    _add_writes(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    @made.get(
        "/metadataschema",
        summary="List metadata schemas",
        response_model=ItemsAnswer,
        responses=ERRORS,
    )
    def list_schemas(
        me: Me, paging: Pages, databaseId: Filter = None, metadataEntityType: Filter = None
    ) -> Any:
        rows = service.schemas.all(me, databaseId, metadataEntityType)
        page = page_of_list(
            "schemas", rows, paging, position=lambda schema: schema.metadata_schema_id
        )
        return items(page, schema_answer, message="Success")

    @made.get(ONE, summary="Get a metadata schema", responses=ERRORS)
    def get_schema(database_id: DatabasePath, schema_id: SchemaPath, me: Me) -> dict[str, Any]:
        return schema_answer(service.schemas.get(me, database_id, schema_id))

    _ = list_schemas, get_schema


def _add_writes(made: APIRouter, service: Vams) -> None:
    options: dict[str, Any] = {"response_model": OperationAnswer, "responses": ERRORS}

    @made.post("/metadataschema", summary="Create a metadata schema", **options)
    def create_schema(wanted: NewSchema, me: Me) -> Any:
        schema_id = service.schemas.create(me, wanted).metadata_schema_id
        message = "Metadata schema created successfully"
        return operation("create", message, metadataSchemaId=schema_id)

    @made.put("/metadataschema", summary="Change a metadata schema", **options)
    def change_schema(wanted: SchemaChange, me: Me) -> Any:
        """What is not given stays. The database and the entity type cannot change."""
        schema_id = service.schemas.change(me, wanted).metadata_schema_id
        message = "Metadata schema updated successfully"
        return operation("update", message, metadataSchemaId=schema_id)

    @made.delete(ONE, summary="Delete a metadata schema", **options)
    def delete_schema(
        database_id: DatabasePath,
        schema_id: SchemaPath,
        me: Me,
        wanted: SchemaDeletion | None = None,
    ) -> Any:
        """Values that followed the schema stay."""
        if wanted is None or not wanted.confirmDelete:
            raise Invalid("confirmDelete must be true")
        service.schemas.delete(me, database_id, schema_id)
        message = "Metadata schema deleted successfully"
        return operation("delete", message, metadataSchemaId=schema_id)

    _ = create_schema, change_schema, delete_schema
