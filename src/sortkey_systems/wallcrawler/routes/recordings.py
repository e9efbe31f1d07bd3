"""/v1/sessions/{id}/recording and /replays: what was recorded of a session, as rrweb, HLS and MP4.

Playlists and answers carry links with a token, which players follow without an API key.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.responses import FileResponse, Response, StreamingResponse

from sortkey.web import Refused
from sortkey_systems.wallcrawler.answers import Answer, instant
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.recording.replays import (
    DownloadStatus,
    RecordingDownload,
    Replays,
)
from sortkey_systems.wallcrawler.routes.callers import Caller, caller_of
from sortkey_systems.wallcrawler.routes.error_shape import Route, errors_for
from sortkey_systems.wallcrawler.routes.sessions import SessionPath
from sortkey_systems.wallcrawler.service import Wallcrawler

PLAYLIST = "application/vnd.apple.mpegurl"
FOUND = errors_for(401, 403, 404)


class StillRunning(Refused):
    """Videos for download are made of ended sessions."""

    status = 400


class ReplayPageAnswer(Answer):
    """A recorded page."""

    page_id: str
    url: str
    start_time_ms: int
    end_time_ms: int


class ReplayAnswer(Answer):
    """The recorded pages of a session."""

    page_count: int
    pages: Sequence[ReplayPageAnswer]


class DownloadAnswer(Answer):
    """The MP4 of a recorded page."""

    page_id: str
    status: DownloadStatus
    completed_at: str | None = None
    download_url: str | None = None


class DownloadsAnswer(Answer):
    downloads: Sequence[DownloadAnswer]


def router(service: Wallcrawler) -> APIRouter:
    """The routes of recordings."""
    made = APIRouter(route_class=Route, tags=["sessions"])
    me, replays = Depends(caller_of(service)), Replays(service.browsers.folder)
    _add_replays(made, service, replays, me)
    _add_downloads(made, service, replays, me)
    _add_files(made, service, replays)
    return made


def _add_replays(made: APIRouter, service: Wallcrawler, replays: Replays, me: Any) -> None:
    @made.get("/sessions/{session_id}/recording", summary="Get rrweb events", responses=FOUND)
    def recording(session_id: SessionPath, caller: Caller = me) -> Response:
        """The recording as rrweb events: a document of one image that changes with every frame."""
        service.session(caller.projects, session_id)
        events = _array(replays.events(session_id))
        return StreamingResponse(events, media_type="application/json")

    @made.get(
        "/sessions/{session_id}/replays",
        summary="List the recorded pages of a session",
        response_model=ReplayAnswer,
        responses=FOUND,
    )
    def pages(session_id: SessionPath, caller: Caller = me) -> Any:
        """The pages of a session that were recorded, in the order in which they were opened."""
        service.session(caller.projects, session_id)
        found = [
            ReplayPageAnswer(
                page_id=page.page_id,
                url=page.url,
                start_time_ms=page.start_ms,
                end_time_ms=page.end_ms,
            )
            for page in replays.pages(session_id)
        ]
        return ReplayAnswer(page_count=len(found), pages=found)

    @made.get(
        "/sessions/{session_id}/replays/{page_id}",
        summary="Get the playlist of a recorded page",
        response_class=Response,
        responses={200: {"content": {PLAYLIST: {}}}, **errors_for(401, 403, 404, 429, 501)},
    )
    async def playlist(session_id: SessionPath, page_id: str, caller: Caller = me) -> Response:
        """A page as video: an HLS playlist whose segments have links that are good for six hours."""
        session = await asyncio.to_thread(service.session, caller.projects, session_id)
        link = partial(_link, service, caller, session)
        text = await replays.playlist(session_id, page_id, link)
        return Response(text, media_type=PLAYLIST, headers={"Cache-Control": "no-store"})

    _ = recording, pages, playlist


def _add_downloads(made: APIRouter, service: Wallcrawler, replays: Replays, me: Any) -> None:
    @made.post(
        "/sessions/{session_id}/recording/downloads",
        summary="Ask for the recording as MP4",
        status_code=202,
        response_model=DownloadsAnswer,
        response_model_exclude_none=True,
        responses=errors_for(400, 401, 403, 404, 429, 501),
    )
    def request(session_id: SessionPath, caller: Caller = me) -> Any:
        """Begin to make an MP4 of each recorded page, once the session has ended."""
        session = service.session(caller.projects, session_id)
        if session.status == "RUNNING":
            raise StillRunning("the session still runs: release it first")
        return _downloads(service, caller, session, replays.request_downloads(session_id))

    @made.get(
        "/sessions/{session_id}/recording/downloads",
        summary="Get the MP4s of a recording",
        response_model=DownloadsAnswer,
        response_model_exclude_none=True,
        responses=FOUND,
    )
    def downloads(session_id: SessionPath, caller: Caller = me) -> Any:
        """How far the MP4 of each page is, with a link to those that are finished."""
        session = service.session(caller.projects, session_id)
        return _downloads(service, caller, session, replays.downloads(session_id))

    _ = request, downloads


def _add_files(made: APIRouter, service: Wallcrawler, replays: Replays) -> None:
    hidden: dict[str, Any] = {"include_in_schema": False}
    headers = {
        "Cache-Control": "private",
        "Access-Control-Allow-Origin": "*",  # players stand in pages of other sites
        "Cross-Origin-Resource-Policy": "cross-origin",
    }

    @made.get("/sessions/{session_id}/replays/{page_id}/segments/{name}", **hidden)
    def segment(session_id: str, page_id: str, name: str, token: str = "") -> Response:
        service.tokens.check_file(token, session_id, f"replays/{page_id}/segments/{name}")
        file = replays.segment(session_id, page_id, name)
        return FileResponse(file, media_type="video/mp2t", headers=headers)

    @made.get("/sessions/{session_id}/recording/downloads/{page_id}.mp4", **hidden)
    def mp4(session_id: str, page_id: str, token: str = "") -> Response:
        service.tokens.check_file(token, session_id, f"recording/downloads/{page_id}.mp4")
        file, name = replays.mp4(session_id, page_id), f"{session_id}-{page_id}.mp4"
        return FileResponse(file, media_type="video/mp4", filename=name, headers=headers)

    _ = segment, mp4


def _link(service: Wallcrawler, caller: Caller, session: Session, path: str) -> str:
    token = service.tokens.issue_file(session.session_id, session.project_id, path)
    return caller.addresses.under(f"/v1/sessions/{session.session_id}/{path}", token=token)


def _downloads(
    service: Wallcrawler,
    caller: Caller,
    session: Session,
    downloads: Iterable[RecordingDownload],
) -> DownloadsAnswer:
    answers = [_download(service, caller, session, each) for each in downloads]
    return DownloadsAnswer(downloads=answers)


def _download(
    service: Wallcrawler, caller: Caller, session: Session, download: RecordingDownload
) -> DownloadAnswer:
    page_id, at = download.page_id, download.completed_at
    if download.status != "COMPLETED":
        return DownloadAnswer(page_id=page_id, status=download.status)
    return DownloadAnswer(
        page_id=page_id,
        status=download.status,
        completed_at=_written(at),
        download_url=_link(service, caller, session, f"recording/downloads/{page_id}.mp4"),
    )


def _written(at: datetime | None) -> str | None:
    return None if at is None else instant(at)


def _array(events: Iterator[dict[str, Any]]) -> Iterator[str]:
    """A JSON array, event by event: a long recording does not fit into memory."""
    yield "["
    for number, event in enumerate(events):
        yield ("," if number else "") + json.dumps(event)
    yield "]"
