"""Lists of files, page by page, and all that is known of one file. Answers have the names of the
interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortkey import ObjectVersion
from sortkey.errors import ObjectNotFound
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.failures import BadToken, NotThere
from sortkey_systems.vams.files.entries import (
    FileEntry,
    entries,
    entry_at,
    history,
    storage_class_of,
    with_folders,
)
from sortkey_systems.vams.files.paths import (
    PREVIEW,
    any_path,
    base_of,
    is_preview,
    name_of,
    prefix_path,
)
from sortkey_systems.vams.files.version_choice import VersionChoice
from sortkey_systems.vams.model import Asset, AssetFileVersion, AssetVersion
from sortkey_systems.vams.pages import Page, Paging, read_token, write_token

if TYPE_CHECKING:
    from sortkey_systems.vams.service import Vams

SIZE, BASIC_SIZE, SIZE_MAX = 100, 1500, 1500
_ABOUT = "files"


@dataclass(frozen=True, slots=True)
class FileQuery:
    """What a list of files is asked for."""

    prefix: str = ""
    include_archived: bool = False
    is_basic: bool = False
    """Without a comparison with the current version, in larger pages."""
    asset_version_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Listed:
    """A file on a page, with its preview."""

    entry: FileEntry
    preview: str | None = None
    is_gone: bool = False


class FileLists:
    """Reads files for callers."""

    def __init__(self, service: Vams) -> None:
        self._service = service

    def page(
        self, caller: Caller, database_id: str, asset_id: str, wanted: FileQuery, paging: Paging
    ) -> Page[dict[str, Any]]:
        """A page of the files of an asset, or of one of its versions."""
        asset = self._service.assets.get(
            caller, database_id, asset_id, archived=wanted.include_archived
        )
        size = paging.size_of(BASIC_SIZE if wanted.is_basic else SIZE, SIZE_MAX)
        after, prefix = _position(paging.token), prefix_path(wanted.prefix)
        if wanted.asset_version_id:
            files = self._of_version(asset, wanted.asset_version_id, prefix, after)
            listed, has_more = _cut(files, size)
        else:
            listed, has_more = self._of_bucket(asset, wanted, prefix, after, size)
        last = listed[-1].entry.relative_path if listed else ""
        compared = () if wanted.is_basic else [each.entry for each in listed]
        differing = self.mismatches(asset, compared)
        shown = [_answer(asset, each, differing) for each in listed]
        return Page(shown, write_token(_ABOUT, last) if has_more else None)

    def info(
        self,
        caller: Caller,
        database_id: str,
        asset_id: str,
        path_text: str,
        *,
        with_versions: bool = False,
    ) -> dict[str, Any]:
        """All that is known of a file or a folder."""
        asset = self._service.assets.get(caller, database_id, asset_id, archived=True)
        place, path = self._service.files.place(asset), any_path(path_text)
        if path.endswith("/"):
            return _answer(asset, _Listed(_folder(asset, place, path)), set())
        entry = entry_at(place, path)
        if entry is None:
            raise NotThere("File not found")
        differing = self.mismatches(asset, [entry])
        preview = _preview_of(place, path)
        answer = _answer(asset, _Listed(entry, preview), differing)
        object_info = place.objects.head(entry.key, entry.version_id)
        answer |= {
            "contentType": object_info.content_type,
            "lastModified": now_text(object_info.modified_at),
            "etag": object_info.etag,
        }
        if with_versions:
            answer["versions"] = self._versions(asset, place, path)
        return answer

    def mismatches(self, asset: Asset, files: Sequence[FileEntry]) -> set[str]:
        """The keys of files that are not as in the current version of the asset: new, changed or
        archived since.
        """
        compared = [each for each in files if not each.is_folder]
        recorded = self._recorded(asset, [each.key for each in compared])
        return {
            each.key
            for each in compared
            if each.is_archived or recorded.get(each.key) != each.version_id
        }

    def _recorded(self, asset: Asset, keys: Sequence[str]) -> dict[str, str]:
        """The object versions of files in the current version of their asset, by key."""
        (current,) = self._service.assets.current_versions([asset])
        if current is None or not keys:
            return {}
        ids = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        version = {**ids, "asset_version_id": current.asset_version_id}
        rows = self._service.store.batch_get(
            [AssetFileVersion.key(**version, file_key=key) for key in keys], consistent=True
        )
        return {row.file_key: row.s3_version_id for row in rows if row is not None}

    # -- pages

    def _of_bucket(
        self, asset: Asset, wanted: FileQuery, prefix: str, after: str | None, size: int
    ) -> tuple[list[_Listed], bool]:
        """A page, and whether more follow. Previews are shown with their files, not among them."""
        place, shown = self._service.files.place(asset), list[FileEntry]()
        previews: dict[str, str | None] = {}
        asset_preview = asset.preview_location.key if asset.preview_location else None
        following: FileEntry | None = None
        walk = with_folders(
            place, entries(place, prefix, after), asset.folders or (), prefix, after
        )
        for entry in walk:
            if entry.key == asset_preview or (entry.is_archived and not wanted.include_archived):
                continue
            if is_preview(entry.relative_path):
                previews.setdefault(base_of(entry.relative_path), entry.relative_path)
            elif len(shown) == size:
                following = entry
                break
            else:
                shown.append(entry)
        if following is not None:  # only of paths that it begins with can previews come later
            for entry in shown:
                if following.relative_path.startswith(entry.relative_path):
                    previews.setdefault(
                        entry.relative_path, _preview_of(place, entry.relative_path)
                    )
        listed = [_Listed(entry, previews.get(entry.relative_path)) for entry in shown]
        return listed, following is not None

    def _of_version(
        self, asset: Asset, version_id: str, prefix: str, after: str | None
    ) -> Iterator[_Listed]:
        """The files of a version of the asset, by path, after a path."""
        choice = VersionChoice(asset_version_id=version_id)
        version = self._service.downloads.version_of(asset, choice, archived=True)
        place = self._service.files.place(asset)
        query = AssetFileVersion.of_version(
            database_id=asset.database_id,
            asset_id=asset.asset_id,
            asset_version_id=version.asset_version_id,
        )
        for row in self._service.store.iterate(query.consistent()):
            path = place.relative(row.file_key)
            if not path.startswith(prefix) or (after is not None and path <= after):
                continue
            if not is_preview(path):
                yield _recorded_file(place, row)

    # -- one file

    def _versions(self, asset: Asset, place: AssetPlace, path: str) -> list[dict[str, Any]]:
        (current,) = self._service.assets.current_versions([asset])
        ids = {"database_id": asset.database_id, "asset_id": asset.asset_id}
        versions = self._service.store.query(AssetVersion.of_asset(**ids))
        keys = [
            AssetFileVersion.key(
                **ids, asset_version_id=version.asset_version_id, file_key=place.key(path)
            )
            for version in versions
        ]
        rows = self._service.store.batch_get(keys) if keys else []
        using: dict[str, list[AssetVersion]] = {}
        for version, row in zip(versions, rows, strict=True):
            if row is not None:
                using.setdefault(row.s3_version_id, []).append(version)
        return [
            _version_answer(version, using.get(version.version_id, []), current)
            for version in history(place, path)
        ]


def _cut(files: Iterator[_Listed], size: int) -> tuple[list[_Listed], bool]:
    listed: list[_Listed] = []
    for each in files:
        if len(listed) == size:
            return listed, True
        listed.append(each)
    return listed, False


def _recorded_file(place: AssetPlace, row: AssetFileVersion) -> _Listed:
    """A file as it was in a version. Its bytes may be gone."""
    path = place.relative(row.file_key)
    try:
        info = place.objects.head(row.file_key, row.s3_version_id)
    except ObjectNotFound:
        return _Listed(FileEntry(path, row.file_key, row.s3_version_id), is_gone=True)
    entry = FileEntry(path, row.file_key, row.s3_version_id, info.size, info.modified_at, info.etag)
    return _Listed(entry, _preview_of(place, path))


def _folder(asset: Asset, place: AssetPlace, path: str) -> FileEntry:
    """A folder that was created, or that files are in. Raises NotThere."""
    if path not in (asset.folders or ()) and next(entries(place, path), None) is None:
        raise NotThere("Folder not found")
    return FileEntry(path, place.key(path))


def _preview_of(place: AssetPlace, path: str) -> str | None:
    found = place.objects.list(place.key(path + PREVIEW), limit=1).objects
    return place.relative(found[0].key) if found else None


def _answer(asset: Asset, listed: _Listed, differing: Iterable[str]) -> dict[str, Any]:
    entry = listed.entry
    return {
        "fileName": name_of(entry.relative_path),
        "key": entry.key,
        "relativePath": entry.relative_path,
        "isFolder": entry.is_folder,
        "size": None if entry.is_folder else entry.size,
        "dateCreatedCurrentVersion": now_text(entry.last_modified) if entry.last_modified else "",
        "versionId": entry.version_id,
        "storageClass": entry.storage_class,
        "isArchived": entry.is_archived,
        "currentAssetVersionFileVersionMismatch": entry.key in differing,
        "isPermanentlyDeleted": listed.is_gone,
        "primaryType": (asset.primary_files or {}).get(entry.relative_path),
        "previewFile": listed.preview or "",
    }


def _version_answer(
    version: ObjectVersion, used_by: Sequence[AssetVersion], current: AssetVersion | None
) -> dict[str, Any]:
    ids = {each.asset_version_id for each in used_by}
    is_current = current is not None and current.asset_version_id in ids
    return {
        "versionId": version.version_id,
        "lastModified": now_text(version.modified_at),
        "size": version.size,
        "isLatest": version.is_latest,
        "storageClass": storage_class_of(version),
        "etag": version.etag,
        "isArchived": version.is_marker,
        "currentAssetVersionFileVersionMismatch": not is_current,
        "assetVersionIds": [
            {"id": each.asset_version_id, "label": _label(each)}
            for each in sorted(used_by, key=_age)
        ],
    }


def _label(version: AssetVersion) -> str:
    alias = f" ({version.version_alias})" if version.version_alias else ""
    return f"v{version.asset_version_id}{alias}"


def _position(token: str | None) -> str | None:
    if not token:
        return None
    position = read_token(_ABOUT, token)
    if not isinstance(position, str):
        raise BadToken
    return position


def _age(version: AssetVersion) -> tuple[int, str]:
    """Ids are numbers as texts: 10 comes after 9."""
    return len(version.asset_version_id), version.asset_version_id
