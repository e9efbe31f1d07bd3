"""Files of sessions: what a browser has downloaded, and what its client gives it to upload.

They lie in the session's folder, on the machine that runs its browser, for as long as its item.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
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
                with suppress(FileNotFoundError):  # deleted in between
                    archive.write(path, stamped_name(path.name, path.stat().st_mtime))
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


def _files(folder: Path) -> Iterator[Path]:
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        is_hidden = entry.name.startswith(".") or entry.name.endswith(_UNFINISHED)
        if not is_hidden and entry.is_file(follow_symlinks=False):
            yield Path(entry.path)
