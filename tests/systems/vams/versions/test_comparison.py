"""The comparison of two versions, without a store."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.model import AssetFileVersion
from sortkey_systems.vams.versions.comparison import compare_files, compare_metadata


def row(key: str, object_version: str, **more: Any) -> AssetFileVersion:
    ids = {"database_id": "d", "asset_id": "a", "asset_version_id": "1"}
    return AssetFileVersion(**ids, file_key=key, s3_version_id=object_version, **more)


@pytest.mark.parametrize(
    ("before", "after", "is_changed"),
    [
        (row("f", "1"), row("f", "1"), False),
        (row("f", "1"), row("f", "2"), True),  # bytes unknown: they may differ
        (row("f", "1", etag="e", size=1), row("f", "2", etag="e", size=1), False),
        (row("f", "1", etag="e", size=1), row("f", "2", etag="x", size=1), True),
        (row("f", "1", etag="e", size=1), row("f", "2", etag="e", size=2), True),
        (row("f", "1", etag="e", size=1), row("f", "2"), True),
    ],
)
def test_a_file_has_changed_unless_its_bytes_are_known_to_be_the_same(
    before: AssetFileVersion, after: AssetFileVersion, is_changed: bool
) -> None:
    # A revert copies bytes to a new object version, which is not a change of the file.
    found = compare_files([before], [after])
    assert (len(found.changed), found.unchanged) == ((1, 0) if is_changed else (0, 1))


def test_empty_versions_do_not_differ() -> None:
    # Version 0 has no files.
    assert compare_files([], []).unchanged == 0
    assert compare_metadata([], []).changed == ()
