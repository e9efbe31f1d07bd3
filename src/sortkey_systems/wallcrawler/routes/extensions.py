"""/v1/extensions: zip files that new sessions load into their browsers."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request, Response, status

from sortkey_systems.wallcrawler.answers import ExtensionAnswer, instant
from sortkey_systems.wallcrawler.extensions import Extension
from sortkey_systems.wallcrawler.routes.callers import Caller, caller_of
from sortkey_systems.wallcrawler.routes.error_shape import Route, errors_for
from sortkey_systems.wallcrawler.routes.files import MULTIPART
from sortkey_systems.wallcrawler.routes.incoming_files import incoming_file
from sortkey_systems.wallcrawler.service import Wallcrawler

ExtensionPath = Annotated[str, Path(description="The id of an extension", max_length=100)]


def router(service: Wallcrawler) -> APIRouter:
    """The routes of extensions."""
    made = APIRouter(route_class=Route, tags=["extensions"])
    me = Depends(caller_of(service))

    @made.post(
        "/extensions",
        summary="Upload an extension",
        response_model=ExtensionAnswer,
        openapi_extra=MULTIPART,
        responses=errors_for(400, 401, 403, 413, 415),
    )
    async def upload(request: Request, caller: Caller = me) -> Any:
        """The zip of an unpacked extension, with its manifest.json at the root."""
        project_id = await asyncio.to_thread(caller.project)
        async with incoming_file(request, service.settings.extension_bytes_max) as file:
            added = await asyncio.to_thread(
                service.extensions.add, project_id, file.name, file.path
            )
        return _answer(added)

    @made.get(
        "/extensions/{extension_id}",
        summary="Get an extension",
        response_model=ExtensionAnswer,
        responses=errors_for(401, 403, 404),
    )
    def retrieve(extension_id: ExtensionPath, caller: Caller = me) -> Any:
        """One extension."""
        return _answer(service.extensions.get(caller.projects, extension_id))

    @made.delete(
        "/extensions/{extension_id}",
        summary="Delete an extension",
        status_code=status.HTTP_204_NO_CONTENT,
        response_class=Response,
        responses=errors_for(401, 403, 404),
    )
    def delete(extension_id: ExtensionPath, caller: Caller = me) -> None:
        """Delete an extension. Sessions that run with it keep it."""
        service.extensions.delete(caller.projects, extension_id)

    _ = upload, retrieve, delete
    return made


def _answer(extension: Extension) -> ExtensionAnswer:
    at = instant(extension.created_at)
    return ExtensionAnswer(
        id=extension.extension_id,
        created_at=at,
        updated_at=at,
        file_name=extension.file_name,
        project_id=extension.project_id,
    )
