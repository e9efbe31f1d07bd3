"""Versions by requests: shapes, permissions, and what each route refuses."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.model import AssetFileMetadata, FileAttribute
from tests.systems.vams.host import READER, Requests

COMMENT = {"comment": "as built", "useLatestFiles": True}


def asset_path(asset_id: str) -> str:
    return f"/database/plant/assets/{asset_id}"


def make_version(requests: Requests, asset_id: str, **body: Any) -> dict[str, Any]:
    answer = requests("POST", f"{asset_path(asset_id)}/createVersion", {**COMMENT, **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def read_version(requests: Requests, asset_id: str, version: str) -> dict[str, Any]:
    answer = requests("GET", f"{asset_path(asset_id)}/getVersion/{version}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def listed(requests: Requests, asset_id: str, query: str = "") -> list[dict[str, Any]]:
    answer = requests("GET", f"{asset_path(asset_id)}/getVersions{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()["versions"]


def object_version(requests: Requests, asset_id: str, path: str) -> str:
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    return place.objects.head(place.key(path)).version_id


WRITES = [
    ("POST", "createVersion", COMMENT),
    ("POST", "revertAssetVersion/0", None),
    ("PUT", "assetversions/0", {"comment": "x"}),
    ("POST", "assetversions/0/archive", None),
    ("POST", "assetversions/0/unarchive", None),
]
READS = [
    ("GET", "getVersions", None),
    ("GET", "getVersion/0", None),
    ("GET", "compareVersions/0/0", None),
]


@pytest.mark.parametrize(("method", "path", "body"), [*WRITES, *READS])
def test_a_route_of_versions_needs_an_asset_that_exists(
    requests: Requests, method: str, path: str, body: Any
) -> None:
    # The original answers 400 or 500.
    requests.make_database()
    whole = f"{asset_path('nowhere')}/{path}"
    answer = requests(method, whole, body)
    assert (answer.status_code, set(answer.json())) == (404, {"message"})
    assert requests.client.request(method, whole, json=body).status_code == 401


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_a_reader_cannot_change_versions(
    requests: Requests, method: str, path: str, body: Any
) -> None:
    # Whoever may look at an asset may not rewrite its history.
    asset_id = requests.make_asset()
    answer = requests(method, f"{asset_path(asset_id)}/{path}", body, user=READER)
    assert (answer.status_code, answer.json()) == (403, {"message": "Not Authorized"})
    assert [each["Version"] for each in listed(requests, asset_id)] == ["0"]


@pytest.mark.parametrize(("method", "path", "body"), READS)
def test_versions_of_an_asset_that_the_caller_may_not_see_are_refused(
    requests: Requests, method: str, path: str, body: Any
) -> None:
    # Tier 1 lets the role through; tier 2 knows the asset.
    secret, shown = requests.make_asset(assetName="Vault"), requests.make_asset(assetName="Door")
    requests.permit("doors", "api", "GET POST", route__path=".*")
    requests.permit("doors", "asset", "GET", assetName="^Door$")
    requests.add_user("dora@example.com", "doors")
    for asset_id, status in ((secret, 403), (shown, 200)):
        answer = requests(method, f"{asset_path(asset_id)}/{path}", body, user="dora@example.com")
        assert answer.status_code == status, answer.text


@pytest.mark.accepts("VA-45", "VA-49")
def test_VA_45_a_version_has_the_object_versions_of_its_moment(requests: Requests) -> None:
    # A later upload changes what the bucket has, not what a version says. No bytes are copied.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/model/pump.glb", b"first")
    first = object_version(requests, asset_id, "/model/pump.glb")
    created = make_version(requests, asset_id, versionAlias="RC1")
    assert (created["assetVersionId"], created["operation"]) == ("1", "create")
    assert created["success"]
    assert created["assetId"] == asset_id
    assert "skippedFiles" not in created
    requests.put_file("plant", asset_id, "/model/pump.glb", b"second")
    make_version(requests, asset_id)
    old, new = read_version(requests, asset_id, "1"), read_version(requests, asset_id, "2")
    (file,) = old["files"]
    assert set(file) == {
        *("relativeKey", "versionId", "isPermanentlyDeleted", "isLatestVersionArchived"),
        *("size", "lastModified", "etag"),
    }
    assert (file["relativeKey"], file["versionId"], file["size"]) == ("model/pump.glb", first, 5)
    assert new["files"][0]["versionId"] == object_version(requests, asset_id, "/model/pump.glb")
    assert (old["versionAlias"], old["comment"], old["isArchived"]) == ("RC1", "as built", False)
    assert read_version(requests, asset_id, "RC1") == old


def test_a_version_can_have_chosen_object_versions(requests: Requests) -> None:
    # Archived and missing ones are named, so that nobody believes they are recorded.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/old.obj", b"1")
    chosen = object_version(requests, asset_id, "/old.obj")
    requests.put_file("plant", asset_id, "/old.obj", b"22")
    key = requests.put_file("plant", asset_id, "/gone.obj", b"3")
    gone = object_version(requests, asset_id, "/gone.obj")
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    requests.service.assets.place_of(asset).objects.delete(key)
    files = [
        {"relativeKey": "/old.obj", "versionId": chosen},
        {"relativeKey": "gone.obj", "versionId": gone},
        {"relativeKey": "never.obj", "versionId": chosen},
    ]
    created = make_version(requests, asset_id, useLatestFiles=False, files=files)
    assert created["skippedFiles"] == ["gone.obj", "never.obj"]
    (file,) = read_version(requests, asset_id, "1")["files"]
    assert (file["relativeKey"], file["versionId"]) == ("old.obj", chosen)
    path = f"{asset_path(asset_id)}/createVersion"
    nothing = requests("POST", path, {"comment": "x", "files": files[1:]})
    assert nothing.status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"comment": ""},
        {"comment": "x" * 257},
        {"comment": "x", "useLatestFiles": False},
        {"comment": "x", "useLatestFiles": True, "files": [{"relativeKey": "a", "versionId": "1"}]},
        {"comment": "x", "files": [{"relativeKey": "a"}]},
        {
            "comment": "x",
            "files": [
                {"relativeKey": "a", "versionId": "1"},
                {"relativeKey": "/a", "versionId": "2"},
            ],
        },
        {"comment": "x", "versionAlias": "x" * 65},
    ],
)
def test_a_version_that_cannot_be_is_refused(requests: Requests, body: dict[str, Any]) -> None:
    # What is refused takes no number.
    asset_id = requests.make_asset()
    assert requests("POST", f"{asset_path(asset_id)}/createVersion", body).status_code == 400
    assert make_version(requests, asset_id)["assetVersionId"] == "1"


def test_versions_are_listed_newest_first_by_number_in_pages(requests: Requests) -> None:
    # The original orders by text, so that 9 comes before 10, and its pages skip versions.
    asset_id = requests.make_asset()
    for _ in range(11):
        make_version(requests, asset_id)
    seen: list[str] = []
    path = f"{asset_path(asset_id)}/getVersions?pageSize=5"
    token = None
    for _ in range(3):
        answer = requests("GET", path + (f"&startingToken={token}" if token else "")).json()
        seen += [each["Version"] for each in answer["versions"]]
        token = answer["NextToken"]
    assert token is None
    assert seen == [str(number) for number in range(11, -1, -1)]
    first = listed(requests, asset_id, "?pageSize=1")[0]
    assert set(first) == {
        *("Version", "DateModified", "Comment", "description", "createdBy", "isCurrent"),
        *("fileCount", "versionAlias", "isArchived", "assetId", "databaseId"),
    }
    assert first["isCurrent"]
    assert first["createdBy"] == "admin@example.com"
    wrong = requests("GET", f"{path}&startingToken=nonsense")
    assert (wrong.status_code, wrong.json()) == (400, {"message": "Invalid pagination token"})


@pytest.mark.accepts("VA-46")
def test_VA_46_comment_and_alias_of_a_version_can_be_changed(requests: Requests) -> None:
    # What is not given stays, and an empty alias is removed.
    asset_id = requests.make_asset()
    make_version(requests, asset_id, versionAlias="RC1")
    path = f"{asset_path(asset_id)}/assetversions/1"
    answer = requests("PUT", path, {"comment": "checked"}).json()
    assert (answer["operation"], answer["assetVersionId"]) == ("update", "1")
    changed = read_version(requests, asset_id, "1")
    assert (changed["comment"], changed["versionAlias"]) == ("checked", "RC1")
    assert requests("PUT", path, {"versionAlias": ""}).status_code == 200
    changed = read_version(requests, asset_id, "1")
    assert (changed["comment"], changed["versionAlias"]) == ("checked", "")
    for body in ({}, {"comment": ""}, {"versionAlias": "x" * 65}):
        assert requests("PUT", path, body).status_code == 400
    assert (
        requests("PUT", f"{asset_path(asset_id)}/assetversions/7", {"comment": "x"}).status_code
        == 404
    )


def test_an_alias_belongs_to_one_version_of_an_asset(requests: Requests) -> None:
    # The original accepts two and then cannot resolve either.
    asset_id, other = requests.make_asset(), requests.make_asset()
    make_version(requests, asset_id, versionAlias="RC1")
    path = f"{asset_path(asset_id)}/createVersion"
    assert requests("POST", path, {**COMMENT, "versionAlias": "RC1"}).status_code == 400
    make_version(requests, asset_id)
    for version in ("0", "2"):
        taken = requests(
            "PUT", f"{asset_path(asset_id)}/assetversions/{version}", {"versionAlias": "RC1"}
        )
        assert taken.status_code == 400, version
    same = requests("PUT", f"{asset_path(asset_id)}/assetversions/1", {"versionAlias": "RC1"})
    assert same.status_code == 200
    zero = requests("PUT", f"{asset_path(asset_id)}/assetversions/0", {"versionAlias": "empty"})
    assert zero.status_code == 200
    assert make_version(requests, other, versionAlias="RC1")["assetVersionId"] == "1"


@pytest.mark.accepts("VA-47")
def test_VA_47_archiving_a_version_sets_its_flag_only(requests: Requests) -> None:
    # The asset stays; the current version cannot be archived without it.
    asset_id = requests.make_asset()
    make_version(requests, asset_id)
    path = f"{asset_path(asset_id)}/assetversions"
    assert requests("POST", f"{path}/0/archive").json()["operation"] == "archive"
    assert [each["Version"] for each in listed(requests, asset_id)] == ["1"]
    everything = listed(requests, asset_id, "?showArchived=true")
    assert [(each["Version"], each["isArchived"]) for each in everything] == [
        ("1", False),
        ("0", True),
    ]
    assert requests("POST", f"{path}/1/archive").status_code == 400
    assert requests("POST", f"{path}/9/archive").status_code == 404
    assert requests("POST", f"{asset_path(asset_id)}/revertAssetVersion/0").status_code == 400
    assert requests("POST", f"{path}/0/unarchive").json()["operation"] == "unarchive"
    assert [each["Version"] for each in listed(requests, asset_id)] == ["1", "0"]
    assert requests("GET", asset_path(asset_id)).json()["status"] == "active"


@pytest.mark.accepts("VA-47")
def test_VA_47_a_version_can_be_archived_with_its_asset_and_come_back_with_it(
    requests: Requests,
) -> None:
    # The document merges the two operations: the explicit option does both.
    asset_id = requests.make_asset()
    make_version(requests, asset_id)
    path = f"{asset_path(asset_id)}/assetversions/1"
    assert requests("POST", f"{path}/archive", {"withAsset": True}).status_code == 200
    assert requests("GET", asset_path(asset_id)).status_code == 404
    (current,) = [each for each in listed(requests, asset_id) if each["isCurrent"]]
    assert (current["Version"], current["isArchived"]) == ("1", True)
    assert requests("POST", f"{path}/unarchive", {"withAsset": True}).status_code == 200
    assert requests("GET", asset_path(asset_id)).json()["currentVersion"]["Version"] == "1"
    assert not read_version(requests, asset_id, "1")["isArchived"]


def test_a_version_is_not_archived_by_who_may_not_archive_its_asset_with_it(
    requests: Requests,
) -> None:
    # What is denied must not be half done.
    asset_id = requests.make_asset()
    make_version(requests, asset_id)
    requests.permit("makers", "api", "GET POST", route__path=".*")
    requests.permit("makers", "asset", "GET POST", databaseId="plant")
    requests.add_user("maker@example.com", "makers")
    path = f"{asset_path(asset_id)}/assetversions/0/archive"
    answer = requests("POST", path, {"withAsset": True}, user="maker@example.com")
    assert answer.status_code == 403
    assert not read_version(requests, asset_id, "0")["isArchived"]


def values(asset_id: str, path: str, **values: str) -> list[AssetFileMetadata]:
    ids = {"database_id": "plant", "asset_id": asset_id, "file_path": path}
    return [
        AssetFileMetadata(**ids, metadata_key=key, metadata_value=value)
        for key, value in values.items()
    ]


@pytest.mark.accepts("VA-48")
def test_VA_48_a_version_has_a_copy_of_all_metadata_and_attributes(requests: Requests) -> None:
    # Point-in-time recovery: a later change of metadata does not reach it.
    asset_id = requests.make_asset()
    requests.put_file("plant", asset_id, "/a:b.glb")
    store = requests.service.store
    attribute = FileAttribute(
        database_id="plant",
        asset_id=asset_id,
        file_path="/a:b.glb",
        attribute_key="triangles",
        attribute_value="12",
    )
    store.batch_write(
        [
            *values(asset_id, "/", owner="Ada"),
            *values(asset_id, "/a:b.glb", material="steel"),
            *values(asset_id, "/not-in-it.glb", material="wood"),
            attribute,
        ]
    )
    make_version(requests, asset_id)
    store.batch_write(values(asset_id, "/", owner="Bob"))
    copies = read_version(requests, asset_id, "1")["versionedMetadata"]
    assert sorted(tuple(each.values()) for each in copies) == [
        ("attribute", "/a:b.glb", "triangles", "12", "string"),
        ("metadata", "/", "owner", "Ada", "string"),
        ("metadata", "/a:b.glb", "material", "steel", "string"),
    ]
    assert set(copies[0]) == {
        *("type", "filePath", "metadataKey", "metadataValue", "metadataValueType"),
    }


def test_two_versions_are_compared_by_bytes_and_values(requests: Requests) -> None:
    # Which object version has the bytes does not matter: a revert makes new ones.
    asset_id = requests.make_asset()
    for path in ("/same.glb", "/changed.glb", "/removed.glb"):
        requests.put_file("plant", asset_id, path, b"1")
    store = requests.service.store
    store.batch_write(values(asset_id, "/", owner="Ada", place="hall"))
    make_version(requests, asset_id, versionAlias="before")
    requests.put_file("plant", asset_id, "/same.glb", b"1")
    requests.put_file("plant", asset_id, "/changed.glb", b"22")
    requests.put_file("plant", asset_id, "/added.glb", b"3")
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    place.objects.delete(place.key("/removed.glb"))
    store.batch_write(values(asset_id, "/", owner="Bob", state="new"))
    make_version(requests, asset_id)
    answer = requests("GET", f"{asset_path(asset_id)}/compareVersions/before/2")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    files, metadata = found["files"], found["metadata"]
    names = {kind: [each["relativeKey"] for each in files[kind]] for kind in ("added", "removed")}
    assert names == {"added": ["added.glb"], "removed": ["removed.glb"]}
    (changed,) = files["changed"]
    assert (changed["relativeKey"], changed["from"]["size"], changed["to"]["size"]) == (
        "changed.glb",
        1,
        2,
    )
    assert files["unchanged"] == 1
    assert [each["metadataKey"] for each in metadata["added"]] == ["state"]
    assert [(each["metadataValue"], each["previousValue"]) for each in metadata["changed"]] == [
        ("Bob", "Ada")
    ]
    assert (metadata["removed"], metadata["unchanged"]) == ([], 1)
    assert (found["from"]["assetVersionId"], found["to"]["assetVersionId"]) == ("1", "2")
    assert requests("GET", f"{asset_path(asset_id)}/compareVersions/1/77").status_code == 404
