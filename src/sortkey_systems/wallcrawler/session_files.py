"""Files of sessions: what a browser has downloaded, and what its client gives it to upload.

They lie in the session's folder, on the machine that runs its browser, for as long as its item.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from sortkey.web import Refused

DOWNLOADS, UPLOADS = "downloads", "uploads"
NAME_BYTES_MAX = 200
UPLOADS_MAX = 1000
UPLOADED_BYTES_MAX = 1 << 30
"""Of all uploads of a session."""

_STAMPED = re.compile(r".*-\d{13}(\.[^.]*)?")
_ZIP_EPOCH = 315_532_800
"""1980: a zip knows nothing before it."""
_UNFINISHED = (".crdownload", ".part", ".tmp")


class SessionFiles:
    """Downloads and uploads of sessions. `folder_of` knows the folder of a session."""

    def __init__(self, folder_of: Callable[[str], Path]) -> None:
        self._folder_of = folder_of

    def downloads(self, session_id: str) -> list[Path]:
        """Finished downloads, in the order of their names. Links are never followed."""
        return sorted(_files(self._folder_of(session_id) / DOWNLOADS), key=lambda path: path.name)

    def zip_downloads(self, session_id: str, target: Path) -> Path:
        """Write a zip of the downloads into a new file."""
        with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
            for path in self.downloads(session_id):
                with suppress(OSError):  # deleted, or replaced by a link, in between
                    _pack(archive, path)
        return target

    def add_upload(self, session_id: str, file_name: str, source: Path) -> str:
        """Move a file to where the browser of a session can read it; gives its name."""
        name, folder = plain_name(file_name), self._folder_of(session_id) / UPLOADS
        folder.mkdir(mode=0o755, exist_ok=True)
        present = list(_files(folder))
        total = sum(path.stat().st_size for path in present) + source.stat().st_size
        if len(present) >= UPLOADS_MAX or total > UPLOADED_BYTES_MAX:
            raise Refused(
                413,
                "TooLarge",
                f"a session takes {UPLOADS_MAX} uploads of {UPLOADED_BYTES_MAX >> 20} MB",
            )
        source.chmod(0o644)
        arriving = folder / f".{secrets.token_hex(8)}"
        shutil.move(source, arriving)  # also across file systems
        os.replace(arriving, folder / name)
        return name


def plain_name(file_name: str) -> str:
    """A name without folders and control characters. Raises Refused if nothing is left of it."""
    name = PurePosixPath(file_name.replace("\\", "/")).name
    name = "".join(each for each in name if each.isprintable()).strip().lstrip(".")
    while len(name.encode()) > NAME_BYTES_MAX:
        name = name[1:]
    if not name:
        raise Refused(
            400, "BadFileName", "the file needs a name: send it as multipart with a filename"
        )
    return name


def stamped_name(name: str, modified: float) -> str:
    """`report-1700000000000.pdf`: clients expect the instant in milliseconds in every name."""
    if _STAMPED.fullmatch(name):
        return name
    path = PurePosixPath(name)
    return f"{path.stem}-{int(modified * 1000):013d}{path.suffix}"


def _pack(archive: zipfile.ZipFile, path: Path) -> None:
    """Add a file. The browser owns the folder and may swap the file for a link at any time, which
    a server that runs as root would follow anywhere.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return
        written_at = time.gmtime(max(status.st_mtime, _ZIP_EPOCH))
        entry = zipfile.ZipInfo(stamped_name(path.name, status.st_mtime), written_at[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(entry, "w", force_zip64=True) as packed:
            shutil.copyfileobj(file, packed)


def _files(folder: Path) -> Iterator[Path]:
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        is_hidden = entry.name.startswith(".") or entry.name.endswith(_UNFINISHED)
        if not is_hidden and entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
