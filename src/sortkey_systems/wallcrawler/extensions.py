"""Extensions that clients upload: zip files in a bucket, each under its project. They need no
table.

A running session keeps an extension that is deleted: it was unpacked when the session began.
"""

from __future__ import annotations

import re
import secrets
import stat
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from sortkey import Objects
from sortkey.errors import NotFound, ObjectNotFound
from sortkey.web import Refused

BUCKET = "wallcrawler-extensions"
ENTRIES_MAX = 5000
UNPACKED_BYTES_MAX = 200 << 20
NAME_CHARACTERS_MAX = 200
MANIFEST = "manifest.json"

_ID = re.compile(r"ext_[0-9a-f]{24}")


class NotAnExtension(Refused):
    """A file that is not the zip of an extension."""

    status = 415


@dataclass(frozen=True, slots=True)
class Extension:
    """An extension that was uploaded."""

    extension_id: str
    project_id: str
    file_name: str
    created_at: datetime


class Extensions:
    """Extensions in their bucket. Threads share it."""

    def __init__(self, bucket: Objects) -> None:
        self._bucket = bucket

    def add(self, project_id: str, file_name: str, archive: Path) -> Extension:
        """Store the zip of an extension. Raises NotAnExtension."""
        _checked_entries(archive)
        extension_id = f"ext_{secrets.token_hex(12)}"
        name = _plain_name(file_name)
        with archive.open("rb") as file:
            stored = self._bucket.put(
                _key(project_id, extension_id),
                file,
                content_type="application/zip",
                metadata={"file-name": quote(name)},
            )
        return Extension(extension_id, project_id, name, stored.modified_at)

    def get(self, projects: Iterable[str], extension_id: str) -> Extension:
        """An extension of one of these projects. Raises NotFound."""
        if _ID.fullmatch(extension_id):
            for project_id in projects:
                try:
                    info = self._bucket.head(_key(project_id, extension_id))
                except ObjectNotFound:
                    continue
                name = unquote(info.metadata.get("file-name", "extension.zip"))
                return Extension(extension_id, project_id, name, info.modified_at)
        raise NotFound(f"unknown extension {extension_id[:100]!r}")

    def delete(self, projects: Iterable[str], extension_id: str) -> None:
        """Delete an extension. Raises NotFound."""
        found = self.get(projects, extension_id)
        self._bucket.delete(_key(found.project_id, extension_id))

    def unpack(self, project_id: str, extension_id: str, folder: Path) -> Path:
        """Unpack an extension into an empty folder; gives the one that has its manifest. Raises
        NotFound.
        """
        self.get((project_id,), extension_id)
        archive = folder / "extension.zip"
        with (
            self._bucket.open(_key(project_id, extension_id)) as reader,
            archive.open("xb") as file,
        ):
            for piece in reader:
                file.write(piece)
        target = folder / "extension"
        target.mkdir()
        root = _checked_entries(archive)
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(target)
        archive.unlink()
        return target / root


def _checked_entries(archive: Path) -> PurePosixPath:
    """The folder of the manifest in the zip. Raises NotAnExtension for one that is hostile, or is
    not a zip.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = opened.infolist()
    except (zipfile.BadZipFile, OSError):
        raise NotAnExtension(
            "the file is not a zip: send the zip of an extension, with its manifest.json"
        ) from None
    if len(entries) > ENTRIES_MAX or sum(entry.file_size for entry in entries) > UNPACKED_BYTES_MAX:
        raise NotAnExtension(
            f"an extension has at most {ENTRIES_MAX:,} files and {UNPACKED_BYTES_MAX >> 20} MB"
        )
    for entry in entries:
        path = PurePosixPath(entry.filename)
        is_link = stat.S_ISLNK(entry.external_attr >> 16)
        if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or is_link:
            raise NotAnExtension("the zip has an entry that leads out of its folder")
    manifests = [
        PurePosixPath(entry.filename)
        for entry in entries
        if PurePosixPath(entry.filename).name == MANIFEST
    ]
    top = [path for path in manifests if len(path.parts) <= 2]
    if not top:
        raise NotAnExtension("the zip has no manifest.json at its root")
    return min(top, key=lambda path: len(path.parts)).parent


def _plain_name(file_name: str) -> str:
    name = PurePosixPath(file_name.replace("\\", "/")).name
    return (
        "".join(each for each in name if each.isprintable())[:NAME_CHARACTERS_MAX]
        or "extension.zip"
    )


def _key(project_id: str, extension_id: str) -> str:
    return f"{project_id}/{extension_id}/extension.zip"
