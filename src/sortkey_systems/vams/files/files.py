"""`Files`: what an asset has, for all parts of the service, and the rules by which files enter it.

Methods that take a caller ask for permission. The others are for parts that have asked.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from sortkey import ObjectInfo, Objects, attr
from sortkey.errors import ConditionFailed, ObjectNotFound
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.assets.shapes import asset_object
from sortkey_systems.vams.failures import NotThere
from sortkey_systems.vams.files.admission import Admission
from sortkey_systems.vams.files.content_types import content_type_of
from sortkey_systems.vams.files.entries import FileEntry, entries, entry_at, history
from sortkey_systems.vams.files.paths import extension_of, file_path, is_preview
from sortkey_systems.vams.model import Asset

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

FOLDER_TYPE, UNKNOWN_TYPE = "folder", "unknown"
TEMPORARY = "temp-uploads/"
"""The first folder of what is not complete, or not checked yet."""
REMOVED_AT_ONCE = 1000


class Files:
    """The files of assets."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    # -- reading

    def place(self, asset: Asset) -> AssetPlace:
        """Where the files of an asset are."""
        return self._service.assets.place_of(asset)

    def live(self, asset: Asset) -> Iterator[FileEntry]:
        """The files that can be read today, previews of files among them, by path. The preview of
        the asset itself is not one of its files.
        """
        return (each for each in self.all(asset) if not each.is_archived)

    def all(self, asset: Asset, prefix: str = "/") -> Iterator[FileEntry]:
        """The same with archived files, of paths that begin with a prefix."""
        preview = asset.preview_location.key if asset.preview_location else None
        return (each for each in entries(self.place(asset), prefix) if each.key != preview)

    def entry(self, asset: Asset, relative_path: str) -> FileEntry | None:
        """A file, archived or not; None if there is none."""
        return entry_at(self.place(asset), file_path(relative_path))

    def require(self, asset: Asset, path: str, *, archived: bool = False) -> FileEntry:
        """A file that can be read today, or with `archived` any. Raises NotThere."""
        found = entry_at(self.place(asset), path)
        if found is None or (found.is_archived and not archived):
            raise NotThere("File not found")
        return found

    # -- entering

    def admission(self, asset: Asset) -> Admission:
        """The rules by which files enter an asset."""
        return Admission(self._service, asset)

    def put_output(
        self,
        caller: Caller,
        asset: Asset,
        relative_path: str,
        source: Any,
        origin: str = "output",
    ) -> ObjectInfo:
        """Store a file that a pipeline has made, by the rules of uploads. `source` is bytes, an
        open file or chunks. Call `entered` when all outputs are stored.
        """
        self._service.access.require(caller, "PUT", asset_object(asset))
        path, admission = file_path(relative_path), self.admission(asset)
        admission.check_name(path)
        admission.check_base(path)
        objects, temporary = admission.place.objects, f"{TEMPORARY}output/{secrets.token_hex(16)}"
        objects.put(temporary, source, content_type=content_type_of(path))
        try:
            return admission.admit(caller, path, temporary, origin)
        finally:
            remove_versions(objects, temporary)

    def entered(self, caller: Caller, asset: Asset, paths: Sequence[str], origin: str) -> Asset:
        """What follows new content: the type of the asset, the search index, workflows. Raises
        NotThere if the asset was archived or deleted meanwhile.
        """
        changed = self.refresh(asset)
        wanted = [path for path in paths if not is_preview(path)]
        if wanted:
            self._service.changes.files_arrived(caller, changed, wanted, origin)
        return changed

    def refresh(self, asset: Asset, **changes: Any) -> Asset:
        """Write what the asset says of its files, and the instant of the change. Search follows
        the asset. Raises NotThere if it is not active any more.
        """
        key = Asset.key(database_id=asset.database_id, asset_id=asset.asset_id)
        current = self._service.store.find(key, consistent=True)
        if current is None:
            raise _gone()
        updated = current.changed(**changes) if changes else current
        values = {"asset_type": self._type_of(updated), **changes}
        is_active = attr(Asset.asset_name).exists()
        try:
            return self._service.store.update(key, set=values, when=is_active)
        except ConditionFailed:
            raise _gone() from None

    def _type_of(self, asset: Asset) -> str | None:
        """The extension of the only file, or "folder". Without files the type stays."""
        only: FileEntry | None = None
        for each in self.live(asset):
            if is_preview(each.relative_path):
                continue
            if only is not None:
                return FOLDER_TYPE
            only = each
        if only is None:
            return asset.asset_type
        return extension_of(only.relative_path) or UNKNOWN_TYPE

    # -- leaving

    def remove_all(self, asset: Asset) -> None:
        """Remove every version of every file, and all that was generated from them: a step of the
        permanent delete of an asset. Repeating it is fine.
        """
        with suppress(NotThere):  # a bucket that is not known any more has nothing to remove
            place = self.place(asset)
            remove_versions(place.objects, place.prefix)
            remove_versions(self._service.buckets.auxiliary, place.prefix)


def _gone() -> NotThere:
    return NotThere("Asset not found: it was archived or deleted meanwhile")


def remove_versions(objects: Objects, prefix: str) -> int:
    """Remove every version and marker of keys that begin with a prefix. Returns how many keys."""
    count, last = 0, ""
    while batch := list(islice(objects.versions(prefix), REMOVED_AT_ONCE)):
        for version in batch:
            with suppress(ObjectNotFound):
                objects.delete(version.key, version.version_id)
            count += version.key != last
            last = version.key
    return count


def remove_file(place: AssetPlace, path: str) -> None:
    """Remove every version and marker of one file."""
    for version in list(history(place, path)):
        with suppress(ObjectNotFound):
            place.objects.delete(version.key, version.version_id)
