"""The files of an asset and a set of files, made equal: towards the asset, or towards a folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sortkey_systems.vams.client.client import CallFailed, Client, asset_path
from sortkey_systems.vams.client.contents import Content, contents_of_folder, place_in
from sortkey_systems.vams.client.uploads import OnFile, upload_files


@dataclass(slots=True)
class Differences:
    """Paths of files, by what they need."""

    new: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])
    extra: list[str] = field(default_factory=list[str])
    """Only in the target."""
    equal: list[str] = field(default_factory=list[str])

    @property
    def to_copy(self) -> list[str]:
        return sorted([*self.new, *self.changed])


@dataclass(slots=True)
class SyncReport:
    """What was done, and what could not be."""

    copied: list[str] = field(default_factory=list[str])
    removed: list[str] = field(default_factory=list[str])
    failed: dict[str, str] = field(default_factory=dict[str, str])


def live_files(client: Client, database_id: str, asset_id: str) -> dict[str, dict[str, Any]]:
    """The files of an asset by their relative paths, without folders and archived ones."""
    path = asset_path(database_id, asset_id, "listFiles")
    return {
        item["relativePath"]: item
        for item in client.every(path)
        if not item["isFolder"] and not item["isArchived"]
    }


def differences(
    client: Client, database_id: str, asset_id: str, contents: Mapping[str, Content]
) -> Differences:
    """What distinguishes the files of an asset from given ones. `extra` is in the asset only.
    Files of the same size are compared by their hashes.
    """
    found, live = Differences(), live_files(client, database_id, asset_id)
    for path, content in contents.items():
        if path not in live:
            found.new.append(path)
        elif _is_equal(client, asset_path(database_id, asset_id, "fileInfo"), content, live[path]):
            found.equal.append(path)
        else:
            found.changed.append(path)
    found.extra = sorted(live.keys() - contents.keys())
    return found


def push(
    client: Client,
    database_id: str,
    asset_id: str,
    contents: Mapping[str, Content],
    *,
    deletes: bool = False,
    on_file: OnFile = lambda path: None,
) -> SyncReport:
    """Upload what is new or changed; with `deletes`, archive what the asset has beside it. An
    archived file can come back, and old versions of the asset keep theirs.
    """
    found = differences(client, database_id, asset_id, contents)
    wanted = [contents[path] for path in found.to_copy]
    uploaded = upload_files(client, database_id, asset_id, wanted, on_file=on_file)
    report = SyncReport(sorted(uploaded.uploaded), failed=uploaded.failed)
    for path in found.extra if deletes else ():
        try:
            client.delete(asset_path(database_id, asset_id, "archiveFile"), {"filePath": path})
            report.removed.append(path)
        except CallFailed as failure:
            report.failed[path] = str(failure)
    return report


def pull(
    client: Client,
    database_id: str,
    asset_id: str,
    folder: Path,
    *,
    deletes: bool = False,
    on_file: OnFile = lambda path: None,
) -> SyncReport:
    """Download what the folder lacks or has otherwise; with `deletes`, remove what it has
    beside it.
    """
    report = SyncReport()
    contents = contents_of_folder(folder)
    found = differences(client, database_id, asset_id, contents)
    for path in sorted([*found.extra, *found.changed]):
        try:
            download(client, database_id, asset_id, path, place_in(folder, path))
            report.copied.append(path)
        except (CallFailed, ValueError, OSError) as failure:
            report.failed[path] = str(failure)
        on_file(path)
    for path in found.new if deletes else ():
        place_in(folder, path).unlink()
        report.removed.append(path)
    return report


def download(
    client: Client, database_id: str, asset_id: str, relative_path: str, target: Path, **query: Any
) -> None:
    """Write a file of an asset to a path. It appears there when it is complete."""
    steps = [step for step in relative_path.split("/") if step]
    path = asset_path(database_id, asset_id, "download", "stream", *steps)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            client.download(path, file, **query)
        os.chmod(name, 0o644)
        os.replace(name, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _is_equal(client: Client, path: str, content: Content, item: Mapping[str, Any]) -> bool:
    if item.get("size") is not None and item["size"] != content.size:
        return False
    info = client.get(path, filePath=content.relative_path)
    if info.get("size", content.size) != content.size:
        return False
    return content.has_etag(info.get("etag") or "")
