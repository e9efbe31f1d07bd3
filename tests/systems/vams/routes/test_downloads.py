"""Downloads by links, and streams with ranges."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from sortkey_systems.vams.model import AssetFileVersion, AssetVersion
from tests.systems.vams.host import ADMIN, Requests
from tests.systems.vams.upload_client import listed, upload

ALPHABET = b"abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(autouse=True)
def unhurried(requests: Requests) -> None:
    requests.service.uploads.starts_per_minute = 10_000


@pytest.fixture
def asset(requests: Requests) -> str:
    return requests.make_asset()


def at(asset_id: str, rest: str) -> str:
    return f"/database/plant/assets/{asset_id}{rest}"


def download(requests: Requests, asset_id: str, key: str | None = None, **more: Any) -> Any:
    body = {"downloadType": "assetFile", **({} if key is None else {"key": key}), **more}
    return requests("POST", at(asset_id, "/download"), body)


def stream(
    requests: Requests,
    asset_id: str,
    path: str,
    method: str = "GET",
    query: str = "",
    **headers: str,
) -> Any:
    route = at(asset_id, f"/download/stream{quote(path)}{query}")
    return requests.client.request(method, route, headers={**requests.header(ADMIN), **headers})


def add_version(requests: Requests, asset_id: str, version_id: str, **more: Any) -> None:
    """A version of an asset with the files of today."""
    service, ids = requests.service, {"database_id": "plant", "asset_id": asset_id}
    asset = service.assets.find("plant", asset_id)
    assert asset is not None
    service.store.put(AssetVersion(**ids, asset_version_id=version_id, **more))
    for entry in service.files.live(asset):
        about = {"file_key": entry.key, "s3_version_id": entry.version_id}
        service.store.put(AssetFileVersion(**ids, asset_version_id=version_id, **about))


def archive(requests: Requests, asset_id: str, path: str) -> None:
    answer = requests("DELETE", at(asset_id, "/archiveFile"), {"filePath": path})
    assert answer.status_code == 200, answer.text


def test_a_link_gives_the_bytes_without_a_token_for_a_day(requests: Requests, asset: str) -> None:
    # Viewers and browsers follow it as it is.
    upload(requests, asset, {"/in/a b+ü.glb": ALPHABET})
    answer = download(requests, asset, "/in/a b+ü.glb")
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body.keys() == {"downloadUrl", "expiresIn", "downloadType", "versionId", "message"}
    assert (body["expiresIn"], body["downloadType"]) == (86400, "assetFile")
    assert body["versionId"] == listed(requests, asset)[0]["versionId"]
    got = requests.client.get(body["downloadUrl"])
    assert (got.status_code, got.content) == (200, ALPHABET)


def test_a_key_may_be_the_path_the_whole_key_or_nothing_for_the_only_file(
    requests: Requests, asset: str
) -> None:
    # Clients copy `key` from a list, or `relativePath`. A folder named like the asset comes first.
    upload(requests, asset, {"/a.glb": b"1"})
    for key in ("/a.glb", "a.glb", f"{asset}/a.glb", None):
        assert download(requests, asset, key).status_code == 200
    upload(requests, asset, {f"/{asset}/a.glb": b"inner"})
    link = download(requests, asset, f"{asset}/a.glb").json()["downloadUrl"]
    assert requests.client.get(link).content == b"inner"
    assert download(requests, asset).status_code == 400


def test_every_version_can_be_downloaded_also_of_a_file_that_is_archived(
    requests: Requests, asset: str
) -> None:
    # By object version, by version of the asset, and by its alias.
    upload(requests, asset, {"/a.glb": b"one"})
    first = listed(requests, asset)[0]["versionId"]
    add_version(requests, asset, "1", version_alias="RC1")
    upload(requests, asset, {"/a.glb": b"two"})
    archive(requests, asset, "/a.glb")
    for choice in (
        {"versionId": first},
        {"assetVersionId": "1"},
        {"assetVersionIdAlias": "RC1"},
    ):
        answer = download(requests, asset, "/a.glb", **choice)
        assert answer.status_code == 200, answer.text
        assert answer.json()["versionId"] == first
        assert requests.client.get(answer.json()["downloadUrl"]).content == b"one"
        (name, value), *_ = choice.items()
        streamed = stream(requests, asset, "/a.glb", query=f"?{name}={value}")
        assert (streamed.status_code, streamed.content) == (200, b"one")


@pytest.mark.parametrize(
    ("key", "choice", "status"),
    [
        ("/archived.glb", {}, 410),
        ("/a.glb", {"assetVersionId": "2"}, 410),
        ("/nothing.glb", {}, 404),
        ("/a.glb", {"versionId": "0000"}, 404),
        ("/a.glb", {"assetVersionId": "77"}, 404),
        ("/a.glb", {"assetVersionIdAlias": "none"}, 404),
        ("/later.glb", {"assetVersionId": "1"}, 404),
        ("/a.glb", {"versionId": "x", "assetVersionId": "1"}, 400),
        ("/../a.glb", {}, 400),
        ("/a.exe", {}, 400),
    ],
)
def test_what_cannot_be_downloaded_says_why_by_its_status(
    requests: Requests, key: str, choice: dict[str, str], status: int
) -> None:
    # 410 means that it can be brought back; 404 that it cannot.
    asset = requests.make_asset()
    upload(requests, asset, {"/a.glb": b"1", "/archived.glb": b"1"})
    add_version(requests, asset, "1")
    add_version(requests, asset, "2", is_archived=True)
    upload(requests, asset, {"/later.glb": b"1"})
    archive(requests, asset, "/archived.glb")
    assert download(requests, asset, key, **choice).status_code == status
    query = "?" + "&".join(f"{name}={value}" for name, value in choice.items())
    if ".." not in key:
        assert stream(requests, asset, key, query=query).status_code == status


def test_an_asset_that_is_not_distributable_gives_no_bytes(requests: Requests) -> None:
    # 400 for a link and 403 for a stream, as clients of the original expect.
    asset = requests.make_asset(isDistributable=False)
    upload(requests, asset, {"/a.glb": b"1"})
    refused = download(requests, asset, "/a.glb")
    assert refused.status_code == 400
    assert "Asset not distributable" in refused.json()["message"]
    assert stream(requests, asset, "/a.glb").status_code == 403


@pytest.mark.parametrize(
    ("asked", "status", "body", "place"),
    [
        (None, 200, ALPHABET, None),
        ("bytes=0-4", 206, b"abcde", "bytes 0-4/26"),
        ("bytes=20-", 206, b"uvwxyz", "bytes 20-25/26"),
        ("bytes=-3", 206, b"xyz", "bytes 23-25/26"),
        ("bytes=25-99", 206, b"z", "bytes 25-25/26"),
        ("bytes=0-1,5-6", 200, ALPHABET, None),
    ],
)
def test_a_stream_gives_ranges(
    requests: Requests, asset: str, asked: str | None, status: int, body: bytes, place: str | None
) -> None:
    # Players jump, and viewers of point clouds read a few kilobytes of a large file.
    upload(requests, asset, {"/ä b.mp4": ALPHABET})
    headers = {} if asked is None else {"Range": asked}
    for method, content in (("GET", body), ("HEAD", b"")):
        got = stream(requests, asset, "/ä b.mp4", method, **headers)
        assert (got.status_code, got.content) == (status, content)
        assert got.headers.get("Content-Range") == place
        assert got.headers["Content-Length"] == str(len(body))
        assert got.headers["Accept-Ranges"] == "bytes"
        assert got.headers["Content-Type"] == "video/mp4"


def test_a_range_behind_the_end_is_416_and_a_known_file_is_304(
    requests: Requests, asset: str
) -> None:
    # A viewer that has a file already should not read it again.
    upload(requests, asset, {"/a.glb": ALPHABET})
    behind = stream(requests, asset, "/a.glb", Range="bytes=26-")
    assert (behind.status_code, behind.headers["Content-Range"]) == (416, "bytes */26")
    etag = stream(requests, asset, "/a.glb", "HEAD").headers["ETag"]
    same = stream(requests, asset, "/a.glb", **{"If-None-Match": etag})
    assert (same.status_code, same.content) == (304, b"")


def test_an_empty_file_is_streamed_empty(requests: Requests, asset: str) -> None:
    # Zero bytes are a file like any other.
    upload(requests, asset, {"/a.txt": b""})
    got = stream(requests, asset, "/a.txt")
    assert (got.status_code, got.content, got.headers["Content-Length"]) == (200, b"", "0")


def test_uploaded_pages_do_not_run_in_our_site(requests: Requests, asset: str) -> None:
    # An uploaded SVG or HTML file must not act with the rights of whoever opens it.
    upload(requests, asset, {"/a.svg": b"<svg onload='alert(1)'/>", "/b.html": b"<script>"})
    for path in ("/a.svg", "/b.html"):
        policy = stream(requests, asset, path).headers["Content-Security-Policy"]
        assert "sandbox" in policy
        assert "default-src 'none'" in policy


@pytest.mark.accepts("VA-31")
def test_generated_files_are_streamed_by_path_or_whole_key(requests: Requests, asset: str) -> None:
    # Viewers use both forms. Another asset's data is out of reach.
    other = requests.make_asset()
    auxiliary = requests.service.buckets.auxiliary
    auxiliary.put(f"{asset}/a.e57/preview/potree/metadata.json", ALPHABET)
    auxiliary.put(f"{other}/b.e57/preview/potree/metadata.json", b"secret")
    base = "/auxiliaryPreviewAssets/stream/"
    for path in (
        "a.e57/preview/potree/metadata.json",
        f"{asset}/a.e57/preview/potree/metadata.json",
    ):
        got = requests.client.get(
            at(asset, base + path), headers={**requests.header(ADMIN), "Range": "bytes=1-2"}
        )
        assert (got.status_code, got.content) == (206, b"bc")
    for path in (
        f"{other}/b.e57/preview/potree/metadata.json",
        f"..%2F{other}/b.e57/preview/potree/metadata.json",
        "nothing.json",
    ):
        assert requests("GET", at(asset, base + path)).status_code in (400, 404)


def test_downloads_are_in_the_audit_log(requests: Requests, asset: str) -> None:
    # Who has read a file is asked when it turns up elsewhere.
    upload(requests, asset, {"/a.glb": b"1"})
    download(requests, asset, "/a.glb")
    stream(requests, asset, "/a.glb")
    day = requests.service.now().strftime("%Y-%m-%d")
    for kind in ("FILEDOWNLOAD", "FILEDOWNLOADSTREAMED"):
        record = requests.service.audit.of_day(day, kind)[0]
        assert (record.actor, record.detail["key"]) == (ADMIN, f"{asset}/a.glb")
