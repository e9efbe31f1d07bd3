"""/ingest-asset: an asset with its files."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from sortkey_systems.vams.answers import MessageAnswer
from sortkey_systems.vams.ingest import IngestRequest
from sortkey_systems.vams.routes.callers import Me
from sortkey_systems.vams.routes.error_shape import Route, errors_for
from sortkey_systems.vams.service import Vams


def router(service: Vams) -> APIRouter:
    """The route of ingest."""
    made = APIRouter(route_class=Route, tags=["assets"])

    @made.post(
        "/ingest-asset",
        summary="Create an asset with its files",
        response_model=MessageAnswer,
        responses=errors_for(404, 409, 429),
    )
    def ingest_asset(wanted: IngestRequest, me: Me) -> Any:
        """Without `uploadId` the answer is that of an upload's start; with it, that of its
        completion.
        """
        if not wanted.uploadId:
            return service.ingest.start(me, wanted)
        done = service.ingest.complete(me, wanted.uploadId, wanted)
        return JSONResponse(done.answer, 409) if done.has_failed else done.answer

    _ = ingest_asset
    return made
