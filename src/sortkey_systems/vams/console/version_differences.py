"""What differs between two versions of an asset: files by their object versions, and metadata."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sortkey_systems.vams.console.json_values import Json

Change = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One file or one value. Sizes are texts of numbers of bytes."""

    change: Change
    subject: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Differences:
    files: list[Difference]
    metadata: list[Difference]
    unchanged_files: int


def differences(before: Json, after: Json) -> Differences:
    """Compare two answers of getVersion."""
    old, new = _files(before), _files(after)
    files = [
        Difference(change, path, _size(old.get(path)), _size(new.get(path)))
        for path, change in _changes(
            {path: str(file.get("versionId")) for path, file in old.items()},
            {path: str(file.get("versionId")) for path, file in new.items()},
        )
    ]
    old_values, new_values = _values(before), _values(after)
    metadata = [
        Difference(change, key, old_values.get(key, ""), new_values.get(key, ""))
        for key, change in _changes(old_values, new_values)
    ]
    changed = {each.subject for each in files}
    return Differences(files, metadata, len([path for path in new if path not in changed]))


def _changes(old: dict[str, str], new: dict[str, str]) -> Iterable[tuple[str, Change]]:
    for key in sorted({*old, *new}):
        if key not in old:
            yield key, "added"
        elif key not in new:
            yield key, "removed"
        elif old[key] != new[key]:
            yield key, "changed"


def _files(version: Json) -> dict[str, Json]:
    return {"/" + str(file["relativeKey"]).lstrip("/"): file for file in version.get("files") or ()}


def _size(file: Json | None) -> str:
    return "" if file is None or file.get("size") is None else str(file["size"])


def _values(version: Json) -> dict[str, str]:
    return {_subject(row): str(row.get("metadataValue") or "") for row in _rows(version)}


def _rows(version: Json) -> list[Json]:
    return version.get("versionedMetadata") or []


def _subject(row: Json) -> str:
    """`serial`, `/a.glb: author`, `/a.glb: triangles (attribute)`."""
    path = str(row.get("filePath") or "/")
    name = str(row["metadataKey"])
    kind = " (attribute)" if row.get("type") == "attribute" else ""
    return f"{name}{kind}" if path in ("", "/") else f"{path}: {name}{kind}"
