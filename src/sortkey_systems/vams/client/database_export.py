"""A whole database into a folder: assets with all their versions, metadata, links and comments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO, Protocol

from sortkey import Objects
from sortkey.errors import ObjectNotFound
from sortkey_systems.vams.answers import now_text
from sortkey_systems.vams.client.client import CallFailed, Client, asset_path, path_of
from sortkey_systems.vams.client.database_folder import DatabaseFolder, Document
from sortkey_systems.vams.client.synchronization import live_files

EVENT = "Asset Version Change"
ITEM_FIELDS = ("metadataKey", "metadataValue", "metadataValueType")
OnAsset = Callable[[str], None]


class Contents(Protocol):
    """Where the bytes of files come from."""

    def read(self, asset: Document, path: str, version_id: str, into: BinaryIO) -> None: ...


@dataclass(frozen=True, slots=True)
class StreamedContents:
    """From the interface. Assets that are not distributable are refused by it."""

    client: Client

    def read(self, asset: Document, path: str, version_id: str, into: BinaryIO) -> None:
        steps = [step for step in path.split("/") if step]
        stream = asset_path(asset["databaseId"], asset["assetId"], "download", "stream", *steps)
        self.client.download(stream, into, versionId=version_id)


@dataclass(frozen=True, slots=True)
class BucketContents:
    """From the buckets themselves, for whoever has the data folder."""

    buckets: Mapping[str, Objects]

    def read(self, asset: Document, path: str, version_id: str, into: BinaryIO) -> None:
        key = asset["assetLocation"]["Key"].rstrip("/") + path
        with self.buckets[asset["bucketName"]].open(key, version_id=version_id) as reader:
            for chunk in reader:
                into.write(chunk)


@dataclass(slots=True)
class ExportReport:
    """What is in the folder, and what is not."""

    assets: int = 0
    versions: int = 0
    files: int = 0
    left_out: list[str] = field(default_factory=list[str])


def export_database(
    client: Client,
    database_id: str,
    folder: DatabaseFolder,
    contents: Contents,
    *,
    on_asset: OnAsset = lambda asset_id: None,
) -> ExportReport:
    """Write a database into a folder. Archived assets, and links to other databases, are left out;
    the report names them.
    """
    database = client.get(path_of("database", database_id))
    folder.begin()
    export = _Export(client, folder, contents, ExportReport())
    ids: set[str] = set()
    for asset in client.every(path_of("database", database_id, "assets"), showArchived=True):
        if asset["status"] == "archived":
            export.report.left_out.append(f"{asset['assetId']}: archived")
            continue
        ids.add(asset["assetId"])
        folder.write_asset(asset["assetId"], export.asset(asset))
        export.report.assets += 1
        on_asset(asset["assetId"])
    folder.write_database(
        {
            "exportedAt": now_text(),
            "database": database,
            "metadata": _metadata(client, path_of("database", database_id, "metadata")),
            "schemas": list(client.every("/metadataschema", databaseId=database_id)),
            "pipelines": list(client.every(path_of("database", database_id, "pipelines"))),
            "workflows": list(client.every(path_of("database", database_id, "workflows"))),
            "tagTypes": list(client.every("/tag-types")),
            "tags": list(client.every("/tags")),
            "links": export.links(database_id, ids),
        }
    )
    return export.report


@dataclass(slots=True)
class _Export:
    client: Client
    folder: DatabaseFolder
    contents: Contents
    report: ExportReport
    stored: dict[tuple[str, str, str], Document] = field(
        default_factory=dict[tuple[str, str, str], Document]
    )

    def asset(self, listed: Document) -> Document:
        database_id, asset_id = listed["databaseId"], listed["assetId"]
        asset = self.client.get(asset_path(database_id, asset_id))
        live = live_files(self.client, database_id, asset_id)
        files = [self._file(asset, path, item["versionId"]) for path, item in live.items()]
        return {
            "asset": asset,
            "metadata": _metadata(self.client, asset_path(database_id, asset_id, "metadata")),
            "versions": self._versions(asset),
            "files": [file for file in files if file is not None],
            "primaryTypes": {
                path: item["primaryType"] for path, item in live.items() if item.get("primaryType")
            },
            "fileMetadata": {path: self._file_metadata(asset, path) for path in live},
            "comments": self._comments(database_id, asset_id),
            "subscribers": subscribers_of(self.client, database_id, asset_id),
        }

    def _versions(self, asset: Document) -> list[Document]:
        """The versions by their numbers, without the empty one that every asset begins with."""
        place = asset["databaseId"], asset["assetId"]
        listed = list(self.client.every(asset_path(*place, "getVersions"), showArchived=True))
        found: list[Document] = []
        for row in sorted(listed, key=lambda row: int(row["Version"])):
            if row["Version"] == "0":
                continue
            version = self.client.get(asset_path(*place, "getVersion", row["Version"]))
            files = [
                self._file(asset, _absolute(file["relativeKey"]), file["versionId"])
                for file in version["files"]
                if not file.get("isPermanentlyDeleted")
            ]
            found.append(
                {
                    "version": row["Version"],
                    "comment": version["comment"],
                    "versionAlias": row.get("versionAlias") or None,
                    "createdBy": version.get("createdBy"),
                    "dateCreated": version.get("dateCreated"),
                    "isArchived": bool(row.get("isArchived")),
                    "files": [file for file in files if file is not None],
                    "metadata": version.get("versionedMetadata", []),
                }
            )
            self.report.versions += 1
        return found

    def _file(self, asset: Document, path: str, version_id: str) -> Document | None:
        """A file with its hash. Its bytes are read once per object version."""
        known = (asset["assetId"], path, version_id)
        if known not in self.stored:
            read = partial(self.contents.read, asset, path, version_id)
            try:
                self.stored[known] = self.folder.store(read)
            except (CallFailed, ObjectNotFound) as failure:
                self.report.left_out.append(f"{asset['assetId']}{path}: {failure}")
                return None
            self.report.files += 1
        return {"path": path, **self.stored[known]}

    def _file_metadata(self, asset: Document, path: str) -> dict[str, list[Document]]:
        place = asset_path(asset["databaseId"], asset["assetId"], "metadata", "file")
        kinds = ("metadata", "attribute")
        return {kind: _metadata(self.client, place, filePath=path, type=kind) for kind in kinds}

    def _comments(self, database_id: str, asset_id: str) -> list[Document]:
        path = path_of("comments", "assets", asset_id)
        return list(self.client.every(path, databaseId=database_id))

    def links(self, database_id: str, asset_ids: set[str]) -> list[Document]:
        """Links whose assets are both in the export, each once."""
        found: dict[str, Document] = {}
        for asset_id in sorted(asset_ids):
            answer = self.client.get(asset_path(database_id, asset_id, "asset-links"))
            for node in (*answer["children"], *answer["parents"], *answer["related"]):
                link_id = node["assetLinkId"]
                if node["databaseId"] != database_id or node["assetId"] not in asset_ids:
                    self.report.left_out.append(f"link {link_id} to {node['assetId']}")
                elif link_id not in found:
                    link = self.client.get(path_of("asset-links", "single", link_id))["assetLink"]
                    path = path_of("asset-links", link_id, "metadata")
                    found[link_id] = {**link, "metadata": _metadata(self.client, path)}
        return list(found.values())


def subscribers_of(client: Client, database_id: str, asset_id: str) -> list[str]:
    """Who gets a notice when an asset changes."""
    wanted = (EVENT, database_id, asset_id)
    return [
        user
        for row in client.every("/subscriptions")
        if (row["eventName"], row["databaseId"], row["entityId"]) == wanted
        for user in row["subscribers"]
    ]


def _metadata(client: Client, path: str, **query: Any) -> list[Document]:
    """Stored values. A schema's empty fields are listed too, and are not values."""
    return [
        {name: item[name] for name in ITEM_FIELDS}
        for item in client.every(path, **query)
        if item.get("metadataValue") not in (None, "")
    ]


def _absolute(path: str) -> str:
    return "/" + path.lstrip("/")
