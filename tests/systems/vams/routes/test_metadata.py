"""Metadata of databases, assets, files and links by requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey_systems.vams.metadata.values import Metadata, MetadataItem
from sortkey_systems.vams.model import (
    AssetFileMetadata,
    AssetFileMetadataVersion,
    AssetLink,
    AssetLinkMetadata,
    AssetVersion,
    DatabaseMetadata,
    FileAttribute,
)
from tests.systems.vams.host import READER, Requests, hosted
from tests.systems.vams.stock import (
    EVERY_VERB,
    add_user,
    make_asset,
    make_separate_database,
)

DATABASE, STRICT = "plant", "strict"
ASSET = f"/database/{DATABASE}/assets/pump"
FILE = f"{ASSET}/metadata/file"
LINK = "/asset-links/link-1/metadata"


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with hosted(tmp_path_factory.mktemp("vams")) as opened:
        opened.make_database(DATABASE)
        make_separate_database(opened, STRICT)
        restricted = {"restrictMetadataOutsideSchemas": True}
        assert opened("PUT", f"/database/{STRICT}", restricted).status_code == 200
        for name in ("pump", "hall"):
            make_asset(opened, DATABASE, name)
            make_asset(opened, STRICT, name)
        opened.put_file(DATABASE, "pump", "/model/pump.glb")
        opened.service.store.put(link("link-1", DATABASE, DATABASE))
        yield opened


def link(name: str, source: str, target: str) -> AssetLink:
    return AssetLink(
        asset_link_id=name,
        from_asset_database_id=source,
        from_asset_id="hall",
        to_asset_database_id=target,
        to_asset_id="pump",
        relationship_type="parentChild",
    )


def item(key: str, value: str, value_type: str = "string") -> dict[str, str]:
    return {"metadataKey": key, "metadataValue": value, "metadataValueType": value_type}


def body(*items: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"metadata": list(items), **more}


def stored(requests: Requests, path: str, **more: str) -> dict[str, str]:
    """The values that a GET shows, without fields that have none."""
    query = "&".join(f"{name}={value}" for name, value in more.items())
    answer = requests("GET", f"{path}?{query}")
    assert answer.status_code == 200, answer.text
    rows = answer.json()["metadata"]
    return {row["metadataKey"]: row["metadataValue"] for row in rows if row["metadataValue"]}


def make_schema(requests: Requests, database_id: str, entity_type: str, *fields: Any) -> str:
    answer = requests(
        "POST",
        "/metadataschema",
        {
            "databaseId": database_id,
            "metadataSchemaEntityType": entity_type,
            "schemaName": f"{database_id} {entity_type}",
            "fields": {"fields": list(fields)},
        },
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["metadataSchemaId"]


def field(name: str, value_type: str = "string", **more: Any) -> dict[str, Any]:
    return {"metadataFieldKeyName": name, "metadataFieldValueType": value_type, **more}


OWNERS = [
    pytest.param(f"/database/{DATABASE}/metadata", {}, id="database"),
    pytest.param(f"{ASSET}/metadata", {}, id="asset"),
    pytest.param(FILE, {"filePath": "/model/pump.glb", "type": "metadata"}, id="file"),
    pytest.param(FILE, {"filePath": "/model/pump.glb", "type": "attribute"}, id="attribute"),
    pytest.param(LINK, {}, id="link"),
]


@pytest.mark.accepts("VA-11", "VA-12", "VA-13", "VA-14", "VA-17")
@pytest.mark.parametrize(("path", "more"), OWNERS)
def test_values_are_added_changed_replaced_and_deleted(
    requests: Requests, path: str, more: dict[str, str]
) -> None:
    # One round of all verbs, over each of the five kinds of owners.
    answer = requests("POST", path, body(item("maker", "Acme"), item("year", "1999"), **more))
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert shown.pop("timestamp")
    assert shown.pop("message")
    assert shown == {
        "success": True,
        "totalItems": 2,
        "successCount": 2,
        "failureCount": 0,
        "successfulItems": ["maker", "year"],
        "failedItems": [],
    }
    assert stored(requests, path, **more) == {"maker": "Acme", "year": "1999"}
    assert requests("PUT", path, body(item("year", "2001"), **more)).status_code == 200
    assert stored(requests, path, **more) == {"maker": "Acme", "year": "2001"}
    every = body(item("room", "3"), updateType="replace_all", **more)
    assert requests("PUT", path, every).status_code == 200
    assert stored(requests, path, **more) == {"room": "3"}
    deleted = requests("DELETE", path, {"metadataKeys": ["room", "gone"], **more}).json()
    assert deleted["successfulItems"] == ["room"]
    assert deleted["failedItems"] == [{"key": "gone", "error": "not found"}]
    assert stored(requests, path, **more) == {}


def test_an_item_is_shown_with_its_ids_and_what_schemas_say(requests: Requests) -> None:
    # Forms are drawn from it; a field without a value is listed too.
    requests("POST", f"{ASSET}/metadata", body(item("maker", "Acme")))
    answer = requests("GET", f"{ASSET}/metadata").json()
    assert (answer["restrictMetadataOutsideSchemas"], answer["NextToken"]) == (False, None)
    place, maker = answer["metadata"]
    assert place["metadataKey"] == "Location"
    assert (place["metadataValue"], place["metadataValueType"]) == ("", "lla")
    assert place["metadataSchemaName"] == "defaultAsset (GLOBAL)"
    assert (place["metadataSchemaField"], place["metadataSchemaSequence"]) == (True, 0)
    assert maker == {
        "databaseId": DATABASE,
        "assetId": "pump",
        "filePath": "/",
        "metadataKey": "maker",
        "metadataValue": "Acme",
        "metadataValueType": "string",
        "metadataSchemaName": None,
        "metadataSchemaField": False,
        "metadataSchemaRequired": False,
        "metadataSchemaSequence": None,
        "metadataSchemaDefaultValue": None,
        "metadataSchemaDependsOn": None,
        "metadataSchemaMultiFieldConflict": False,
        "metadataSchemaControlledListKeys": [],
    }
    requests("DELETE", f"{ASSET}/metadata", {"metadataKeys": ["maker"]})


def test_values_come_in_pages(requests: Requests) -> None:
    # The seeds have one field for databases, so that there are four rows.
    path = f"/database/{DATABASE}/metadata"
    requests("POST", path, body(*(item(f"key {number}", "x") for number in range(3))))
    first = requests("GET", f"{path}?pageSize=2").json()
    second = requests("GET", f"{path}?pageSize=2&startingToken={first['NextToken']}").json()
    keys = [row["metadataKey"] for row in (*first["metadata"], *second["metadata"])]
    assert keys == ["Location", "key 0", "key 1", "key 2"]
    assert second["NextToken"] is None
    other = requests("GET", f"{ASSET}/metadata?startingToken={first['NextToken']}")
    assert (other.status_code, other.json()["message"]) == (400, "Invalid pagination token")
    requests("DELETE", path, {"metadataKeys": ["key 0", "key 1", "key 2"]})


REFUSED = [
    ("no items", {"metadata": []}),
    ("no body", None),
    ("a value that is a number", body({**item("a", ""), "metadataValue": 7})),  # type: ignore[dict-item]
    ("a key with a colon", body(item("a:b", "x"))),
    ("an empty key", body(item("", "x"))),
    ("a long key", body(item("k" * 257, "x"))),
    ("a key twice", body(item("a", "x"), item("a", "y"))),
    ("an unknown type", body(item("a", "x", "colour"))),
    ("not a value of its type", body(item("a", "far away", "number"))),
    ("another type than the schema's", body(item("Location", "here"))),
    ("more than 500", body(*(item(f"k{number}", "x") for number in range(501)))),
]


@pytest.mark.parametrize("wanted", [pytest.param(each, id=name) for name, each in REFUSED])
def test_what_is_wrong_is_refused_and_nothing_is_stored(requests: Requests, wanted: Any) -> None:
    # A request is stored as a whole or not at all.
    path = f"/database/{STRICT}/assets/hall/metadata"
    for method in ("POST", "PUT"):
        answer = requests(method, path, wanted)
        assert answer.status_code == 400, answer.text
    assert stored(requests, path) == {}


def test_types_are_known_in_any_case(requests: Requests) -> None:
    # The original's clients send STRING too.
    wanted = body(item("Location", '{"lat": 51.9, "long": 4.4, "alt": 0}', "LLA"))
    assert requests("POST", f"{ASSET}/metadata", wanted).status_code == 200
    requests("DELETE", f"{ASSET}/metadata", {"metadataKeys": ["Location"]})


def test_an_entity_has_at_most_500_values(requests: Requests) -> None:
    # Also over several requests.
    path = f"/database/{DATABASE}/assets/hall/metadata"
    several = [item(f"k{number:03}", "x") for number in range(500)]
    assert requests("POST", path, body(*several)).status_code == 200
    assert requests("POST", path, body(item("one more", "x"))).status_code == 400
    every = body(item("only", "x"), updateType="REPLACE_ALL")
    assert requests("PUT", path, every).status_code == 200
    assert stored(requests, path) == {"only": "x"}
    requests("DELETE", path, {"metadataKeys": ["only"]})


@pytest.mark.accepts("VA-14")
def test_attributes_are_texts_and_apart_from_metadata(requests: Requests) -> None:
    # Pipelines write them beside what people write.
    more = {"filePath": "/model/pump.glb", "type": "attribute"}
    assert requests("POST", FILE, body(item("n", "7", "number"), **more)).status_code == 400
    assert requests("POST", FILE, body(item("n", "7"), **more)).status_code == 200
    assert stored(requests, FILE, filePath="/model/pump.glb", type="metadata") == {}
    assert stored(requests, FILE, filePath="model/pump.glb", type="attribute") == {"n": "7"}
    row = FileAttribute.key(
        attribute_key="n", database_id=DATABASE, asset_id="pump", file_path="/model/pump.glb"
    )
    assert requests.service.store.get(row).attribute_value == "7"
    requests("DELETE", FILE, {"metadataKeys": ["n"], **more})


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/model/other.glb", 404),
        ("/", 400),
        ("/model/", 400),
        ("/../pump/model/pump.glb", 400),
        ("/" + "x" * 1020, 404),
    ],
)
def test_a_file_must_exist_to_be_written(requests: Requests, path: str, status: int) -> None:
    # `/` is the asset itself, which has rules of its own.
    answer = requests("POST", FILE, body(item("a", "x"), filePath=path))
    assert answer.status_code == status, answer.text


def test_a_file_that_is_archived_is_not_written(requests: Requests) -> None:
    # Its newest version is a delete marker.
    requests.put_file(DATABASE, "pump", "/old.glb")
    asset = requests.service.assets.find(DATABASE, "pump")
    assert asset is not None
    place = requests.service.assets.place_of(asset)
    place.objects.delete(place.key("/old.glb"))
    assert requests("POST", FILE, body(item("a", "x"), filePath="/old.glb")).status_code == 404


# -- schemas


def test_a_default_is_stored_and_what_is_missing_is_refused(requests: Requests) -> None:
    # The original shows the default, and does not store it.
    make_schema(
        requests,
        STRICT,
        "assetMetadata",
        field("owner", required=True),
        field("colour", "inline_controlled_list", controlledListKeys=["red", "blue"]),
        field("phone", dependsOnFieldKeyName=["owner"]),
        field("state", defaultMetadataFieldValue="new"),
    )
    path = f"/database/{STRICT}/assets/pump/metadata"
    missing = requests("POST", path, body(item("phone", "+49")))
    assert missing.status_code == 400
    assert "'owner' is required" in missing.json()["message"]
    assert missing.json()["message"].startswith("VAMS General Error: Schema validation failed")
    answer = requests("POST", path, body(item("owner", "Ada")))
    assert answer.json()["successfulItems"] == ["owner", "state"]
    key = AssetFileMetadata.key(
        metadata_key="state", database_id=STRICT, asset_id="pump", file_path="/"
    )
    assert requests.service.store.get(key).metadata_value == "new"
    wrong = item("colour", "green", "inline_controlled_list")
    assert requests("PUT", path, body(wrong)).status_code == 400
    right = item("colour", "blue", "inline_controlled_list")
    assert requests("PUT", path, body(right, item("phone", "+49"))).status_code == 200
    refused = requests("DELETE", path, {"metadataKeys": ["owner"]})
    assert refused.status_code == 400
    assert "cannot be deleted" in refused.json()["message"]
    assert requests("DELETE", path, {"metadataKeys": ["phone", "colour"]}).status_code == 200


def test_a_restricted_database_refuses_other_fields(requests: Requests) -> None:
    # Of assets, which have schemas; replace_all is refused as a whole.
    path = f"/database/{STRICT}/assets/pump/metadata"
    requests("POST", path, body(item("owner", "Ada")))
    refused = requests("POST", path, body(item("weight", "7")))
    assert refused.status_code == 400
    assert "'weight' is not a field of a schema" in refused.json()["message"]
    every = body(item("owner", "Bob"), item("weight", "7"), updateType="replace_all")
    assert requests("PUT", path, every).status_code == 400
    assert stored(requests, path)["owner"] == "Ada"
    assert requests("GET", path).json()["restrictMetadataOutsideSchemas"] is True


def test_a_link_between_two_databases_follows_the_schemas_of_both(requests: Requests) -> None:
    # It is restricted if one of them is.
    requests.service.store.put(link("link-2", DATABASE, STRICT))
    schema_id = make_schema(requests, STRICT, "assetLinkMetadata", field("joint", "number"))
    path = "/asset-links/link-2/metadata"
    assert requests("POST", path, body(item("joint", "7", "number"))).status_code == 200
    assert requests("POST", path, body(item("colour", "red"))).status_code == 400
    names = [row["metadataKey"] for row in requests("GET", path).json()["metadata"]]
    assert set(names) == {"joint", "Translation", "Rotation", "Scale", "Matrix"}
    one = f"/database/{STRICT}/metadataSchema/{schema_id}"
    assert requests("DELETE", one, {"confirmDelete": True}).status_code == 200


def test_pipelines_write_past_the_schemas(requests: Requests) -> None:
    # They know more about a file than anybody planned; the type of a value still holds.
    metadata, service = requests.service.metadata, requests.service
    asset = service.assets.find(STRICT, "hall")
    assert asset is not None
    written = metadata.write_unchecked(asset, "/", "metadata", [item("weight", "7", "number")])
    assert written == ["weight"]
    metadata.write_unchecked(asset, "/a.glb", "attribute", [item("sha256", "00")])
    assert metadata.of_asset(asset) == {"weight": "7"}
    assert metadata.attributes_of_file(asset, "/a.glb") == {"sha256": "00"}
    with pytest.raises(Exception, match="must be a number"):
        metadata.write_unchecked(asset, "/", "metadata", [item("weight", "heavy", "number")])
    metadata.remove_all(asset)
    assert metadata.of_asset(asset) == {}


def test_metadata_follows_a_file_that_is_moved_and_a_copy_has_it_too(requests: Requests) -> None:
    # Otherwise a renamed model would lose what is known about it.
    metadata, service = requests.service.metadata, requests.service
    asset = service.assets.find(DATABASE, "hall")
    other = service.assets.find(STRICT, "hall")
    assert asset is not None
    assert other is not None
    metadata.write_unchecked(asset, "/a.glb", "metadata", [item("maker", "Acme")])
    metadata.write_unchecked(asset, "/a.glb", "attribute", [item("sha256", "00")])
    metadata.write_unchecked(other, "/c.glb", "metadata", [item("stale", "x")])
    metadata.moved(asset, "/a.glb", "/b.glb")
    metadata.moved(asset, "/a.glb", "/b.glb")  # repeated after a crash
    assert metadata.of_file(asset, "/a.glb") == {}
    assert metadata.of_file(asset, "/b.glb") == {"maker": "Acme"}
    metadata.copied(asset, "/b.glb", other, "/c.glb")
    assert metadata.of_file(other, "/c.glb") == {"maker": "Acme"}
    assert metadata.attributes_of_file(other, "/c.glb") == {"sha256": "00"}
    assert metadata.attributes_of_file(asset, "/b.glb") == {"sha256": "00"}
    for each in (asset, other):
        metadata.remove_all(each)


def test_moving_copying_and_deleting_a_file_by_requests_takes_its_values_along(
    requests: Requests,
) -> None:
    # What is left behind would belong to the next file of that path.
    requests.put_file(DATABASE, "pump", "/first.glb")
    for kind in ("metadata", "attribute"):
        wanted = body(item("maker", kind), filePath="/first.glb", type=kind)
        assert requests("POST", FILE, wanted).status_code == 200
    move = {"sourcePath": "/first.glb", "destinationPath": "/new/second.glb"}
    assert requests("POST", f"{ASSET}/moveFile", move).status_code == 200
    copy = {"sourcePath": "/new/second.glb", "destinationPath": "/third.glb"}
    assert requests("POST", f"{ASSET}/copyFile", copy).status_code == 200
    for kind in ("metadata", "attribute"):
        assert stored(requests, FILE, filePath="/first.glb", type=kind) == {}
        for path in ("/new/second.glb", "/third.glb"):
            assert stored(requests, FILE, filePath=path, type=kind) == {"maker": kind}
    gone = {"filePath": "/third.glb", "confirmPermanentDelete": True}
    assert requests("DELETE", f"{ASSET}/deleteFile", gone).status_code == 200
    assert stored(requests, FILE, filePath="/third.glb") == {}
    assert stored(requests, FILE, filePath="/new/second.glb") == {"maker": "metadata"}


@pytest.mark.accepts("VA-48")
def test_values_of_a_version_are_those_of_its_time(requests: Requests) -> None:
    # By the id of the version or its alias.
    store, place = requests.service.store, {"database_id": DATABASE, "asset_id": "pump"}
    store.put(AssetVersion(**place, asset_version_id="7", version_alias="RC1"))
    store.put(
        AssetFileMetadataVersion(
            **place,
            asset_version_id="7",
            type="metadata",
            file_path="/",
            metadata_key="maker",
            metadata_value="before",
        )
    )
    requests("POST", f"{ASSET}/metadata", body(item("maker", "now")))
    for name in ("7", "RC1"):
        assert stored(requests, f"{ASSET}/metadata", assetVersionId=name) == {"maker": "before"}
    assert requests("GET", f"{ASSET}/metadata?assetVersionId=8").status_code == 404
    requests("DELETE", f"{ASSET}/metadata", {"metadataKeys": ["maker"]})


# -- permissions

UNKNOWN = [
    "/database/nowhere/metadata",
    f"/database/{DATABASE}/assets/nothing/metadata",
    "/asset-links/nothing/metadata",
    "/asset-links/a:b/metadata",
]


@pytest.mark.parametrize("path", UNKNOWN)
def test_an_unknown_owner_is_not_there(requests: Requests, path: str) -> None:
    # The original answers 400.
    assert requests("GET", path).status_code == 404
    assert requests("POST", path, body(item("a", "x"))).status_code == 404
    assert requests("DELETE", path, {"metadataKeys": ["a"]}).status_code == 404


@pytest.mark.parametrize(("path", "more"), OWNERS)
def test_a_reader_reads_and_writes_nothing(
    requests: Requests, path: str, more: dict[str, str]
) -> None:
    # The role of a new installation has GET only.
    query = "&".join(f"{name}={value}" for name, value in more.items())
    assert requests("GET", f"{path}?{query}", user=READER).status_code == 200
    for method, wanted in (
        ("POST", body(item("a", "x"), **more)),
        ("PUT", body(item("a", "x"), **more)),
        ("DELETE", {"metadataKeys": ["a"], **more}),
    ):
        assert requests(method, path, wanted, user=READER).status_code == 403


def test_each_verb_asks_for_itself_and_replace_all_for_three(requests: Requests) -> None:
    # Who may only change must not delete by replacing.
    add_user(requests, "chan@example.com", ("asset", "GET PUT", {"databaseId": DATABASE}))
    path, user = f"{ASSET}/metadata", "chan@example.com"
    assert requests("PUT", path, body(item("a", "x")), user=user).status_code == 200
    assert requests("POST", path, body(item("a", "x")), user=user).status_code == 403
    assert requests("DELETE", path, {"metadataKeys": ["a"]}, user=user).status_code == 403
    every = body(item("b", "x"), updateType="replace_all")
    assert requests("PUT", path, every, user=user).status_code == 403
    assert stored(requests, path) == {"a": "x"}
    requests("DELETE", path, {"metadataKeys": ["a"]})


def test_a_link_asks_for_both_of_its_assets(requests: Requests) -> None:
    # One that may be seen must not show what hangs on the other.
    rule = ("asset", EVERY_VERB, {"assetName": "^hall$"})
    add_user(requests, "hall@example.com", rule)
    assert requests("GET", LINK, user="hall@example.com").status_code == 403
    assert requests("POST", LINK, body(item("a", "x")), user="hall@example.com").status_code == 403


def test_nothing_is_written_for_an_asset_that_is_gone_meanwhile(requests: Requests) -> None:
    # A permanent delete must not leave rows of a request that came at the same time.
    make_asset(requests, DATABASE, "brief")
    service = requests.service
    owner = service.metadata.owners.asset(service.access.system_caller(), DATABASE, "brief")
    service.store.delete(owner.asset)
    items = [MetadataItem(metadataKey="a", metadataValue="x")]
    with pytest.raises(Exception, match="deleted or archived"):
        service.metadata.write(service.access.system_caller(), owner, items)
    assert service.metadata.of_asset(owner.asset) == {}


def test_a_write_of_many_values_that_fails_is_undone(requests: Requests) -> None:
    # More than a transaction holds is written in several.
    service = requests.service
    metadata, failures = service.metadata, iter([False, True])

    class Failing:
        """The store, whose second transaction fails."""

        def __getattr__(self, name: str) -> Any:
            return getattr(service.store, name)

        def transact(self, *writes: Any) -> None:
            if next(failures):
                raise OSError("the disk is full")
            service.store.transact(*writes)

    owner = metadata.owners.database(service.access.system_caller(), DATABASE)
    before = [MetadataItem(metadataKey=f"k{number:03}", metadataValue="1") for number in range(3)]
    metadata.write(service.access.system_caller(), owner, before)
    failing, store = Metadata(service), Failing()
    failing._store = store  # type: ignore[assignment]
    after = [MetadataItem(metadataKey=f"k{number:03}", metadataValue="2") for number in range(150)]
    with pytest.raises(OSError, match="disk"):
        failing.write(service.access.system_caller(), owner, after, replace=True)
    assert set(metadata.values(owner)) == {"k000", "k001", "k002"}
    assert {value.text for value in metadata.values(owner).values()} == {"1"}
    rows = [DatabaseMetadata.key(metadata_key=key, database_id=DATABASE) for key in ("k000",)]
    assert service.store.get(rows[0]).metadata_value == "1"
    metadata.delete(service.access.system_caller(), owner, ["k000", "k001", "k002"])


def test_a_write_of_many_values_leaves_none_of_an_asset_that_is_deleted_meanwhile(
    requests: Requests,
) -> None:
    # The first transaction is stored, then the asset goes, then the second is refused.
    make_asset(requests, DATABASE, "doomed")
    service = requests.service
    caller = service.access.system_caller()
    owner = service.metadata.owners.asset(caller, DATABASE, "doomed")
    service.metadata.write(caller, owner, [MetadataItem(metadataKey="k000", metadataValue="1")])

    class Deleting:
        """The store, where the asset is deleted after each transaction."""

        def __getattr__(self, name: str) -> Any:
            return getattr(service.store, name)

        def transact(self, *writes: Any) -> None:
            service.store.transact(*writes)
            service.store.delete(owner.asset)
            service.metadata.remove_all(owner.asset)

    deleting = Metadata(service)
    deleting._store = Deleting()  # type: ignore[assignment]
    items = [MetadataItem(metadataKey=f"k{number:03}", metadataValue="2") for number in range(150)]
    with pytest.raises(Exception, match="deleted or archived"):
        deleting.write(caller, owner, items)
    assert service.metadata.of_asset(owner.asset) == {}


def test_link_metadata_is_in_its_table(requests: Requests) -> None:
    # Other programs read it there.
    requests("POST", LINK, body(item("joint", "left")))
    rows = requests.service.store.query(AssetLinkMetadata.of_link(asset_link_id="link-1"))
    assert [(row.metadata_key, row.metadata_value) for row in rows] == [("joint", "left")]
    requests("DELETE", LINK, {"metadataKeys": ["joint"]})
