"""Permanent deletion: nothing of an asset stays, also after the server is killed halfway."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey import Objects
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadata,
    AssetFileMetadataVersion,
    AssetFileVersion,
    AssetLink,
    AssetLinkMetadata,
    AssetUpload,
    AssetVersion,
    AuthEntity,
    Comment,
    FileAttribute,
    S3AssetBucket,
    Subscription,
    WorkflowExecution,
    model,
)
from tests.systems.vams.host import ADMIN, Requests, hosted

GONE = "pump-gone"


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("removal")) as opened:
        yield opened


def belongings(database_id: str, asset_id: str) -> list[Any]:
    """A row of each kind that belongs to an asset."""
    ids: dict[str, Any] = {"database_id": database_id, "asset_id": asset_id}
    version = {**ids, "asset_version_id": "1"}
    link = f"link-{asset_id}"
    return [
        AssetVersion(**version, created_by="ada@example.com"),
        AssetFileVersion(**version, file_key=f"{asset_id}/a.glb", s3_version_id="v"),
        AssetFileMetadataVersion(
            **version, type="metadata", file_path="/a.glb", metadata_key="k", metadata_value="v"
        ),
        AssetFileMetadata(**ids, file_path="/", metadata_key="k", metadata_value="v"),
        AssetFileMetadata(**ids, file_path="/a.glb", metadata_key="k", metadata_value="v"),
        FileAttribute(**ids, file_path="/a.glb", attribute_key="k", attribute_value="v"),
        AssetUpload(**ids, upload_id=f"y{asset_id}", user_id="ada@example.com"),
        AssetLink(
            asset_link_id=link,
            from_asset_database_id=database_id,
            from_asset_id=asset_id,
            to_asset_database_id="bin-1",
            to_asset_id="neighbour",
            relationship_type="related",
        ),
        AssetLinkMetadata(asset_link_id=link, metadata_key="k", metadata_value="v"),
        WorkflowExecution(
            **ids, execution_id="run-1", workflow_database_id="GLOBAL", workflow_id="make-web"
        ),
        Comment(asset_id=asset_id, asset_version_id="1", comment_id="c", comment_body="text"),
        Subscription(
            event_name="Asset Version Change",
            entity_name="Asset",
            entity_id=asset_id,
            subscribers=("ada@example.com",),
        ),
    ]


def rows_about(requests: Requests, text: str) -> list[str]:
    """The tables that have a row in which a text stands."""
    found: list[str] = []
    for table in model.tables:
        answer = requests.service.store.backend.call("Scan", {"TableName": table.name})
        found += [table.name for item in answer["Items"] if text in json.dumps(item)]
    return found


def objects_under(objects: Objects, prefix: str) -> list[str]:
    return [each.key for each in objects.versions(prefix)]


def fill(requests: Requests, database_id: str, asset_id: str) -> None:
    """An asset with everything."""
    requests.make_asset(database_id, assetId=asset_id)
    requests.service.store.batch_write(belongings(database_id, asset_id))
    for name in ("/a.glb", "/a.glb", "/sub/b.stl", "/a.glb.previewFile.png"):
        requests.put_file(database_id, asset_id, name)
    asset = requests.service.assets.find(database_id, asset_id)
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    place.objects.delete(place.key("/sub/b.stl"))
    place.objects.begin_upload(place.key("/big.e57"))
    requests.service.buckets.auxiliary.put(place.key("/a.glb/preview/potree/octree.bin"), b"x")


def delete(requests: Requests, database_id: str, asset_id: str) -> None:
    path = f"/database/{database_id}/assets/{asset_id}/deleteAsset"
    answer = requests("DELETE", path, {"confirmPermanentDelete": True})
    assert answer.status_code == 200, answer.text


def objects_of(requests: Requests) -> list[Objects]:
    (bucket,) = requests.service.store.scan(S3AssetBucket)
    return [requests.service.buckets.objects_of(bucket), requests.service.buckets.auxiliary]


@pytest.mark.parametrize("is_archived", [False, True], ids=["active", "archived"])
def test_nothing_of_a_deleted_asset_stays_and_nothing_else_goes(
    requests: Requests, is_archived: bool
) -> None:
    # The original leaves links and copies of metadata that nobody can read or delete any more.
    name = f"{GONE}-{'archived' if is_archived else 'active'}"
    fill(requests, "bin-1", name)
    neighbour = f"{name}-2"  # its keys begin alike
    fill(requests, "bin-1", neighbour)
    kept = len(rows_about(requests, neighbour))
    stored = [objects_under(each, f"{neighbour}/") for each in objects_of(requests)]
    if is_archived:
        requests("DELETE", f"/database/bin-1/assets/{name}/archiveAsset")
    delete(requests, "bin-1", name)
    assert requests("GET", f"/database/bin-1/assets/{name}?showArchived=1").status_code == 404
    requests.run_jobs()
    left = len(rows_about(requests, name)) - len(rows_about(requests, neighbour))
    assert left == 0
    assert len(rows_about(requests, neighbour)) == kept
    for objects, before in zip(objects_of(requests), stored, strict=True):
        assert objects_under(objects, f"{name}/") == []
        assert objects.uploads(f"{name}/") == []
        assert objects_under(objects, f"{neighbour}/") == before


def test_an_id_can_be_used_again_when_everything_is_gone_and_not_before(
    requests: Requests,
) -> None:
    # The job would delete the files of the new asset.
    requests.make_asset("bin-1", assetId="again")
    requests.put_file("bin-1", "again", "/old.glb")
    delete(requests, "bin-1", "again")
    body = {
        "databaseId": "bin-1",
        "assetId": "again",
        "assetName": "Pump",
        "description": "of a test",
    }
    early = requests("POST", "/assets", body)
    assert early.status_code == 400
    assert "being deleted" in early.json()["message"]
    requests.run_jobs()
    assert requests("POST", "/assets", body).status_code == 200
    requests.put_file("bin-1", "again", "/new.glb")
    requests.run_jobs()
    asset = requests.service.assets.find("bin-1", "again")
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    assert [each.key for each in place.objects.list(place.prefix).objects] == ["again/new.glb"]


def test_comments_stay_while_another_database_has_an_asset_of_that_id(
    requests: Requests,
) -> None:
    # Comments name an asset without its database.
    store = requests.service.store
    requests.make_asset("bin-1", assetId="twin")
    store.put(Asset(database_id="bin-2", asset_id="twin", asset_name="Twin"))
    store.put(Comment(asset_id="twin", asset_version_id="1", comment_id="c", comment_body="text"))
    delete(requests, "bin-1", "twin")
    requests.run_jobs()
    assert len(store.query(Comment.of_asset(asset_id="twin"))) == 1


def test_parts_are_asked_to_remove_theirs_in_order_and_again_after_a_failure(
    requests: Requests,
) -> None:
    # A run that is going on must be stopped before its rows go.
    calls: list[str] = []

    def first(asset: Asset) -> None:
        calls.append(f"first {asset.asset_id}")

    def second(asset: Asset) -> None:
        calls.append(f"second {asset.asset_id}")
        if len(calls) < 3:
            raise OSError("not now")

    requests.service.removal.register("first of a test", first)
    requests.service.removal.register("second of a test", second)
    requests.make_asset("bin-1", assetId="parts")
    delete(requests, "bin-1", "parts")
    start = requests.service.clock()
    for minutes in range(3):
        instant = start + minutes * 600
        requests.service.jobs.run_due(clock=lambda instant=instant: instant)
    assert calls == ["first parts", "second parts", "second parts"]
    mark = AuthEntity.key(entity_type="assetRemoval", sk="bin-1:parts")
    assert requests.service.store.find(mark) is None


def test_an_asset_that_was_used_leaves_nothing(requests: Requests) -> None:
    # By requests, so that every part writes what it writes today, and not what this test knows.
    for name in ("used-asset", "used-by"):
        requests.make_asset("bin-1", assetId=name)
    upload(requests, "used-asset", "/model/a.glb", b"glTF1")
    path = "/database/bin-1/assets/used-asset"
    values = [{"metadataKey": "k", "metadataValue": "v", "metadataValueType": "string"}]
    link = {
        "fromAssetId": "used-asset",
        "fromAssetDatabaseId": "bin-1",
        "toAssetId": "used-by",
        "toAssetDatabaseId": "bin-1",
        "relationshipType": "parentChild",
    }
    subscription = {
        "eventName": "Asset Version Change",
        "entityName": "Asset",
        "entityId": "used-asset",
        "subscribers": [ADMIN],
    }
    file = {"filePath": "/model/a.glb"}
    for method, where, body in (
        ("POST", f"{path}/metadata", {"metadata": values}),
        ("POST", f"{path}/metadata/file", {"metadata": values, "type": "metadata", **file}),
        ("POST", f"{path}/metadata/file", {"metadata": values, "type": "attribute", **file}),
        ("POST", f"{path}/createVersion", {"comment": "first", "useLatestFiles": True}),
        ("PUT", f"{path}/setPrimaryFile", {**file, "primaryType": "primary"}),
        ("POST", "/comments/assets/used-asset/assetVersionId:commentId/1:c1", {"commentBody": "x"}),
        ("POST", "/subscriptions", subscription),
    ):
        answer = requests(method, where, body)
        assert answer.status_code == 200, (where, answer.text)
    made = requests("POST", "/asset-links", link).json()
    metadata = f"/asset-links/{made['assetLinkId']}/metadata"
    assert requests("POST", metadata, {"metadata": values}).status_code == 200
    assert len(set(rows_about(requests, "used-asset"))) >= 9
    delete(requests, "bin-1", "used-asset")
    requests.run_jobs()
    assert rows_about(requests, "used-asset") == []
    # One row of the installation names the link that was written last.
    assert set(rows_about(requests, made["assetLinkId"])) <= {"AuthEntitiesStorageTable"}
    for objects in objects_of(requests):
        assert objects_under(objects, "used-asset/") == []
    assert requests("GET", "/database/bin-1/assets/used-by/asset-links").json()["parents"] == []


def upload(requests: Requests, asset_id: str, path: str, data: bytes) -> None:
    """A file by an upload, as a client sends it."""
    where = {"databaseId": "bin-1", "assetId": asset_id, "uploadType": "assetFile"}
    file = {"relativeKey": path, "file_size": len(data), "num_parts": 1}
    started = requests("POST", "/uploads", {**where, "files": [file]}).json()
    (begun,) = started["files"]
    url = begun["partUploadUrls"][0]["UploadUrl"]
    etag = requests.client.put(url, content=data).headers["ETag"].strip('"')
    sent = {
        "relativeKey": path,
        "uploadIdS3": begun["uploadIdS3"],
        "parts": [{"PartNumber": 1, "ETag": etag}],
    }
    done = requests("POST", f"/uploads/{started['uploadId']}/complete", {**where, "files": [sent]})
    assert done.status_code == 200, done.text


def test_a_folder_is_taken_until_its_asset_is_gone(requests: Requests) -> None:
    # A watch of the bucket would make an asset of files that are about to go, in any database.
    requests.make_database("bin-3")
    asset_id = requests.make_asset("bin-1")  # an id that was made claims no folder by itself
    requests.put_file("bin-1", asset_id, "/a.glb")
    delete(requests, "bin-1", asset_id)
    body = {
        "databaseId": "bin-3",
        "assetId": asset_id,
        "assetName": "Pump",
        "description": "of a watch",
        "bucketExistingKey": f"{asset_id}/",
    }
    assert requests("POST", "/assets", body).status_code == 400
    requests.run_jobs()
    del body["bucketExistingKey"]
    assert requests("POST", "/assets", body).status_code == 200


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.systems.vams.host import hosted

with hosted(Path(sys.argv[1])) as requests:
    for number in range(40):
        requests.put_file("bin-1", "victim", f"/{number}.glb")
    answer = requests(
        "DELETE", "/database/bin-1/assets/victim/deleteAsset", {"confirmPermanentDelete": True}
    )
    assert answer.status_code == 200, answer.text
    asset_objects = requests.service.buckets.objects_of(
        requests.service.buckets.all(requests.service.access.system_caller())[0]
    )
    delete, calls = asset_objects.delete, []

    def dying(key, version_id=None):
        calls.append(key)
        if len(calls) == 20:
            os.kill(os.getpid(), signal.SIGKILL)
        delete(key, version_id)

    asset_objects.delete = dying
    requests.service.jobs.run_due()
"""


@pytest.mark.slow
def test_a_deletion_goes_on_after_the_server_is_killed(tmp_path: Path) -> None:
    # The answer was a success: whoever asked will not ask again.
    with hosted(tmp_path) as requests:
        fill(requests, "bin-1", "victim")
    root = Path(__file__).parents[4]
    died = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=60,
        capture_output=True,
        text=True,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    with hosted(tmp_path) as requests:
        (objects, auxiliary) = objects_of(requests)
        assert 10 < len(objects_under(objects, "victim/")) < 45
        assert requests("GET", "/database/bin-1/assets/victim").status_code == 404
        later = requests.service.clock() + 120
        requests.service.jobs.run_due(clock=lambda: later)
        assert rows_about(requests, "victim") == []
        assert objects_under(objects, "victim/") == []
        assert objects_under(auxiliary, "victim/") == []
