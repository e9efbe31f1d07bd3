"""The folder format of a recording: writes pages frame by frame, and reads them back, also while
they are written.

Only the standard library: the holder of a browser loads it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

PAGES_AT_ONCE_MAX = 10
PAGES_MAX = 100
"""Of one session, one after the other."""
BYTES_MAX = 256 << 20
"""Frames of one session. Afterwards nothing more is recorded."""
URL_LENGTH_MAX = 2000
FRAMES_FILE, INDEX_FILE, PAGE_FILE = "frames.mjpeg", "index.jsonl", "page.json"


class Frame(NamedTuple):
    """Where one image lies, and when it was shown."""

    time_ms: int
    offset: int
    size: int
    width: int
    height: int


class PageRecording(NamedTuple):
    """What was recorded of one page."""

    page_id: str
    target_id: str
    start_ms: int
    end_ms: int
    url: str
    """The last address that is not blank."""
    frames: list[Frame]
    urls: list[tuple[int, str]]
    folder: Path

    def image(self, frame: Frame) -> bytes:
        """The JPEG of a frame."""
        with (self.folder / FRAMES_FILE).open("rb") as file:
            file.seek(frame.offset)
            return file.read(frame.size)

    def images(self) -> Iterator[tuple[Frame, bytes]]:
        """All frames in order, read from one open file."""
        with (self.folder / FRAMES_FILE).open("rb") as file:
            for frame in self.frames:
                file.seek(frame.offset)
                yield frame, file.read(frame.size)


class PageWriter:
    """Writes one page until `close`. The files stay open."""

    def __init__(self, folder: Path, target_id: str, time_ms: int) -> None:
        folder.mkdir(mode=0o700, parents=True)
        about = {"pageId": folder.name, "targetId": target_id, "startTimeMs": time_ms}
        (folder / PAGE_FILE).write_text(json.dumps(about))
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._frames = os.open(folder / FRAMES_FILE, flags, 0o600)
        self._index = os.open(folder / INDEX_FILE, flags, 0o600)
        self._offset = 0

    def frame(self, image: bytes, time_ms: int, width: int, height: int) -> None:
        """Append an image. Raises OSError where the disk is full."""
        _write_all(self._frames, image)
        self._line({"t": time_ms, "at": self._offset, "size": len(image), "w": width, "h": height})
        self._offset += len(image)

    def navigated(self, url: str, time_ms: int) -> None:
        self._line({"t": time_ms, "url": url[:URL_LENGTH_MAX]})

    def close(self, time_ms: int, reason: str = "closed") -> None:
        """End the page. The files are closed even if the last line cannot be written."""
        try:
            self._line({"t": time_ms, "end": reason})
        finally:
            os.close(self._frames)
            os.close(self._index)

    def _line(self, entry: dict[str, Any]) -> None:
        _write_all(self._index, (json.dumps(entry) + "\n").encode())


def read_pages(folder: Path) -> list[PageRecording]:
    """The pages of a recording in the order in which they were opened. An empty list where nothing
    was recorded.
    """
    if not folder.is_dir():
        return []
    names = sorted((path.name for path in folder.iterdir() if path.name.isdecimal()), key=int)
    pages = (read_page(folder / name) for name in names)
    return [page for page in pages if page is not None]


def read_page(folder: Path) -> PageRecording | None:
    """One page, as far as it is written. None if there is none."""
    try:
        about = json.loads((folder / PAGE_FILE).read_text())
        size = (folder / FRAMES_FILE).stat().st_size
        entries = list(_entries((folder / INDEX_FILE).read_text(errors="replace")))
    except (OSError, ValueError):
        return None
    frames = [
        Frame(each["t"], each["at"], each["size"], each["w"], each["h"])
        for each in entries
        if "size" in each and each["at"] + each["size"] <= size
    ]
    urls = [(each["t"], each["url"]) for each in entries if "url" in each]
    shown = [url for _, url in urls if url not in ("", "about:blank")]
    start: int = about["startTimeMs"]
    end: int = entries[-1]["t"] if entries else start
    last_url = shown[-1] if shown else "about:blank"
    return PageRecording(
        folder.name, about["targetId"], start, max(start, end), last_url, frames, urls, folder
    )


def last_frame(folder: Path) -> bytes | None:
    """The newest image of a recording: what a thumbnail shows."""
    found = [(page.frames[-1].time_ms, page) for page in read_pages(folder) if page.frames]
    if not found:
        return None
    _, page = max(found, key=lambda pair: pair[0])
    return page.image(page.frames[-1])


def _entries(text: str) -> Iterator[dict[str, Any]]:
    """Whole lines only: the last may be half written."""
    for line in text.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and "t" in entry:
            yield entry  # pyright: ignore[reportUnknownVariableType]


def _write_all(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
