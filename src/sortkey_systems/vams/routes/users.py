"""/user/cognito: users who sign in by password. Tier 1 alone decides who may use these routes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel

from sortkey_systems.vams.access.users import NewUser, UserChange, user_answer
from sortkey_systems.vams.answers import OperationAnswer, operation
from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.pages import page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

PAGE = 60
UserPath = Annotated[str, Path(max_length=256, examples=["ines@example.com"])]


class ResetRequest(BaseModel):
    """The reset must be confirmed."""

    confirmReset: bool = False


def router(service: Vams) -> APIRouter:
    """The routes of users."""
    made = APIRouter(route_class=Route, tags=["users"])
    _add_list_and_creation(made, service)
    _add_changes(made, service)
    return made


def _add_list_and_creation(made: APIRouter, service: Vams) -> None:
    @made.get("/user/cognito", summary="List users", responses=ERRORS)
    def list_users(me: Me, paging: Pages) -> dict[str, Any]:
        page = page_of_list(
            "users",
            service.users.all(),
            paging,
            position=lambda user: user.user_id,
            default=PAGE,
        )
        rows = [user_answer(user) for user in page.items]
        return {"users": rows, "Items": rows, "NextToken": page.token, "message": "success"}

    @made.post(
        "/user/cognito", summary="Create a user", response_model=OperationAnswer, responses=ERRORS
    )
    def create_user(wanted: NewUser, me: Me) -> Any:
        """The user gets a temporary password, and chooses another at the first login."""
        user = service.users.create(me, wanted)
        return operation("create", "User created successfully", userId=user.user_id)

    _ = list_users, create_user


def _add_changes(made: APIRouter, service: Vams) -> None:
    path = "/user/cognito/{user_id}"

    @made.put(path, summary="Change a user", response_model=OperationAnswer, responses=ERRORS)
    def change_user(user_id: UserPath, wanted: UserChange, me: Me) -> Any:
        """What is not given stays."""
        service.users.change(me, user_id, wanted)
        return operation("update", "User updated successfully", userId=user_id)

    @made.delete(path, summary="Delete a user", response_model=OperationAnswer, responses=ERRORS)
    def delete_user(user_id: UserPath, me: Me) -> Any:
        """The user's roles, keys and password go too."""
        service.users.delete(me, user_id)
        return operation("delete", "User deleted successfully", userId=user_id)

    @made.post(
        f"{path}/resetPassword",
        summary="Reset the password of a user",
        response_model=OperationAnswer,
        responses=ERRORS,
    )
    def reset_password(user_id: UserPath, me: Me, wanted: ResetRequest | None = None) -> Any:
        if wanted is None or not wanted.confirmReset:
            raise Invalid("confirmReset must be true")
        service.users.reset_password(me, user_id)
        return operation("resetPassword", "Password reset successfully", userId=user_id)

    _ = change_user, delete_user, reset_password
