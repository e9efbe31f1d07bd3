"""Metadata schemas by requests, and the seeds of an installation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey_systems.vams.model import MetadataSchema
from tests.systems.vams.host import READER, Requests, hosted
from tests.systems.vams.stock import add_user


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("vams")) as opened:
        opened.make_database("plant")
        yield opened


def schema(name: str, *fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "databaseId": "plant",
        "metadataSchemaEntityType": "assetMetadata",
        "schemaName": name,
        "fields": {"fields": list(fields) or [field("owner")]},
        "enabled": True,
        **more,
    }


def field(name: str, value_type: str = "string", **more: Any) -> dict[str, Any]:
    return {"metadataFieldKeyName": name, "metadataFieldValueType": value_type, **more}


def made(requests: Requests, name: str, *fields: dict[str, Any], **more: Any) -> str:
    answer = requests("POST", "/metadataschema", schema(name, *fields, **more))
    assert answer.status_code == 200, answer.text
    assert answer.json()["operation"] == "create"
    return answer.json()["metadataSchemaId"]


def listed(requests: Requests, query: str = "", user: str | None = None) -> list[dict[str, Any]]:
    more = {} if user is None else {"user": user}
    answer = requests("GET", f"/metadataschema{query}", **more)
    assert answer.status_code == 200, answer.text
    return answer.json()["Items"]


def test_a_new_installation_has_four_schemas_for_all_databases(requests: Requests) -> None:
    # The original's viewers expect these fields.
    found = {row["metadataSchemaEntityType"]: row for row in listed(requests, "?databaseId=GLOBAL")}
    fields = {
        kind: {
            each["metadataFieldKeyName"]: each["metadataFieldValueType"]
            for each in row["fields"]["fields"]
        }
        for kind, row in found.items()
    }
    assert fields == {
        "assetLinkMetadata": {
            "Translation": "xyz",
            "Rotation": "wxyz",
            "Scale": "xyz",
            "Matrix": "matrix4x4",
        },
        "databaseMetadata": {"Location": "lla"},
        "assetMetadata": {"Location": "lla"},
        "fileMetadata": {"Polygon_Count": "string"},
    }
    extensions = found["fileMetadata"]["fileKeyTypeRestriction"].split(",")
    assert set(extensions) == {".glb", ".usd", ".obj", ".fbx", ".gltf", ".stl", ".usdz"}


def test_a_seed_that_is_deleted_stays_deleted(requests: Requests) -> None:
    # The next start of the server must not bring it back.
    (seed,) = listed(requests, "?databaseId=GLOBAL&metadataEntityType=databaseMetadata")
    path = f"/database/GLOBAL/metadataSchema/{seed['metadataSchemaId']}"
    assert requests("DELETE", path).status_code == 400
    assert requests("DELETE", path, {"confirmDelete": True}).json()["operation"] == "delete"
    requests.service.schemas.ensure_seeds()
    assert listed(requests, "?databaseId=GLOBAL&metadataEntityType=databasemetadata") == []


@pytest.mark.accepts("VA-15")
def test_a_schema_is_created_read_changed_and_deleted(requests: Requests) -> None:
    # What is not given in a change stays.
    owner = field("owner", required=True, sequence=1, dependsOnFieldKeyName=["site"])
    site = field("site", "STRING", defaultMetadataFieldValue="Rotterdam")
    schema_id = made(requests, "equipment", owner, site)
    path = f"/database/plant/metadataSchema/{schema_id}"
    found = requests("GET", path).json()
    assert found.pop("dateCreated") == found.pop("dateModified")
    assert found == {
        "metadataSchemaId": schema_id,
        "databaseId": "plant",
        "metadataSchemaEntityType": "assetMetadata",
        "schemaName": "equipment",
        "fileKeyTypeRestriction": None,
        "fields": {
            "fields": [
                {
                    **owner,
                    "controlledListKeys": [],
                    "defaultMetadataFieldValue": None,
                },
                {
                    "metadataFieldKeyName": "site",
                    "metadataFieldValueType": "string",
                    "required": False,
                    "sequence": None,
                    "dependsOnFieldKeyName": [],
                    "controlledListKeys": [],
                    "defaultMetadataFieldValue": "Rotterdam",
                },
            ]
        },
        "enabled": True,
        "createdBy": "admin@example.com",
        "modifiedBy": "admin@example.com",
    }
    change = {"metadataSchemaId": schema_id, "enabled": False}
    assert requests("PUT", "/metadataschema", change).json()["metadataSchemaId"] == schema_id
    changed = requests("GET", path).json()
    assert (changed["enabled"], changed["fields"]) == (False, found["fields"])
    rows = requests.service.store.query(
        MetadataSchema.of_entity_type_in_database(
            database_id="plant", metadata_entity_type="assetMetadata"
        )
    )
    assert schema_id in [row.metadata_schema_id for row in rows]
    assert requests("GET", path.replace("plant", "GLOBAL")).status_code == 404
    assert requests("DELETE", path, {"confirmDelete": True}).status_code == 200
    assert requests("GET", path).status_code == 404
    assert requests("PUT", "/metadataschema", change).status_code == 404
    assert requests("GET", "/database/plant/metadataSchema/a:b").status_code == 404


REFUSED = [
    ("a database that does not exist", {"databaseId": "nowhere"}, 404),
    ("an unknown entity type", {"metadataSchemaEntityType": "roomMetadata"}, 400),
    ("no fields", {"fields": {"fields": []}}, 400),
    ("a field twice", {"fields": {"fields": [field("a"), field("a")]}}, 400),
    ("an unknown type", {"fields": {"fields": [field("a", "colour")]}}, 400),
    ("a key with a colon", {"fields": {"fields": [field("a:b")]}}, 400),
    ("a list without values", {"fields": [field("a", "inline_controlled_list")]}, 400),
    ("values without a list", {"fields": [field("a", controlledListKeys=["x"])]}, 400),
    ("a wrong default", {"fields": [field("a", "xyz", defaultMetadataFieldValue="x")]}, 400),
    (
        "a default that is not in the list",
        {
            "fields": [
                field(
                    "a",
                    "inline_controlled_list",
                    controlledListKeys=["x"],
                    defaultMetadataFieldValue="y",
                )
            ]
        },
        400,
    ),
    (
        "fields that depend on each other",
        {
            "fields": [
                field("a", dependsOnFieldKeyName=["b"]),
                field("b", dependsOnFieldKeyName=["a"]),
            ]
        },
        400,
    ),
    ("extensions for assets", {"fileKeyTypeRestriction": ".glb"}, 400),
    (
        "an extension without a dot",
        {"metadataSchemaEntityType": "fileMetadata", "fileKeyTypeRestriction": "glb"},
        400,
    ),
    (
        "attributes that are not texts",
        {"metadataSchemaEntityType": "fileAttribute", "fields": [field("a", "number")]},
        400,
    ),
    ("a name with a slash", {"schemaName": "a/b"}, 400),
]


@pytest.mark.parametrize(
    ("change", "status"), [pytest.param(each, code, id=name) for name, each, code in REFUSED]
)
def test_a_schema_that_cannot_hold_is_refused(
    requests: Requests, change: dict[str, Any], status: int
) -> None:
    # Nobody could ever write what it asks for.
    before = listed(requests)
    answer = requests("POST", "/metadataschema", schema("wrong", **change))
    assert answer.status_code == status, answer.text
    assert listed(requests) == before


def test_a_change_is_checked_like_a_new_schema(requests: Requests) -> None:
    # The entity type stays, and with it what it allows.
    attributes = {"metadataSchemaEntityType": "fileAttribute"}
    schema_id = made(requests, "attributes", **attributes)
    number = {"metadataSchemaId": schema_id, "fields": {"fields": [field("a", "number")]}}
    assert requests("PUT", "/metadataschema", number).status_code == 400
    assert requests("PUT", "/metadataschema", {"metadataSchemaId": schema_id}).status_code == 400
    extensions = {"metadataSchemaId": schema_id, "fileKeyTypeRestriction": ".glb"}
    assert requests("PUT", "/metadataschema", extensions).status_code == 200
    assert requests("PUT", "/metadataschema", {**extensions, "fileKeyTypeRestriction": ""})
    path = f"/database/plant/metadataSchema/{schema_id}"
    assert requests("GET", path).json()["fileKeyTypeRestriction"] is None


def test_lists_are_filtered_by_what_is_asked_and_what_may_be_seen(requests: Requests) -> None:
    # By database, by entity type, both or neither.
    made(requests, "seen")
    made(requests, "hidden")
    every, plant = listed(requests), listed(requests, "?databaseId=plant")
    assert {row["databaseId"] for row in every} == {"plant", "GLOBAL"}
    assert {row["databaseId"] for row in plant} == {"plant"}
    kinds = listed(requests, "?metadataEntityType=assetMetadata")
    assert {row["metadataSchemaEntityType"] for row in kinds} == {"assetMetadata"}
    assert requests("GET", "/metadataschema?metadataEntityType=x").status_code == 400
    rule = ("metadataSchema", "GET", {"metadataSchemaName": "^seen$"})
    add_user(requests, "sam@example.com", rule)
    assert [row["schemaName"] for row in listed(requests, user="sam@example.com")] == ["seen"]
    first = requests("GET", "/metadataschema?pageSize=1").json()
    assert len(first["Items"]) == 1
    assert first["NextToken"]


def test_changes_ask_for_post_and_deletion_for_delete(requests: Requests) -> None:
    # An update asks for POST in the original, and its roles are written for that.
    schema_id = made(requests, "guarded")
    path = f"/database/plant/metadataSchema/{schema_id}"
    change = {"metadataSchemaId": schema_id, "enabled": False}
    rules = ("metadataSchema", "GET POST", {"metadataSchemaName": "^guarded$"})
    add_user(requests, "pat@example.com", rules)
    user = "pat@example.com"
    assert requests("PUT", "/metadataschema", change, user=user).status_code == 200
    renamed = {"metadataSchemaId": schema_id, "schemaName": "free"}
    assert requests("PUT", "/metadataschema", renamed, user=user).status_code == 403
    assert requests("DELETE", path, {"confirmDelete": True}, user=user).status_code == 403
    assert requests("GET", path, user=READER).status_code == 200
    assert requests("PUT", "/metadataschema", change, user=READER).status_code == 403
    assert requests("POST", "/metadataschema", schema("mine"), user=READER).status_code == 403
