"""Uploads by requests: the whole way, every refusal, limits, and what a repetition does."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.model import AssetUpload
from sortkey_systems.vams.uploads.uploads import STARTS_PER_MINUTE, temporary_prefix
from tests.systems.vams.host import ADMIN, READER, Requests
from tests.systems.vams.upload_client import complete, listed, paths, send, start, upload

DAY_SECONDS = 86_400
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture(autouse=True)
def unhurried(requests: Requests) -> None:
    """Together these tests start more uploads than one user may in a minute."""
    requests.service.uploads.starts_per_minute = 10_000


@pytest.fixture
def asset(requests: Requests) -> str:
    return requests.make_asset()


def contents(requests: Requests, asset_id: str, path: str) -> bytes:
    body = {"downloadType": "assetFile", "key": path}
    answer = requests("POST", f"/database/plant/assets/{asset_id}/download", body)
    assert answer.status_code == 200, answer.text
    return requests.client.get(answer.json()["downloadUrl"]).content


def temporary(requests: Requests, asset_id: str) -> list[str]:
    """What is left under the temporary prefixes of an asset's uploads."""
    found, service = requests.service.assets.find("plant", asset_id), requests.service
    assert found is not None
    objects, keys = service.assets.place_of(found).objects, list[str]()
    for row in service.store.query(AssetUpload.of_asset(asset_id=asset_id).hydrated()):
        prefix = temporary_prefix(row.upload_id)
        keys += [each.key for each in objects.uploads(prefix)]
        keys += [each.key for each in objects.versions(prefix)]
    return keys


@pytest.mark.accepts("VA-10", "VA-27")
def test_files_appear_at_their_paths_on_completion_and_not_before(
    requests: Requests, asset: str
) -> None:
    # Nobody may see half of an upload, and nothing may be left of it afterwards.
    files = {"/models/pump.glb": b"glTF" * 100, "notes.md": b"# Pump", "/empty.txt": b""}
    started = start(requests, asset, files)
    assert started.status_code == 200, started.text
    body = started.json()
    assert body["uploadId"].startswith("y")
    assert [file["relativeKey"] for file in body["files"]] == list(files)
    assert [file["numParts"] for file in body["files"]] == [1, 1, 0]
    assert body["files"][2]["uploadIdS3"] == "zero-byte"
    assert body["files"][2]["partUploadUrls"] == []
    sent = send(requests, body, files)
    assert listed(requests, asset) == []
    done = complete(requests, asset, body["uploadId"], sent)
    assert done.status_code == 200, done.text
    assert done.json()["overallSuccess"] is True
    assert done.json()["assetType"] == "folder"
    assert [result["success"] for result in done.json()["fileResults"]] == [True] * 3
    assert "error" not in done.json()["fileResults"][0]
    assert paths(listed(requests, asset)) == ["/empty.txt", "/models/pump.glb", "/notes.md"]
    assert contents(requests, asset, "/models/pump.glb") == b"glTF" * 100
    assert contents(requests, asset, "/empty.txt") == b""
    assert temporary(requests, asset) == []


def test_parts_in_any_order_and_of_any_content_type_make_one_file(
    requests: Requests, asset: str
) -> None:
    # Clients send ten parts at once, with whatever type their library sets, and some again.
    first, second = bytes(5 << 20), b"the end"
    body = {
        "databaseId": "plant",
        "assetId": asset,
        "uploadType": "assetFile",
        "files": [{"relativeKey": "/a.las", "file_size": len(first) + 7, "num_parts": 2}],
    }
    file = requests("POST", "/uploads", body).json()
    links = [each["UploadUrl"] for each in file["files"][0]["partUploadUrls"]]
    put = requests.client.put
    tags = {2: put(links[1], content=second, headers={"Content-Type": "image/x-odd"})}
    tags[1] = put(links[0], content=b"broken off")
    tags[1] = put(links[0], content=first)
    assert all(answer.status_code == 200 for answer in tags.values())
    parts = [{"PartNumber": n, "ETag": tags[n].headers["ETag"]} for n in (2, 1)]
    sent = [{"relativeKey": "/a.las", "uploadIdS3": file["files"][0]["uploadIdS3"], "parts": parts}]
    assert complete(requests, asset, file["uploadId"], sent).status_code == 200
    assert contents(requests, asset, "/a.las") == first + second


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ([{"relativeKey": "/a.exe", "file_size": 1}], "blocked"),
        ([{"relativeKey": "/a.ExE", "file_size": 1}], "blocked"),
        ([{"relativeKey": "/abc", "file_size": 1}], "no extension"),
        ([{"relativeKey": "/../a.glb", "file_size": 1}], "not a valid path"),
        ([{"relativeKey": "/a.glb"}], "file_size or num_parts"),
        ([{"relativeKey": "/a.glb", "file_size": -1}], "file_size"),
        ([{"relativeKey": "/a.glb", "file_size": 1}] * 2, "same path"),
        ([{"relativeKey": p, "file_size": 1} for p in ("/a.glb", "a.glb")], "same path"),
        ([{"relativeKey": "/a.glb", "num_parts": 5001}], "num_parts"),
        (
            [{"relativeKey": f"/{n}.glb", "file_size": 9 << 30, "num_parts": 2501} for n in (1, 2)],
            "5000 parts",
        ),
        ([{"relativeKey": "/a.glb", "file_size": 6 << 30, "num_parts": 1}], "more parts"),
        ([{"relativeKey": "/b.glb.previewFile.png", "file_size": 1}], "before its preview"),
        ([{"relativeKey": f"/{n}.glb", "file_size": 1} for n in range(1001)], "files"),
        ([], "files"),
    ],
)
def test_what_cannot_be_uploaded_is_refused_at_the_start(
    requests: Requests, asset: str, files: list[Any], reason: str
) -> None:
    # Nobody should send gigabytes first to learn that they are not taken.
    body = {"databaseId": "plant", "assetId": asset, "uploadType": "assetFile", "files": files}
    refused = requests("POST", "/uploads", body)
    assert refused.status_code == 400, refused.text
    assert reason in refused.json()["message"]
    assert temporary(requests, asset) == []


def test_without_a_number_of_parts_they_have_150_megabytes(requests: Requests, asset: str) -> None:
    # What the published client counts with.
    files = [
        {"relativeKey": f"/{size}.glb", "file_size": size}
        for size in (0, 1, 150 << 20, (150 << 20) + 1)
    ]
    body = {"databaseId": "plant", "assetId": asset, "uploadType": "assetFile", "files": files}
    answer = requests("POST", "/uploads", body).json()
    assert [file["numParts"] for file in answer["files"]] == [0, 1, 1, 2]
    numbers = [part["PartNumber"] for part in answer["files"][3]["partUploadUrls"]]
    assert numbers == [1, 2]


def test_a_program_under_another_name_fails_alone(requests: Requests, asset: str) -> None:
    # One bad file must neither enter the asset nor keep the others out.
    files = {"/good.glb": b"glTF", "/bad.glb": b"MZ\x90\x00" + bytes(100)}
    started = start(requests, asset, files).json()
    sent = send(requests, started, files)
    done = complete(requests, asset, started["uploadId"], sent)
    assert (done.status_code, done.json()["overallSuccess"]) == (200, False)
    good, bad = done.json()["fileResults"]
    assert good["success"] is True
    assert (bad["success"], "its content is" in bad["error"]) == (False, True)
    assert paths(listed(requests, asset)) == ["/good.glb"]


def test_when_every_file_fails_the_answer_is_409_with_the_results(
    requests: Requests, asset: str
) -> None:
    # Clients look at the status first, and print the reasons from the body.
    files = {"/a.glb": b"glTF"}
    started = start(requests, asset, files).json()
    sent = send(requests, started, files)
    sent[0]["parts"][0]["ETag"] = "0" * 32
    failed = complete(requests, asset, started["uploadId"], sent)
    assert failed.status_code == 409
    assert failed.json()["message"].startswith("VAMS General Error: ")
    assert failed.json()["overallSuccess"] is False
    assert "ETag" in failed.json()["fileResults"][0]["error"]
    assert listed(requests, asset) == []


def test_a_completion_can_be_repeated(requests: Requests, asset: str) -> None:
    # The answer may be lost on its way: the client asks again, and must not hear of a failure.
    files = {"/a.glb": b"glTF", "/b.txt": b""}
    started = start(requests, asset, files).json()
    sent = send(requests, started, files)
    for _ in range(2):
        done = complete(requests, asset, started["uploadId"], sent)
        assert (done.status_code, done.json()["overallSuccess"]) == (200, True)
    info = f"/database/plant/assets/{asset}/fileInfo?filePath=/a.glb&includeVersions=true"
    assert len(requests("GET", info).json()["versions"]) == 1


def test_an_upload_is_its_users_own(requests: Requests, asset: str) -> None:
    # The links alone must not be enough to finish what somebody else has begun.
    requests.add_user("eve@example.com", "admin")
    files = {"/a.glb": b"glTF"}
    started = start(requests, asset, files).json()
    sent = send(requests, started, files)
    stolen = complete(requests, asset, started["uploadId"], sent, user="eve@example.com")
    assert (stolen.status_code, stolen.json()) == (403, {"message": "Not Authorized"})
    other = requests.make_asset()
    assert complete(requests, other, started["uploadId"], sent).status_code == 404
    kind = complete(requests, asset, started["uploadId"], sent, upload_type="assetPreview")
    assert kind.status_code == 400
    assert listed(requests, asset) == []


def test_who_may_only_read_uploads_nothing(requests: Requests, asset: str) -> None:
    # Tier 1 keeps readers out; tier 2 asks for POST on the asset.
    refused = start(requests, asset, {"/a.glb": b"x"}, user=READER)
    assert (refused.status_code, refused.json()) == (403, {"message": "Not Authorized"})
    requests.permit("guests", "api", "POST GET", route__path=".*")
    requests.permit("guests", "asset", "GET PUT", databaseId=".*")
    requests.add_user("guest@example.com", "guests")
    assert start(requests, asset, {"/a.glb": b"x"}, user="guest@example.com").status_code == 403
    assert start(requests, "xunknown", {"/a.glb": b"x"}).status_code == 404


def test_the_extensions_of_a_database_are_enforced_again_on_completion(
    requests: Requests,
) -> None:
    # The list may have changed meanwhile, and a client may name other files than at the start.
    asset = requests.make_asset("plant")
    requests("PUT", "/database/plant", {"restrictFileUploadsToExtensions": ".glb"})
    try:
        assert start(requests, asset, {"/a.txt": b"x"}).status_code == 400
        files = {"/a.GLB": b"glTF", "/a.GLB.previewFile.png": PNG}
        assert upload(requests, asset, files)["overallSuccess"] is True
        started = start(requests, asset, {"/b.glb": b"x"}).json()
        sent = [{"relativeKey": "/b.txt", "uploadIdS3": "zero-byte", "parts": []}]
        failed = complete(requests, asset, started["uploadId"], sent)
        assert failed.status_code == 409
        assert "the database takes" in failed.json()["fileResults"][0]["error"]
    finally:
        requests("PUT", "/database/plant", {"restrictFileUploadsToExtensions": ".all"})


@pytest.mark.accepts("VA-29")
def test_the_preview_of_an_asset_is_one_picture_of_at_most_5_megabytes(
    requests: Requests, asset: str
) -> None:
    # Every list of assets shows it.
    preview = {"upload_type": "assetPreview"}
    assert start(requests, asset, {"/a.txt": b"x"}, **preview).status_code == 400
    large = {"/a.png": bytes((5 << 20) + 1)}
    assert start(requests, asset, large, **preview).status_code == 400
    two = {"/a.png": PNG, "/b.png": PNG}
    assert start(requests, asset, two, **preview).status_code == 400
    done = upload(requests, asset, {"/picture.PNG": PNG}, **preview)
    assert done["overallSuccess"] is True
    shown = requests("GET", f"/database/plant/assets/{asset}").json()
    assert shown["previewLocation"] == {"Key": f"{asset}/preview.png"}
    assert listed(requests, asset) == []
    body = {"downloadType": "assetPreview"}
    link = requests("POST", f"/database/plant/assets/{asset}/download", body).json()
    assert requests.client.get(link["downloadUrl"]).content == PNG
    upload(requests, asset, {"/other.jpg": b"\xff\xd8\xff" + bytes(9)}, **preview)
    shown = requests("GET", f"/database/plant/assets/{asset}").json()
    assert shown["previewLocation"] == {"Key": f"{asset}/preview.jpg"}
    assert listed(requests, asset, includeArchived="true") == []


def test_a_preview_that_claims_to_be_small_fails_by_its_real_size(
    requests: Requests, asset: str
) -> None:
    # The size at the start is what a client says; the limit is about what came.
    files = {"/a.png": PNG}
    started = start(requests, asset, files, upload_type="assetPreview").json()
    sent = send(requests, started, {"/a.png": bytes((5 << 20) + 1)})
    failed = complete(requests, asset, started["uploadId"], sent, upload_type="assetPreview")
    assert failed.status_code == 409
    assert "previewLocation" not in requests("GET", f"/database/plant/assets/{asset}").json()


@pytest.mark.parametrize(
    "path",
    [
        "/a b + c & d=e.glb",
        "/ünï/コード/🙂.glb",
        "/a#b?c.glb",
        "/'; drop table--.glb",
        "/<img src=x>.glb",
        "/" + "é" * 450 + ".glb",
    ],
)
def test_hostile_names_are_names_and_nothing_else(
    requests: Requests, asset: str, path: str
) -> None:
    # A name travels through links, keys, headers and queries; it must come out as it went in.
    upload(requests, asset, {path: b"glTF"})
    assert paths(listed(requests, asset)) == [path]
    assert contents(requests, asset, path) == b"glTF"


def test_a_name_that_is_too_long_with_the_prefix_of_its_asset_is_refused(
    requests: Requests, asset: str
) -> None:
    # S3 takes keys of 1,024 bytes: what passes here must pass there.
    refused = start(requests, asset, {"/" + "x" * 1010 + ".glb": b"x"})
    assert refused.status_code == 400
    assert "at most 1024 bytes" in refused.json()["message"]


def test_the_type_of_an_asset_follows_its_files(requests: Requests, asset: str) -> None:
    # Permissions and searches go by it.
    assert upload(requests, asset, {"/a.GLB": b"glTF"})["assetType"] == ".glb"
    assert upload(requests, asset, {"/a.GLB.previewFile.png": PNG})["assetType"] == ".glb"
    assert upload(requests, asset, {"/b.txt": b"x"})["assetType"] == "folder"


def test_the_twenty_first_start_in_a_minute_has_to_wait(requests: Requests) -> None:
    # One client in a loop must not fill the table for all others. It learns how long to wait.
    requests.service.uploads.starts_per_minute = STARTS_PER_MINUTE
    asset, user = requests.make_asset(), "hasty@example.com"
    requests.add_user(user, "admin")
    requests.add_user("patient@example.com", "admin")
    for number in range(STARTS_PER_MINUTE):
        files = {f"/{number}.txt": b""}
        assert start(requests, asset, files, user=user).status_code == 200
    refused = start(requests, asset, {"/a.txt": b""}, user=user)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert start(requests, asset, {"/a.txt": b""}, user="patient@example.com").status_code == 200


def test_an_upload_is_gone_after_a_week_with_its_parts(
    requests: Requests, asset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Parts that nobody completes would fill the disk for ever.
    files = {"/a.glb": b"glTF", "/b.glb": b"glTF"}
    started = start(requests, asset, files).json()
    sent = send(requests, started, files)
    service = requests.service
    lost = service.assets.find("plant", requests.make_asset())
    assert lost is not None  # its bucket is not known any more, which must not stop the others
    start(requests, lost.asset_id, files)
    service.store.put(lost.changed(bucket_id="f2a1b0c4-0000-4000-8000-000000000000"))
    now = service.clock()
    monkeypatch.setattr(service, "clock", lambda: now + 7 * DAY_SECONDS - 60)
    service.uploads.remove_expired()
    assert len(temporary(requests, asset)) == 2
    monkeypatch.setattr(service, "clock", lambda: now + 7 * DAY_SECONDS + 1)
    late = complete(requests, asset, started["uploadId"], sent)
    assert late.status_code == 404
    found = service.assets.find("plant", asset)
    assert found is not None
    objects, prefix = service.assets.place_of(found).objects, temporary_prefix(started["uploadId"])
    assert service.uploads.remove_expired() >= 2
    assert [*objects.uploads(prefix), *objects.versions(prefix)] == []
    key = AssetUpload.key(upload_id=started["uploadId"], asset_id=asset)
    assert service.store.find(key) is None


def test_a_file_that_arrives_while_its_asset_is_archived_is_archived_too(
    requests: Requests, asset: str
) -> None:
    # Else an archived asset would have a live file that no list shows.
    files = {"/a.glb": b"glTF"}
    started = start(requests, asset, files).json()
    sent = send(requests, started, files)
    answer = requests("DELETE", f"/database/plant/assets/{asset}/archiveAsset", {})
    assert answer.status_code == 200, answer.text
    requests.run_jobs()
    assert complete(requests, asset, started["uploadId"], sent).status_code == 404
    found = requests.service.assets.find("plant", asset, archived=True)
    assert found is not None
    assert list(requests.service.files.live(found)) == []


def test_removing_the_uploads_of_an_asset_leaves_nothing(requests: Requests, asset: str) -> None:
    # A step of its permanent delete.
    started = start(requests, asset, {"/a.glb": b"glTF"}).json()
    send(requests, started, {"/a.glb": b"glTF"})
    found = requests.service.assets.find("plant", asset)
    assert found is not None
    requests.service.uploads.remove_all(found)
    objects, prefix = (
        requests.service.assets.place_of(found).objects,
        temporary_prefix(started["uploadId"]),
    )
    assert [*objects.uploads(prefix), *objects.versions(prefix)] == []
    rows = requests.service.store.query(AssetUpload.of_asset(asset_id=asset).hydrated())
    assert rows == []


def test_an_upload_is_in_the_audit_log(requests: Requests, asset: str) -> None:
    # Who brought a file in is asked when something is wrong with it.
    upload(requests, asset, {"/a.glb": b"glTF"})
    day = requests.service.now().strftime("%Y-%m-%d")
    record = requests.service.audit.of_day(day, "FILEUPLOAD")[0]
    assert (record.actor, record.detail["paths"]) == (ADMIN, ["/a.glb"])
