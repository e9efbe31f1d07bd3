"""The same service on DynamoDB Local and a real S3 server: transactions, markers and versions."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sortkey.connect.s3 import S3Objects
from sortkey_systems.vams.access.installation import BUCKET_NAME
from sortkey_systems.vams.buckets import AUXILIARY
from sortkey_systems.vams.model import Database
from tests.contract.objects_adapters import s3_endpoint
from tests.oracle.server import apart_port
from tests.systems.homes import AWS_MARKS
from tests.systems.vams.host import ADMIN, Requests, hosted
from tests.systems.vams.upload_client import complete, listed, paths, start, upload
from tests.systems.vams.workflows.work import Work
from tools.downloads import Missing

__all__ = ["s3_endpoint"]

pytestmark = list(AWS_MARKS)


@pytest.fixture
def requests(s3_endpoint: str, tmp_path: Path) -> Iterator[Requests]:
    """VAMS whose tables and buckets are elsewhere, under names of this test only."""
    try:
        port = apart_port()
    except Missing as missing:
        pytest.skip(f"no DynamoDB Local to test with: {missing}")
    start = f"tests-{secrets.token_hex(6)}"
    for name in (BUCKET_NAME, AUXILIARY):
        with S3Objects(f"{start}-{name}", endpoint=s3_endpoint) as bucket:
            bucket.client.create_bucket(Bucket=bucket.name)
            bucket.client.put_bucket_versioning(
                Bucket=bucket.name, VersioningConfiguration={"Status": "Enabled"}
            )
    store = f"http://127.0.0.1:{port}?region=us-east-1"
    objects = f"s3://{start}-{{bucket}}?endpoint={s3_endpoint}"
    with hosted(tmp_path, store=store, objects=objects) as opened:
        yield opened


def test_an_asset_lives_on_dynamodb_and_s3_as_in_a_folder(requests: Requests) -> None:
    # A transaction, a marker or a page that only the embedded engine takes would be found here.
    name = f"plant-{secrets.token_hex(4)}"
    asset_id = requests.make_asset(name, assetId=f"pump-{secrets.token_hex(4)}")
    twice = {"databaseId": name, "assetId": asset_id, "assetName": "Pump", "description": "twice"}
    assert requests("POST", "/assets", twice).status_code == 400
    for path in ("/a.glb", "/b.glb", "/b.glb"):
        requests.put_file(name, asset_id, path)
    asset = requests.service.assets.find(name, asset_id)
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    path = f"/database/{name}/assets/{asset_id}"
    assert requests("PUT", path, {"description": "changed"}).status_code == 200
    assert requests("DELETE", f"{path}/archiveAsset").status_code == 200
    requests.run_jobs()
    assert place.objects.list(place.prefix).objects == ()
    listed = requests("GET", f"/database/{name}/assets?showArchived=true").json()["Items"]
    assert [(each["assetId"], each["status"]) for each in listed] == [(asset_id, "archived")]
    back = requests("PUT", f"{path}/unarchiveAsset", {"confirmUnarchive": True})
    assert back.status_code == 200
    requests.run_jobs()
    assert len(place.objects.list(place.prefix).objects) == 2
    assert requests.service.store.get(Database.key(database_id=name)).asset_count == 1
    gone = requests("DELETE", f"{path}/deleteAsset", {"confirmPermanentDelete": True})
    assert gone.status_code == 200
    requests.run_jobs()
    assert list(place.objects.versions(place.prefix)) == []
    assert requests("DELETE", f"/database/{name}").status_code == 200


def test_versions_and_links_hold_on_dynamodb_and_s3_as_in_a_folder(requests: Requests) -> None:
    # Counters, conditions on maps and copies of old object versions work differently there.
    name = f"plant-{secrets.token_hex(4)}"
    one, other = (requests.make_asset(name, assetId=f"{each}-{name}") for each in "ab")
    path = f"/database/{name}/assets/{one}"
    requests.put_file(name, one, "/pump.glb", b"old")
    values = {"comment": "as built", "versionAlias": "RC1"}
    assert requests("POST", f"{path}/createVersion", values).json()["assetVersionId"] == "1"
    assert requests("POST", f"{path}/createVersion", values).status_code == 400
    key = requests.put_file(name, one, "/pump.glb", b"new")
    assert requests("POST", f"{path}/createVersion", {"comment": "b"}).status_code == 200
    files = requests("GET", f"{path}/compareVersions/RC1/2").json()["files"]
    assert [each["relativeKey"] for each in files["changed"]] == ["pump.glb"]
    assert requests("POST", f"{path}/revertAssetVersion/RC1").json()["assetVersionId"] == "3"
    asset = requests.service.assets.find(name, one)
    assert asset is not None
    assert requests.service.assets.place_of(asset).objects.read(key) == b"old"
    assert requests("GET", f"{path}/compareVersions/1/3").json()["files"]["unchanged"] == 1
    link = {
        "fromAssetId": one,
        "fromAssetDatabaseId": name,
        "toAssetId": other,
        "toAssetDatabaseId": name,
        "relationshipType": "parentChild",
    }
    link_id = requests("POST", "/asset-links", link).json()["assetLinkId"]
    back = {**link, "fromAssetId": other, "toAssetId": one}
    for wrong in (link, back):
        assert requests("POST", "/asset-links", wrong).status_code == 400
    tree = requests("GET", f"{path}/asset-links?childTreeView=true").json()["children"]
    assert [each["assetId"] for each in tree] == [other]
    assert requests("DELETE", f"/asset-links/{link_id}").status_code == 200
    assert requests("POST", "/asset-links", back).status_code == 200
    requests.service.versions.remove_all(asset)
    assert requests("GET", f"{path}/getVersions").json()["versions"] == []


def test_metadata_tags_comments_and_subscriptions_hold_on_dynamodb(requests: Requests) -> None:
    # Conditions on lists and maps, checks in transactions and empty texts work differently there.
    name = f"plant-{secrets.token_hex(4)}"
    asset_id = requests.make_asset(name, assetId=f"pump-{name}")
    requests.put_file(name, asset_id, "/pump.glb", b"bytes")
    path = f"/database/{name}/assets/{asset_id}"
    items = [{"metadataKey": f"k{number}", "metadataValue": ""} for number in range(120)]
    assert requests("POST", f"{path}/metadata", {"metadata": items}).status_code == 200
    every = {"metadata": items[:1], "updateType": "replace_all"}
    assert requests("PUT", f"{path}/metadata", every).status_code == 200
    rows = requests("GET", f"{path}/metadata").json()["metadata"]
    assert {row["metadataKey"] for row in rows if not row["metadataSchemaField"]} == {"k0"}
    of_file = {"filePath": "/pump.glb", "type": "attribute", "metadata": items[:1]}
    assert requests("POST", f"{path}/metadata/file", of_file).status_code == 200
    assert (
        requests("POST", f"{path}/metadata/file", {**of_file, "filePath": "/x"}).status_code == 404
    )
    kind = {"tagTypeName": name, "description": "of a test"}
    tag = {"tagName": name, "description": "of a test", "tagTypeName": name}
    assert requests("POST", "/tag-types", kind).status_code == 200
    for status in (200, 400):
        assert requests("POST", "/tags", tag).status_code == status
    assert requests("DELETE", f"/tag-types/{name}").status_code == 400
    assert requests("DELETE", f"/tags/{name}").status_code == 200
    assert requests("DELETE", f"/tag-types/{name}").status_code == 200
    comment = f"/comments/assets/{asset_id}/assetVersionId:commentId/0:c"
    for method in ("POST", "PUT", "DELETE"):
        assert requests(method, comment, {"commentBody": "x"}).status_code == 200
    subscription = {"entityId": asset_id, "subscribers": ["reader@example.com"]}
    for method, wanted in (("POST", 200), ("POST", 400), ("PUT", 200), ("DELETE", 200)):
        answer = requests(method, "/subscriptions", subscription)
        assert answer.status_code == wanted, answer.text
    assert requests("POST", "/subscriptions", subscription).status_code == 200
    assert requests("PUT", path, {"description": "changed"}).status_code == 200
    requests.run_jobs()
    (notice,) = requests.service.notices.by_status("sent")
    assert (notice.user_id, notice.asset_id) == ("reader@example.com", asset_id)


def test_files_are_uploaded_changed_and_read_on_s3_as_in_a_folder(requests: Requests) -> None:
    # Links, copies, markers and lists are S3's own there. A part that is missing is refused by it.
    name = f"plant-{secrets.token_hex(4)}"
    asset = requests.make_asset(name, assetId=f"pump-{name}")
    base, about = f"/database/{name}/assets/{asset}", {"database_id": name}
    files = {"/in/a b+ü.glb": b"one", "/b.txt": b"", "/in/a b+ü.glb.previewFile.png": b"\x89PNG"}
    assert upload(requests, asset, files, **about)["overallSuccess"] is True
    upload(requests, asset, {"/in/a b+ü.glb": b"second"}, **about)
    shown = listed(requests, asset, **about, pageSize=1)
    assert paths(shown) == ["/b.txt", "/in/a b+ü.glb"]
    assert shown[1]["previewFile"] == "/in/a b+ü.glb.previewFile.png"
    route = f"{base}/fileInfo?filePath=/in/a b%2Bü.glb&includeVersions=true"
    first = requests("GET", route).json()["versions"][1]["versionId"]
    reverted = requests("POST", f"{base}/revertFileVersion/{first}", {"filePath": "/in/a b+ü.glb"})
    assert reverted.status_code == 200, reverted.text
    move = {"sourcePath": "/in/a b+ü.glb", "destinationPath": "/c.glb"}
    assert requests("POST", f"{base}/moveFile", move).status_code == 200
    link = requests("POST", f"{base}/download", {"key": "/c.glb"}).json()["downloadUrl"]
    assert httpx.get(link).content == b"one"
    streamed = requests.client.get(
        f"{base}/download/stream/c.glb", headers={**requests.header(ADMIN), "Range": "bytes=1-"}
    )
    assert (streamed.status_code, streamed.content) == (206, b"ne")
    for method, action in (("DELETE", "archiveFile"), ("POST", "unarchiveFile")):
        assert requests(method, f"{base}/{action}", {"filePath": "/c.glb"}).status_code == 200
    every = {"filePath": "/", "isPrefix": True, "confirmPermanentDelete": True}
    assert requests("DELETE", f"{base}/deleteFile", every).status_code == 200
    started = start(requests, asset, {"/never.glb": b"x"}, **about)
    assert started.status_code == 200
    found = requests.service.assets.find(name, asset)
    assert found is not None
    requests.service.uploads.remove_all(found)
    sent = [{"relativeKey": "/never.glb", "uploadIdS3": "x", "parts": []}]
    late = complete(requests, asset, started.json()["uploadId"], sent, **about)
    assert late.status_code == 404
    assert list(requests.service.assets.place_of(found).objects.versions()) == []


def test_a_run_stores_its_outputs_on_dynamodb_and_s3(requests: Requests) -> None:
    # A run, its job and its lock change in one transaction, and outputs are copied within S3.
    work = Work(requests, f"plant-{secrets.token_hex(4)}")
    asset_id = work.asset(f"notes-{secrets.token_hex(4)}", a__txt=b"hello")
    done = work.run(asset_id, work.made("shout-flow", "shout"), "/a.txt")
    assert done["executionStatus"] == "SUCCEEDED", done
    assert work.read(asset_id, "/a-loud.txt") == b"HELLO"
    assert work.leftovers(asset_id) == []
    waiting = work.start(asset_id, "shout-flow", "/a.txt")
    assert work.refused("POST", f"{work.base(asset_id)}/shout-flow", {"fileKey": "/a.txt"})
    work.ok("POST", f"{work.base(asset_id)}/executions/shout-flow/{waiting}/abort")
    assert work.execution(asset_id, "shout-flow", waiting)["executionStatus"] == "ABORTED"
