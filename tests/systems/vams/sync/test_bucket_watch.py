"""Files that another program puts into a bucket: they become assets, once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey import Objects
from sortkey_systems.vams.changes import FilesArrived
from sortkey_systems.vams.model import S3AssetBucket
from tests.systems.vams.host import Requests, hosted
from tests.systems.vams.upload_client import listed, paths, upload


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Requests]:
    """A host of its own: the watch looks at everything."""
    with hosted(tmp_path / "data") as opened:
        opened.service.bucket_watch.look()
        yield opened


def bucket_of(requests: Requests) -> tuple[S3AssetBucket, Objects]:
    bucket = requests.service.store.scan(S3AssetBucket)[0]
    return bucket, requests.service.buckets.objects_of(bucket)


def arrivals(requests: Requests) -> list[FilesArrived]:
    """What automatic workflows are called with."""
    found: list[FilesArrived] = []
    requests.service.changes.on_files_arrived("test", found.append)
    return found


def test_a_file_put_by_hand_makes_its_asset(fresh: Requests) -> None:
    # Whoever copies a folder into the bucket finds it in the catalogue, and workflows run on it.
    fresh.make_database("plant")
    found = arrivals(fresh)
    _, objects = bucket_of(fresh)
    objects.put("pump 101/models/a b.glb", b"glTF")
    objects.put("pump 101/notes.txt", b"x")
    assert fresh.service.bucket_watch.look() == 2
    asset = fresh("GET", "/database/plant/assets/pump%20101").json()
    assert (asset["assetName"], asset["assetType"]) == ("pump 101", "folder")
    assert paths(listed(fresh, "pump%20101")) == ["/models/a b.glb", "/notes.txt"]
    fresh.run_jobs()
    assert [(each.relative_paths, each.origin) for each in found] == [
        (("/models/a b.glb", "/notes.txt"), "sync")
    ]
    assert fresh.service.bucket_watch.look() == 0
    fresh.run_jobs()
    assert len(found) == 1


def test_a_bucket_without_a_database_gets_one(fresh: Requests) -> None:
    # Files must not wait for somebody who knows which database to make.
    bucket, objects = bucket_of(fresh)
    objects.put("pump/a.glb", b"glTF")
    fresh.service.bucket_watch.look()
    (database,) = fresh("GET", "/database").json()["Items"]
    assert database["defaultBucketId"] == bucket.bucket_id
    assert database["assetCount"] == 1


def test_a_file_put_into_a_known_asset_is_one_of_its_files(fresh: Requests) -> None:
    # The type and the search index of the asset follow.
    asset = fresh.make_asset()
    upload(fresh, asset, {"/a.glb": b"1"})
    before = fresh.service.assets.find("plant", asset)
    _, objects = bucket_of(fresh)
    objects.put(f"{asset}/b.txt", b"x")
    assert fresh.service.bucket_watch.look() == 1
    after = fresh.service.assets.find("plant", asset)
    assert before is not None
    assert after is not None
    assert (before.asset_type, after.asset_type) == (".glb", "folder")
    assert len(fresh("GET", "/assets").json()["Items"]) == 1


def test_our_own_uploads_are_not_taken_for_files_of_others(fresh: Requests) -> None:
    # Else every workflow would run twice.
    found, asset = arrivals(fresh), fresh.make_asset()
    upload(fresh, asset, {"/a.glb": b"1", "/empty.txt": b""})
    route = f"/database/plant/assets/{asset}"
    fresh("POST", f"{route}/moveFile", {"sourcePath": "/a.glb", "destinationPath": "/b.glb"})
    fresh("DELETE", f"{route}/archiveFile", {"filePath": "/b.glb"})
    fresh("POST", f"{route}/unarchiveFile", {"filePath": "/b.glb"})
    before = fresh.service.assets.find("plant", asset)
    assert fresh.service.bucket_watch.look() == 0
    assert fresh.service.assets.find("plant", asset) == before
    fresh.run_jobs()
    assert {each.origin for each in found} <= {"upload", "move", "unarchive"}


@pytest.mark.parametrize(
    "key",
    [
        "temp-uploads/x/a.glb",
        "Previews/x.glb",
        "pipelines/p/out/a.glb",
        "workspace/a.glb",
        "at-the-root.glb",
        "asset/a.exe",
        "asset/no-extension",
    ],
)
def test_what_is_not_a_file_of_an_asset_makes_none(fresh: Requests, key: str) -> None:
    # Reserved folders are working space; what an upload refuses is no reason for an asset.
    _, objects = bucket_of(fresh)
    objects.put(key, b"x")
    fresh.service.bucket_watch.look()
    assert fresh("GET", "/assets").json()["Items"] == []


def test_a_file_deleted_by_hand_changes_its_asset(fresh: Requests) -> None:
    # The list shows it at once; type and search follow.
    asset = fresh.make_asset()
    upload(fresh, asset, {"/a.glb": b"1", "/b.txt": b"2"})
    fresh.service.bucket_watch.look()
    _, objects = bucket_of(fresh)
    objects.delete(f"{asset}/b.txt")
    fresh.service.bucket_watch.look()
    found = fresh.service.assets.find("plant", asset)
    assert found is not None
    assert found.asset_type == ".glb"


def test_files_of_an_archived_asset_stay_as_they_are(fresh: Requests) -> None:
    # An archive is not undone by a copy into its folder.
    asset = fresh.make_asset()
    fresh("DELETE", f"/database/plant/assets/{asset}/archiveAsset", {})
    fresh.run_jobs()
    _, objects = bucket_of(fresh)
    objects.put(f"{asset}/b.txt", b"x")
    fresh.service.bucket_watch.look()
    assert fresh("GET", "/assets").json()["Items"] == []
    assert fresh("GET", f"/database/plant/assets/{asset}?showArchived=true").status_code == 200


def test_what_came_while_no_server_ran_is_found_at_the_next_start(tmp_path: Path) -> None:
    # The position is stored: nothing is missed, and nothing is mapped again.
    folder = tmp_path / "data"
    with hosted(folder) as requests:
        requests.make_database("plant")
        _, objects = bucket_of(requests)
        objects.put("first/a.glb", b"1")
        requests.service.bucket_watch.look()
        name = objects.name
    program = (
        "import sys, sortkey\n"
        "with sortkey.open_objects(sys.argv[1]) as bucket:\n"
        "    bucket.put('second/a.glb', b'2')\n"
    )
    place = folder / "buckets" / name
    subprocess.run([sys.executable, "-c", program, str(place)], check=True, timeout=60)
    with hosted(folder) as requests:
        assert requests.service.bucket_watch.look() == 1
        found = {each["assetId"] for each in requests("GET", "/assets").json()["Items"]}
        assert found == {"first", "second"}


def test_a_thousand_changes_are_mapped_in_steps(fresh: Requests) -> None:
    # A large copy must not be read into memory at once, and its position must not be lost.
    fresh.make_database("plant")
    bucket, objects = bucket_of(fresh)
    for number in range(520):
        objects.put(f"many/{number:04}.txt", b"")
    assert fresh.service.bucket_watch.look() == 520
    assert len(listed(fresh, "many", pageSize=300)) == 520
    stored = fresh.service.buckets.find(bucket.bucket_id)
    assert (stored.watched_position or 0) >= 520


def test_a_bucket_within_a_bucket_keeps_its_files_for_its_own_databases(fresh: Requests) -> None:
    # Else the users of the outer one would find all files of the inner one in an asset.
    outer, objects = bucket_of(fresh)
    store = fresh.service.store
    inner = S3AssetBucket(
        bucket_id="inner", bucket_name=outer.bucket_name, base_assets_prefix="inner/"
    )
    store.put(inner)
    fresh.make_database("open-to-all", defaultBucketId=outer.bucket_id)
    fresh.make_database("confidential", defaultBucketId="inner")
    objects.put("inner/crown/a.glb", b"glTF")
    fresh.service.bucket_watch.look()
    found = fresh("GET", "/assets").json()["Items"]
    assert [(each["databaseId"], each["assetId"]) for each in found] == [("confidential", "crown")]
    wanted = {"databaseId": "open-to-all", "assetName": "Mine", "description": "of a test"}
    for claim in ({"assetId": "inner"}, {"bucketExistingKey": "inner/crown"}):
        answer = fresh("POST", "/assets", {**wanted, **claim})
        assert answer.status_code == 400, answer.text
