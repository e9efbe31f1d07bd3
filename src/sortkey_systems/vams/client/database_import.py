"""A folder of `export_database` into an installation. What was interrupted can be continued."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sortkey.errors import TransferFailed, TransferRefused
from sortkey_systems.vams.client.client import CallFailed, Client, asset_path, path_of
from sortkey_systems.vams.client.database_export import EVENT, subscribers_of
from sortkey_systems.vams.client.database_folder import DatabaseFolder, Document
from sortkey_systems.vams.client.synchronization import push

PIPELINE_FIELDS = (
    *("pipelineId", "pipelineType", "pipelineExecutionType", "description", "assetType"),
    *("outputType", "waitForCallback", "taskTimeout", "taskHeartbeatTimeout", "lambdaName"),
    *("sqsQueueUrl", "eventBridgeBusArn", "eventBridgeSource", "eventBridgeDetailType"),
    *("inputParameters", "enabled"),
)
RESOURCE_FIELDS = {
    "Lambda": "lambdaName",
    "SQS": "sqsQueueUrl",
    "EventBridge": "eventBridgeBusArn",
}
WORKFLOW_FIELDS = ("workflowId", "description", "autoTriggerOnFileExtensionsUpload")
SCHEMA_FIELDS = (
    *("metadataSchemaEntityType", "schemaName", "fields", "fileKeyTypeRestriction", "enabled"),
)
RESTRICTIONS = ("restrictMetadataOutsideSchemas", "restrictFileUploadsToExtensions")
OnAsset = Callable[[str], None]


@dataclass(slots=True)
class ImportReport:
    """What was imported, and what the installation refused."""

    database_id: str
    assets: int = 0
    versions: int = 0
    failed: list[str] = field(default_factory=list[str])


def import_database(
    client: Client,
    folder: DatabaseFolder,
    *,
    database_id: str | None = None,
    bucket_id: str | None = None,
    resumes: bool = False,
    on_asset: OnAsset = lambda asset_id: None,
) -> ImportReport:
    """Make a database of a folder. Versions are made again in their order, by whoever imports.
    With `resumes`, an import that was interrupted goes on where it stopped.
    """
    document = folder.read_database()
    source: Document = document["database"]
    report = ImportReport(database_id or source["databaseId"])
    exists = client.find(path_of("database", report.database_id)) is not None
    if exists and not resumes:
        raise TransferRefused(
            f"the database {report.database_id} exists: give another id, or continue an import "
            "that was interrupted with --resume"
        )
    work = _Import(client, folder, report, source["databaseId"])
    work.tags(document)
    if not exists:
        work.database(source, bucket_id)
    work.definitions(document)
    for entry in folder.assets():
        work.asset(entry)
        report.assets += 1
        on_asset(entry["asset"]["assetId"])
    work.links(document["links"])
    return report


@dataclass(slots=True)
class _Import:
    client: Client
    folder: DatabaseFolder
    report: ImportReport
    source_id: str

    @property
    def _id(self) -> str:
        return self.report.database_id

    # -- what an asset needs

    def tags(self, document: Document) -> None:
        """Tag types and tags that assets may name, where they are missing."""
        types = {row["tagTypeName"] for row in self.client.every("/tag-types")}
        for row in document["tagTypes"]:
            if row["tagTypeName"] not in types:
                names = ("tagTypeName", "description", "required")
                self._try(f"tag type {row['tagTypeName']}", "POST", "/tag-types", _some(row, names))
        tags = {row["tagName"] for row in self.client.every("/tags")}
        for row in document["tags"]:
            if row["tagName"] not in tags:
                body = _some(row, ("tagName", "description"))
                body["tagTypeName"] = row["tagTypeName"].removesuffix(" [R]")
                self._try(f"tag {row['tagName']}", "POST", "/tags", body)

    def database(self, source: Document, bucket_id: str | None) -> None:
        buckets = [row["bucketId"] for row in self.client.every("/buckets")]
        if bucket_id is None and source.get("defaultBucketId") in buckets:
            bucket_id = source["defaultBucketId"]
        chosen = bucket_id or next(iter(buckets), None)
        if chosen is None:
            raise TransferRefused("this installation has no bucket for assets")
        body = {"databaseId": self._id, "description": source["description"]}
        body |= {"defaultBucketId": chosen} | _some(source, RESTRICTIONS)
        self.client.post("/database", body)

    def definitions(self, document: Document) -> None:
        """Schemas, metadata, pipelines and workflows of the database."""
        known = {
            row["schemaName"] for row in self.client.every("/metadataschema", databaseId=self._id)
        }
        for row in document["schemas"]:
            if row["databaseId"] == self.source_id and row["schemaName"] not in known:
                body = {**_some(row, SCHEMA_FIELDS), "databaseId": self._id}
                self._try(f"schema {row['schemaName']}", "POST", "/metadataschema", body)
        self._metadata(path_of("database", self._id, "metadata"), document["metadata"])
        for row in document["pipelines"]:
            body = {**_pipeline(row), "databaseId": self._id}
            self._try(f"pipeline {row['pipelineId']}", "PUT", "/pipelines", body)
        for row in document["workflows"]:
            functions = [
                {**function, "databaseId": self._renamed(function["databaseId"])}
                for function in row["specifiedPipelines"]["functions"]
            ]
            body = {**_some(row, WORKFLOW_FIELDS), "databaseId": self._id}
            body["specifiedPipelines"] = {"functions": functions}
            self._try(f"workflow {row['workflowId']}", "PUT", "/workflows", body)

    # -- assets

    def asset(self, entry: Document) -> None:
        """An asset, its versions in their order, then what it is now."""
        asset = entry["asset"]
        asset_id: str = asset["assetId"]
        for files in (entry["files"], *(version["files"] for version in entry["versions"])):
            for file in files:  # before anything is made of it
                self.folder.content(file["path"], file["sha256"])
        place = (self._id, asset_id)
        existing = self.client.find(asset_path(*place))
        if existing is None:
            names = ("assetId", "assetName", "description", "isDistributable", "tags")
            self._create({**_some(asset, names), "databaseId": self._id})
            done = 0
        else:
            done = int(existing["currentVersion"]["Version"])
        for version in entry["versions"][done:]:
            self._version(place, version)
        self._files(place, entry["files"])
        self._metadata(asset_path(*place, "metadata"), entry["metadata"])
        for path, kinds in entry["fileMetadata"].items():
            self._file_metadata(place, path, kinds)
        for path, primary in entry["primaryTypes"].items():
            body = {"filePath": path, "primaryType": primary}
            what = f"primary file {asset_id}{path}"
            self._try(what, "PUT", asset_path(*place, "setPrimaryFile"), body)
        self._discussion(asset_id, entry)

    def _create(self, body: Document) -> None:
        try:
            self.client.post("/assets", body)
        except CallFailed as failure:
            if failure.status != 400:
                raise
            raise TransferFailed(
                f"{body['assetId']}: {failure}; a copy beside the original needs another bucket: "
                "name it with --bucket, and go on with --resume"
            ) from None

    def _version(self, place: tuple[str, str], version: Document) -> None:
        self._files(place, version["files"])
        self._snapshot(place, version["metadata"])
        body = {"comment": version["comment"] or "Imported", "useLatestFiles": True}
        if version["versionAlias"]:
            body["versionAlias"] = version["versionAlias"]
        created = self.client.post(asset_path(*place, "createVersion"), body)
        if version["isArchived"]:
            number = created["assetVersionId"]
            path = asset_path(*place, "assetversions", number, "archive")
            self._try(f"archived version {number} of {place[1]}", "POST", path, None)
        self.report.versions += 1

    def _files(self, place: tuple[str, str], files: Sequence[Document]) -> None:
        """The files of a moment: what is missing is uploaded, what is too much is archived."""
        contents = {
            file["path"]: self.folder.content(file["path"], file["sha256"]) for file in files
        }
        done = push(self.client, *place, contents, deletes=True)
        if done.failed:
            path, reason = next(iter(done.failed.items()))
            raise TransferFailed(f"{place[1]}{path} was refused: {reason}")

    def _snapshot(self, place: tuple[str, str], values: Sequence[Document]) -> None:
        """Metadata and attributes as they were in a version, so that its copy has them."""
        groups: dict[tuple[str, str], list[Document]] = {}
        for value in values:
            groups.setdefault((value["filePath"], value["type"]), []).append(value)
        for (path, kind), items in groups.items():
            if path == "/":
                self._metadata(asset_path(*place, "metadata"), items)
            else:
                self._file_metadata(place, path, {kind: items})

    def _file_metadata(
        self, place: tuple[str, str], path: str, kinds: dict[str, list[Document]]
    ) -> None:
        for kind, items in kinds.items():
            where = asset_path(*place, "metadata", "file")
            self._metadata(where, items, filePath="/" + path.lstrip("/"), type=kind)

    def _metadata(self, path: str, items: Sequence[Document], **about: str) -> None:
        if not items:
            return
        names = ("metadataKey", "metadataValue", "metadataValueType")
        body = {**about, "metadata": [_some(item, names) for item in items]}
        answer = self._try(f"metadata at {path}", "PUT", path, {**body, "updateType": "update"})
        refused: list[Document] = answer["failedItems"] if answer else []
        for failed in refused:
            self.report.failed.append(f"metadata {failed['key']} at {path}: {failed['error']}")

    def _discussion(self, asset_id: str, entry: Document) -> None:
        """Comments and subscribers that are missing. Comments become those of whoever imports."""
        path = path_of("comments", "assets", asset_id)
        known = {_comment(row) for row in self.client.every(path, databaseId=self._id)}
        for row in entry["comments"]:
            if _comment(row) not in known:  # under a new id: the old one may be in use elsewhere
                name = f"{_comment(row)[0]}:{uuid.uuid4()}"
                steps = ("comments", "assets", asset_id, "assetVersionId:commentId", name)
                body = {"commentBody": row["commentBody"], "databaseId": self._id}
                self._try(f"a comment on {asset_id}", "POST", path_of(*steps), body)
        present = subscribers_of(self.client, self._id, asset_id)
        missing = [user for user in entry["subscribers"] if user not in present]
        if missing:
            body = {"eventName": EVENT, "entityName": "Asset", "entityId": asset_id}
            body |= {"subscribers": missing, "databaseId": self._id}
            self._try(f"subscription to {asset_id}", "POST", "/subscriptions", body)

    # -- links

    def links(self, links: Sequence[Document]) -> None:
        """Links that are not there yet, with their metadata."""
        for link in links:
            if self._has(link):
                continue
            names = ("fromAssetId", "toAssetId", "relationshipType", "assetLinkAliasId", "tags")
            body = {
                **_some(link, names),
                "fromAssetDatabaseId": self._renamed(link["fromAssetDatabaseId"]),
                "toAssetDatabaseId": self._renamed(link["toAssetDatabaseId"]),
            }
            what = f"link {link['fromAssetId']} to {link['toAssetId']}"
            answer = self._try(what, "POST", "/asset-links", body)
            if answer is not None:
                path = path_of("asset-links", answer["assetLinkId"], "metadata")
                self._metadata(path, link["metadata"])

    def _has(self, link: Document) -> bool:
        place = self._renamed(link["fromAssetDatabaseId"]), link["fromAssetId"]
        answer = self.client.get(asset_path(*place, "asset-links"))
        kind = "children" if link["relationshipType"] == "parentChild" else "related"
        return any(
            node["assetId"] == link["toAssetId"]
            and (node.get("assetLinkAliasId") or None) == (link.get("assetLinkAliasId") or None)
            for node in answer[kind]
        )

    def _renamed(self, database_id: str) -> str:
        return self._id if database_id == self.source_id else database_id

    def _try(self, what: str, method: str, path: str, body: Document | None) -> Any:
        """A call whose refusal is noted and does not end the import."""
        try:
            return self.client.call(method, path, body)
        except CallFailed as failure:
            if failure.status not in (400, 403, 404, 409):
                raise
            self.report.failed.append(f"{what}: {failure}")
            return None


def _comment(row: Document) -> tuple[str, str]:
    """The version that a comment is on, and its text."""
    return row["assetVersionId:commentId"].partition(":")[0], row["commentBody"]


def _pipeline(row: Document) -> Document:
    """A pipeline as it is written: what runs it is listed as JSON text."""
    resource: Document = json.loads(row.get("userProvidedResource") or "{}")
    field = RESOURCE_FIELDS.get(row["pipelineExecutionType"], "lambdaName")
    given = {
        field: resource.get("resourceId") or None,
        "eventBridgeSource": resource.get("eventSource"),
        "eventBridgeDetailType": resource.get("eventDetailType"),
    }
    return _some({**given, **_some(row, PIPELINE_FIELDS)}, (*given, *PIPELINE_FIELDS))


def _some(row: Document, names: Sequence[str]) -> Document:
    """Those fields of a row that have a value."""
    return {name: row[name] for name in names if row.get(name) is not None}
