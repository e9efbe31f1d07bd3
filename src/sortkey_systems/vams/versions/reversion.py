"""Back to an earlier version: its bytes become the newest object versions, and its metadata the
metadata of today where that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sortkey import ItemKey, ObjectVersion, Store
from sortkey.errors import ObjectNotFound
from sortkey_systems.vams.access.callers import Caller
from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.files.origins import is_ours, marks, origin_of
from sortkey_systems.vams.model import (
    WHOLE_ASSET,
    Asset,
    AssetFileMetadata,
    AssetFileMetadataVersion,
    AssetFileVersion,
    FileAttribute,
)
from sortkey_systems.vams.versions.records import ids_of
from sortkey_systems.vams.versions.stored_files import FileState, StoredFile, state_of

Value = AssetFileMetadata | FileAttribute


@dataclass(slots=True)
class RestoredFiles:
    """Files after a revert."""

    files: list[FileState] = field(default_factory=list[FileState])
    changed: list[str] = field(default_factory=list[str])
    """Paths of files that have another object version than before."""
    copied_before: list[str] = field(default_factory=list[str])
    """Paths of files whose latest object version is a copy of the wanted one already."""
    skipped: list[str] = field(default_factory=list[str])
    """Paths of files whose object version is gone."""


def restore_files(
    place: AssetPlace,
    stored: Mapping[str, StoredFile],
    rows: Sequence[AssetFileVersion],
    caller: Caller,
    before_each: Callable[[], object] = lambda: None,
) -> RestoredFiles:
    """Make the object versions of a version the newest ones, as copies that name them in their
    marks. A file that has them, or such a copy, stays: so this can be repeated after a crash.
    """
    restored = RestoredFiles()
    for row in rows:
        before_each()
        path = place.relative(row.file_key)
        file = stored.get(row.file_key)
        version = None if file is None else file.find(row.s3_version_id)
        if file is None or version is None:
            restored.skipped.append(path)
        elif file.live == version:
            restored.files.append(state_of(path, version))
        elif file.live is not None and _is_copy(place, file.live, version):
            restored.files.append(state_of(path, file.live))
            restored.copied_before.append(path)
        else:
            _copy_up(place, version, caller, restored)
    return restored


def restore_metadata(
    store: Store, asset: Asset, rows: Sequence[AssetFileMetadataVersion], paths: Iterable[str]
) -> None:
    """Give the asset and the files with these paths the metadata and attributes of a version, and
    no others. Metadata of other files stay.
    """
    affected, ids = {WHOLE_ASSET, *paths}, ids_of(asset)
    puts = [_value(asset, row) for row in rows if row.file_path in affected]
    kept = {ItemKey.of_entity(value) for value in puts}
    present: list[Value] = [
        *store.query(AssetFileMetadata.of_asset(**ids)),
        *store.query(FileAttribute.of_asset(**ids)),
    ]
    keys: list[ItemKey[Any]] = [
        ItemKey.of_entity(value) for value in present if value.file_path in affected
    ]
    store.batch_write(puts, [key for key in keys if key not in kept])


def _is_copy(place: AssetPlace, live: ObjectVersion, version: ObjectVersion) -> bool:
    """Whether an object version was made from another by a revert."""
    try:
        info = place.objects.head(live.key, live.version_id)
    except ObjectNotFound:  # deleted for good since the bucket was read
        return False
    return is_ours(info) and origin_of(info) == _origin(version)


def _origin(version: ObjectVersion) -> str:
    return f"revert:{version.version_id}"


def _copy_up(
    place: AssetPlace, version: ObjectVersion, caller: Caller, restored: RestoredFiles
) -> None:
    path, key, about = place.relative(version.key), version.key, marks(caller, _origin(version))
    try:
        info = place.objects.copy(key, key, version_id=version.version_id, metadata=about)
    except ObjectNotFound:  # deleted for good since the bucket was read
        restored.skipped.append(path)
        return
    restored.files.append(state_of(path, info))
    restored.changed.append(path)


def _value(asset: Asset, row: AssetFileMetadataVersion) -> Value:
    ids = ids_of(asset)
    if row.type == "attribute":
        return FileAttribute(
            **ids,
            attribute_key=row.metadata_key,
            file_path=row.file_path,
            attribute_value=row.metadata_value,
        )
    return AssetFileMetadata(
        **ids,
        metadata_key=row.metadata_key,
        file_path=row.file_path,
        metadata_value=row.metadata_value,
        metadata_value_type=row.metadata_value_type,
    )
