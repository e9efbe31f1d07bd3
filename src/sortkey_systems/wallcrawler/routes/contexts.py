"""/v1/contexts: profiles that outlive their sessions."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response, status

from sortkey_systems.wallcrawler.answers import ContextAnswer, ContextUploadAnswer, MessageAnswer
from sortkey_systems.wallcrawler.contexts.profiles import ARCHIVE_BYTES_MAX
from sortkey_systems.wallcrawler.model import Context
from sortkey_systems.wallcrawler.requests import ContextRequest
from sortkey_systems.wallcrawler.routes.callers import Caller, caller_of
from sortkey_systems.wallcrawler.routes.error_shape import Route, errors_for
from sortkey_systems.wallcrawler.routes.incoming_files import stream_to
from sortkey_systems.wallcrawler.service import Wallcrawler

UPLOAD_SECONDS = 900
ContextPath = Annotated[
    str, Path(description="The id of a context", examples=["ctx_77aa"], max_length=100)
]


def router(service: Wallcrawler) -> APIRouter:
    """The routes of contexts."""
    made = APIRouter(route_class=Route, tags=["contexts"])
    me = Depends(caller_of(service))
    _add_writes(made, service, me)
    _add_context(made, service, me)
    _add_profile(made, service)
    return made


def _upload(service: Wallcrawler, caller: Caller, context: Context) -> ContextUploadAnswer:
    path = _profile_path(context.context_id)
    token = service.tokens.issue_file(context.context_id, context.project_id, path, UPLOAD_SECONDS)
    url = caller.addresses.under(path, token=token)
    return ContextUploadAnswer(id=context.context_id, upload_url=url)


def _profile_path(context_id: str) -> str:
    return f"/v1/contexts/{context_id}/profile"


def _add_writes(made: APIRouter, service: Wallcrawler, me: Any) -> None:
    @made.post(
        "/contexts",
        summary="Create a context",
        status_code=status.HTTP_201_CREATED,
        response_model=ContextUploadAnswer,
        responses=errors_for(400, 401, 403, 409),
    )
    def create(wanted: ContextRequest | None = None, caller: Caller = me) -> Any:
        """An empty context. A session that persists into it, or an upload, gives it a profile."""
        asked = wanted or ContextRequest()
        created = service.contexts.create(caller.project(asked.project_id), asked.name)
        return _upload(service, caller, created)

    @made.put(
        "/contexts/{context_id}",
        summary="Get a link to upload a profile",
        response_model=ContextUploadAnswer,
        responses=errors_for(401, 403, 404),
    )
    def update(context_id: ContextPath, caller: Caller = me) -> Any:
        """A link for a PUT of a profile, good for 15 minutes."""
        return _upload(service, caller, service.contexts.get(caller.projects, context_id))

    _ = create, update


def _add_context(made: APIRouter, service: Wallcrawler, me: Any) -> None:
    @made.get(
        "/contexts/{context_id}",
        summary="Get a context",
        response_model=ContextAnswer,
        response_model_exclude_none=True,
        responses=errors_for(401, 403, 404),
    )
    def retrieve(context_id: ContextPath, caller: Caller = me) -> Any:
        """One context."""
        return ContextAnswer.of(service.contexts.get(caller.projects, context_id))

    @made.delete(
        "/contexts/{context_id}",
        summary="Delete a context",
        status_code=status.HTTP_204_NO_CONTENT,
        response_class=Response,
        responses=errors_for(401, 403, 404),
    )
    def delete(context_id: ContextPath, caller: Caller = me) -> None:
        """Delete a context and its profile. Sessions that run with it go on."""
        service.contexts.delete(caller.projects, context_id)

    _ = retrieve, delete


def _add_profile(made: APIRouter, service: Wallcrawler) -> None:
    @made.put(
        "/contexts/{context_id}/profile",
        summary="Upload a profile",
        response_model=MessageAnswer,
        include_in_schema=False,
    )
    async def receive(
        context_id: ContextPath,
        request: Request,
        token: Annotated[str | None, Query(max_length=4096)] = None,
    ) -> Any:
        """The target of the links above: their token is all that is needed."""
        claims = service.tokens.check_file(token, context_id, _profile_path(context_id))
        context = await asyncio.to_thread(service.contexts.get, (claims.project_id,), context_id)
        folder = FilePath(await asyncio.to_thread(tempfile.mkdtemp, prefix="wallcrawler-profile-"))
        try:
            await stream_to(request, folder / "profile", ARCHIVE_BYTES_MAX)
            await asyncio.to_thread(service.contexts.receive, context, folder / "profile")
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return MessageAnswer(message="Profile stored")

    _ = receive
