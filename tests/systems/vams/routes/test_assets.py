"""Assets by requests: creation, lists, changes, archive and permanent deletion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey_systems.vams.model import Asset, Database, Tag, TagType
from tests.systems.vams.host import ADMIN, READER, Requests, hosted

NEW = {"assetName": "Pump P-101", "description": "Feed pump", "isDistributable": True}


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("assets")) as opened:
        opened.make_database("plant")
        yield opened


def get(requests: Requests, database_id: str, asset_id: str, more: str = "") -> dict[str, Any]:
    answer = requests("GET", f"/database/{database_id}/assets/{asset_id}{more}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(requests: Requests, path: str, user: str = ADMIN) -> list[str]:
    answer = requests("GET", path, user=user)
    assert answer.status_code == 200, answer.text
    return [each["assetId"] for each in answer.json()["Items"]]


def assets_of(requests: Requests, database_id: str) -> int:
    return requests("GET", f"/database/{database_id}").json()["assetCount"]


# -- creation and reading


def test_an_asset_is_created_with_its_first_version_and_read(requests: Requests) -> None:
    # The version "0" has no files; uploads come later.
    bucket = requests("GET", "/buckets").json()["Items"][0]
    answer = requests("POST", "/assets", {**NEW, "databaseId": "plant"})
    assert answer.status_code == 200, answer.text
    asset_id = answer.json()["assetId"]
    assert asset_id.startswith("x")
    assert len(asset_id) == 37
    found = get(requests, "plant", asset_id)
    version = found.pop("currentVersion")
    assert version.pop("DateModified")
    assert (version["Version"], version["createdBy"]) == ("0", ADMIN)
    assert set(version) == {"Version", "Comment", "description", "createdBy", "versionAlias"}
    assert found == {
        "databaseId": "plant",
        "assetId": asset_id,
        "assetName": "Pump P-101",
        "description": "Feed pump",
        "isDistributable": True,
        "tags": [],
        "assetType": "none",
        "status": "active",
        "bucketId": bucket["bucketId"],
        "bucketName": bucket["bucketName"],
        "assetLocation": {"Key": f"{asset_id}/"},
    }


@pytest.mark.parametrize(
    "change",
    [
        {"assetName": ""},
        {"assetName": "a" * 257},
        {"assetName": "a/b"},
        {"assetName": "a\nb"},
        {"assetName": "a\n"},
        {"assetName": None},
        {"description": "abc"},
        {"description": None},
        {"isDistributable": "perhaps"},
        {"tags": ["unknown"]},
        {"tags": "pump"},
        {"tags": [""]},
        {"assetId": "a/b"},
        {"assetId": "a:b"},
        {"assetId": "a#deleted"},
        {"assetId": ".."},
        {"assetId": "a."},
        {"assetId": "a "},
        {"assetId": "a" * 257},
        {"assetId": "\u6f22" * 200},
        {"assetId": "a\u0000b"},
        {"assetId": "a\\b"},
        {"assetId": "temp-uploads"},
        {"assetId": "Pipelines"},
        {"bucketExistingKey": "nothing/there"},
        {"bucketExistingKey": "/"},
        {"bucketExistingKey": "../other"},
        {"bucketExistingKey": "pipelines/x"},
    ],
)
def test_an_asset_that_cannot_be_is_refused(requests: Requests, change: Any) -> None:
    # An id is the name of a folder and part of keys.
    before = assets_of(requests, "plant")
    answer = requests("POST", "/assets", {**NEW, "databaseId": "plant", **change})
    assert answer.status_code == 400, answer.text
    assert assets_of(requests, "plant") == before


def test_an_id_is_given_once_even_if_the_first_is_archived(requests: Requests) -> None:
    # Unarchiving would meet another asset.
    body = {**NEW, "databaseId": "plant", "assetId": "pump-once"}
    assert requests("POST", "/assets", body).status_code == 200
    twice = requests("POST", "/assets", body)
    assert twice.status_code == 400
    assert "already exists" in twice.json()["message"]
    requests("DELETE", "/database/plant/assets/pump-once/archiveAsset")
    assert requests("POST", "/assets", body).status_code == 400
    assert get(requests, "plant", "pump-once", "?showArchived=true")["status"] == "archived"


def test_two_assets_never_share_a_folder_of_a_bucket(requests: Requests) -> None:
    # Two databases with one bucket, and one id: the files would mix.
    requests.make_database("plant-two")
    body = {**NEW, "assetId": "shared-id"}
    assert requests("POST", "/assets", {**body, "databaseId": "plant"}).status_code == 200
    refused = requests("POST", "/assets", {**body, "databaseId": "plant-two"})
    assert refused.status_code == 400
    assert "another asset" in refused.json()["message"]


def test_files_that_are_in_the_bucket_already_become_an_asset(requests: Requests) -> None:
    # `bucketExistingKey` names their folder, which no other asset may have.
    bucket = requests.service.buckets.all(requests.service.access.caller(ADMIN))[0]
    objects = requests.service.buckets.objects_of(bucket)
    objects.put("old/scans/hall.e57", b"points")
    body = {**NEW, "databaseId": "plant", "bucketExistingKey": "old/scans"}
    asset_id = requests("POST", "/assets", body).json()["assetId"]
    assert get(requests, "plant", asset_id)["assetLocation"] == {"Key": "old/scans/"}
    asset = requests.service.assets.find("plant", asset_id)
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    assert place.objects.read(place.key("/hall.e57")) == b"points"
    assert place.relative("old/scans/hall.e57") == "/hall.e57"
    for taken in ("old/scans", "old", "old/scans/hall.e57"):
        answer = requests("POST", "/assets", {**body, "bucketExistingKey": taken})
        assert answer.status_code == 400, taken
    inside = {**NEW, "databaseId": "plant", "assetId": "old"}
    assert requests("POST", "/assets", inside).status_code == 400


def test_tags_must_exist(requests: Requests) -> None:
    # Permissions go by tags, so a misspelt one would open or close the wrong asset.
    store = requests.service.store
    store.put(Tag(tag_name="pump"))
    body = {**NEW, "databaseId": "plant", "tags": ["pump", "pump"]}
    asset_id = requests("POST", "/assets", body).json()["assetId"]
    assert get(requests, "plant", asset_id)["tags"] == ["pump"]
    path = f"/database/plant/assets/{asset_id}"
    assert requests("PUT", path, {"tags": ["pump", "damp"]}).status_code == 400


# -- lists


def test_a_list_has_pages_without_gaps_and_archived_assets_when_asked(requests: Requests) -> None:
    # What is archived between two pages neither repeats nor skips others.
    made = sorted(requests.make_asset("listed", assetId=f"asset-{n:02}") for n in range(7))
    requests("DELETE", "/database/listed/assets/asset-06/archiveAsset")
    assert ids(requests, "/database/listed/assets") == made[:6]
    assert ids(requests, "/database/listed/assets?showArchived=true") == made
    first = requests("GET", "/database/listed/assets?pageSize=2").json()
    assert [each["assetId"] for each in first["Items"]] == made[:2]
    requests("DELETE", "/database/listed/assets/asset-01/archiveAsset")
    path = f"/database/listed/assets?pageSize=3&startingToken={first['NextToken']}"
    second = requests("GET", path).json()
    assert [each["assetId"] for each in second["Items"]] == made[2:5]
    path = f"/database/listed/assets?pageSize=3&startingToken={second['NextToken']}"
    third = requests("GET", path).json()
    assert [each["assetId"] for each in third["Items"]] == ["asset-05"]
    assert third["NextToken"] is None
    archived = requests("GET", "/database/listed/assets?showArchived=yes").json()["Items"]
    assert [each["assetId"] for each in archived if each["status"] == "archived"] == [
        "asset-01",
        "asset-06",
    ]


def test_the_list_of_all_databases_goes_from_one_to_the_next(requests: Requests) -> None:
    # In the original showArchived gives only the archived ones here.
    requests.make_asset("all-one", assetId="one-a")
    requests.make_asset("all-two", assetId="two-a")
    requests.make_asset("all-two", assetId="two-b")
    requests("DELETE", "/database/all-one/assets/one-a/archiveAsset")
    seen: list[str] = []
    path = "/assets?pageSize=1&showArchived=true"
    token: str | None = ""
    for _ in range(200):
        page = requests("GET", f"{path}&startingToken={token}").json()
        seen += [each["assetId"] for each in page["Items"]]
        token = page["NextToken"]
        if token is None:
            break
    assert len(seen) == len(set(seen))
    assert [each for each in seen if each in ("one-a", "two-a", "two-b")] == [
        "one-a",
        "two-a",
        "two-b",
    ]
    assert "one-a" not in ids(requests, "/assets")


@pytest.mark.parametrize(
    "token", ["nonsense", "WyJhc3NldHMiLDFd", "WyJhc3NldHMiLFsiYSIsMCwiYiJdXQ=="]
)
def test_a_token_that_was_not_given_is_refused(requests: Requests, token: str) -> None:
    wrong = requests("GET", f"/assets?startingToken={token}")
    assert (wrong.status_code, wrong.json()) == (400, {"message": "Invalid pagination token"})


def test_a_page_is_filled_across_assets_that_the_caller_may_not_see(requests: Requests) -> None:
    # A page that is empty while more follow looks like the end.
    for number in range(12):
        name = "Open" if number % 4 == 3 else "Closed"
        requests.make_asset("mixed", assetId=f"mixed-{number:02}", assetName=name)
    requests.add_user("guest@example.com", "guests")
    requests.permit("guests", "api", "GET", route__path="/assets")
    requests.permit("guests", "asset", "GET", databaseId="^mixed$", assetName="^Open$")
    first = requests("GET", "/assets?pageSize=2", user="guest@example.com").json()
    assert [each["assetId"] for each in first["Items"]] == ["mixed-03", "mixed-07"]
    path = f"/assets?pageSize=2&startingToken={first['NextToken']}"
    last = requests("GET", path, user="guest@example.com").json()
    assert [each["assetId"] for each in last["Items"]] == ["mixed-11"]
    assert last["NextToken"] is None


# -- permissions


@pytest.mark.parametrize(
    ("method", "suffix", "body"),
    [
        ("GET", "", None),
        ("PUT", "", {"description": "another"}),
        ("DELETE", "/archiveAsset", None),
        ("PUT", "/unarchiveAsset", {"confirmUnarchive": True}),
        ("DELETE", "/deleteAsset", {"confirmPermanentDelete": True}),
        ("DELETE", "/deleteAsset", None),
    ],
)
def test_forbidden_is_403_and_unknown_404(
    requests: Requests, method: str, suffix: str, body: Any
) -> None:
    # The original answers 500 or 400. What is forbidden stays as it is.
    requests.make_database("plant")
    if not get_or_none(requests, "forbidden"):
        requests.make_asset("plant", assetId="forbidden")
        requests.add_user("nobody@example.com", "door")
        requests.permit("door", "api", "GET PUT POST DELETE", route__path=".*")
    path = f"/database/plant/assets/forbidden{suffix}"
    denied = requests(method, path, body, user="nobody@example.com")
    assert (denied.status_code, denied.json()) == (403, {"message": "Not Authorized"})
    absent = requests(method, f"/database/plant/assets/absent{suffix}", body)
    assert absent.status_code == 404
    assert requests.client.request(method, path).status_code == 401
    assert get(requests, "plant", "forbidden")["description"] == "of a test"


def get_or_none(requests: Requests, asset_id: str) -> Asset | None:
    return requests.service.assets.find("plant", asset_id)


def test_creation_asks_for_put_on_the_asset_it_makes(requests: Requests) -> None:
    # A role that may create "Valve" assets creates no others, in no other database.
    requests.make_database("plant")
    requests.make_database("other")
    requests.add_user("maker@example.com", "makers")
    requests.permit("makers", "api", "POST", route__path="/assets")
    requests.permit("makers", "asset", "PUT", databaseId="^plant$", assetName="^Valve")
    for change, status in (
        ({"assetName": "Valve 1"}, 200),
        ({"assetName": "Pump 1"}, 403),
        ({"assetName": "Valve 1", "databaseId": "other"}, 403),
        ({"assetName": "Valve 1", "databaseId": "absent"}, 404),
    ):
        body = {**NEW, "databaseId": "plant", **change}
        assert requests("POST", "/assets", body, user="maker@example.com").status_code == status
    assert (
        requests("POST", "/assets", {**NEW, "databaseId": "plant"}, user=READER).status_code == 403
    )


def test_a_change_needs_permission_for_what_the_asset_becomes(requests: Requests) -> None:
    # Otherwise a name would open what a constraint keeps closed.
    asset_id = requests.make_asset("plant", assetName="Draft 1")
    requests.add_user("editor@example.com", "editors")
    requests.permit("editors", "api", "PUT", route__path="/database")
    requests.permit("editors", "asset", "PUT", assetName="^Draft")
    path = f"/database/plant/assets/{asset_id}"
    renamed = requests("PUT", path, {"assetName": "Draft 2"}, user="editor@example.com")
    assert renamed.status_code == 200
    released = requests("PUT", path, {"assetName": "Release"}, user="editor@example.com")
    assert released.status_code == 403
    assert get(requests, "plant", asset_id)["assetName"] == "Draft 2"


# -- changes


def test_a_change_keeps_what_is_not_given_and_replaces_tags(requests: Requests) -> None:
    requests.service.store.put(Tag(tag_name="one"))
    requests.service.store.put(Tag(tag_name="two"))
    asset_id = requests.make_asset("plant", tags=["one"])
    path = f"/database/plant/assets/{asset_id}"
    answer = requests("PUT", path, {"tags": ["two"], "isDistributable": False})
    assert answer.status_code == 200, answer.text
    assert answer.json()["operation"] == "update"
    assert answer.json()["assetId"] == asset_id
    found = get(requests, "plant", asset_id)
    assert (found["tags"], found["isDistributable"]) == (["two"], False)
    assert (found["assetName"], found["description"]) == ("Pump", "of a test")
    requests("PUT", path, {"tags": []})
    assert get(requests, "plant", asset_id)["tags"] == []
    assert requests("PUT", path, {}).status_code == 400
    assert requests("PUT", path, {"tags": ["unknown"]}).status_code == 400
    requests("DELETE", f"{path}/archiveAsset")
    assert requests("PUT", path, {"description": "archived"}).status_code == 404


# -- archive and deletion


def test_an_archived_asset_leaves_the_lists_and_comes_back(requests: Requests) -> None:
    # Its record is in the other partition, with who archived it and why; the count follows.
    asset_id = requests.make_asset("shelf")
    path = f"/database/shelf/assets/{asset_id}"
    answer = requests("DELETE", f"{path}/archiveAsset", {"reason": "dismantled"})
    assert (answer.status_code, answer.json()["operation"]) == (200, "archive")
    assert requests("GET", path).status_code == 404
    assert assets_of(requests, "shelf") == 0
    found = get(requests, "shelf", asset_id, "?showArchived=true")
    assert (found["status"], found["archivedBy"]) == ("archived", ADMIN)
    assert found["archivedReason"] == "dismantled"
    assert found["archivedAt"].endswith("Z")
    assert found["currentVersion"]["Version"] == "0"  # the original shows none
    assert requests("DELETE", f"{path}/archiveAsset").status_code == 404
    assert requests("PUT", f"{path}/unarchiveAsset", {}).status_code == 400
    assert requests("PUT", f"{path}/unarchiveAsset").status_code == 400
    back = requests("PUT", f"{path}/unarchiveAsset", {"confirmUnarchive": True})
    assert (back.status_code, back.json()["operation"]) == (200, "unarchive")
    found = get(requests, "shelf", asset_id)
    assert found["status"] == "active"
    assert "archivedAt" not in found
    assert assets_of(requests, "shelf") == 1
    twice = requests("PUT", f"{path}/unarchiveAsset", {"confirmUnarchive": True})
    assert twice.status_code == 400


def test_a_permanent_deletion_must_be_confirmed_and_is_counted(requests: Requests) -> None:
    # A missing confirmation deletes nothing.
    active, archived = requests.make_asset("bin-1"), requests.make_asset("bin-1")
    requests("DELETE", f"/database/bin-1/assets/{archived}/archiveAsset")
    for asset_id in (active, archived):
        path = f"/database/bin-1/assets/{asset_id}/deleteAsset"
        assert requests("DELETE", path).status_code == 400
        assert requests("DELETE", path, {"confirmPermanentDelete": False}).status_code == 400
        answer = requests("DELETE", path, {"confirmPermanentDelete": True, "reason": "wrong"})
        assert (answer.status_code, answer.json()["operation"]) == (200, "delete")
        assert requests("DELETE", path, {"confirmPermanentDelete": True}).status_code == 404
    assert ids(requests, "/database/bin-1/assets?showArchived=true") == []
    assert assets_of(requests, "bin-1") == 0
    requests.run_jobs()


def test_an_archived_asset_of_a_deleted_database_waits_for_it(requests: Requests) -> None:
    # Its database can be made again; until then it has no place to come back to.
    asset_id = requests.make_asset("leaving")
    path = f"/database/leaving/assets/{asset_id}"
    requests("DELETE", f"{path}/archiveAsset")
    assert requests("DELETE", "/database/leaving").status_code == 200
    confirmed = {"confirmUnarchive": True}
    assert requests("PUT", f"{path}/unarchiveAsset", confirmed).status_code == 404
    requests.make_database("leaving")
    assert requests("PUT", f"{path}/unarchiveAsset", confirmed).status_code == 200
    stored = requests.service.store.get(Database.key(database_id="leaving"))
    assert stored.asset_count == 1


def test_changes_of_assets_are_in_the_audit_log(requests: Requests) -> None:
    asset_id = requests.make_asset("plant")
    path = f"/database/plant/assets/{asset_id}"
    requests("PUT", path, {"description": "of an audit"})
    requests("DELETE", f"{path}/archiveAsset")
    requests("PUT", f"{path}/unarchiveAsset", {"confirmUnarchive": True})
    requests("DELETE", f"{path}/deleteAsset", {"confirmPermanentDelete": True})
    day = requests.service.now().strftime("%Y-%m-%d")
    actions = [
        record.action.removeprefix("vams.asset.")
        for record in requests.service.audit.of_day(day, "ACTIONS")
        if record.subject.endswith(f"/{asset_id}")
    ]
    assert actions == ["delete", "unarchive", "archive", "update", "create"]


def test_a_required_type_of_tags_must_be_there(requests: Requests) -> None:
    # A type without tags cannot be required: nobody could create an asset.
    store = requests.service.store
    store.put(Tag(tag_name="pump"))
    body = {**NEW, "databaseId": "plant", "tags": ["pump"]}
    asset_id = requests("POST", "/assets", body).json()["assetId"]
    store.put(TagType(tag_type_name="area", required="True"))
    try:
        assert requests("POST", "/assets", body).status_code == 200
        store.put(Tag(tag_name="wet", tag_type_name="area"))
        missing = requests("POST", "/assets", body)
        assert missing.status_code == 400
        assert "area" in missing.json()["message"]
        assert requests("POST", "/assets", {**body, "tags": ["pump", "wet"]}).status_code == 200
        path = f"/database/plant/assets/{asset_id}"
        assert requests("PUT", path, {"tags": ["pump"]}).status_code == 400
        assert requests("PUT", path, {"description": "no tags are given"}).status_code == 200
    finally:
        store.delete(TagType.key(tag_type_name="area"))
