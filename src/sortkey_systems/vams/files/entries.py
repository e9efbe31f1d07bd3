"""The files of an asset as its bucket has them: the newest version of each, in the order of keys.

Nothing is kept in memory but the file at hand, however many there are. No permission is asked.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, takewhile
from operator import attrgetter

from sortkey import ObjectVersion
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.files.paths import PREVIEW

STORAGE_CLASSES = {"standard": "STANDARD", "archive": "GLACIER"}


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file, or a folder. Of an archived file, the version that was live last."""

    relative_path: str
    key: str
    version_id: str = ""
    size: int = 0
    last_modified: datetime | None = None
    etag: str = ""
    is_archived: bool = False
    storage_class: str = "STANDARD"

    @property
    def is_folder(self) -> bool:
        return self.relative_path.endswith("/")


def entries(place: AssetPlace, prefix: str = "/", after: str | None = None) -> Iterator[FileEntry]:
    """Files whose paths begin with a prefix, archived ones too; those after a path."""
    start = place.key(prefix)
    last = None if after is None else place.key(after)
    for key, versions in groupby(place.objects.versions(start, after=last), attrgetter("key")):
        entry = _entry(place, key, versions)
        if entry is not None:
            yield entry


def entry_at(place: AssetPlace, path: str) -> FileEntry | None:
    """The file at a path, archived or not; None if there is none."""
    return _entry(place, place.key(path), history(place, path))


def history(place: AssetPlace, path: str) -> Iterator[ObjectVersion]:
    """Every version and delete marker of a file, newest first."""
    key = place.key(path)
    return takewhile(lambda version: version.key == key, place.objects.versions(key))


def with_folders(
    place: AssetPlace,
    files: Iterator[FileEntry],
    folders: Iterable[str],
    prefix: str = "/",
    after: str | None = None,
) -> Iterator[FileEntry]:
    """Files and folders in one order."""
    wanted = (
        FileEntry(path, place.key(path))
        for path in sorted(folders)
        if path.startswith(prefix) and (after is None or path > after)
    )
    return heapq.merge(files, wanted, key=attrgetter("relative_path"))


def previews_of(place: AssetPlace, path: str) -> list[FileEntry]:
    """The previews of a file, archived ones too."""
    return list(entries(place, path + PREVIEW))


def storage_class_of(version: ObjectVersion) -> str:
    """The storage class of a version, as S3 names it."""
    return STORAGE_CLASSES[version.tier]


def _entry(place: AssetPlace, key: str, versions: Iterator[ObjectVersion]) -> FileEntry | None:
    """A file from its versions, newest first. None if only delete markers are left."""
    is_archived = False
    for version in versions:
        if version.is_marker:
            is_archived = True
            continue
        return FileEntry(
            place.relative(key),
            key,
            version.version_id,
            version.size,
            version.modified_at,
            version.etag,
            is_archived,
            storage_class_of(version),
        )
    return None
