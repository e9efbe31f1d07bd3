"""The routes of replays: the page, what was recorded, the frames, and the newest as a picture.

Each takes a token for the recording of one session. They are for people, beside the interface of
clients.
"""

# pyright: reportUnusedFunction=false

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, HTMLResponse, Response

from sortkey.web import Refused
from sortkey_systems.wallcrawler.browsers.port import Browsers
from sortkey_systems.wallcrawler.embedded_page import theme_of
from sortkey_systems.wallcrawler.recording.frames import FRAMES_FILE, last_frame, read_pages
from sortkey_systems.wallcrawler.replay.page import replay_page
from sortkey_systems.wallcrawler.tokens import SessionTokens

REPLAY_PATH = "/v1/replay"
RECORDING = "recording/"
"""What a token of these routes is for: every file of a session's recording."""


class NothingRecorded(Refused):
    """The session has no such recording, or has it no longer."""

    status = 404


class Replayable(Protocol):
    """What replays need of the service."""

    @property
    def tokens(self) -> SessionTokens: ...
    @property
    def browsers(self) -> Browsers: ...


def replay_token(tokens: SessionTokens, session_id: str, project_id: str) -> str:
    """A token that opens the recording of a session for some hours."""
    return tokens.issue_file(session_id, project_id, RECORDING)


def add_replays(router: APIRouter, service: Replayable) -> None:
    """Add the routes to those of the system."""

    def recording(session_id: str, token: str) -> Path:
        service.tokens.check_file(token, session_id, RECORDING)
        return service.browsers.folder(session_id) / "recording"

    @router.get(f"{REPLAY_PATH}/{{session_id}}", include_in_schema=False)
    def page(session_id: str, token: str = "", theme: str = "") -> Response:
        recording(session_id, token)
        document, headers = replay_page(theme_of(theme))
        return HTMLResponse(document, headers=headers)

    @router.get(f"{REPLAY_PATH}/{{session_id}}/pages", include_in_schema=False)
    def pages(session_id: str, token: str = "") -> dict[str, Any]:
        found = read_pages(recording(session_id, token))
        return {
            "pages": [
                {
                    "pageId": page.page_id,
                    "url": page.url,
                    "urls": page.urls,
                    "frames": [(each.time_ms, each.offset, each.size) for each in page.frames],
                }
                for page in found
            ]
        }

    @router.get(f"{REPLAY_PATH}/{{session_id}}/pages/{{page_id}}/frames", include_in_schema=False)
    def frames(session_id: str, page_id: str, token: str = "") -> Response:
        """All images of a page, one after the other; a client asks for ranges of it."""
        file = recording(session_id, token) / page_id / FRAMES_FILE
        if not (page_id.isascii() and page_id.isdecimal()) or not file.is_file():
            raise NothingRecorded("the session has no such page in its recording")
        return FileResponse(
            file, media_type="video/x-motion-jpeg", headers={"Cache-Control": "private"}
        )

    @router.get(f"{REPLAY_PATH}/{{session_id}}/newest.jpg", include_in_schema=False)
    def newest(request: Request, session_id: str, token: str = "") -> Response:
        """The newest image of all pages: what a thumbnail shows."""
        image = last_frame(recording(session_id, token))
        if image is None:
            raise NothingRecorded("nothing was recorded yet")
        tag = f'"{blake2b(image, digest_size=12).hexdigest()}"'
        headers = {"Cache-Control": "private, no-cache", "ETag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(image, media_type="image/jpeg", headers=headers)
