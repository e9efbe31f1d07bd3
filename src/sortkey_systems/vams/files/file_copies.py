"""Moving, copying and reverting files. Bytes are not read: a bucket copies within itself.

A move that was interrupted can be repeated: the copy carries the version that it was made from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortkey import ObjectInfo
from sortkey.errors import ObjectNotFound
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.failures import Gone, Invalid, NotThere
from sortkey_systems.vams.files.entries import FileEntry, entries, entry_at, history, previews_of
from sortkey_systems.vams.files.origins import marks, origin_of
from sortkey_systems.vams.files.paths import any_path, file_path, is_preview
from sortkey_systems.vams.model import Asset

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a copy."""

    asset: Asset
    place: AssetPlace
    path: str

    def at(self, path: str) -> _End:
        return _End(self.asset, self.place, path)


class FileCopies:
    """Copies files within and between assets."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def move(
        self, caller: Caller, database_id: str, asset_id: str, source: str, target: str
    ) -> list[str]:
        """Move a file, or a folder with all in it. Metadata, attributes and previews follow.
        Returns the new paths.
        """
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        start, end = self._ends(asset, source, asset, target)
        moved: list[str] = []
        for from_end, to_end, entry in self._pairs(start, end):
            self._copy(caller, from_end, to_end, entry, f"move:{entry.version_id}")
            self._service.file_values.moved(asset, from_end.path, to_end.path)
            start.place.objects.delete(entry.key)
            moved.append(to_end.path)
        self._service.folders.moved(asset, start.path, end.path)
        self._finish(caller, asset, moved, "move", start.path)
        return moved

    def copy(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        source: str,
        target: str,
        *,
        target_database_id: str | None = None,
        target_asset_id: str | None = None,
    ) -> list[str]:
        """Copy a file, or a folder with all in it, perhaps to another asset. Returns the new
        paths.
        """
        asset = self._service.assets.get(caller, database_id, asset_id)
        other = self._service.assets.get(
            caller, target_database_id or database_id, target_asset_id or asset_id, "POST"
        )
        start, end = self._ends(asset, source, other, target)
        copied: list[str] = []
        for from_end, to_end, entry in self._pairs(start, end):
            self._copy(caller, from_end, to_end, entry, f"copy:{entry.version_id}")
            self._service.file_values.copied(asset, from_end.path, other, to_end.path)
            copied.append(to_end.path)
        self._finish(caller, other, copied, "copy", start.path)
        return copied

    def revert(
        self, caller: Caller, database_id: str, asset_id: str, path_text: str, version_id: str
    ) -> dict[str, Any]:
        """Make a copy of an old version of a file its newest one."""
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        path, place = file_path(path_text), self._service.files.place(asset)
        known = next((each for each in history(place, path) if each.version_id == version_id), None)
        if known is None:
            raise NotThere("File version not found")
        if known.is_marker:
            raise Gone("the version of the file is archived: name one that has content")
        origin = f"revert:{version_id}"
        stored = place.objects.copy(
            known.key, known.key, version_id=version_id, metadata=marks(caller, origin)
        )
        self._service.previews.remove_auxiliary(asset, path)
        self._finish(caller, asset, [path], "revert", path)
        return {
            "filePath": path,
            "revertedFromVersionId": version_id,
            "newVersionId": stored.version_id,
        }

    # -- parts

    def _ends(self, asset: Asset, source: str, other: Asset, target: str) -> tuple[_End, _End]:
        start_path, end_path = any_path(source), any_path(target)
        if start_path.endswith("/") != end_path.endswith("/"):
            raise Invalid("move or copy a file to a file, and a folder (ending in /) to a folder")
        start = _End(asset, self._service.files.place(asset), start_path)
        end = _End(other, self._service.files.place(other), end_path)
        is_same_asset = start.place.prefix == end.place.prefix and asset == other
        if is_same_asset and start_path == end_path:
            raise Invalid("source and destination are the same")
        if is_same_asset and start_path.endswith("/") and end_path.startswith(start_path):
            raise Invalid("a folder cannot be moved or copied into itself")
        return start, end

    def _pairs(self, start: _End, end: _End) -> list[tuple[_End, _End, FileEntry]]:
        """What is copied where. Everything that can be refused is refused here, before the first
        copy.
        """
        found = self._sources(start)
        pairs = [
            (
                start.at(each.relative_path),
                end.at(end.path + each.relative_path[len(start.path) :]),
                each,
            )
            for each in found
        ]
        admission = self._service.files.admission(end.asset)
        for _, to_end, each in pairs:
            admission.check_name(to_end.path)
            self._check_free(to_end, each)
        return pairs

    def _sources(self, start: _End) -> list[FileEntry]:
        """The files with their previews. Raises NotThere."""
        if start.path.endswith("/"):
            found = [each for each in entries(start.place, start.path) if not each.is_archived]
            if not found and start.path not in (start.asset.folders or ()):
                raise NotThere("Folder not found")
            return found
        file = self._service.files.require(start.asset, start.path)
        previews = [] if is_preview(start.path) else previews_of(start.place, start.path)
        return [file, *(each for each in previews if not each.is_archived)]

    def _check_free(self, end: _End, source: FileEntry) -> None:
        """Refuse to overwrite a file. Raises Invalid."""
        existing = entry_at(end.place, end.path)
        if existing is None or existing.is_archived:
            return
        info = end.place.objects.head(existing.key, existing.version_id)
        if origin_of(info) != f"move:{source.version_id}":  # else a move that was interrupted
            raise Invalid(f"{end.path} already exists: delete or archive it first")

    def _copy(
        self, caller: Caller, start: _End, end: _End, entry: FileEntry, origin: str
    ) -> ObjectInfo:
        about, target = marks(caller, origin), end.place.key(end.path)
        if start.place.objects is end.place.objects:
            return end.place.objects.copy(
                entry.key, target, version_id=entry.version_id, metadata=about
            )
        try:
            with start.place.objects.open(entry.key, version_id=entry.version_id) as reader:
                kind = reader.info.content_type
                return end.place.objects.put(target, reader, content_type=kind, metadata=about)
        except ObjectNotFound:
            raise NotThere("File not found: it was deleted meanwhile") from None

    def _finish(
        self, caller: Caller, asset: Asset, paths: list[str], action: str, source: str
    ) -> None:
        changed = self._service.files.entered(caller, asset, paths, action)
        self._service.changes.asset_changed(caller, changed, "update")
        subject = f"asset/{asset.database_id}/{asset.asset_id}"
        self._service.audit.record(
            "ACTIONS", caller, f"file.{action}", subject, path=source, count=len(paths)
        )
