"""Downloads: which object a request means, and links to it. An old version can be read although its
file is archived today.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from sortkey import ObjectInfo, Objects
from sortkey.errors import KeyValueError, ObjectNotFound
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.failures import Denied, Gone, Invalid, NotThere
from sortkey_systems.vams.files.content_types import BLOCKED_EXTENSIONS
from sortkey_systems.vams.files.entries import entry_at, history
from sortkey_systems.vams.files.paths import extension_of, file_path, is_preview, name_of
from sortkey_systems.vams.files.version_choice import VersionChoice
from sortkey_systems.vams.model import Asset, AssetFileVersion, AssetVersion

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

LINK_SECONDS = 86_400
DownloadType = Literal["assetFile", "assetPreview"]


@dataclass(frozen=True, slots=True)
class ReadableObject:
    """An object that a caller may read."""

    objects: Objects
    key: str
    version_id: str | None = None


class Downloads:
    """Finds what callers read. Every download is in the audit log."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    # -- links

    def link(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        kind: DownloadType,
        key: str | None,
        choice: VersionChoice,
    ) -> dict[str, Any]:
        """A link to a file, or to the preview of the asset, for a day."""
        asset = self._service.assets.get(caller, database_id, asset_id)
        if not asset.is_distributable:
            raise Invalid("Asset not distributable")
        found = self._preview(asset) if kind == "assetPreview" else self._file(asset, key, choice)
        info = _head(found)
        url = found.objects.presign_get(found.key, version_id=info.version_id, seconds=LINK_SECONDS)
        self._record("FILEDOWNLOAD", caller, asset, found.key)
        return {
            "downloadUrl": url,
            "expiresIn": LINK_SECONDS,
            "downloadType": kind,
            "versionId": info.version_id,
            "message": "Download URL generated successfully",
        }

    def link_to(self, asset: Asset, key: str, version_id: str | None = None) -> tuple[str, int]:
        """A link to an object of an asset, and its seconds, for parts that have asked for the
        permission.
        """
        objects = self._service.files.place(asset).objects
        return objects.presign_get(key, version_id=version_id, seconds=LINK_SECONDS), LINK_SECONDS

    # -- streams

    def stream(
        self, caller: Caller, database_id: str, asset_id: str, path: str, choice: VersionChoice
    ) -> ReadableObject:
        """A file to stream. Raises Denied if its asset is not distributable."""
        asset = self._service.assets.get(caller, database_id, asset_id)
        if not asset.is_distributable:
            raise Denied
        found = self._file(asset, path, choice)
        self._record("FILEDOWNLOADSTREAMED", caller, asset, found.key)
        return found

    def stream_auxiliary(
        self, caller: Caller, database_id: str, asset_id: str, path_text: str
    ) -> ReadableObject:
        """A file that a viewer or pipeline has generated. The path is within the asset, or a whole
        key of the auxiliary bucket.
        """
        asset = self._service.assets.get(caller, database_id, asset_id)
        place, path = self._service.files.place(asset), file_path(path_text)
        check_readable(path)
        key = path[1:] if path[1:].startswith(place.prefix) else place.key(path)
        self._record("FILEDOWNLOADSTREAMED", caller, asset, key)
        return ReadableObject(self._service.buckets.auxiliary, key)

    # -- which object

    def version_of(
        self, asset: Asset, choice: VersionChoice, *, archived: bool = False
    ) -> AssetVersion:
        """The version of an asset that a choice names. Raises NotThere, and Gone if it is archived
        and `archived` is not set.
        """
        ids = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        query = AssetVersion.of_asset(**ids).consistent()
        versions = self._service.store.query(query)
        for version in versions:
            by_id = choice.asset_version_id == version.asset_version_id
            by_alias = choice.asset_version_alias == version.version_alias
            if by_id if choice.asset_version_id else by_alias:
                if version.is_archived and not archived:
                    raise Gone("the version of the asset is archived")
                return version
        raise NotThere("Asset version not found")

    def _file(self, asset: Asset, text: str | None, choice: VersionChoice) -> ReadableObject:
        choice.check()
        place = self._service.files.place(asset)
        path = self._path(asset, place, text)
        check_readable(path)
        key = place.key(path)
        if choice.names_asset_version:
            return ReadableObject(place.objects, key, self._recorded(asset, key, choice))
        if choice.version_id:
            return ReadableObject(place.objects, key, _existing(place, path, choice.version_id))
        entry = entry_at(place, path)
        if entry is None:
            raise NotThere("File not found")
        if entry.is_archived:
            raise Gone("the file is archived: name a versionId, or unarchive it")
        return ReadableObject(place.objects, key, entry.version_id)

    def _path(self, asset: Asset, place: AssetPlace, text: str | None) -> str:
        """A path as clients write it: within the asset, or a whole key. Without one, the only file
        is meant.
        """
        if not text:
            live = self._service.files.live(asset)
            files = (each.relative_path for each in live if not is_preview(each.relative_path))
            found = list(islice(files, 2))
            if len(found) != 1:
                raise Invalid("the asset does not have exactly one file: give its key")
            return found[0]
        path = file_path(text)
        whole = text.removeprefix("/").removeprefix(place.prefix)
        is_whole_key = text.removeprefix("/").startswith(place.prefix) and len(whole) > 1
        if is_whole_key and next(history(place, path), None) is None:
            return file_path(whole)
        return path

    def _recorded(self, asset: Asset, key: str, choice: VersionChoice) -> str:
        version = self.version_of(asset, choice)
        row = self._service.store.find(
            AssetFileVersion.key(
                database_id=asset.database_id,
                asset_id=asset.asset_id,
                asset_version_id=version.asset_version_id,
                file_key=key,
            ),
            consistent=True,
        )
        if row is None:
            raise NotThere("the version of the asset does not have this file")
        return row.s3_version_id

    def _preview(self, asset: Asset) -> ReadableObject:
        if asset.preview_location is None:
            raise NotThere("the asset has no preview")
        objects = self._service.files.place(asset).objects
        return ReadableObject(objects, asset.preview_location.key)

    def _record(self, kind: Any, caller: Caller, asset: Asset, key: str) -> None:
        subject = f"asset/{asset.database_id}/{asset.asset_id}"
        self._service.audit.record(kind, caller, "file.download", subject, key=key)


def check_readable(path: str) -> None:
    """Refuse what an asset would not take, however it came into the bucket. Raises Invalid."""
    if extension_of(path) in BLOCKED_EXTENSIONS and not is_preview(path):
        raise Invalid(f"{name_of(path)[:100]!r} is refused: its extension is blocked")


def _head(found: ReadableObject) -> ObjectInfo:
    try:
        return found.objects.head(found.key, found.version_id)
    except (ObjectNotFound, KeyValueError):
        raise NotThere("File not found") from None


def _existing(place: AssetPlace, path: str, version_id: str) -> str:
    """The id of a version that has bytes. Raises NotThere, and Gone for a delete marker."""
    for version in history(place, path):
        if version.version_id == version_id:
            if version.is_marker:
                raise Gone("the version of the file is archived")
            return version_id
    raise NotThere("File version not found")
