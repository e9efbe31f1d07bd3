"""/roles and /user-roles."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel

from sortkey_systems.vams.access.roles import (
    RoleValues,
    UserId,
    UserRolesValues,
    role_answer,
)
from sortkey_systems.vams.answers import (
    MessageAnswer,
    OperationAnswer,
    WrappedItemsAnswer,
    operation,
    wrapped,
)
from sortkey_systems.vams.pages import page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

RolePath = Annotated[str, Path(max_length=256, examples=["engineers"])]


class UserOfRoles(BaseModel):
    """Whose roles are meant."""

    userId: UserId


def router(service: Vams) -> APIRouter:
    """The routes of roles."""
    made = APIRouter(route_class=Route, tags=["roles"])
    _add_roles(made, service)
    _add_user_roles(made, service)
    return made


def _add_roles(made: APIRouter, service: Vams) -> None:
    @made.get("/roles", summary="List roles", response_model=WrappedItemsAnswer, responses=ERRORS)
    def list_roles(me: Me, paging: Pages) -> Any:
        page = page_of_list(
            "roles", service.roles.all(me), paging, position=lambda role: role.role_name
        )
        return wrapped(page, role_answer)

    @made.post("/roles", summary="Create a role", response_model=OperationAnswer, responses=ERRORS)
    def create_role(wanted: RoleValues, me: Me) -> Any:
        role = service.roles.create(me, wanted)
        return operation("create", "Role created successfully", roleName=role.role_name)

    @made.put("/roles", summary="Change a role", response_model=OperationAnswer, responses=ERRORS)
    def change_role(wanted: RoleValues, me: Me) -> Any:
        role = service.roles.change(me, wanted)
        return operation("update", "Role updated successfully", roleName=role.role_name)

    @made.delete(
        "/roles/{role_name}",
        summary="Delete a role",
        response_model=MessageAnswer,
        responses=ERRORS,
    )
    def delete_role(role_name: RolePath, me: Me) -> Any:
        """Delete a role, and take it from its users."""
        service.roles.delete(me, role_name)
        return {"message": "success"}

    _ = list_roles, create_role, change_role, delete_role


def _add_user_roles(made: APIRouter, service: Vams) -> None:
    @made.get(
        "/user-roles",
        summary="List users with their roles",
        response_model=WrappedItemsAnswer,
        responses=ERRORS,
    )
    def list_user_roles(me: Me, paging: Pages) -> Any:
        rows = service.roles.of_users(me)
        return wrapped(page_of_list("user-roles", rows, paging, position=lambda row: row["userId"]))

    @made.post(
        "/user-roles",
        summary="Give a user roles",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def assign(wanted: UserRolesValues, me: Me) -> Any:
        service.roles.assign(me, wanted)
        return operation("create", "User roles created successfully", userId=wanted.userId)

    @made.put(
        "/user-roles",
        summary="Replace the roles of a user",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def replace(wanted: UserRolesValues, me: Me) -> Any:
        service.roles.replace(me, wanted)
        return operation("update", "User roles updated successfully", userId=wanted.userId)

    @made.delete(
        "/user-roles",
        summary="Take all roles from a user",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def remove_all(wanted: UserOfRoles, me: Me) -> Any:
        service.roles.remove_all(me, wanted.userId)
        return operation("delete", "User roles deleted successfully", userId=wanted.userId)

    _ = list_user_roles, assign, replace, remove_all
