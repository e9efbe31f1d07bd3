"""Reverting to an earlier version: a new version with the old bytes."""

from __future__ import annotations

from typing import Any

from sortkey_systems.vams.assets.places import AssetPlace
from sortkey_systems.vams.files.origins import origin_of, user_of
from sortkey_systems.vams.model import Asset, AssetFileMetadata, FileAttribute
from sortkey_systems.vams.versions.values import RevertValues, VersionValues
from tests.systems.vams.host import ADMIN, Requests


def asset_and_place(requests: Requests, asset_id: str) -> tuple[Asset, AssetPlace]:
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    return asset, requests.service.assets.place_of(asset)


def create(requests: Requests, asset_id: str) -> None:
    caller = requests.service.access.caller(ADMIN)
    requests.service.versions.create(caller, "plant", asset_id, VersionValues(comment="scan"))


def revert(requests: Requests, asset_id: str, version: str, body: Any = None) -> dict[str, Any]:
    path = f"/database/plant/assets/{asset_id}/revertAssetVersion/{version}"
    answer = requests("POST", path, body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_revert_makes_a_new_version_with_the_old_bytes(requests: Requests) -> None:
    # The history stays: a revert can be reverted.
    asset_id = requests.make_asset()
    for path in ("/changed.glb", "/archived.glb", "/same.glb"):
        requests.put_file("plant", asset_id, path, b"old")
    create(requests, asset_id)
    _, place = asset_and_place(requests, asset_id)
    same = place.objects.head(place.key("/same.glb")).version_id
    requests.put_file("plant", asset_id, "/changed.glb", b"new")
    place.objects.delete(place.key("/archived.glb"))
    requests.put_file("plant", asset_id, "/later.glb", b"later")
    create(requests, asset_id)
    answer = revert(requests, asset_id, "1")
    assert (answer["operation"], answer["assetVersionId"]) == ("revert", "3")
    assert "skippedFiles" not in answer
    for path in ("/changed.glb", "/archived.glb", "/same.glb"):
        assert place.objects.read(place.key(path)) == b"old", path
    assert place.objects.head(place.key("/same.glb")).version_id == same
    details = requests("GET", f"/database/plant/assets/{asset_id}/getVersion/3").json()
    assert details["comment"] == "[REVERTED FROM v1]"
    assert [each["relativeKey"] for each in details["files"]] == [
        "archived.glb",
        "changed.glb",
        "same.glb",
    ]
    path = f"/database/plant/assets/{asset_id}/compareVersions/1/3"
    files = requests("GET", path).json()["files"]
    assert (files["unchanged"], files["changed"]) == (3, [])
    revert(requests, asset_id, "2", {"comment": "no, the other"})
    assert place.objects.read(place.key("/changed.glb")) == b"new"
    listed = requests("GET", f"/database/plant/assets/{asset_id}/getVersions").json()["versions"]
    assert listed[0]["Comment"] == "[REVERTED FROM v2] no, the other"


def test_a_file_that_comes_back_is_marked_and_counts_for_the_type_of_the_asset(
    requests: Requests,
) -> None:
    # Without the mark, the watch of the bucket would take it for a file that was put by hand.
    asset_id = requests.make_asset()
    key = requests.put_file("plant", asset_id, "/pump.glb", b"old")
    requests.put_file("plant", asset_id, "/pump.stl", b"old")
    create(requests, asset_id)
    _, place = asset_and_place(requests, asset_id)
    old = place.objects.head(key).version_id
    place.objects.delete(key)
    revert(requests, asset_id, "1")
    asset, _ = asset_and_place(requests, asset_id)
    info = place.objects.head(key)
    assert (user_of(info), origin_of(info)) == (ADMIN, f"revert:{old}")
    assert (asset.asset_type, asset.current_version_id) == ("folder", "2")


def test_files_that_the_version_did_not_have_stay_and_show_the_mismatch(
    requests: Requests,
) -> None:
    # Clients show them as not part of the version.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/first.glb", b"1")
    create(requests, asset_id)
    requests.put_file("plant", asset_id, "/later.glb", b"2")
    revert(requests, asset_id, "1")
    asset, place = asset_and_place(requests, asset_id)
    differs = requests.service.versions.mismatch_test(asset)
    for path, expected in (("/first.glb", False), ("/later.glb", True)):
        live = place.objects.head(place.key(path)).version_id
        assert differs(path, live) is expected
        assert requests.service.versions.is_mismatch(asset, path, live) is expected
    assert differs("/first.glb", None)  # archived since


def test_bytes_that_are_gone_for_good_are_skipped_and_named(requests: Requests) -> None:
    # A revert that says it succeeded must not hide what it could not restore.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/kept.glb", b"old")
    key = requests.put_file("plant", asset_id, "/lost.glb", b"old")
    create(requests, asset_id)
    _, place = asset_and_place(requests, asset_id)
    lost = place.objects.head(key).version_id
    requests.put_file("plant", asset_id, "/kept.glb", b"new")
    requests.put_file("plant", asset_id, "/lost.glb", b"new")
    place.objects.delete(key, lost)
    answer = revert(requests, asset_id, "1")
    assert answer["skippedFiles"] == ["/lost.glb"]
    assert place.objects.read(key) == b"new"
    old = requests("GET", f"/database/plant/assets/{asset_id}/getVersion/1").json()["files"]
    assert {each["relativeKey"]: each["isPermanentlyDeleted"] for each in old} == {
        "kept.glb": False,
        "lost.glb": True,
    }


def test_generated_data_of_changed_files_is_dropped(requests: Requests) -> None:
    # A viewer would show the point cloud of other bytes.
    asset_id = requests.make_asset()
    for path in ("/changed.e57", "/same.e57"):
        requests.put_file("plant", asset_id, path, b"old")
    create(requests, asset_id)
    changed = requests.put_file("plant", asset_id, "/changed.e57", b"new")
    auxiliary = requests.service.buckets.auxiliary
    same = changed.replace("/changed.e57", "/same.e57")
    for key in (changed, same):
        auxiliary.put(f"{key}/preview/potree/octree.bin", b"points")
    revert(requests, asset_id, "1")
    assert auxiliary.list(f"{changed}/").objects == ()
    assert len(auxiliary.list(f"{same}/").objects) == 1


def test_metadata_come_back_only_if_that_is_wanted(requests: Requests) -> None:
    # Metadata are often corrected later than the files; a revert of files must not undo that.
    asset_id = requests.make_asset()
    ids: dict[str, Any] = {"database_id": "plant", "asset_id": asset_id}
    store = requests.service.store

    def owner(path: str, key: str, value: str) -> AssetFileMetadata:
        return AssetFileMetadata(**ids, file_path=path, metadata_key=key, metadata_value=value)

    def present() -> dict[tuple[str, str], str]:
        rows = store.query(AssetFileMetadata.of_asset(**ids))
        return {(row.file_path, row.metadata_key): row.metadata_value for row in rows}

    requests.put_file("plant", asset_id, "/pump.glb", b"1")
    attribute = FileAttribute(
        **ids, file_path="/pump.glb", attribute_key="triangles", attribute_value="12"
    )
    store.batch_write([owner("/", "owner", "Ada"), owner("/pump.glb", "state", "ok"), attribute])
    create(requests, asset_id)
    requests.put_file("plant", asset_id, "/later.glb", b"2")
    after = {("/", "owner"): "Bob", ("/pump.glb", "extra"): "x", ("/later.glb", "state"): "new"}
    store.batch_write([owner(*name, value) for name, value in after.items()])
    store.delete(attribute)
    revert(requests, asset_id, "1")
    assert present() == {**after, ("/pump.glb", "state"): "ok"}
    revert(requests, asset_id, "1", {"revertMetadata": True})
    assert present() == {
        ("/", "owner"): "Ada",
        ("/pump.glb", "state"): "ok",
        ("/later.glb", "state"): "new",
    }
    (row,) = store.query(FileAttribute.of_asset(**ids))
    assert row.attribute_value == "12"
    path = f"/database/plant/assets/{asset_id}/compareVersions/1/3"
    metadata = requests("GET", path).json()["metadata"]
    assert (metadata["added"], metadata["removed"], metadata["changed"]) == ([], [], [])


def test_a_version_without_files_can_be_reverted_to(requests: Requests) -> None:
    # Version 0 is empty; the files stay and are no longer part of the current version.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/pump.glb", b"1")
    create(requests, asset_id)
    answer = revert(requests, asset_id, "0", RevertValues().model_dump())
    assert answer["assetVersionId"] == "2"
    _, place = asset_and_place(requests, asset_id)
    assert place.objects.read(place.key("/pump.glb")) == b"1"
    path = f"/database/plant/assets/{asset_id}/revertAssetVersion/55"
    assert requests("POST", path).status_code == 404
