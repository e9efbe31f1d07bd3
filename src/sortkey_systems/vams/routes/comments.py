"""/comments: on versions of assets. The client makes the id of a comment."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from sortkey_systems.vams.answers import MessageAnswer
from sortkey_systems.vams.comments import CommentValues, comment_answer
from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.error_shape import ERRORS, Route
from sortkey_systems.vams.service import Vams

AssetPath = Annotated[str, Path(max_length=256, examples=["pump-p101"])]
VersionPath = Annotated[str, Path(max_length=256, pattern="^[^:#]+$", examples=["3"])]
CommentPath = Annotated[str, Path(max_length=600, examples=["3:comment-02"])]
DatabaseQuery = Annotated[
    str | None,
    Query(max_length=256, description="Where several databases have an asset of this id"),
]
ROOT = "/comments/assets/{asset_id}"
ONE = f"{ROOT}/assetVersionId:commentId/{{name}}"


def router(service: Vams) -> APIRouter:
    """The routes of comments."""
    made = APIRouter(route_class=Route, tags=["comments"])
    _add_reads(made, service)
    _add_writes(made, service)
    return made


def _add_reads(made: APIRouter, service: Vams) -> None:
    options: dict[str, Any] = {"response_model": MessageAnswer, "responses": ERRORS}

    @made.get(ROOT, summary="Comments on an asset", **options)
    def comments_of_asset(asset_id: AssetPath, me: Me, databaseId: DatabaseQuery = None) -> Any:
        rows = service.comments.of_asset(me, asset_id, database_id=databaseId)
        return {"message": [comment_answer(row) for row in rows]}

    @made.get(f"{ROOT}/assetVersionId/{{version_id}}", summary="Comments on a version", **options)
    def comments_of_version(
        asset_id: AssetPath, version_id: VersionPath, me: Me, databaseId: DatabaseQuery = None
    ) -> Any:
        rows = service.comments.of_asset(me, asset_id, version_id, databaseId)
        return {"message": [comment_answer(row) for row in rows]}

    @made.get(ONE, summary="Get a comment", **options)
    def get_comment(
        asset_id: AssetPath, name: CommentPath, me: Me, databaseId: DatabaseQuery = None
    ) -> Any:
        return {"message": comment_answer(service.comments.get(me, asset_id, name, databaseId))}

    _ = comments_of_asset, comments_of_version, get_comment


def _add_writes(made: APIRouter, service: Vams) -> None:
    options: dict[str, Any] = {"response_model": MessageAnswer, "responses": ERRORS}

    @made.post(ONE, summary="Add a comment", **options)
    def create_comment(
        asset_id: AssetPath, name: CommentPath, wanted: CommentValues, me: Me
    ) -> Any:
        service.comments.create(me, asset_id, name, wanted)
        return {"message": "Succeeded"}

    @made.put(ONE, summary="Change a comment", **options)
    def change_comment(
        asset_id: AssetPath, name: CommentPath, wanted: CommentValues, me: Me
    ) -> Any:
        """Only who wrote it may."""
        service.comments.change(me, asset_id, name, wanted)
        return {"message": "Succeeded"}

    @made.delete(ONE, summary="Delete a comment", **options)
    def delete_comment(
        asset_id: AssetPath, name: CommentPath, me: Me, databaseId: DatabaseQuery = None
    ) -> Any:
        """Only who wrote it may."""
        service.comments.delete(me, asset_id, name, databaseId)
        return {"message": "Comment deleted"}

    _ = create_comment, change_comment, delete_comment
