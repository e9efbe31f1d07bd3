"""Back to an earlier version: its bytes become the newest object versions, and its metadata the
metadata of today where that is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sortkey import ItemKey, ObjectVersion, Store
from sortkey.errors import ObjectNotFound
from sortkey_systems.vams.assets.places import AssetPlace
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
    skipped: list[str] = field(default_factory=list[str])
    """Paths of files whose object version is gone."""


def restore_files(
    place: AssetPlace,
    stored: Mapping[str, StoredFile],
    rows: Sequence[AssetFileVersion],
    marks: Mapping[str, str],
) -> RestoredFiles:
    """Make the object versions of a version the newest ones, as copies with `marks` in their
    metadata. A file that has them stays.
    """
    restored = RestoredFiles()
    for row in rows:
        path = place.relative(row.file_key)
        file = stored.get(row.file_key)
        version = None if file is None else file.find(row.s3_version_id)
        if file is None or version is None:
            restored.skipped.append(path)
        elif file.live == version:
            restored.files.append(state_of(path, version))
        else:
            _copy_up(place, version, marks, restored)
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


def _copy_up(
    place: AssetPlace, version: ObjectVersion, marks: Mapping[str, str], restored: RestoredFiles
) -> None:
    path, key = place.relative(version.key), version.key
    try:
        info = place.objects.copy(key, key, version_id=version.version_id, metadata=marks)
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
