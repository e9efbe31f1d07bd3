"""/auth/constraints and the import of templates. Tier 1 alone decides who may use them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Path

from sortkey_systems.vams.access.constraints import Template
from sortkey_systems.vams.access.definitions import ConstraintDefinition
from sortkey_systems.vams.answers import (
    MessageAnswer,
    OperationAnswer,
    WrappedItemsAnswer,
    now_text,
    operation,
    wrapped,
)
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.pages import page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

ConstraintPath = Annotated[str, Path(max_length=256, examples=["edit-plant"])]
Values = Annotated[dict[str, Any], Body(description="A constraint", examples=[{"name": "plant"}])]


def router(service: Vams) -> APIRouter:
    """The routes of constraints."""
    made = APIRouter(route_class=Route, tags=["constraints"])
    _add_reads(made, service)
    _add_writes(made, service)
    _add_import(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    @made.get(
        "/auth/constraints",
        summary="List constraints",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_constraints(me: Me, paging: Pages) -> Any:
        rows = service.constraints.all()
        page = page_of_list("constraints", rows, paging, position=lambda row: row["constraintId"])
        return wrapped(page)

    @made.get("/auth/constraints/{constraint_id}", summary="Get a constraint", responses=ERRORS)
    def get_constraint(constraint_id: ConstraintPath, me: Me) -> dict[str, Any]:
        return {"constraint": service.constraints.get(constraint_id)}

    _ = list_constraints, get_constraint


def _add_writes(made: APIRouter, service: Vams) -> None:
    @made.post(
        "/auth/constraints/{constraint_id}",
        summary="Create or replace a constraint",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    @made.put(
        "/auth/constraints/{constraint_id}",
        summary="Replace a constraint",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def write_constraint(constraint_id: ConstraintPath, values: Values, me: Me) -> Any:
        """Write a constraint under its exact id; others whose ids begin alike stay."""
        definition = _definition(constraint_id, values)
        if service.constraints.write(me, definition):
            message = "Constraint created successfully"
            return operation("create", message, constraintId=constraint_id)
        return operation("update", "Constraint updated successfully", constraintId=constraint_id)

    @made.delete(
        "/auth/constraints/{constraint_id}",
        summary="Delete a constraint",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def delete_constraint(constraint_id: ConstraintPath, me: Me) -> Any:
        service.constraints.delete(me, constraint_id)
        return operation("delete", "Constraint deleted successfully", constraintId=constraint_id)

    _ = write_constraint, delete_constraint


def _add_import(made: APIRouter, service: Vams) -> None:
    @made.post(
        "/auth/constraintsTemplateImport",
        summary="Write the constraints of a template",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def import_template(template: Template, me: Me) -> Any:
        """`{{VARIABLES}}` are replaced by their values. All constraints are checked first."""
        ids = service.constraints.import_template(me, template)
        return {
            "success": True,
            "message": f"Imported {len(ids)} constraints",
            "constraintsCreated": len(ids),
            "constraintIds": ids,
            "timestamp": now_text(),
        }

    _ = import_template


def _definition(constraint_id: str, values: dict[str, Any]) -> ConstraintDefinition:
    if not constraint_id.strip():
        raise NotThere("Constraint not found")
    return ConstraintDefinition.model_validate({**values, "constraintId": constraint_id})
