"""Downloads by links, and streams with ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from sortkey.errors import ObjectNotFound
from sortkey.web import object_answer
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.files.downloads import DownloadType, ReadableObject
from sortkey_systems.vams.files.version_choice import VersionChoice
from sortkey_systems.vams.routes.assets import ASSET, AssetPath
from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.databases import DatabasePath
from sortkey_systems.vams.routes.error_shape import Route, errors_for
from sortkey_systems.vams.service import Vams

ERRORS = errors_for(404, 410)
VersionText = Annotated[str, Field(max_length=1024)]
StreamPath = Annotated[str, Path(max_length=4096)]


class DownloadRequest(BaseModel):
    """A file, or the preview of the asset; of at most one version."""

    downloadType: DownloadType = "assetFile"
    key: Annotated[str, Field(max_length=2048)] | None = None
    versionId: VersionText | None = None
    assetVersionId: VersionText | None = None
    assetVersionIdAlias: VersionText | None = None


class DownloadAnswer(BaseModel):
    """A link that works without a token until it expires."""

    downloadUrl: str
    expiresIn: int
    downloadType: DownloadType
    versionId: str
    message: str


def _choice(
    versionId: Annotated[str | None, Query(max_length=1024)] = None,
    assetVersionId: Annotated[str | None, Query(max_length=1024)] = None,
    assetVersionIdAlias: Annotated[str | None, Query(max_length=1024)] = None,
) -> VersionChoice:
    return VersionChoice(versionId, assetVersionId, assetVersionIdAlias)


Choice = Annotated[VersionChoice, Depends(_choice)]


def router(service: Vams) -> APIRouter:
    """The routes of downloads."""
    made = APIRouter(route_class=Route, tags=["files"])

    @made.post(
        f"{ASSET}/download",
        summary="Get a link to a file",
        response_model=DownloadAnswer,
        responses=ERRORS,
    )
    def download(
        database_id: DatabasePath,
        asset_id: AssetPath,
        me: Me,
        body: DownloadRequest | None = None,
    ) -> Any:
        """An old version can be read although its file is archived today."""
        wanted = body or DownloadRequest()
        choice = VersionChoice(wanted.versionId, wanted.assetVersionId, wanted.assetVersionIdAlias)
        return service.downloads.link(
            me, database_id, asset_id, wanted.downloadType, wanted.key, choice
        )

    def stream(
        database_id: DatabasePath,
        asset_id: AssetPath,
        path: StreamPath,
        me: Me,
        request: Request,
        choice: Choice,
    ) -> Response:
        """The bytes, or the range that the header `Range` names."""
        found = service.downloads.stream(me, database_id, asset_id, path, choice)
        return _streamed(found, request)

    def stream_auxiliary(
        database_id: DatabasePath, asset_id: AssetPath, path: StreamPath, me: Me, request: Request
    ) -> Response:
        """What a viewer or pipeline has generated from the files of the asset."""
        found = service.downloads.stream_auxiliary(me, database_id, asset_id, path)
        return _streamed(found, request)

    _add_stream(made, f"{ASSET}/download/stream/{{path:path}}", "Stream a file", stream)
    _add_stream(
        made,
        f"{ASSET}/auxiliaryPreviewAssets/stream/{{path:path}}",
        "Stream a generated file",
        stream_auxiliary,
    )
    _ = download
    return made


def _add_stream(made: APIRouter, path: str, summary: str, endpoint: Callable[..., Any]) -> None:
    made.add_api_route(
        path,
        endpoint,
        methods=["GET"],
        summary=summary,
        responses=ERRORS,
        response_class=Response,
    )
    made.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)


def _streamed(found: ReadableObject, request: Request) -> Response:
    try:
        return object_answer(found.objects, found.key, request, version_id=found.version_id)
    except ObjectNotFound:
        raise NotThere("File not found") from None
