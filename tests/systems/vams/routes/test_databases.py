"""Databases and buckets by requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey_systems.vams.databases import extensions_text
from sortkey_systems.vams.model import Asset, Database, Pipeline, S3AssetBucket, Workflow
from tests.systems.vams.host import ADMIN, READER, Requests, hosted

UNKNOWN_BUCKET = "5f4c1f7e-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("databases")) as opened:
        opened.make_database("plant")
        yield opened


def names(requests: Requests, path: str = "/database", user: str = ADMIN) -> list[str]:
    answer = requests("GET", path, user=user)
    assert answer.status_code == 200, answer.text
    return [each["databaseId"] for each in answer.json()["Items"]]


def get(requests: Requests, database_id: str) -> dict[str, Any]:
    answer = requests("GET", f"/database/{database_id}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_database_is_created_read_listed_and_changed(requests: Requests) -> None:
    # The first thing anybody does with an installation.
    bucket = requests("GET", "/buckets").json()["Items"][0]
    body = {
        "databaseId": "Hangar_4",
        "description": "The hangar",
        "defaultBucketId": bucket["bucketId"],
        "restrictFileUploadsToExtensions": ".glb, .GLTF",
    }
    answer = requests("POST", "/database", body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["databaseId"] == "Hangar_4"
    found = get(requests, "Hangar_4")
    assert found.pop("dateCreated")
    assert found == {
        "databaseId": "Hangar_4",
        "description": "The hangar",
        "assetCount": 0,
        "defaultBucketId": bucket["bucketId"],
        "bucketName": bucket["bucketName"],
        "baseAssetsPrefix": "/",
        "restrictMetadataOutsideSchemas": False,
        "restrictFileUploadsToExtensions": ".glb,.gltf",
    }
    assert "Hangar_4" in names(requests)
    changed = requests("PUT", "/database/Hangar_4", {"restrictMetadataOutsideSchemas": True})
    assert changed.json()["operation"] == "update"
    assert changed.json()["databaseId"] == "Hangar_4"
    after = get(requests, "Hangar_4")
    assert after["restrictMetadataOutsideSchemas"] is True
    assert after["description"] == "The hangar"


@pytest.mark.parametrize(
    "change",
    [
        {"databaseId": "abc"},
        {"databaseId": "a" * 64},
        {"databaseId": "a b c d"},
        {"databaseId": "global"},
        {"databaseId": "GLOBAL"},
        {"databaseId": "plant#deleted"},
        {"databaseId": "../plant"},
        {"databaseId": "plant\n"},
        {"databaseId": None},
        {"databaseId": 5},
        {"description": "abc"},
        {"description": "a" * 257},
        {"description": None},
        {"defaultBucketId": UNKNOWN_BUCKET},
        {"defaultBucketId": None},
        {"defaultBucketId": "a:b"},
        {"restrictFileUploadsToExtensions": "glb"},
        {"restrictFileUploadsToExtensions": ".glb;.stl"},
        {"restrictMetadataOutsideSchemas": "perhaps"},
    ],
)
def test_a_database_that_cannot_be_is_refused(requests: Requests, change: Any) -> None:
    # An id is part of keys and paths, and GLOBAL belongs to every database.
    bucket = requests("GET", "/buckets").json()["Items"][0]["bucketId"]
    before = names(requests)
    body = {"databaseId": "fresh", "description": "of a test", "defaultBucketId": bucket, **change}
    answer = requests("POST", "/database", body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["message"]
    assert names(requests) == before


def test_an_id_is_given_once(requests: Requests) -> None:
    # The second of two colleagues must not take the database of the first.
    bucket = requests("GET", "/buckets").json()["Items"][0]["bucketId"]
    body = {"databaseId": "plant", "description": "another one", "defaultBucketId": bucket}
    answer = requests("POST", "/database", body)
    assert answer.status_code == 400
    assert "already exists" in answer.json()["message"]
    assert get(requests, "plant")["description"] == "of a test"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/database/absent", None),
        ("PUT", "/database/absent", {"description": "another"}),
        ("DELETE", "/database/absent", None),
        ("GET", "/database/GLOBAL", None),
        ("GET", "/database/plant%23deleted", None),
        ("GET", "/database/a%3Ab", None),
        ("GET", "/database/absent/assets", None),
    ],
)
def test_an_unknown_database_is_not_found(
    requests: Requests, method: str, path: str, body: Any
) -> None:
    # The original answers 400, and an id with a mark must not reach deleted rows.
    assert requests(method, path, body).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/database", {"databaseId": "mine", "description": "of a test"}),
        ("PUT", "/database/plant", {"description": "of another"}),
        ("DELETE", "/database/plant", None),
    ],
)
def test_a_reader_changes_nothing(requests: Requests, method: str, path: str, body: Any) -> None:
    # Tier 1 refuses the route, whatever the object.
    assert requests(method, path, body, user=READER).status_code == 403
    assert requests.client.request(method, path, json=body).status_code == 401
    assert requests("GET", "/database/plant", user=READER).status_code == 200


def test_tier_2_filters_lists_and_tells_forbidden_from_unknown(requests: Requests) -> None:
    # The route is open to the role, and one database.
    requests.make_database("secret")
    requests.add_user("seer@example.com", "seers")
    requests.permit("seers", "api", "GET PUT DELETE", route__path="/database")
    requests.permit("seers", "database", "GET PUT", databaseId="^plant$")
    assert names(requests, user="seer@example.com") == ["plant"]
    for method, body in (("GET", None), ("PUT", {"description": "mine now"}), ("DELETE", None)):
        answer = requests(method, "/database/secret", body, user="seer@example.com")
        assert (answer.status_code, answer.json()) == (403, {"message": "Not Authorized"})
        absent = requests(method, "/database/absent", body, user="seer@example.com")
        assert absent.status_code == 404
    denied = requests("DELETE", "/database/plant", user="seer@example.com")
    assert denied.status_code == 403  # before it is said that there are assets


def test_a_change_needs_something_to_change(requests: Requests) -> None:
    assert requests("PUT", "/database/plant", {}).status_code == 400
    wrong = {"defaultBucketId": UNKNOWN_BUCKET}
    assert requests("PUT", "/database/plant", wrong).status_code == 400


def test_a_deleted_database_is_kept_apart_and_its_id_can_be_used_again(requests: Requests) -> None:
    # The row moves to `id#deleted`; the next of that id is another one.
    requests.make_database("gone", description="the first")
    answer = requests("DELETE", "/database/gone")
    assert (answer.status_code, answer.json()) == (200, {"message": "Database deleted"})
    assert requests("GET", "/database/gone").status_code == 404
    assert "gone" not in names(requests)
    assert "gone" in names(requests, "/database?showDeleted=true")
    shown = requests("GET", "/database/gone?showDeleted=true").json()
    assert shown["description"] == "the first"
    key = {"databaseId": {"S": "gone#deleted"}}
    request = {"TableName": "DatabaseStorageTable", "Key": key}
    assert requests.service.store.backend.call("GetItem", request)["Item"]
    requests.make_database("gone", description="the second")
    assert names(requests, "/database?showDeleted=true").count("gone") == 1
    assert requests("DELETE", "/database/gone").status_code == 200
    again = requests("GET", "/database/gone?showDeleted=true").json()
    assert again["description"] == "the second"


@pytest.mark.parametrize("kind", ["assets", "workflows", "pipelines"])
def test_a_database_that_is_not_empty_stays(requests: Requests, kind: str) -> None:
    # What is in it would belong to nothing.
    database_id = requests.make_database(f"full-{kind}")
    rows: dict[str, Any] = {
        "assets": Asset(database_id=database_id, asset_id="a", asset_name="Pump"),
        "workflows": Workflow(database_id=database_id, workflow_id="make-web"),
        "pipelines": Pipeline(database_id=database_id, pipeline_id="to-glb"),
    }
    requests.service.store.put(rows[kind])
    answer = requests("DELETE", f"/database/{database_id}")
    assert answer.status_code == 400
    assert kind in answer.json()["message"]
    requests.service.store.delete(rows[kind])
    assert requests("DELETE", f"/database/{database_id}").status_code == 200


def test_a_row_of_another_program_is_counted(requests: Requests) -> None:
    # The original keeps no count in some of its rows.
    store = requests.service.store
    store.put(Database(database_id="foreign"))
    store.put(Asset(database_id="foreign", asset_id="a", asset_name="Pump"))
    assert get(requests, "foreign")["assetCount"] == 1
    bucket = requests("GET", "/buckets").json()["Items"][0]["bucketId"]
    requests("PUT", "/database/foreign", {"defaultBucketId": bucket})
    requests.make_asset("foreign")
    assert get(requests, "foreign")["assetCount"] == 2
    stored = store.get(Database.key(database_id="foreign"))
    assert stored.asset_count == 2


def test_assets_that_a_caller_may_not_see_are_not_counted(requests: Requests) -> None:
    # The number of hidden assets tells what goes on behind a wall.
    for database_id in ("open-yard", "mixed-yard", "closed-yard"):
        for name in ("seen one", "seen two", "hidden"):
            requests.make_asset(database_id, assetName=name)
    role, user = "yard", "yard@example.com"
    requests.permit(role, "api", "GET", route__path=".*")
    requests.permit(role, "database", "GET", databaseId="-yard$")
    requests.permit(role, "asset", "GET", databaseId="^open-yard$")
    requests.permit(role, "asset", "GET", databaseId="^mixed-yard$", assetName="^seen")
    requests.add_user(user, role)
    listed = requests("GET", "/database", user=user).json()["Items"]
    counts = {each["databaseId"]: each["assetCount"] for each in listed}
    assert counts == {"open-yard": 3, "mixed-yard": 2, "closed-yard": 0}
    one = requests("GET", "/database/mixed-yard", user=user).json()
    assert one["assetCount"] == 2
    assert get(requests, "mixed-yard")["assetCount"] == 3


@pytest.mark.parametrize(("path", "name"), [("/database", "databaseId"), ("/buckets", "bucketId")])
def test_lists_have_pages_of_the_size_that_was_asked_for(
    requests: Requests, path: str, name: str
) -> None:
    # The original ignores the paging of buckets.
    for number in range(3):
        requests.make_database(f"paged-{number}")
        bucket = S3AssetBucket(bucket_id=f"bucket-{number}", bucket_name=f"vams-{number}")
        requests.service.store.put(bucket)
    seen: list[str] = []
    token = ""
    for _ in range(100):
        page = requests("GET", f"{path}?pageSize=2&startingToken={token}").json()
        seen += [each[name] for each in page["Items"]]
        token = page["NextToken"]
        if token is None:
            break
        assert len(page["Items"]) == 2
    assert len(seen) >= 4
    assert seen == sorted(set(seen))
    wrong = requests("GET", f"{path}?startingToken=AAAA")
    assert (wrong.status_code, wrong.json()) == (400, {"message": "Invalid pagination token"})


def test_every_change_of_a_database_is_in_the_audit_log(requests: Requests) -> None:
    requests.make_database("audited")
    requests("PUT", "/database/audited", {"description": "of an audit"})
    requests("DELETE", "/database/audited")
    day = requests.service.now().strftime("%Y-%m-%d")
    records = [
        record.action
        for record in requests.service.audit.of_day(day, "ACTIONS")
        if record.subject.endswith("/audited")
    ]
    assert records == ["vams.database.delete", "vams.database.update", "vams.database.create"]


@pytest.mark.parametrize(
    ("given", "stored"),
    [("", ""), (".all", ".all"), (".glb,.glb", ".glb"), (" .STL , .tar.gz ,", ".stl,.tar.gz")],
)
def test_extensions_are_stored_in_one_form(given: str, stored: str) -> None:
    # Uploads compare with it.
    assert extensions_text(given) == stored
