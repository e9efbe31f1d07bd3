"""/v1/sessions: create, list, retrieve, release, live URLs, logs; and the start of agents, which
are not offered.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, status
from fastapi.responses import StreamingResponse

from sortkey.web import Refused
from sortkey_systems.wallcrawler.answers import (
    ConnectedSessionAnswer,
    LiveAnswer,
    LogAnswer,
    SessionAnswer,
    StartAnswer,
)
from sortkey_systems.wallcrawler.browsers.logs import log_as_json
from sortkey_systems.wallcrawler.live_urls import live_urls
from sortkey_systems.wallcrawler.model import Session, SessionStatus
from sortkey_systems.wallcrawler.requests import CreateRequest, ReleaseRequest
from sortkey_systems.wallcrawler.routes.callers import Caller, caller_of
from sortkey_systems.wallcrawler.routes.error_shape import Route, errors_for
from sortkey_systems.wallcrawler.service import Wallcrawler
from sortkey_systems.wallcrawler.tokens import VIEW_SECONDS_MAX

SessionPath = Annotated[
    str, Path(description="The id of a session", examples=["sess_4f2a"], max_length=100)
]
FOUND = errors_for(400, 401, 403, 404)


class CallerLeft(Refused):
    """Who asked has closed the connection. Nobody reads this answer."""

    status = 499


def router(service: Wallcrawler) -> APIRouter:
    """The routes of sessions."""
    made = APIRouter(route_class=Route, tags=["sessions"])
    me = Depends(caller_of(service))
    _add_create(made, service, me)
    _add_lists(made, service, me)
    _add_session(made, service, me)
    return made


def _add_create(made: APIRouter, service: Wallcrawler, me: Any) -> None:
    @made.post(
        "/sessions",
        summary="Create a session",
        status_code=status.HTTP_201_CREATED,
        response_model=ConnectedSessionAnswer,
        response_model_exclude_none=True,
        responses=errors_for(400, 401, 403, 404, 409, 429, 503, 504),
    )
    async def create(
        request: Request, wanted: CreateRequest | None = None, caller: Caller = me
    ) -> Any:
        """Start a browser and wait until it is ready. A caller who hangs up meanwhile leaves no
        session behind.
        """
        asked = wanted or CreateRequest()
        project_id = await asyncio.to_thread(caller.project, asked.project_id)
        creating = asyncio.create_task(service.create(project_id, asked))
        leaving = asyncio.create_task(_disconnected(request))
        try:
            session = await created_unless_left(service, creating, leaving)
        finally:
            leaving.cancel()
        return ConnectedSessionAnswer.at(session, caller.addresses)

    @made.post(
        "/sessions/start",
        summary="Start an agent, which is not offered",
        responses=errors_for(401, 403),
    )
    def start(caller: Caller = me) -> StartAnswer:
        """Asked by Stagehand 3. It is answered that no agent is available, so it drives the browser
        itself.
        """
        return StartAnswer()

    _ = create, start


def _add_lists(made: APIRouter, service: Wallcrawler, me: Any) -> None:
    @made.get(
        "/sessions",
        summary="List sessions",
        response_model=list[SessionAnswer],
        response_model_exclude_none=True,
        responses=errors_for(400, 401, 403),
    )
    def list_sessions(
        caller: Caller = me,
        status: Annotated[
            SessionStatus | None, Query(description="Only sessions with this status")
        ] = None,
        q: Annotated[
            str | None,
            Query(
                max_length=1000,
                description="User metadata that match",
                examples=["user_metadata['a']:'b'"],
            ),
        ] = None,
    ) -> Any:
        """The sessions of the project, the newest first. Signing keys and URLs are not in it."""
        return [
            SessionAnswer.of(each)
            for each in service.list_sessions(caller.projects, status=status, q=q)
        ]

    _ = list_sessions


def _add_session(made: APIRouter, service: Wallcrawler, me: Any) -> None:
    @made.get(
        "/sessions/{session_id}",
        summary="Get a session",
        response_model=ConnectedSessionAnswer,
        response_model_exclude_none=True,
        responses=FOUND,
    )
    def retrieve(session_id: SessionPath, caller: Caller = me) -> Any:
        """One session; while it runs, with what its client needs to connect."""
        session = service.session(caller.projects, session_id)
        return ConnectedSessionAnswer.at(session, caller.addresses)

    @made.post(
        "/sessions/{session_id}",
        summary="Release a session",
        response_model=SessionAnswer,
        response_model_exclude_none=True,
        responses=FOUND,
    )
    async def release(session_id: SessionPath, wanted: ReleaseRequest, caller: Caller = me) -> Any:
        """End a session and its browser. Doing it again gives the same answer."""
        if wanted.project_id is not None:
            await asyncio.to_thread(caller.project, wanted.project_id)
        return SessionAnswer.of(await service.release(caller.projects, session_id))

    @made.get(
        "/sessions/{session_id}/debug",
        summary="Get the live URLs of a session",
        response_model=LiveAnswer,
        responses=errors_for(400, 401, 403, 404, 410),
    )
    async def debug(
        session_id: SessionPath,
        caller: Caller = me,
        expires_in: Annotated[
            int | None, Query(alias="expiresIn", ge=1, le=VIEW_SECONDS_MAX, description="Seconds")
        ] = None,
    ) -> Any:
        """URLs under which the pages of a session can be watched and used while it runs."""
        session = await asyncio.to_thread(service.running_session, caller.projects, session_id)
        return await live_urls(service, session, expires_in, addresses=caller.addresses)

    @made.get(
        "/sessions/{session_id}/logs",
        summary="Get the log of a session",
        response_model=list[LogAnswer],
        responses=FOUND,
    )
    def logs(session_id: SessionPath, caller: Caller = me) -> Any:
        """One entry for each CDP command with its answer, and for each event."""
        session = service.session(caller.projects, session_id)
        pieces = log_as_json(service.browsers.folder(session.session_id), session.session_id)
        return StreamingResponse(pieces, media_type="application/json")

    _ = retrieve, release, debug, logs


async def created_unless_left(
    service: Wallcrawler, creating: asyncio.Task[Session], leaving: asyncio.Task[None]
) -> Session:
    """The session that is being created. If its caller leaves, even at the moment at which it is
    ready, it is ended. Raises CallerLeft then.
    """
    try:
        await asyncio.wait({creating, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if leaving.done():
            raise CallerLeft("the caller has closed the connection")
    except BaseException:
        creating.cancel()
        await asyncio.wait({creating})
        if not creating.cancelled() and creating.exception() is None:
            session_id = creating.result().session_id
            await service.lifecycle.end(session_id, "STOPPED", "the creator has left")
        raise
    return creating.result()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
