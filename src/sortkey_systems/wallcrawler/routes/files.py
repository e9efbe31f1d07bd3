"""/v1/sessions/{id}/downloads and /uploads: files of sessions."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from sortkey.web import Refused
from sortkey_systems.wallcrawler.answers import MessageAnswer
from sortkey_systems.wallcrawler.routes.callers import Caller, caller_of
from sortkey_systems.wallcrawler.routes.error_shape import Route, errors_for
from sortkey_systems.wallcrawler.routes.incoming_files import incoming_file
from sortkey_systems.wallcrawler.routes.sessions import SessionPath
from sortkey_systems.wallcrawler.service import Wallcrawler

ZIP = "application/zip"
MULTIPART: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
"""How the document describes a request with a file, whose body the routes read themselves."""


class UploadsNotOffered(Refused):
    """The browser runs elsewhere, and its machine takes no files."""

    status = 501

    def __init__(self) -> None:
        super().__init__(
            "browsers that run as tasks take no uploads: set the content of the file input "
            "over CDP instead"
        )
        self.headers = {"x-should-retry": "false"}


class TemporaryFileResponse(FileResponse):
    """A file whose folder is deleted afterwards. A background task would not run where the range
    that was asked for is refused, or the caller leaves.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            shutil.rmtree(Path(self.path).parent, ignore_errors=True)


def router(service: Wallcrawler) -> APIRouter:
    """The routes of the files of sessions."""
    made = APIRouter(route_class=Route, tags=["sessions"])
    me = Depends(caller_of(service))

    @made.get(
        "/sessions/{session_id}/downloads",
        summary="Get the downloads of a session",
        response_class=Response,
        responses={200: {"content": {ZIP: {}}}, **errors_for(401, 403, 404)},
    )
    def downloads(session_id: SessionPath, caller: Caller = me) -> Response:
        """A zip of what the browser has downloaded, during the session and after it."""
        service.session(caller.projects, session_id)
        folder = Path(tempfile.mkdtemp(prefix="wallcrawler-zip-"))
        try:
            archive = service.files.zip_downloads(session_id, folder / "downloads.zip")
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return TemporaryFileResponse(archive, media_type=ZIP, filename="downloads.zip")

    @made.post(
        "/sessions/{session_id}/uploads",
        summary="Give a session a file to upload",
        response_model=MessageAnswer,
        openapi_extra=MULTIPART,
        responses=errors_for(400, 401, 403, 404, 410, 413, 501),
    )
    async def upload(session_id: SessionPath, request: Request, caller: Caller = me) -> Any:
        """A file for the browser's file inputs: it is there as `/tmp/.uploads/NAME`, or by its bare
        name.
        """
        await asyncio.to_thread(service.running_session, caller.projects, session_id)
        if not service.browsers.are_on_this_machine:
            raise UploadsNotOffered
        async with incoming_file(request, service.settings.upload_bytes_max) as file:
            name = await asyncio.to_thread(
                service.files.add_upload, session_id, file.name, file.path
            )
        return MessageAnswer(message=f"File uploaded successfully: {name}")

    _ = downloads, upload
    return made
