"""Lists of files, one file, folders and primary files, by requests."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from sortkey_systems.vams.model import AssetFileVersion
from tests.systems.vams.host import READER, Requests
from tests.systems.vams.upload_client import listed, paths, upload

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
FIELDS = {
    *("fileName", "key", "relativePath", "isFolder", "size", "dateCreatedCurrentVersion"),
    *("versionId", "storageClass", "isArchived", "currentAssetVersionFileVersionMismatch"),
    *("isPermanentlyDeleted", "primaryType", "previewFile"),
}


@pytest.fixture(autouse=True)
def unhurried(requests: Requests) -> None:
    requests.service.uploads.starts_per_minute = 10_000


@pytest.fixture
def asset(requests: Requests) -> str:
    return requests.make_asset()


def at(asset_id: str, rest: str = "") -> str:
    return f"/database/plant/assets/{asset_id}{rest}"


def info(requests: Requests, asset_id: str, path: str, **query: str) -> Any:
    text = "".join(f"&{name}={value}" for name, value in query.items())
    return requests("GET", at(asset_id, f"/fileInfo?filePath={quote(path)}{text}"))


def record(requests: Requests, asset_id: str, version_id: str = "0") -> None:
    """Make the files of today those of a version of the asset."""
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    for entry in requests.service.files.live(asset):
        requests.service.store.put(
            AssetFileVersion(
                database_id="plant",
                asset_id=asset_id,
                asset_version_id=version_id,
                file_key=entry.key,
                s3_version_id=entry.version_id,
            )
        )


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/listFiles", None),
        ("GET", "/fileInfo?filePath=/a.glb", None),
        ("POST", "/createFolder", {"relativeKey": "/new/"}),
        ("POST", "/moveFile", {"sourcePath": "/a.glb", "destinationPath": "/b.glb"}),
        ("POST", "/copyFile", {"sourcePath": "/a.glb", "destinationPath": "/b.glb"}),
        ("DELETE", "/archiveFile", {"filePath": "/a.glb"}),
        ("POST", "/unarchiveFile", {"filePath": "/a.glb"}),
        ("DELETE", "/deleteFile", {"filePath": "/a.glb", "confirmPermanentDelete": True}),
        ("POST", "/revertFileVersion/1", {"filePath": "/a.glb"}),
        ("PUT", "/setPrimaryFile", {"filePath": "/a.glb", "primaryType": "primary"}),
        ("DELETE", "/deleteAssetPreview", None),
        ("DELETE", "/deleteAuxiliaryPreviewAssetFiles", {"filePath": "/a.glb"}),
        ("POST", "/download", {"downloadType": "assetFile", "key": "/a.glb"}),
        ("GET", "/download/stream/a.glb", None),
        ("HEAD", "/download/stream/a.glb", None),
        ("GET", "/auxiliaryPreviewAssets/stream/a.glb/preview/x.json", None),
    ],
)
def test_every_route_asks_for_the_asset_it_is_about(
    requests: Requests, method: str, path: str, body: Any
) -> None:
    # 401 without a token, 404 for what is not there, 403 for what the caller may not touch, and
    # never a sign of which files exist.
    asset = requests.make_asset()
    upload(requests, asset, {"/a.glb": b"glTF"})
    assert requests.client.request(method, at(asset, path), json=body).status_code == 401
    assert requests(method, at("xunknown", path), body).status_code == 404
    requests.permit("outsiders", "api", "GET POST PUT DELETE", route__path=".*")
    requests.permit("outsiders", "asset", "GET POST PUT DELETE", databaseId="^elsewhere$")
    requests.add_user("outsider@example.com", "outsiders")
    denied = requests(method, at(asset, path), body, user="outsider@example.com")
    assert denied.status_code == 403
    if method != "HEAD":
        assert denied.json() == {"message": "Not Authorized"}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/createFolder", {"relativeKey": "/new/"}),
        ("POST", "/moveFile", {"sourcePath": "/a.glb", "destinationPath": "/b.glb"}),
        ("DELETE", "/archiveFile", {"filePath": "/a.glb"}),
        ("POST", "/unarchiveFile", {"filePath": "/a.glb"}),
        ("DELETE", "/deleteFile", {"filePath": "/a.glb", "confirmPermanentDelete": True}),
        ("POST", "/revertFileVersion/1", {"filePath": "/a.glb"}),
        ("PUT", "/setPrimaryFile", {"filePath": "/a.glb", "primaryType": "primary"}),
        ("DELETE", "/deleteAssetPreview", None),
        ("DELETE", "/deleteAuxiliaryPreviewAssetFiles", {"filePath": "/a.glb"}),
    ],
)
def test_changes_of_files_ask_for_post_whatever_their_method(
    requests: Requests, method: str, path: str, body: Any
) -> None:
    # DELETE on an asset is for the asset as a whole; its files are changed with POST.
    asset = requests.make_asset()
    upload(requests, asset, {"/a.glb": b"glTF"})
    requests.permit("halves", "api", "GET POST PUT DELETE", route__path=".*")
    requests.permit("halves", "asset", "GET PUT DELETE", databaseId=".*")
    requests.add_user("half@example.com", "halves")
    assert requests(method, at(asset, path), body, user="half@example.com").status_code == 403


@pytest.mark.accepts("VA-27", "VA-29")
def test_a_list_has_the_fields_of_the_interface(requests: Requests, asset: str) -> None:
    # Clients read them by name.
    upload(requests, asset, {"/models/pump.glb": b"glTF", "/models/pump.glb.previewFile.png": PNG})
    (file,) = listed(requests, asset)
    assert file.keys() == FIELDS
    assert file["fileName"] == "pump.glb"
    assert file["key"] == f"{asset}/models/pump.glb"
    assert file["relativePath"] == "/models/pump.glb"
    assert (file["size"], file["isFolder"], file["isArchived"]) == (4, False, False)
    assert file["previewFile"] == "/models/pump.glb.previewFile.png"
    assert file["storageClass"] == "STANDARD"


def test_a_list_comes_in_pages_of_the_size_that_was_asked_for(
    requests: Requests, asset: str
) -> None:
    # Archived files and previews between the shown ones must neither shorten nor repeat a page.
    files = {f"/{n:03}.txt": b"x" for n in range(40)}
    files |= {f"/{n:03}.txt.previewFile.png": PNG for n in range(0, 40, 3)}
    upload(requests, asset, files)
    for n in range(5, 35):
        body = {"filePath": f"/{n:03}.txt"}
        assert requests("DELETE", at(asset, "/archiveFile"), body).status_code == 200
    live = [f"/{n:03}.txt" for n in range(40) if not 5 <= n < 35]
    answer = requests("GET", at(asset, "/listFiles?pageSize=7")).json()
    assert paths(answer["items"]) == live[:7]
    assert answer["NextToken"]
    assert paths(listed(requests, asset, pageSize=7)) == live
    assert paths(listed(requests, asset, pageSize=5)) == live
    every = listed(requests, asset, pageSize=3, includeArchived="true")
    assert paths(every) == [f"/{n:03}.txt" for n in range(40)]
    assert [file["isArchived"] for file in every] == [5 <= n < 35 for n in range(40)]
    assert every[39]["previewFile"] == "/039.txt.previewFile.png"


def test_a_preview_is_found_where_another_file_stands_between(
    requests: Requests, asset: str
) -> None:
    # "-" sorts before ".": the preview comes after a file that is on the next page.
    names = ["/a.glb", "/a.glb-2.txt", "/a.glb.previewFile.png"]
    upload(requests, asset, dict.fromkeys(names, PNG))
    first, second = listed(requests, asset, pageSize=1)
    assert (first["relativePath"], first["previewFile"]) == (names[0], names[2])
    assert (second["relativePath"], second["previewFile"]) == (names[1], "")


def test_a_prefix_narrows_a_list_and_leaves_the_paths_whole(requests: Requests, asset: str) -> None:
    # The original cuts the prefix off the paths, which then lead nowhere.
    upload(requests, asset, {"/a/1.txt": b"x", "/a/b/2.txt": b"x", "/ab.txt": b"x"})
    assert paths(listed(requests, asset, prefix="/a/")) == ["/a/1.txt", "/a/b/2.txt"]
    assert paths(listed(requests, asset, prefix="a")) == ["/a/1.txt", "/a/b/2.txt", "/ab.txt"]
    assert requests("GET", at(asset, "/listFiles?prefix=../")).status_code == 400


def test_a_file_that_was_archived_once_and_uploaded_again_is_live(
    requests: Requests, asset: str
) -> None:
    # The original shows it as archived.
    upload(requests, asset, {"/a.glb": b"one"})
    requests("DELETE", at(asset, "/archiveFile"), {"filePath": "/a.glb"})
    upload(requests, asset, {"/a.glb": b"two"})
    (file,) = listed(requests, asset, includeArchived="true")
    assert (file["isArchived"], file["size"]) == (False, 3)


@pytest.mark.parametrize("token", ["x", "bm9wZQ==", "WyJvdGhlciIsICJhIl0="])
def test_a_token_of_something_else_is_refused(requests: Requests, asset: str, token: str) -> None:
    # Else a page would silently begin somewhere.
    refused = requests("GET", at(asset, f"/listFiles?startingToken={token}"))
    assert (refused.status_code, refused.json()) == (400, {"message": "Invalid pagination token"})


def test_a_mismatch_means_new_changed_or_archived_since_the_current_version(
    requests: Requests, asset: str
) -> None:
    # What a user would lose by going back to the version, at a glance. The original never reports
    # it for one file.
    upload(requests, asset, {"/same.glb": b"1", "/changed.glb": b"1", "/archived.glb": b"1"})
    record(requests, asset)
    upload(requests, asset, {"/changed.glb": b"2", "/new.glb": b"1"})
    requests("DELETE", at(asset, "/archiveFile"), {"filePath": "/archived.glb"})
    found = {
        file["relativePath"]: file["currentAssetVersionFileVersionMismatch"]
        for file in listed(requests, asset, includeArchived="true")
    }
    assert found == {
        "/same.glb": False,
        "/changed.glb": True,
        "/archived.glb": True,
        "/new.glb": True,
    }
    for path, is_other in found.items():
        answer = info(requests, asset, path).json()
        assert answer["currentAssetVersionFileVersionMismatch"] is is_other


def test_the_files_of_a_version_can_be_listed_and_the_lost_ones_are_marked(
    requests: Requests, asset: str
) -> None:
    # A version is of use only if it says which of its bytes are gone.
    upload(requests, asset, {"/a.glb": b"one", "/gone.glb": b"1"})
    record(requests, asset)
    upload(requests, asset, {"/a.glb": b"three", "/later.glb": b"1"})
    body = {"filePath": "/gone.glb", "confirmPermanentDelete": True}
    assert requests("DELETE", at(asset, "/deleteFile"), body).status_code == 200
    first, second = listed(requests, asset, assetVersionId="0", pageSize=1)
    assert (first["relativePath"], first["size"], first["isPermanentlyDeleted"]) == (
        "/a.glb",
        3,
        False,
    )
    assert (second["relativePath"], second["isPermanentlyDeleted"]) == ("/gone.glb", True)
    assert requests("GET", at(asset, "/listFiles?assetVersionId=77")).status_code == 404


@pytest.mark.accepts("VA-27", "VA-49")
def test_a_file_is_shown_with_all_of_its_versions(requests: Requests, asset: str) -> None:
    # The page of a file: what it is, what it was, and which versions of the asset have it.
    upload(requests, asset, {"/a.glb": b"one"})
    record(requests, asset)
    upload(requests, asset, {"/a.glb": b"second"})
    requests("DELETE", at(asset, "/archiveFile"), {"filePath": "/a.glb"})
    answer = info(requests, asset, "/a.glb", includeVersions="true").json()
    assert answer.keys() == {*FIELDS, "contentType", "lastModified", "etag", "versions"}
    assert (answer["isArchived"], answer["contentType"]) == (True, "model/gltf-binary")
    marker, second, first = answer["versions"]
    assert (marker["isArchived"], marker["isLatest"]) == (True, True)
    assert [each["size"] for each in (second, first)] == [6, 3]
    assert first["assetVersionIds"] == [{"id": "0", "label": "v0"}]
    assert first["currentAssetVersionFileVersionMismatch"] is False
    assert (second["assetVersionIds"], second["isLatest"]) == ([], False)
    assert second["currentAssetVersionFileVersionMismatch"] is True
    assert "versions" not in info(requests, asset, "/a.glb").json()
    assert info(requests, asset, "/b.glb").status_code == 404
    assert info(requests, asset, "/../b.glb").status_code == 400


def test_a_folder_can_be_created_without_files(requests: Requests, asset: str) -> None:
    # People make the structure first. Creating it twice is fine.
    for _ in range(2):
        answer = requests("POST", at(asset, "/createFolder"), {"relativeKey": "/models/old/"})
        assert answer.status_code == 200
        assert answer.json()["relativeKey"] == "/models/old/"
    upload(requests, asset, {"/models/pump.glb": b"1", "/zzz.txt": b"1"})
    files = listed(requests, asset, pageSize=1)
    assert paths(files) == ["/models/old/", "/models/pump.glb", "/zzz.txt"]
    assert [file["isFolder"] for file in files] == [True, False, False]
    assert info(requests, asset, "/models/old/").json()["isFolder"] is True
    assert info(requests, asset, "/models/").json()["isFolder"] is True
    assert info(requests, asset, "/nothing/").status_code == 404
    for wrong in ("/models", "/../up/", "//"):
        refused = requests("POST", at(asset, "/createFolder"), {"relativeKey": wrong})
        assert refused.status_code == 400


def test_primary_types_are_set_shown_moved_and_cleared(requests: Requests, asset: str) -> None:
    # Viewers open the primary file, and choose among the levels of detail.
    upload(requests, asset, {"/a.glb": b"1", "/b.glb": b"1"})

    def set_type(path: str, kind: str, **more: str) -> Any:
        body = {"filePath": path, "primaryType": kind, **more}
        return requests("PUT", at(asset, "/setPrimaryFile"), body)

    assert set_type("/a.glb", "lod3").json()["primaryType"] == "lod3"
    assert set_type("/b.glb", "other", primaryTypeOther="draft").json()["primaryType"] == "draft"
    assert [file["primaryType"] for file in listed(requests, asset)] == ["lod3", "draft"]
    body = {"sourcePath": "/a.glb", "destinationPath": "/c.glb"}
    assert requests("POST", at(asset, "/moveFile"), body).status_code == 200
    assert info(requests, asset, "/c.glb").json()["primaryType"] == "lod3"
    assert set_type("/c.glb", "").json()["primaryType"] == ""
    assert info(requests, asset, "/c.glb").json()["primaryType"] is None
    for path, kind, more, status in (
        ("/nothing.glb", "primary", {}, 404),
        ("/b.glb", "lod6", {}, 400),
        ("/b.glb", "other", {}, 400),
        ("/b.glb", "other", {"primaryTypeOther": "x" * 31}, 400),
    ):
        assert set_type(path, kind, **more).status_code == status


def test_readers_see_files_and_change_none(requests: Requests, asset: str) -> None:
    # The role of a new installation for everybody who only looks.
    upload(requests, asset, {"/a.glb": b"1"})
    assert requests("GET", at(asset, "/listFiles"), user=READER).status_code == 200
    body = {"filePath": "/a.glb"}
    assert requests("DELETE", at(asset, "/archiveFile"), body, user=READER).status_code == 403
    assert requests("POST", at(asset, "/download"), {}, user=READER).status_code == 403
