"""Loads the sample through the interface: every call passes the checks of its user.

A mark is written last, so that what was interrupted is done again, and what somebody has deleted
later stays away.
"""

from __future__ import annotations

from typing import Any, cast

from sortkey_systems.vams.client.client import CallFailed, Client, asset_path, path_of
from sortkey_systems.vams.client.contents import Content, content_of_bytes
from sortkey_systems.vams.client.in_process import InProcess
from sortkey_systems.vams.client.uploads import UploadType, upload_files
from sortkey_systems.vams.model import AuthEntity, User
from sortkey_systems.vams.sample.contents import file_content
from sortkey_systems.vams.sample.rows import Row, sample_document, write_rows
from sortkey_systems.vams.service import Vams

ADMINISTRATOR = "ines@example.com"
EVENT = "Asset Version Change"
_MARK = AuthEntity.key(entity_type="installation", sk="sample")


def load(service: Vams) -> None:
    """Load the sample, unless it was loaded."""
    if service.store.find(_MARK, consistent=True) is not None:
        return
    document = sample_document()
    is_repeat = service.store.find(User.key(user_id=ADMINISTRATOR)) is not None
    write_rows(service.store, document)
    with InProcess(service) as transport:
        users = [row["user_id"] for row in document["rows"]["User"]]
        clients = {user: Client(transport, transport.token(user), user_id=user) for user in users}
        _Sample(clients, document, is_repeat).load()
    service.store.put(AuthEntity(entity_type="installation", sk="sample"))


class _Sample:
    """The calls, in an order in which each finds what it needs."""

    def __init__(self, clients: dict[str, Client], document: Row, is_repeat: bool) -> None:
        self._clients, self._document = clients, document
        self._admin = clients[ADMINISTRATOR]
        self._is_repeat = is_repeat

    def load(self) -> None:
        for row in self._document["tag_types"]:
            self._tags(row)
        for row in self._document["databases"]:
            self._database(row)
        for row in self._document["schemas"]:
            self._schema(row)
        for row in self._document["pipelines"]:
            self._pipeline(row)
        for row in self._document["workflows"]:
            self._workflow(row)
        for row in self._document["assets"]:
            self._asset(row)
        for row in self._document["links"]:
            self._link(row)
        self._people()
        for row in self._document["assets"]:
            if row.get("is_archived"):
                path = asset_path(row["database"], row["id"], "archiveAsset")
                body = {"confirmArchive": True, "reason": row["versions"][-1]["comment"]}
                self._once(self._clients[row["by"]], "DELETE", path, body)

    # -- what assets need

    def _tags(self, row: Row) -> None:
        about = {"tagTypeName": row["name"], "description": row["description"]}
        self._once(self._admin, "POST", "/tag-types", {**about, "required": "False"})
        for name, description in row["tags"].items():
            body = {"tagName": name, "description": description, "tagTypeName": row["name"]}
            self._once(self._admin, "POST", "/tags", body)

    def _database(self, row: Row) -> None:
        body = {"databaseId": row["id"], "description": row["description"]}
        self._once(self._admin, "POST", "/database", {**body, "defaultBucketId": row["bucket"]})
        _write_metadata(self._admin, path_of("database", row["id"], "metadata"), row["metadata"])

    def _schema(self, row: Row) -> None:
        fields = [
            {
                "metadataFieldKeyName": name,
                "metadataFieldValueType": kind,
                "required": False,
                "sequence": number,
            }
            for number, (name, kind) in enumerate(row["fields"], 1)
        ]
        body = {"databaseId": row["database"], "metadataSchemaEntityType": row["entity_type"]}
        more = {"schemaName": row["name"], "fields": {"fields": fields}, "enabled": True}
        known = self._admin.every("/metadataschema", databaseId=row["database"])
        if row["name"] not in {schema["schemaName"] for schema in known}:
            self._admin.post("/metadataschema", {**body, **more})

    def _pipeline(self, row: Row) -> None:
        body = {
            "pipelineId": row["id"],
            "databaseId": row["database"],
            "pipelineType": row.get("type", "standardFile"),
            "pipelineExecutionType": "Lambda",
            "description": row["description"],
            "assetType": row.get("input_type", ".all"),
            "outputType": row.get("output_type", ".all"),
            "waitForCallback": "Disabled",
            "lambdaName": row["function"],
        }
        self._admin.put("/pipelines", body)

    def _workflow(self, row: Row) -> None:
        functions: list[Row] = []
        for database, name in row["pipelines"]:
            path = path_of("database", database, "pipelines", name)
            pipeline = self._admin.get(path)["message"]
            names = ("pipelineType", "pipelineExecutionType", "outputType", "waitForCallback")
            known = {field: pipeline[field] for field in (*names, "userProvidedResource")}
            functions.append({"name": name, "databaseId": database, **known})
        body = {
            "workflowId": row["id"],
            "databaseId": row["database"],
            "description": row["description"],
            "specifiedPipelines": {"functions": functions},
            "autoTriggerOnFileExtensionsUpload": "",
        }
        self._admin.put("/workflows", body)

    # -- assets

    def _asset(self, row: Row) -> None:
        """An asset with its versions. One that was begun is continued after its last version."""
        client, place = self._clients[row["by"]], (row["database"], row["id"])
        found = client.find(asset_path(*place), showArchived=True)
        if found is None:
            client.post("/assets", _new_asset(row))
        elif found["status"] == "archived":
            return
        done = 0 if found is None else int(found["currentVersion"]["Version"])
        for number, version in enumerate(row["versions"], 1):
            if number > done:
                self._version(place, row, version, is_last=number == len(row["versions"]))
        if "preview" in row:
            preview = content_of_bytes("preview.png", file_content(row["preview"]))
            _upload(client, place, [preview], "assetPreview")
        if "primary" in row:
            body = {"filePath": row["primary"], "primaryType": "primary"}
            client.put(asset_path(*place, "setPrimaryFile"), body)

    def _version(self, place: tuple[str, str], asset: Row, version: Row, *, is_last: bool) -> None:
        client = self._clients[version["by"]]
        contents = [
            content_of_bytes(path, file_content(name)) for path, name in version["files"].items()
        ]
        _upload(client, place, contents)
        if is_last:  # the version keeps a copy of them
            self._values(client, place, asset)
        body = {"comment": version["comment"], "useLatestFiles": True}
        if "alias" in version:
            body["versionAlias"] = version["alias"]
        client.post(asset_path(*place, "createVersion"), body)

    def _values(self, client: Client, place: tuple[str, str], asset: Row) -> None:
        _write_metadata(client, asset_path(*place, "metadata"), asset.get("metadata", {}))
        path = asset_path(*place, "metadata", "file")
        for kind, name in (("metadata", "file_metadata"), ("attribute", "file_attributes")):
            for file, values in asset.get(name, {}).items():
                _write_metadata(client, path, values, filePath=file, type=kind)

    # -- what hangs on assets

    def _link(self, row: Row) -> None:
        (from_database, from_asset), (to_database, to_asset) = row["from"], row["to"]
        body = {
            "fromAssetDatabaseId": from_database,
            "fromAssetId": from_asset,
            "toAssetDatabaseId": to_database,
            "toAssetId": to_asset,
            "relationshipType": row["type"],
        }
        if "alias" in row:
            body["assetLinkAliasId"] = row["alias"]
        answer = self._once(self._admin, "POST", "/asset-links", body)
        if answer is not None and "metadata" in row:
            path = path_of("asset-links", answer["assetLinkId"], "metadata")
            _write_metadata(self._admin, path, row["metadata"])

    def _people(self) -> None:
        """What people say, want to know, upload and run."""
        for row in self._document["comments"]:
            steps = ("comments", "assets", row["asset"], "assetVersionId:commentId", row["id"])
            body = {"commentBody": row["text"], "databaseId": row["database"]}
            self._once(self._clients[row["by"]], "POST", path_of(*steps), body)
        for row in self._document["subscriptions"]:
            body = {"eventName": EVENT, "entityName": "Asset", "entityId": row["asset"]}
            body |= {"subscribers": row["users"], "databaseId": row["database"]}
            self._once(self._admin, "POST", "/subscriptions", body)
        for row in self._document["uploads"]:
            about = {"databaseId": row["database"], "assetId": row["asset"]}
            files = [{"relativeKey": row["file"], "file_size": row["size"], "num_parts": 1}]
            body = {**about, "uploadType": "assetFile", "files": files}
            self._clients[row["by"]].post("/uploads", body)
        for row in self._document["runs"]:
            database, workflow = row["workflow"]
            path = asset_path(row["database"], row["asset"], "workflows", workflow)
            body = {"workflowDatabaseId": database, "fileKey": row["file"]}
            self._once(self._clients[row["by"]], "POST", path, body)

    def _once(self, client: Client, method: str, path: str, body: Row) -> Any:
        """A call that an interrupted load may have made already: None then."""
        try:
            return client.call(method, path, body)
        except CallFailed as failure:
            if self._is_repeat and failure.status in (400, 404, 409):
                return None
            raise


def _new_asset(row: Row) -> Row:
    return {
        "databaseId": row["database"],
        "assetId": row["id"],
        "assetName": row["name"],
        "description": row["description"],
        "isDistributable": row.get("is_distributable", False),
        "tags": row["tags"],
    }


def _upload(
    client: Client,
    place: tuple[str, str],
    contents: list[Content],
    upload_type: UploadType = "assetFile",
) -> None:
    report = upload_files(client, *place, contents, upload_type=upload_type)
    for path, reason in report.failed.items():
        raise CallFailed(409, f"{place[1]}{path} was refused: {reason}")


def _write_metadata(client: Client, path: str, values: dict[str, Any], **about: str) -> None:
    items: list[Row] = []
    for name, value in values.items():
        typed = cast("dict[str, str]", value) if isinstance(value, dict) else {"string": value}
        ((kind, text),) = typed.items()
        items.append({"metadataKey": name, "metadataValue": text, "metadataValueType": kind})
    if items:
        answer = client.put(path, {**about, "metadata": items, "updateType": "update"})
        for failed in answer.get("failedItems") or ():
            raise CallFailed(400, f"{failed['key']} at {path}: {failed['error']}")
