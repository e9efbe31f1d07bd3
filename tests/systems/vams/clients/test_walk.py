"""What people do with the tool all day, against a real server: each test is one session."""

from __future__ import annotations

import hashlib
import json
import uuid

import pytest

from tests.systems.vams.clients.tool import Failed, Tool, place, wait_until

GLB = b"glTF\x02\x00\x00\x00" + bytes(200)


@pytest.fixture
def asset(tool: Tool, database: str) -> str:
    """A new asset for each test."""
    body = {
        "databaseId": database,
        "assetName": f"asset {uuid.uuid4().hex[:8]}",
        "description": "made by the tool",
        "isDistributable": True,
        "tags": [],
    }
    return tool.post("/assets", body)["assetId"]


def test_databases_are_created_listed_changed_and_deleted(tool: Tool) -> None:
    # The first command of everybody.
    bucket = next(tool.pages("/buckets"))["bucketId"]
    body = {"databaseId": "short-lived", "description": "not for long", "defaultBucketId": bucket}
    tool.post("/database", body)
    with pytest.raises(Failed, match="already exists") as refused:
        tool.post("/database", body)
    assert refused.value.status == 400
    changed = tool.put("/database/short-lived", {"description": "for a moment"})
    assert (changed["success"], changed["operation"]) == (True, "update")
    found = tool.get("/database/short-lived")
    assert (found["description"], found["assetCount"]) == ("for a moment", 0)
    assert "short-lived" in [row["databaseId"] for row in tool.pages("/database", pageSize=1)]
    tool.delete("/database/short-lived")
    with pytest.raises(Failed) as gone:
        tool.get("/database/short-lived")
    assert gone.value.status == 404


def test_an_asset_is_made_changed_archived_brought_back_and_deleted(
    tool: Tool, database: str, asset: str
) -> None:
    # Archive and unarchive come with and without bodies.
    path = place(database, asset)
    assert asset.startswith("x")
    shown = tool.get(path)
    assert (shown["status"], shown["currentVersion"]["Version"]) == ("active", "0")
    tool.put(path, {"description": "changed by the tool"})
    assert tool.delete(f"{path}/archiveAsset")["operation"] == "archive"
    with pytest.raises(Failed) as gone:
        tool.get(path)
    assert gone.value.status == 404
    assert tool.get(path, showArchived="true")["status"] == "archived"
    assert asset not in [row["assetId"] for row in tool.pages(f"/database/{database}/assets")]
    body = {"confirmUnarchive": True, "reason": "still needed"}
    assert tool.put(f"{path}/unarchiveAsset", body)["operation"] == "unarchive"
    assert tool.get(path)["description"] == "changed by the tool"
    with pytest.raises(Failed) as unconfirmed:
        tool.delete(f"{path}/deleteAsset", {})
    assert unconfirmed.value.status == 400
    assert tool.delete(f"{path}/deleteAsset", {"confirmPermanentDelete": True})["success"]
    with pytest.raises(Failed) as deleted:
        tool.get(path, showArchived="true")
    assert deleted.value.status == 404


def test_files_go_up_in_parts_and_come_down_whole_or_in_ranges(
    tool: Tool, database: str, asset: str
) -> None:
    # Parts, an empty file, names with spaces: as a folder of somebody has them.
    large = bytes(range(256)) * 40_960  # 10 MB in two parts
    files = {"/models/a pump.glb": GLB, "/scan.bin": large, "/empty.txt": b""}
    answer = tool.upload(database, asset, files, part_bytes=6 << 20)
    assert answer["overallSuccess"] is True
    listed = {
        row["relativePath"]: row
        for row in tool.pages(f"{place(database, asset)}/listFiles", "items")
    }
    assert {path: listed[path]["size"] for path in files} == {
        path: len(data) for path, data in files.items()
    }
    assert tool.download(database, asset, "/models/a pump.glb") == GLB
    whole = tool.stream(database, asset, "/scan.bin")
    assert hashlib.sha256(whole.content).digest() == hashlib.sha256(large).digest()
    part = tool.stream(database, asset, "/scan.bin", "bytes=1000-1999")
    assert (part.status_code, part.content) == (206, large[1000:2000])
    assert tool.get(place(database, asset))["assetType"] == "folder"


def test_refused_files_are_named_with_a_reason(tool: Tool, database: str, asset: str) -> None:
    # The tool prints what the server says.
    with pytest.raises(Failed) as refused:
        tool.upload(database, asset, {"/virus.exe": b"MZ"})
    assert refused.value.status in (400, 409)


def test_files_are_moved_copied_archived_and_reverted(
    tool: Tool, database: str, asset: str
) -> None:
    # `file move`, `file copy`, `file archive` and so on.
    path = place(database, asset)
    tool.upload(database, asset, {"/one.txt": b"first"})
    first = tool.get(f"{path}/fileInfo", filePath="/one.txt", includeVersions="true")["versionId"]
    tool.upload(database, asset, {"/one.txt": b"second"})
    reverted = tool.post(f"{path}/revertFileVersion/{first}", {"filePath": "/one.txt"})
    assert reverted["success"]
    assert tool.download(database, asset, "/one.txt") == b"first"
    tool.post(f"{path}/copyFile", {"sourcePath": "/one.txt", "destinationPath": "/two.txt"})
    tool.post(f"{path}/moveFile", {"sourcePath": "/two.txt", "destinationPath": "/dir/three.txt"})
    tool.delete(f"{path}/archiveFile", {"filePath": "/one.txt", "isPrefix": False})
    names = [
        row["relativePath"]
        for row in tool.pages(f"{path}/listFiles", "items")
        if not row["isFolder"]
    ]
    assert names == ["/dir/three.txt"]
    tool.post(f"{path}/unarchiveFile", {"filePath": "/one.txt"})
    primary = {"filePath": "/one.txt", "primaryType": "primary"}
    assert tool.put(f"{path}/setPrimaryFile", primary)["primaryType"] == "primary"
    body = {"filePath": "/dir/three.txt", "confirmPermanentDelete": True}
    assert tool.delete(f"{path}/deleteFile", body)["success"]


def test_versions_are_made_read_and_reverted(tool: Tool, database: str, asset: str) -> None:
    # `asset-version create`, `list`, `get`, `revert`.
    path = place(database, asset)
    tool.upload(database, asset, {"/part.txt": b"one"})
    made = tool.post(f"{path}/createVersion", {"comment": "first", "useLatestFiles": True})
    assert made["assetVersionId"] == "1"
    tool.upload(database, asset, {"/part.txt": b"two"})
    tool.post(
        f"{path}/createVersion", {"comment": "second", "useLatestFiles": True, "versionAlias": "B"}
    )
    rows = list(tool.pages(f"{path}/getVersions", "versions"))
    assert [row["Version"] for row in rows] == ["2", "1", "0"]
    one = tool.get(f"{path}/getVersion/1")
    assert [file["relativeKey"].lstrip("/") for file in one["files"]] == ["part.txt"]
    assert tool.download(database, asset, "/part.txt", assetVersionId="1") == b"one"
    assert tool.download(database, asset, "/part.txt", assetVersionIdAlias="B") == b"two"
    assert tool.post(f"{path}/revertAssetVersion/1")["assetVersionId"] == "3"  # without a body
    assert tool.download(database, asset, "/part.txt") == b"one"
    assert tool.put(f"{path}/assetversions/2", {"versionAlias": ""})["operation"] == "update"
    assert tool.post(f"{path}/assetversions/2/archive")["operation"] == "archive"


def test_metadata_of_everything_is_written_read_and_deleted(
    tool: Tool, database: str, asset: str
) -> None:
    # `metadata asset update` and its sisters; file metadata names the file in query and body.
    path = place(database, asset)
    tool.upload(database, asset, {"/m.glb": GLB})
    item = {"metadataKey": "maker", "metadataValue": "Nordlys", "metadataValueType": "string"}
    for where, about in (
        (f"{path}/metadata", {}),
        (f"{path}/metadata/file", {"filePath": "/m.glb", "type": "metadata"}),
        (f"{path}/metadata/file", {"filePath": "/m.glb", "type": "attribute"}),
        (f"/database/{database}/metadata", {}),
    ):
        written = tool.post(where, {**about, "metadata": [item]})
        assert (written["successCount"], written["failureCount"]) == (1, 0)
        tool.put(
            where,
            {**about, "metadata": [{**item, "metadataValue": "Keller"}], "updateType": "update"},
        )
        values = {
            row["metadataKey"]: row["metadataValue"]
            for row in tool.pages(where, "metadata", **about)
        }
        assert values["maker"] == "Keller"
        tool.delete(where, {**about, "metadataKeys": ["maker"]})
        assert "maker" not in [
            row["metadataKey"]
            for row in tool.pages(where, "metadata", **about)
            if row["metadataValue"]
        ]


def test_links_make_a_tree(tool: Tool, database: str, asset: str) -> None:
    # `asset-links create`, `list --tree-view`, `update`, `delete`.
    body = {
        "databaseId": database,
        "assetName": "child",
        "description": "a child",
        "isDistributable": True,
    }
    child = tool.post("/assets", body)["assetId"]
    link = {
        "fromAssetId": asset,
        "fromAssetDatabaseId": database,
        "toAssetId": child,
        "toAssetDatabaseId": database,
        "relationshipType": "parentChild",
        "tags": [],
    }
    link_id = tool.post("/asset-links", link)["assetLinkId"]
    tree = tool.get(f"{place(database, asset)}/asset-links", childTreeView="true")
    assert [node["assetId"] for node in tree["children"]] == [child]
    with pytest.raises(Failed):
        tool.post("/asset-links", {**link, "fromAssetId": child, "toAssetId": asset})
    assert tool.get(f"/asset-links/single/{link_id}")["assetLink"]["assetLinkId"] == link_id
    tool.put(f"/asset-links/{link_id}", {"assetLinkAliasId": "left"})
    tool.delete(f"/asset-links/{link_id}")
    assert tool.get(f"{place(database, asset)}/asset-links")["children"] == []


def test_tags_are_sent_as_lists(tool: Tool) -> None:
    # The tool sends {"tags": [...]}; the original's own server refuses it.
    kind = {"tagTypeName": "walk kind", "description": "of walks", "required": "False"}
    tool.post("/tag-types", {"tagTypes": [kind]})
    tag = {"tagName": "walk tag", "description": "of walks", "tagTypeName": "walk kind"}
    tool.post("/tags", {"tags": [tag]})
    assert "walk tag" in [row["tagName"] for row in tool.pages("/tags")]
    (found,) = [row for row in tool.pages("/tag-types") if row["tagTypeName"] == "walk kind"]
    assert found["tags"] == ["walk tag"]
    with pytest.raises(Failed):
        tool.delete("/tag-types/walk kind")
    tool.delete("/tags/walk tag")
    tool.delete("/tag-types/walk kind")


def test_schemas_are_made_and_deleted(tool: Tool, database: str) -> None:
    # `metadata-schema`: the fields are an object around a list.
    field = {
        "metadataFieldKeyName": "length",
        "metadataFieldValueType": "number",
        "required": False,
    }
    body = {
        "databaseId": database,
        "metadataSchemaEntityType": "assetMetadata",
        "schemaName": "Walks",
        "fields": {"fields": [field]},
        "enabled": True,
    }
    schema_id = tool.post("/metadataschema", body)["metadataSchemaId"]
    listed = list(tool.pages("/metadataschema", databaseId=database))
    assert schema_id in [row["metadataSchemaId"] for row in listed]
    path = f"/database/{database}/metadataSchema/{schema_id}"
    assert tool.get(path)["schemaName"] == "Walks"
    tool.delete(path, {"confirmDelete": True})
    with pytest.raises(Failed) as gone:
        tool.get(path)
    assert gone.value.status == 404


def test_a_workflow_runs_and_its_runs_are_listed_by_get_and_post(
    tool: Tool, database: str, asset: str
) -> None:
    # The tool lists runs with POST when a workflow's database is given.
    tool.upload(database, asset, {"/w.txt": b"some text"})
    pipeline = {
        "pipelineId": "walk-checksum",
        "databaseId": database,
        "pipelineType": "standardFile",
        "pipelineExecutionType": "Lambda",
        "description": "hashes of a file",
        "assetType": ".txt",
        "outputType": ".txt",
        "waitForCallback": "Disabled",
        "lambdaName": "vams-checksum",
    }
    tool.put("/pipelines", pipeline)
    stored = tool.get(f"/database/{database}/pipelines/walk-checksum")["message"]
    function = {
        "name": "walk-checksum",
        "databaseId": database,
        **{name: stored[name] for name in ("pipelineType", "pipelineExecutionType", "outputType")},
        "waitForCallback": "Disabled",
        "userProvidedResource": stored["userProvidedResource"],
    }
    workflow = {
        "workflowId": "walk-flow",
        "databaseId": database,
        "description": "hashes, on request",
        "specifiedPipelines": {"functions": [function]},
        "autoTriggerOnFileExtensionsUpload": "",
    }
    tool.put("/workflows", workflow)
    path = f"{place(database, asset)}/workflows"
    body = {"workflowDatabaseId": database, "fileKey": "/w.txt"}
    run_id = tool.post(f"{path}/walk-flow", body)["message"]

    def ended() -> str | None:
        answer = tool.post(f"{path}/executions", {"workflowDatabaseId": database})
        states = {row["executionId"]: row["executionStatus"] for row in answer["message"]["Items"]}
        return states[run_id] if states.get(run_id) not in ("NEW", "RUNNING", None) else None

    assert wait_until(ended) == "SUCCEEDED"
    assert run_id in [row["executionId"] for row in tool.pages(f"{path}/executions/walk-flow")]
    attributes = tool.get(
        f"{place(database, asset)}/metadata/file", filePath="/w.txt", type="attribute"
    )
    digest = hashlib.sha256(b"some text").hexdigest()
    assert digest in [row["metadataValue"] for row in attributes["metadata"]]


def test_search_finds_what_was_made(tool: Tool, database: str) -> None:
    # `search simple` and `search assets`; the index follows a moment later.
    word = f"zebra{uuid.uuid4().hex[:6]}"
    body = {
        "databaseId": database,
        "assetName": word,
        "description": "to be found",
        "isDistributable": True,
    }
    asset = tool.post("/assets", body)["assetId"]

    def found() -> list[str]:
        answer = tool.post(
            "/search/simple", {"query": word, "entityTypes": ["asset"], "from": 0, "size": 10}
        )
        return [hit["_source"]["str_assetid"] for hit in answer["hits"]["hits"]]

    assert wait_until(found) == [asset]
    query = {
        "query": word,
        "entityTypes": ["asset"],
        "includeArchived": False,
        "from": 0,
        "size": 10,
    }
    assert tool.post("/search", query)["hits"]["total"]["value"] == 1
    assert "mappings" in tool.get("/search")


def test_an_export_has_links_that_work(tool: Tool, database: str, asset: str) -> None:
    # `assets export`: the names are in lower case, and files have presigned links.
    tool.upload(database, asset, {"/e.txt": b"exported"})
    body = {"generatePresignedUrls": True, "includeFileMetadata": True, "maxAssets": 100}
    answer = tool.post(f"{place(database, asset)}/export", body)
    (exported,) = answer["assets"]
    assert (exported["assetid"], exported["is_root_lookup_asset"]) == (asset, True)
    (file,) = [file for file in exported["files"] if file["relativePath"] == "/e.txt"]
    assert tool.http.get(file["presignedFileDownloadUrl"]).content == b"exported"


def test_roles_constraints_and_templates_are_written(tool: Tool, database: str) -> None:
    # `role`, `constraint` and `constraint template import`.
    tool.post("/roles", {"roleName": "walkers", "description": "who walk"})
    constraint = {
        "identifier": "walkers-see",
        "name": "walkers-see",
        "description": "they see one database",
        "objectType": "database",
        "criteriaAnd": [{"field": "databaseId", "operator": "equals", "value": database}],
        "criteriaOr": [],
        "groupPermissions": [
            {"groupId": "walkers", "permission": "GET", "permissionType": "allow"}
        ],
        "userPermissions": [],
    }
    assert tool.post("/auth/constraints/walkers-see", constraint)["constraintId"] == "walkers-see"
    assert tool.get("/auth/constraints/walkers-see")["constraint"]["objectType"] == "database"
    template = {
        "metadata": {"name": "walks"},
        "variables": [{"name": "ROLE_NAME", "required": True}],
        "variableValues": {"ROLE_NAME": "walkers"},
        "constraints": [
            {
                "name": "{{ROLE_NAME}}-tags",
                "description": "they see tags",
                "objectType": "tag",
                "criteriaAnd": [{"field": "tagName", "operator": "contains", "value": ".*"}],
                "groupPermissions": [{"action": "GET", "type": "allow"}],
            }
        ],
    }
    assert tool.post("/auth/constraintsTemplateImport", template)["constraintsCreated"] == 1
    tool.delete("/auth/constraints/walkers-see")
    tool.delete("/roles/walkers")
    assert "walkers" not in json.dumps(tool.get("/roles"))


def test_comments_and_subscriptions_of_an_asset(tool: Tool, asset: str) -> None:
    # The web client makes the id of a comment.
    name = f"0:{uuid.uuid4()}"
    path = f"/comments/assets/{asset}/assetVersionId:commentId/{name}"
    tool.post(path, {"commentBody": "hello"})
    assert [row["commentBody"] for row in tool.get(f"/comments/assets/{asset}")["message"]] == [
        "hello"
    ]
    tool.put(path, {"commentBody": "goodbye"})
    tool.delete(path)
    about = {"eventName": "Asset Version Change", "entityName": "Asset", "entityId": asset}
    subscription = {**about, "subscribers": [tool.user_id]}
    assert tool.post("/subscriptions", subscription)["message"] == "success"
    check = {"userId": tool.user_id, "assetId": asset}
    assert tool.post("/check-subscription", check)["message"] == "success"
    assert tool.delete("/unsubscribe", subscription)["message"] == "success"
