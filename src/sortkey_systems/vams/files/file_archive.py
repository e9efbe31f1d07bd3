"""Archiving, unarchiving and deleting files. An archived file is behind a delete marker; a deleted
one is gone with all of its versions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.failures import Invalid, NotThere
from sortkey_systems.vams.files.entries import FileEntry, entry_at, previews_of
from sortkey_systems.vams.files.files import remove_file
from sortkey_systems.vams.files.origins import marks
from sortkey_systems.vams.files.paths import file_path, is_preview, prefix_path
from sortkey_systems.vams.model import Asset

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams


class FileArchive:
    """Takes files out of an asset, and brings them back."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def archive(
        self, caller: Caller, database_id: str, asset_id: str, text: str, *, is_prefix: bool = False
    ) -> list[str]:
        """Put files behind a delete marker, with their previews. Returns their paths."""
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        found = [each for each in self._found(asset, text, is_prefix) if not each.is_archived]
        if not found:
            raise NotThere("File not found")
        objects = self._service.files.place(asset).objects
        for each in found:
            objects.delete(each.key)
        return self._finish(caller, asset, "archive", found)

    def unarchive(self, caller: Caller, database_id: str, asset_id: str, text: str) -> list[str]:
        """Make the newest version of an archived file live again, with its previews."""
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        place, path = self._service.files.place(asset), file_path(text)
        file = entry_at(place, path)
        if file is None:
            raise NotThere("File not found")
        if not file.is_archived:
            raise Invalid("the file is not archived")
        self._service.files.admission(asset).check_name(path)
        previews = [] if is_preview(path) else previews_of(place, path)
        found = [file, *(each for each in previews if each.is_archived)]
        for each in found:
            place.objects.copy(
                each.key,
                each.key,
                version_id=each.version_id,
                metadata=marks(caller, f"unarchive:{each.version_id}"),
            )
        return self._finish(caller, asset, "unarchive", found)

    def delete(
        self, caller: Caller, database_id: str, asset_id: str, text: str, *, is_prefix: bool = False
    ) -> list[str]:
        """Remove files for good: every version, previews, metadata, and what was generated from
        them. Versions of the asset show them as permanently deleted.
        """
        asset = self._service.assets.get(caller, database_id, asset_id, "POST")
        found = self._found(asset, text, is_prefix)
        folders = [each for each in asset.folders or () if is_prefix and each.startswith(text)]
        if not found and not folders:
            raise NotThere("File not found")
        place = self._service.files.place(asset)
        for each in found:
            remove_file(place, each.relative_path)
            self._service.previews.remove_auxiliary(asset, each.relative_path)
            self._service.file_values.removed(asset, each.relative_path)
        self._service.folders.removed(asset, folders)
        return self._finish(caller, asset, "delete", found)

    def _found(self, asset: Asset, text: str, is_prefix: bool) -> list[FileEntry]:
        """A file with its previews, or all whose paths begin with a text; archived ones too."""
        place = self._service.files.place(asset)
        if is_prefix or text.endswith("/"):
            if not is_prefix:
                raise Invalid("this is a folder: set isPrefix for all files in it")
            return list(self._service.files.all(asset, prefix_path(text)))
        path = file_path(text)
        file = entry_at(place, path)
        if file is None:
            raise NotThere("File not found")
        previews = [] if is_preview(path) else previews_of(place, path)
        return [file, *previews]

    def _finish(
        self, caller: Caller, asset: Asset, action: str, found: Iterable[FileEntry]
    ) -> list[str]:
        paths = [each.relative_path for each in found]
        changed = self._service.files.refresh(asset)
        self._service.changes.asset_changed(caller, changed, "update")
        subject = f"asset/{asset.database_id}/{asset.asset_id}"
        self._service.audit.record(
            "ACTIONS", caller, f"file.{action}", subject, paths=paths[:20], count=len(paths)
        )
        return paths
