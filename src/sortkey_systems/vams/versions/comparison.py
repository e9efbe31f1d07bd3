"""What differs between two versions: files by their bytes, metadata by their values. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sortkey_systems.vams.model import AssetFileMetadataVersion, AssetFileVersion

MetadataName = tuple[str, str, str]
"""Type, file path and key of a metadata value."""


@dataclass(frozen=True, slots=True)
class FileComparison:
    """Files of two versions, by key."""

    added: tuple[AssetFileVersion, ...]
    removed: tuple[AssetFileVersion, ...]
    changed: tuple[tuple[AssetFileVersion, AssetFileVersion], ...]
    """Before and after."""
    unchanged: int


@dataclass(frozen=True, slots=True)
class MetadataComparison:
    """Metadata and attributes of two versions, by type, path and key."""

    added: tuple[AssetFileMetadataVersion, ...]
    removed: tuple[AssetFileMetadataVersion, ...]
    changed: tuple[tuple[AssetFileMetadataVersion, AssetFileMetadataVersion], ...]
    unchanged: int


def compare_files(
    before: Sequence[AssetFileVersion], after: Sequence[AssetFileVersion]
) -> FileComparison:
    """Files that are in one version only, or whose bytes differ."""
    old, new = ({row.file_key: row for row in rows} for rows in (before, after))
    both = sorted(old.keys() & new.keys())
    changed = tuple((old[key], new[key]) for key in both if not _is_same(old[key], new[key]))
    return FileComparison(
        added=tuple(new[key] for key in sorted(new.keys() - old.keys())),
        removed=tuple(old[key] for key in sorted(old.keys() - new.keys())),
        changed=changed,
        unchanged=len(both) - len(changed),
    )


def compare_metadata(
    before: Sequence[AssetFileMetadataVersion], after: Sequence[AssetFileMetadataVersion]
) -> MetadataComparison:
    """Values that are in one version only, or that differ."""
    old, new = ({_name(row): row for row in rows} for rows in (before, after))
    both = sorted(old.keys() & new.keys())
    changed = tuple((old[name], new[name]) for name in both if _differ(old[name], new[name]))
    return MetadataComparison(
        added=tuple(new[name] for name in sorted(new.keys() - old.keys())),
        removed=tuple(old[name] for name in sorted(old.keys() - new.keys())),
        changed=changed,
        unchanged=len(both) - len(changed),
    )


def _is_same(old: AssetFileVersion, new: AssetFileVersion) -> bool:
    """The same object version, or the same bytes: a revert copies them to a new object version."""
    if old.s3_version_id == new.s3_version_id:
        return True
    return old.etag is not None and (old.etag, old.size) == (new.etag, new.size)


def _name(row: AssetFileMetadataVersion) -> MetadataName:
    return row.type, row.file_path, row.metadata_key


def _differ(old: AssetFileMetadataVersion, new: AssetFileMetadataVersion) -> bool:
    before = old.metadata_value, old.metadata_value_type
    return before != (new.metadata_value, new.metadata_value_type)
