"""What the interface says of recordings: pages, playlists with signed links, and MP4s on request.

An MP4 is made in the background after it was asked for. What is finished lies beside the recording,
so a restarted server knows it; what was being made then has to be asked for again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Literal

from sortkey.web import Refused
from sortkey_systems.wallcrawler.recording import rrweb, video
from sortkey_systems.wallcrawler.recording.frames import PageRecording, read_page, read_pages
from sortkey_systems.wallcrawler.recording.renders import Renders, TooManyVideos

log = logging.getLogger("sortkey.wallcrawler")

RECORDING, VIDEO = "recording", "video"
"""Folders of a session: what the holder wrote, and what was made of it."""

PLAYLISTS_MAX = 8
"""Playlists that are being made, or wait for their turn, while their callers wait."""
WAITING_MAX = 100
"""MP4s that are being made, or wait for their turn."""
RENDERS_KEPT = 1000
"""Of those that are over, to know which have failed."""

DownloadStatus = Literal["NOT_REQUESTED", "PENDING", "COMPLETED", "FAILED"]
SignedLink = Callable[[str], str]
"""From the path of a file below the session's routes to a URL that opens it for some hours."""


class PageNotRecorded(Refused):
    """The session has no recording of such a page."""

    status = 404


class VideoFailed(Refused):
    """The video could not be made."""

    status = 500


@dataclass(frozen=True, slots=True)
class RecordingDownload:
    """The MP4 of one page."""

    page_id: str
    status: DownloadStatus
    completed_at: datetime | None = None


class Replays:
    """Recordings of the sessions whose folders are on this machine."""

    def __init__(self, folder_of: Callable[[str], Path]) -> None:
        self._folder_of = folder_of
        self._lock = Lock()
        self._renders: dict[tuple[str, str], Thread] = {}
        self._playlists = Renders(PLAYLISTS_MAX)

    def pages(self, session_id: str) -> list[PageRecording]:
        """The recorded pages, in the order in which they were opened."""
        return read_pages(self._folder_of(session_id) / RECORDING)

    async def playlist(self, session_id: str, page_id: str, link: SignedLink) -> str:
        """The HLS playlist of a page, with a signed link for each segment. Raises TooManyVideos
        where it has to be made and many others are.
        """
        page, folder = await asyncio.to_thread(self._page, session_id, page_id)
        path = await asyncio.to_thread(video.existing_hls, page, folder)
        if path is None:
            make = partial(_made, partial(video.hls, page, folder))
            path = await self._playlists.result((session_id, page_id), make)
        return await asyncio.to_thread(self._linked, path, page_id, link)

    @staticmethod
    def _linked(path: Path, page_id: str, link: SignedLink) -> str:
        lines = path.read_text().splitlines()
        return (
            "\n".join(
                line
                if line.startswith("#") or not line
                else link(f"replays/{page_id}/segments/{line}")
                for line in lines
            )
            + "\n"
        )

    def segment(self, session_id: str, page_id: str, name: str) -> Path:
        """A segment that a playlist names."""
        _, folder = self._page(session_id, page_id)
        return _existing(folder / "hls" / _plain(name))

    def events(self, session_id: str) -> Iterator[dict[str, Any]]:
        """rrweb events of all pages, in the order of pages and times."""
        for page in self.pages(session_id):
            for event in rrweb.events(page):
                yield {**event, "sessionId": session_id}

    # -- downloads

    def request_downloads(self, session_id: str) -> list[RecordingDownload]:
        """Begin to make the MP4s that are missing. Asking again retries those that failed."""
        video.ffmpeg()
        for page in self.pages(session_id):
            self._request(session_id, page)
        return self.downloads(session_id)

    def downloads(self, session_id: str) -> list[RecordingDownload]:
        """How far the MP4 of each page is."""
        return [self._download(session_id, page) for page in self.pages(session_id)]

    def mp4(self, session_id: str, page_id: str) -> Path:
        """The finished MP4 of a page."""
        _, folder = self._page(session_id, page_id)
        return _existing(folder / "mp4" / video.MP4)

    def _request(self, session_id: str, page: PageRecording) -> None:
        key = session_id, page.page_id
        if self._download(session_id, page).status in ("PENDING", "COMPLETED"):
            return
        render = Thread(target=_render, args=(page, self._video(*key)), daemon=True)
        with self._lock:
            waiting = {name: each for name, each in self._renders.items() if each.is_alive()}
            if len(waiting) >= WAITING_MAX:
                raise TooManyVideos
            if len(self._renders) >= RENDERS_KEPT:
                self._renders = waiting
            self._renders[key] = render
            render.start()

    def _download(self, session_id: str, page: PageRecording) -> RecordingDownload:
        key = session_id, page.page_id
        file = self._video(*key) / "mp4" / video.MP4
        if file.is_file():
            made = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            return RecordingDownload(page.page_id, "COMPLETED", made)
        with self._lock:
            render = self._renders.get(key)
        if render is None:
            return RecordingDownload(page.page_id, "NOT_REQUESTED")
        is_failed = not render.is_alive() and not file.is_file()
        return RecordingDownload(page.page_id, "FAILED" if is_failed else "PENDING")

    # -- folders

    def _page(self, session_id: str, page_id: str) -> tuple[PageRecording, Path]:
        folder = self._folder_of(session_id) / RECORDING
        is_id = page_id.isascii() and page_id.isdecimal()
        page = read_page(folder / page_id) if is_id else None
        if page is None:
            raise PageNotRecorded("the session has no recording of this page")
        return page, self._video(session_id, page_id)

    def _video(self, session_id: str, page_id: str) -> Path:
        return self._folder_of(session_id) / VIDEO / page_id


def _render(page: PageRecording, folder: Path) -> None:
    try:
        video.mp4(page, folder)
    except (video.NoFrames, video.RenderFailed, OSError) as problem:
        log.warning("no MP4 of page %s of a session: %s", page.page_id, problem)


def _made(make: Callable[[], Path]) -> Path:
    try:
        return make()
    except video.NoFrames as nothing:
        raise PageNotRecorded(str(nothing)) from None
    except video.RenderFailed as problem:
        log.warning("a replay could not be made: %s", problem)
        raise VideoFailed("the video could not be made: the server's log says why") from problem


def _plain(name: str) -> str:
    if "/" in name or "\\" in name or name.startswith(".") or not name.endswith(".ts"):
        raise PageNotRecorded("a replay has no such file")
    return name


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise PageNotRecorded("the file is not there: ask for the recording again")
    return path
