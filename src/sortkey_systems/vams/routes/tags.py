"""/tags and /tag-types. A write takes one object, or a list of them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from sortkey_systems.vams.answers import OperationAnswer, WrappedItemsAnswer, operation, wrapped
from sortkey_systems.vams.pages import page_of_list
from sortkey_systems.vams.routes.callers import Me, Pages
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams
from sortkey_systems.vams.tags import SEVERAL_MAX, TagTypeValues, TagValues

TagPath = Annotated[str, Path(min_length=1, max_length=256, examples=["pump"])]
TypePath = Annotated[str, Path(min_length=1, max_length=256, examples=["equipment"])]


class SeveralTags(BaseModel):
    """Several tags."""

    tags: Annotated[list[TagValues], Field(min_length=1, max_length=SEVERAL_MAX)]


class SeveralTagTypes(BaseModel):
    """Several types of tags."""

    tagTypes: Annotated[list[TagTypeValues], Field(min_length=1, max_length=SEVERAL_MAX)]


def router(service: Vams) -> APIRouter:
    """The routes of tags."""
    made = APIRouter(route_class=Route, tags=["tags"])
    _add_tags(made, service)
    _add_types(made, service)
    return made


def _add_tags(made: APIRouter, service: Vams) -> None:
    options: dict[str, Any] = {"response_model": OperationAnswer, "responses": ERRORS}

    @made.get("/tags", summary="List tags", response_model=WrappedItemsAnswer, responses=ERRORS)
    def list_tags(me: Me, paging: Pages) -> Any:
        rows = service.tags.all(me)
        return wrapped(page_of_list("tags", rows, paging, position=lambda row: row["tagName"]))

    @made.post("/tags", summary="Create tags", **options)
    def create_tags(wanted: SeveralTags | TagValues, me: Me) -> Any:
        several = wanted.tags if isinstance(wanted, SeveralTags) else [wanted]
        service.tags.create(me, several)
        return operation("create", "Succeeded", tagName=several[0].tagName)

    @made.put("/tags", summary="Change tags", **options)
    def change_tags(wanted: SeveralTags | TagValues, me: Me) -> Any:
        several = wanted.tags if isinstance(wanted, SeveralTags) else [wanted]
        service.tags.change(me, several)
        return operation("update", "Succeeded", tagName=several[0].tagName)

    @made.delete("/tags/{tag_name}", summary="Delete a tag", **options)
    def delete_tag(tag_name: TagPath, me: Me) -> Any:
        service.tags.delete(me, tag_name)
        return operation("delete", "Success", tagName=tag_name)

    _ = list_tags, create_tags, change_tags, delete_tag


def _add_types(made: APIRouter, service: Vams) -> None:
    options: dict[str, Any] = {"response_model": OperationAnswer, "responses": ERRORS}

    @made.get(
        "/tag-types", summary="List tag types", response_model=WrappedItemsAnswer, responses=ERRORS
    )
    def list_types(me: Me, paging: Pages) -> Any:
        rows = service.tags.all_types(me)
        page = page_of_list("tag types", rows, paging, position=lambda row: row["tagTypeName"])
        return wrapped(page)

    @made.post("/tag-types", summary="Create tag types", **options)
    def create_types(wanted: SeveralTagTypes | TagTypeValues, me: Me) -> Any:
        several = wanted.tagTypes if isinstance(wanted, SeveralTagTypes) else [wanted]
        service.tags.create_types(me, several)
        return operation("create", "Succeeded", tagTypeName=several[0].tagTypeName)

    @made.put("/tag-types", summary="Change tag types", **options)
    def change_types(wanted: SeveralTagTypes | TagTypeValues, me: Me) -> Any:
        several = wanted.tagTypes if isinstance(wanted, SeveralTagTypes) else [wanted]
        service.tags.change_types(me, several)
        return operation("update", "Succeeded", tagTypeName=several[0].tagTypeName)

    @made.delete("/tag-types/{tag_type_name}", summary="Delete a tag type", **options)
    def delete_type(tag_type_name: TypePath, me: Me) -> Any:
        """A type that has tags is refused."""
        service.tags.delete_type(me, tag_type_name)
        return operation("delete", "Success", tagTypeName=tag_type_name)

    _ = list_types, create_types, change_types, delete_type
