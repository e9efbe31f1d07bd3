"""/uploads: parts go to the links of the start, not through these routes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.error_shape import Route, errors_for
from sortkey_systems.vams.service import Vams
from sortkey_systems.vams.uploads.requests import FileResult, UploadCompletion, UploadStart

UploadPath = Annotated[str, Path(max_length=256)]


class PartLink(BaseModel):
    """Where a part is sent, with PUT and without a token."""

    PartNumber: int
    UploadUrl: str


class StartedFile(BaseModel):
    """A file with the links of its parts."""

    relativeKey: str
    uploadIdS3: str
    numParts: int
    partUploadUrls: list[PartLink]


class StartedUpload(BaseModel):
    """An upload whose parts can be sent."""

    uploadId: str
    message: str
    files: list[StartedFile]


class CompletedUpload(BaseModel):
    """What became of each file."""

    message: str
    uploadId: str
    assetId: str
    assetType: str | None = None
    fileResults: list[FileResult]
    overallSuccess: bool
    largeFileAsynchronousHandling: bool = False


def router(service: Vams) -> APIRouter:
    """The routes of uploads."""
    made = APIRouter(route_class=Route, tags=["uploads"])

    @made.post(
        "/uploads",
        summary="Start an upload",
        response_model=StartedUpload,
        responses=errors_for(404, 429),
    )
    def start_upload(wanted: UploadStart, me: Me) -> Any:
        """The answer has a link for each part of each file."""
        return service.uploads.start(me, wanted)

    @made.post(
        "/uploads/{upload_id}/complete",
        summary="Complete an upload",
        response_model=CompletedUpload,
        response_model_exclude_none=True,
        responses=errors_for(404, 409),
    )
    def complete_upload(upload_id: UploadPath, wanted: UploadCompletion, me: Me) -> Any:
        """Files appear at their paths. If all of them fail, the answer is 409 with the results."""
        done = service.upload_completions.complete(me, upload_id, wanted)
        return JSONResponse(done.answer, 409) if done.has_failed else done.answer

    _ = start_upload, complete_upload
    return made
