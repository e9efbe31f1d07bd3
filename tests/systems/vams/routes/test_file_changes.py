"""Files that are moved, copied, archived, deleted and reverted, by requests."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.failures import Invalid
from sortkey_systems.vams.model import Asset, S3AssetBucket
from tests.systems.vams.host import Requests
from tests.systems.vams.upload_client import listed, paths, upload

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture(autouse=True)
def unhurried(requests: Requests) -> None:
    requests.service.uploads.starts_per_minute = 10_000


@pytest.fixture
def asset(requests: Requests) -> str:
    return requests.make_asset()


def change(requests: Requests, asset_id: str, name: str, method: str = "POST", **body: Any) -> Any:
    return requests(method, f"/database/plant/assets/{asset_id}/{name}", body)


def move(requests: Requests, asset_id: str, source: str, target: str, **more: Any) -> Any:
    about = {"sourcePath": source, "destinationPath": target, **more}
    return change(requests, asset_id, "moveFile", **about)


def copy(requests: Requests, asset_id: str, source: str, target: str, **more: Any) -> Any:
    about = {"sourcePath": source, "destinationPath": target, **more}
    return change(requests, asset_id, "copyFile", **about)


def record(requests: Requests, asset_id: str) -> Asset:
    found = requests.service.assets.find("plant", asset_id)
    assert found is not None
    return found


def content(requests: Requests, asset_id: str, path: str, database_id: str = "plant") -> bytes:
    found = requests.service.assets.find(database_id, asset_id)
    assert found is not None
    place = requests.service.assets.place_of(found)
    return place.objects.read(place.key(path))


class Notebook:
    """Follows files, and writes down what happens to them."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, ...]] = []

    def moved(self, asset: Asset, old_path: str, new_path: str) -> None:
        self.lines.append(("moved", old_path, new_path))

    def copied(self, asset: Asset, path: str, other: Asset, other_path: str) -> None:
        self.lines.append(("copied", path, other.asset_id, other_path))

    def remove_file(self, asset: Asset, path: str) -> None:
        self.lines.append(("removed", path))


def test_a_file_moves_with_its_previews_and_leaves_an_archived_one(
    requests: Requests, asset: str
) -> None:
    # Versions of the asset that have the old path must still find its bytes.
    upload(requests, asset, {"/a.glb": b"glTF", "/a.glb.previewFile.png": PNG})
    moved = move(requests, asset, "/a.glb", "/new/b.glb")
    assert moved.status_code == 200, moved.text
    assert moved.json()["success"] is True
    assert set(moved.json()["affectedFiles"]) == {"/new/b.glb", "/new/b.glb.previewFile.png"}
    (file,) = listed(requests, asset)
    assert file["relativePath"] == "/new/b.glb"
    assert file["previewFile"] == "/new/b.glb.previewFile.png"
    assert content(requests, asset, "/new/b.glb") == b"glTF"
    every = listed(requests, asset, includeArchived="true")
    assert [(each["relativePath"], each["isArchived"]) for each in every] == [
        ("/a.glb", True),
        ("/new/b.glb", False),
    ]


def test_a_folder_moves_with_all_in_it(requests: Requests, asset: str) -> None:
    # Renaming a folder is one step for people.
    upload(requests, asset, {"/old/1.txt": b"1", "/old/in/2.txt": b"2", "/older.txt": b"3"})
    change(requests, asset, "createFolder", relativeKey="/old/empty/")
    assert move(requests, asset, "/old/", "/new/").status_code == 200
    found = ["/new/1.txt", "/new/empty/", "/new/in/2.txt", "/older.txt"]
    assert paths(listed(requests, asset)) == found


@pytest.mark.parametrize(
    ("source", "target", "status"),
    [
        ("/nothing.glb", "/b.glb", 404),
        ("/nothing/", "/b/", 404),
        ("/a.glb", "/a.glb", 400),
        ("/a.glb", "/taken.glb", 400),
        ("/a.glb", "/a.exe", 400),
        ("/a.glb", "/a", 400),
        ("/a.glb", "/../b.glb", 400),
        ("/a.glb", "/folder/", 400),
        ("/in/", "/in/side/", 400),
        ("/a.glb", "/" + "x" * 1010 + ".glb", 400),
    ],
)
@pytest.mark.parametrize("action", [move, copy])
def test_what_cannot_be_moved_or_copied_changes_nothing(
    requests: Requests, asset: str, action: Any, source: str, target: str, status: int
) -> None:
    # A refusal in the middle of a folder would leave half of it moved.
    upload(requests, asset, {"/a.glb": b"1", "/taken.glb": b"2", "/in/c.glb": b"3"})
    before = listed(requests, asset, includeArchived="true")
    assert action(requests, asset, source, target).status_code == status
    assert listed(requests, asset, includeArchived="true") == before


def test_values_of_files_follow_them(requests: Requests, asset: str) -> None:
    # Metadata and attributes belong to the file, not to its path.
    notebook = Notebook()
    requests.service.file_values.add(notebook)
    other = requests.make_asset()
    upload(requests, asset, {"/a.glb": b"1"})
    move(requests, asset, "/a.glb", "/b.glb")
    copy(requests, asset, "/b.glb", "/c.glb", destinationAssetId=other)
    about = {"filePath": "/b.glb", "confirmPermanentDelete": True}
    assert change(requests, asset, "deleteFile", "DELETE", **about).status_code == 200
    assert notebook.lines == [
        ("moved", "/a.glb", "/b.glb"),
        ("copied", "/b.glb", other, "/c.glb"),
        ("removed", "/b.glb"),
    ]


def metadata(requests: Requests, asset_id: str, path: str) -> dict[str, str]:
    route = f"/database/plant/assets/{asset_id}/metadata/file"
    answer = requests("GET", f"{route}?filePath={path}&type=metadata")
    assert answer.status_code == 200, answer.text
    return {
        each["metadataKey"]: each["metadataValue"]
        for each in answer.json()["metadata"]
        if each["metadataValue"]
    }


def test_metadata_follows_a_move_and_a_copy_and_goes_with_a_delete(
    requests: Requests, asset: str
) -> None:
    # What was written about a file is about the file, wherever it lies.
    other = requests.make_asset()
    upload(requests, asset, {"/a.txt": b"1"})
    item = {"metadataKey": "material", "metadataValue": "steel", "metadataValueType": "string"}
    body = {"filePath": "/a.txt", "type": "metadata", "metadata": [item]}
    route = f"/database/plant/assets/{asset}/metadata/file"
    written = requests("POST", route, body)
    assert written.status_code == 200, written.text
    move(requests, asset, "/a.txt", "/b.txt")
    assert metadata(requests, asset, "/b.txt") == {"material": "steel"}
    copy(requests, asset, "/b.txt", "/c.txt", destinationAssetId=other)
    assert metadata(requests, other, "/c.txt") == {"material": "steel"}
    about = {"filePath": "/b.txt", "confirmPermanentDelete": True}
    change(requests, asset, "deleteFile", "DELETE", **about)
    found = record(requests, asset)
    assert requests.service.metadata.of_file(found, "/b.txt") == {}
    assert requests.service.metadata.of_file(found, "/a.txt") == {}


@pytest.mark.accepts("VA-27", "VA-28")
def test_a_file_is_copied_into_an_asset_of_another_database_and_bucket(
    requests: Requests, asset: str
) -> None:
    # The bytes have to travel; the rules are those of the target.
    requests.service.store.put(
        S3AssetBucket(bucket_id="second", bucket_name="second-assets", base_assets_prefix="in/")
    )
    requests.make_database("elsewhere", defaultBucketId="second")
    other = requests.make_asset("elsewhere")
    upload(requests, asset, {"/a.glb": b"glTF" * 1000, "/a.txt": b"x"})
    about = {"destinationAssetId": other, "destinationDatabaseId": "elsewhere"}
    copied = copy(requests, asset, "/a.glb", "/b.glb", **about)
    assert copied.status_code == 200, copied.text
    assert content(requests, other, "/b.glb", "elsewhere") == b"glTF" * 1000
    assert paths(listed(requests, asset)) == ["/a.glb", "/a.txt"]
    requests("PUT", "/database/elsewhere", {"restrictFileUploadsToExtensions": ".glb"})
    assert copy(requests, asset, "/a.txt", "/b.txt", **about).status_code == 400


def test_a_copy_asks_for_reading_here_and_posting_there(requests: Requests, asset: str) -> None:
    # Who may read one asset and change another must not write into the first by a copy.
    mine = requests.make_asset("plant", assetName="Mine")
    upload(requests, asset, {"/a.glb": b"1"})
    upload(requests, mine, {"/m.glb": b"1"})
    requests.permit("copiers", "api", "GET POST", route__path=".*")
    requests.permit("copiers", "asset", "GET", databaseId=".*")
    requests.permit("copiers", "asset", "POST", assetName="^Mine$")
    requests.add_user("copier@example.com", "copiers")

    def try_copy(source: str, path: str, target: str) -> int:
        body = {"sourcePath": path, "destinationPath": "/t.glb", "destinationAssetId": target}
        route = f"/database/plant/assets/{source}/copyFile"
        return requests("POST", route, body, user="copier@example.com").status_code

    assert try_copy(asset, "/a.glb", mine) == 200
    assert try_copy(mine, "/m.glb", asset) == 403


def test_a_move_that_was_interrupted_can_be_repeated(requests: Requests, asset: str) -> None:
    # After a kill between the copy and the delete both paths exist. The next try finishes it.
    upload(requests, asset, {"/a.glb": b"glTF"})
    found = record(requests, asset)
    place = requests.service.assets.place_of(found)
    entry = requests.service.files.entry(found, "/a.glb")
    assert entry is not None
    about = {"vams-by": "x", "vams-origin": f"move:{entry.version_id}"}
    place.objects.copy(entry.key, place.key("/b.glb"), metadata=about)
    assert move(requests, asset, "/a.glb", "/b.glb").status_code == 200
    assert paths(listed(requests, asset)) == ["/b.glb"]


def test_files_are_archived_and_come_back_with_their_previews(
    requests: Requests, asset: str
) -> None:
    # An archive is a delete marker: nothing is lost.
    upload(requests, asset, {"/a.glb": b"1", "/a.glb.previewFile.png": PNG, "/b.txt": b"2"})
    done = change(requests, asset, "archiveFile", "DELETE", filePath="/a.glb")
    assert done.status_code == 200
    assert done.json()["affectedFiles"] == ["/a.glb", "/a.glb.previewFile.png"]
    assert paths(listed(requests, asset)) == ["/b.txt"]
    assert record(requests, asset).asset_type == ".txt"
    again = change(requests, asset, "archiveFile", "DELETE", filePath="/a.glb")
    assert again.status_code == 404
    back = change(requests, asset, "unarchiveFile", filePath="/a.glb")
    assert back.status_code == 200
    assert content(requests, asset, "/a.glb.previewFile.png") == PNG
    assert record(requests, asset).asset_type == "folder"
    assert change(requests, asset, "unarchiveFile", filePath="/a.glb").status_code == 400
    assert change(requests, asset, "unarchiveFile", filePath="/z.glb").status_code == 404


def test_all_files_with_a_prefix_are_archived_at_once(requests: Requests, asset: str) -> None:
    # A folder is a prefix. Without saying so nobody archives a hundred files by a slash.
    upload(requests, asset, {"/in/1.txt": b"1", "/in/2.txt": b"2", "/ink.txt": b"3"})
    assert change(requests, asset, "archiveFile", "DELETE", filePath="/in/").status_code == 400
    done = change(requests, asset, "archiveFile", "DELETE", filePath="/in/", isPrefix=True)
    assert done.json()["affectedFiles"] == ["/in/1.txt", "/in/2.txt"]
    assert paths(listed(requests, asset)) == ["/ink.txt"]


def test_a_deleted_file_is_gone_with_its_versions_previews_and_generated_data(
    requests: Requests, asset: str
) -> None:
    # Permanent is permanent; and only with the confirmation.
    upload(requests, asset, {"/a.glb": b"1", "/a.glb.previewFile.png": PNG, "/a.glb2.txt": b"x"})
    upload(requests, asset, {"/a.glb": b"2"})
    found = record(requests, asset)
    place, auxiliary = requests.service.assets.place_of(found), requests.service.buckets.auxiliary
    auxiliary.put(place.key("/a.glb/preview/viewer/1.json"), b"{}")
    assert change(requests, asset, "deleteFile", "DELETE", filePath="/a.glb").status_code == 400
    about = {"filePath": "/a.glb", "confirmPermanentDelete": True}
    assert change(requests, asset, "deleteFile", "DELETE", **about).status_code == 200
    assert {each.key for each in place.objects.versions(place.prefix)} == {place.key("/a.glb2.txt")}
    assert list(auxiliary.versions(place.prefix)) == []
    assert change(requests, asset, "deleteFile", "DELETE", **about).status_code == 404


def test_an_old_version_of_a_file_becomes_its_newest(requests: Requests, asset: str) -> None:
    # Nothing is lost: the version in between stays.
    upload(requests, asset, {"/a.glb": b"one"})
    first = listed(requests, asset)[0]["versionId"]
    upload(requests, asset, {"/a.glb": b"second"})
    found = record(requests, asset)
    place, auxiliary = requests.service.assets.place_of(found), requests.service.buckets.auxiliary
    auxiliary.put(place.key("/a.glb/preview/viewer/1.json"), b"{}")
    done = change(requests, asset, f"revertFileVersion/{first}", filePath="/a.glb")
    assert done.status_code == 200, done.text
    answer = done.json()
    assert (answer["filePath"], answer["revertedFromVersionId"]) == ("/a.glb", first)
    (file,) = listed(requests, asset)
    assert (file["versionId"], file["size"]) == (answer["newVersionId"], 3)
    assert answer["newVersionId"] != first
    assert list(auxiliary.versions(place.prefix)) == []
    unknown = change(requests, asset, "revertFileVersion/0000", filePath="/a.glb")
    assert unknown.status_code == 404
    other = change(requests, asset, f"revertFileVersion/{first}", filePath="/b.glb")
    assert other.status_code == 404


def test_a_version_that_is_a_delete_marker_cannot_be_reverted_to(
    requests: Requests, asset: str
) -> None:
    # It has no bytes.
    upload(requests, asset, {"/a.glb": b"one"})
    change(requests, asset, "archiveFile", "DELETE", filePath="/a.glb")
    route = f"/database/plant/assets/{asset}/fileInfo?filePath=/a.glb&includeVersions=true"
    marker = requests("GET", route).json()["versions"][0]["versionId"]
    gone = change(requests, asset, f"revertFileVersion/{marker}", filePath="/a.glb")
    assert gone.status_code == 410


@pytest.mark.accepts("VA-31")
def test_generated_data_of_a_file_is_deleted_and_counted(requests: Requests, asset: str) -> None:
    # A viewer builds it again.
    upload(requests, asset, {"/a.e57": b"1", "/a.e572.txt": b"1"})
    place, auxiliary = (
        requests.service.assets.place_of(record(requests, asset)),
        requests.service.buckets.auxiliary,
    )
    for name in ("/a.e57/preview/potree/1.bin", "/a.e57/pipelines/x/2.bin", "/a.e572.txt/p/3.bin"):
        auxiliary.put(place.key(name), b"x")
    done = change(requests, asset, "deleteAuxiliaryPreviewAssetFiles", "DELETE", filePath="/a.e57")
    assert (done.status_code, done.json()["deletedCount"]) == (200, 2)
    left = [each.key for each in auxiliary.list(place.prefix).objects]
    assert left == [place.key("/a.e572.txt/p/3.bin")]


def test_the_preview_of_an_asset_is_deleted(requests: Requests, asset: str) -> None:
    # The picture goes, the files stay.
    upload(requests, asset, {"/a.png": PNG}, upload_type="assetPreview")
    upload(requests, asset, {"/a.glb": b"1"})
    assert record(requests, asset).asset_type == ".glb"
    done = change(requests, asset, "deleteAssetPreview", "DELETE")
    assert (done.status_code, done.json()["assetId"]) == (200, asset)
    assert record(requests, asset).preview_location is None
    assert paths(listed(requests, asset, includeArchived="true")) == ["/a.glb"]
    assert change(requests, asset, "deleteAssetPreview", "DELETE").status_code == 404


def test_removing_all_files_leaves_no_object(requests: Requests, asset: str) -> None:
    # A step of the permanent delete of an asset. It can be repeated.
    upload(requests, asset, {"/a.glb": b"1", "/b.glb": b"2"})
    upload(requests, asset, {"/a.png": PNG}, upload_type="assetPreview")
    change(requests, asset, "archiveFile", "DELETE", filePath="/a.glb")
    found = record(requests, asset)
    place, auxiliary = requests.service.assets.place_of(found), requests.service.buckets.auxiliary
    auxiliary.put(place.key("/a.glb/preview/viewer/1.json"), b"{}")
    for _ in range(2):
        requests.service.files.remove_all(found)
        assert [*place.objects.versions(place.prefix), *auxiliary.versions(place.prefix)] == []


@pytest.mark.accepts("VA-30")
def test_pipeline_outputs_enter_by_the_rules_of_uploads(requests: Requests, asset: str) -> None:
    # The original reports success for an output that it refuses.
    service, caller = requests.service, requests.service.access.system_caller()
    found = record(requests, asset)
    service.files.put_output(caller, found, "/out/a b+c.glb", [b"gl", b"TF"], "workflow:plant:w")
    service.files.entered(caller, found, ["/out/a b+c.glb"], "workflow:plant:w")
    assert content(requests, asset, "/out/a b+c.glb") == b"glTF"
    assert record(requests, asset).asset_type == ".glb"
    service.previews.put(caller, record(requests, asset), "shot.PNG", PNG)
    assert record(requests, asset).preview_location is not None
    for path, data in (
        ("/a.exe", b"x"),
        ("/a.glb", b"MZ\x90\x00"),
        ("/n.glb.previewFile.png", PNG),
    ):
        with pytest.raises(Invalid, match="VAMS General Error"):
            service.files.put_output(caller, found, path, data)
    assert paths(listed(requests, asset)) == ["/out/a b+c.glb"]
    objects = service.assets.place_of(found).objects
    assert list(objects.versions("temp-uploads/output/")) == []
