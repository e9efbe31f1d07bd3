"""The files of an asset as its bucket has them: every object version, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from sortkey import ObjectInfo, ObjectVersion
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.model import Asset


@dataclass(frozen=True, slots=True)
class FileState:
    """A file for a version: its path in the asset, and its object version."""

    relative_path: str
    key: str
    version_id: str
    size: int
    etag: str
    last_modified: datetime


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with its object versions, newest first."""

    relative_path: str
    key: str
    versions: tuple[ObjectVersion, ...]

    @property
    def is_archived(self) -> bool:
        """Whether a delete marker hides the file."""
        return self.versions[0].is_marker

    @property
    def live(self) -> ObjectVersion | None:
        """The object version that is read today. None if the file is archived."""
        return None if self.is_archived else self.versions[0]

    def find(self, version_id: str) -> ObjectVersion | None:
        """An object version that has bytes."""
        for version in self.versions:
            if version.version_id == version_id and not version.is_marker:
                return version
        return None


def stored_files(place: AssetPlace, asset: Asset) -> dict[str, StoredFile]:
    """The files of an asset by their object key, archived ones too. The preview of the asset itself
    is not one of its files, but previews of files are.
    """
    preview = asset.preview_location.key if asset.preview_location else None
    return {file.key: file for file in _files(place) if file.key != preview}


def live_states(files: Iterable[StoredFile]) -> list[FileState]:
    """The files that can be read today."""
    return [state_of(file.relative_path, file.live) for file in files if file.live is not None]


def state_of(path: str, version: ObjectVersion | ObjectInfo) -> FileState:
    """A file as a version records it."""
    return FileState(
        relative_path=path,
        key=version.key,
        version_id=version.version_id,
        size=version.size,
        etag=version.etag,
        last_modified=version.modified_at,
    )


def _files(place: AssetPlace) -> Iterator[StoredFile]:
    for key, versions in groupby(place.objects.versions(place.prefix), key=attrgetter("key")):
        yield StoredFile(place.relative(key), key, tuple(versions))
