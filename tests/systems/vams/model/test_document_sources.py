"""The two search indexes of the document: their fields by name, what they are made of, and what
changes them.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import sortkey
from sortkey import (
    Match,
    Search,
    SearchQuery,
    Store,
    StreamWorker,
    attr,
    follow_composed,
    on_changes,
    open_search,
    reconcile,
)
from sortkey.connect.opensearch_index.mapping import mappings
from sortkey_systems.vams.link_changes import remove_link
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadata,
    AssetFileVersion,
    AssetLink,
    AssetSource,
    AssetVersion,
    FileAttribute,
    FileSource,
    Location,
    S3AssetBucket,
    SearchedAsset,
    SearchedFile,
    asset_document,
    file_document,
    model,
    related_items,
)
from tests.contract.search_adapters import Open, adapter, open_index
from tests.systems.vams.examples import ITEMS, stored

__all__ = ["adapter", "open_index"]  # fixtures

PUMP = {"database_id": "my-database", "asset_id": "asset-123"}
KEY = "asset-123/test/pump.e57"
ASSET_FIELDS = [
    *(
        "str_databaseid",
        "str_assetid",
        "str_assetname",
        "str_assettype",
        "str_description",
        "str_bucketid",
    ),
    *("str_bucketname", "str_bucketprefix", "str_asset_version_id", "str_asset_version_comment"),
    *("str_assetlocationkey", "str_previewfilekey", "bool_isdistributable", "list_tags"),
    *("date_asset_version_createdate", "bool_has_asset_children", "bool_has_asset_parents"),
    *("bool_has_assets_related", "bool_archived", "MD_", "_rectype"),
]
FILE_FIELDS = [
    *(
        "str_key",
        "str_databaseid",
        "str_assetid",
        "str_assetname",
        "str_bucketid",
        "str_bucketname",
    ),
    *("str_bucketprefix", "str_fileext", "str_etag", "str_s3_version_id", "str_previewfilekey"),
    *("date_lastmodified", "num_filesize", "bool_archived", "list_tags", "MD_", "AB_", "_rectype"),
]
InStep = tuple[Search[SearchedAsset], Search[SearchedFile], Callable[[], None]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """The pump with a version, a bucket, a child, metadata and a file."""
    with sortkey.open(":memory:", objects=str(tmp_path / "buckets/{bucket}")) as opened:
        opened.ensure(model)
        for kind in (
            Asset,
            AssetVersion,
            AssetFileVersion,
            AssetLink,
            S3AssetBucket,
            FileAttribute,
        ):
            opened.put(kind.from_item(stored(ITEMS[kind])))
        opened.put(metadata("colour", "red"))
        opened.put(metadata("material", "cast iron", file_path="/test/pump.e57"))
        yield opened


def metadata(
    name: str, value: str, type: str = "string", file_path: str = "/"
) -> AssetFileMetadata:
    named = {**PUMP, "metadata_key": name, "file_path": file_path}
    return AssetFileMetadata(**named, metadata_value=value, metadata_value_type=type)


@pytest.fixture
def in_step(store: Store, tmp_path: Path) -> Iterator[InStep]:
    assets = open_search(asset_document, tmp_path / "search", commit_seconds=None)
    files = open_search(file_document, tmp_path / "search", commit_seconds=None)
    with assets, files:
        yield following(store, assets, files)


def following(store: Store, assets: Search[SearchedAsset], files: Search[SearchedFile]) -> InStep:
    """Both indexes, and what makes them catch up with the streams."""
    for each in (assets, files):
        each.ensure()
    handlers = [
        follow_composed(assets, AssetSource(store)),
        follow_composed(files, FileSource(store)),
    ]
    worker = StreamWorker(store, handlers, name="search")

    def catch_up() -> None:
        worker.run_until_idle()
        assert worker.dead_letters.list() == []
        assets.refresh()
        files.refresh()

    catch_up()
    return assets, files, catch_up


def the_asset(store: Store) -> dict[str, Any]:
    (found,) = AssetSource(store).find(["my-database:asset-123"])
    fields = asset_document.fields_of(found)
    assert fields is not None
    return fields


def the_file(store: Store, key: str = KEY) -> dict[str, Any]:
    (found,) = FileSource(store).find([f"my-database:asset-123:{key}"])
    fields = file_document.fields_of(found)
    assert fields is not None
    return fields


@pytest.mark.accepts("VA-34", "VA-36", "VA-37")
def test_there_are_an_asset_index_and_a_file_index_with_the_fields_of_the_document() -> None:
    # Programs that search know the names; there are 21 and 18 of them, to the letter.
    assert [each.document.name for each in model.documents] == ["asset", "file"]
    assert list(asset_document.fields) == ASSET_FIELDS
    assert list(file_document.fields) == FILE_FIELDS


@pytest.mark.accepts("VA-36")
def test_the_document_of_an_asset_is_made_of_six_tables(store: Store) -> None:
    # What a search page shows of an asset must not need another read.
    store.put(AssetVersion(**PUMP, asset_version_id="2", comment="Second scan"))
    (found,) = AssetSource(store).find(["my-database:asset-123"])
    assert asset_document.id_of(found) == "my-database:asset-123"
    made = the_asset(store)
    assert isinstance(made.pop("date_asset_version_createdate"), str)
    assert made == {
        "str_databaseid": "my-database",
        "str_assetid": "asset-123",
        "str_assetname": "Pump",
        "str_assettype": ".e57",
        "str_description": "The pump in hall 3",
        "str_bucketid": "bucket-1",
        "str_bucketname": "plant-assets",
        "str_bucketprefix": "/",
        "str_asset_version_id": "2",
        "str_asset_version_comment": "Second scan",
        "str_assetlocationkey": "asset-123/",
        "str_previewfilekey": "asset-123/preview.jpg",
        "bool_isdistributable": True,
        "list_tags": ["pump", "hall 3"],
        "bool_has_asset_children": True,
        "bool_has_asset_parents": False,
        "bool_has_assets_related": False,
        "bool_archived": False,
        "MD_": {"colour": "red"},
        "_rectype": "asset",
        "list_metadata_keys": ["colour"],
        "list_metadata_values": ["red"],
    }


@pytest.mark.accepts("VA-36")
def test_the_tenth_version_follows_the_ninth(store: Store) -> None:
    # Versions that an import wrote in one instant are ordered by number, not by first digits.
    now = datetime.now(UTC)
    store.batch_write(
        [AssetVersion(**PUMP, asset_version_id=str(n), created_at=now) for n in range(2, 12)]
    )
    assert the_asset(store)["str_asset_version_id"] == "11"


@pytest.mark.accepts("VA-37")
def test_the_document_of_a_file_has_what_its_bucket_says_and_what_its_asset_gives_it(
    store: Store,
) -> None:
    # Size, date, ETag and version are the object's; name and tags are the asset's.
    bucket = store.payloads.buckets["plant-assets"]
    info = bucket.put(KEY, b"points")
    bucket.put(f"{KEY}.previewFile.gif", b"gif")
    (found,) = FileSource(store).find([f"my-database:asset-123:{KEY}"])
    assert file_document.id_of(found) == f"my-database:asset-123:{KEY}"
    made = the_file(store)
    assert isinstance(made.pop("date_lastmodified"), str)
    assert made == {
        "str_key": KEY,
        "str_databaseid": "my-database",
        "str_assetid": "asset-123",
        "str_assetname": "Pump",
        "str_bucketid": "bucket-1",
        "str_bucketname": "plant-assets",
        "str_bucketprefix": "/",
        "str_fileext": "e57",
        "str_etag": info.etag,
        "str_s3_version_id": info.version_id,
        "str_previewfilekey": f"{KEY}.previewFile.gif",
        "num_filesize": 6,
        "bool_archived": False,
        "list_tags": ["pump", "hall 3"],
        "MD_": {"material": "cast iron"},
        "AB_": {"pointCount": "120000"},
        "_rectype": "file",
        "list_metadata_keys": ["material", "pointCount"],
        "list_metadata_values": ["cast iron", "120000"],
        "str_assettype": ".e57",
    }


@pytest.mark.accepts("VA-37")
def test_a_file_that_only_a_version_knows_is_found_too(store: Store) -> None:
    # The bucket may be one that cannot be read from here.
    made = the_file(store)
    assert made["str_s3_version_id"] == "3sL4kqtJlcpXroDTDmJ"
    assert "num_filesize" not in made
    assert [each.file_key for page in FileSource(store).pages() for each in page.entities] == [KEY]


@pytest.mark.accepts("VA-35", "VA-39")
def test_the_prefix_of_a_name_is_its_type_in_both_indexes() -> None:
    # The rules stand in the index itself, for fields that come later.
    types = {
        "str_": "text",
        "num_": "long",
        "bool_": "boolean",
        "date_": "date",
        "list_": "text",
        "MD_": "flat_object",
    }
    types |= {"AB_": "flat_object", "_rectype": "keyword"}
    for declared in (asset_document, file_document):
        made = mappings(declared.fields)
        for name in declared.fields:
            wanted = next(type for prefix, type in types.items() if name.startswith(prefix))
            assert made["properties"][name]["type"] == wanted, name
            assert ("keyword" in made["properties"][name].get("fields", {})) == (wanted == "text")
        rules = {
            name: rule["match"] for each in made["dynamic_templates"] for name, rule in each.items()
        }
        assert list(rules.items()) == [
            ("core_strings", "str_*"),
            ("core_numeric", "num_*"),
            ("core_boolean", "bool_*"),
            ("core_dates", "date_*"),
            ("core_lists", "list_*"),
            ("core_geo_points", "gp_*"),
            ("core_geo_shapes", "gs_*"),
        ]
        (places,) = (
            each["core_geo_points"]
            for each in made["dynamic_templates"]
            if "core_geo_points" in each
        )
        assert places["mapping"] == {"type": "geo_point"}


@pytest.mark.accepts("VA-41")
def test_names_that_are_internal_are_left_out_of_the_documents() -> None:
    made = asset_document.normal(
        {"VAMS_owner": 1, "_hidden": 2, "_rectype": "asset", "MD_": {"a": {"_b": 1, "c": 2}}}
    )
    assert made == {"_rectype": "asset", "MD_": {"a": {"c": "2"}}}


def test_a_metadata_key_that_cannot_name_a_field_does_not_stop_its_asset_from_being_found(
    store: Store,
) -> None:
    # People choose the keys. All of them are in MD_.
    keys = ["x" * 300, "site.place", 'the "site"', "a*b", "site of work"]
    for key in keys:
        store.put(metadata(key, '{"lat": 1, "lon": 2}', "geopoint"))
    made = the_asset(store)
    assert set(keys) <= set(made["MD_"])
    assert [name for name in made if name.startswith("gp_")] == ["gp_site of work"]


@pytest.mark.accepts("VA-35")
def test_metadata_that_is_a_place_or_an_outline_is_searched_as_one(store: Store) -> None:
    store.put(
        metadata(
            "location", json.dumps({"type": "Point", "coordinates": [8.93, 44.41]}), "geopoint"
        )
    )
    store.put(metadata("centre", json.dumps({"lat": 1.5, "long": 2, "alt": 9}), "LLA"))
    store.put(metadata("properties", '{"hall": 3}', "json"))
    store.put(metadata("nowhere", "over the rainbow", "geopoint"))
    made = the_asset(store)
    assert made["gp_location"] == {"lat": 44.41, "lon": 8.93}
    assert made["gp_centre"] == {"lat": 1.5, "lon": 2.0}
    assert made["gs_properties"] == '{"hall": 3}'
    assert "gp_nowhere" not in made
    assert made["MD_"]["nowhere"] == "over the rainbow"


@pytest.mark.accepts("VA-40", "VA-41")
def test_all_metadata_is_in_one_field_but_for_what_is_internal(store: Store) -> None:
    # A thousand keys must not become a thousand fields, and what is internal must not be found.
    for number in range(50):
        store.put(metadata(f"key {number}", str(number)))
    for hidden in ("VAMS_owner", "_secret"):
        store.put(metadata(hidden, '{"lat": 1, "lon": 2}', "geopoint"))
    store.put(metadata("site.place", '{"lat": 1, "lon": 2}', "geopoint"))
    made = the_asset(store)
    assert set(made) - set(ASSET_FIELDS) == {"list_metadata_keys", "list_metadata_values"}
    assert len(made["MD_"]) == len(made["list_metadata_keys"]) == 52
    names = [*made, *made["MD_"], *made["list_metadata_keys"]]
    assert not any("VAMS_" in name or "secret" in name for name in names)


@pytest.mark.accepts("VA-38")
def test_files_inherit_the_name_and_the_tags_when_their_asset_changes(
    store: Store, open_index: Open
) -> None:
    # The change is one of the asset only; the documents of its files must follow. The same on
    # OpenSearch.
    assets, files, catch_up = following(
        store, open_index(asset_document), open_index(file_document)
    )
    assert assets.query(Match.text("pump")).ids == ["my-database:asset-123"]
    assert files.query(Match.text("pump", ["str_assetname"])).ids == [
        f"my-database:asset-123:{KEY}"
    ]
    store.update(Asset.key(**PUMP), set={"asset_name": "Compressor", "tags": ("noisy",)})
    catch_up()
    for search in (assets, files):
        assert search.count(Match.text("pump", ["str_assetname"])) == 0
        assert search.count(Match.text("compressor") & Match.keyword("list_tags", "noisy")) == 1


@pytest.mark.accepts("VA-44")
def test_archived_assets_and_deleted_files_say_so(store: Store, in_step: InStep) -> None:
    # An asset is archived in its table, a file by a delete marker in its bucket. Both can be found
    # all the same.
    assets, files, catch_up = in_step
    archived = Match.keyword("bool_archived", True)
    bucket = store.payloads.buckets["plant-assets"]
    bucket.put("asset-123/spare.stl", b"x")
    bucket.delete("asset-123/spare.stl")
    store.update(Asset.key(**PUMP), set={"description": "one file less"})
    catch_up()
    assert files.query(archived).ids == ["my-database:asset-123:asset-123/spare.stl"]
    assert assets.count(archived) == 0
    moved = store.archive(store.get(Asset.key(**PUMP)))
    catch_up()
    assert assets.query(archived).ids == ["my-database:asset-123"]
    assert (files.count(archived), files.count()) == (2, 2)
    store.restore(moved)
    catch_up()
    assert assets.count(archived) == 0


@pytest.mark.accepts("VA-3")
def test_links_and_metadata_show_when_they_come_and_when_they_go(
    store: Store, in_step: InStep
) -> None:
    # A deleted link shows nothing but its own id in the stream: whoever deletes it
    # must name its assets.
    assets, files, catch_up = in_step
    store.put(Asset(database_id="other-database", asset_id="asset-9", asset_name="Flange"))
    catch_up()
    children, parents = (
        Match.keyword(f"bool_has_asset_{name}", True) for name in ("children", "parents")
    )
    assert assets.query(children).ids == ["my-database:asset-123"]
    assert assets.query(parents).ids == ["other-database:asset-9"]
    assert remove_link(store, "link-1") is None
    remove_link(store, "link-1")
    store.delete(metadata("colour", ""))
    store.delete(FileAttribute.from_item(stored(ITEMS[FileAttribute])))
    catch_up()
    assert assets.count(children | parents | Match.exists("MD_.colour")) == 0
    assert files.count(Match.exists("AB_.pointCount")) == 0
    assert store.find(AssetLink.key(asset_link_id="link-1")) is None


def test_an_asset_that_is_deleted_is_found_no_more_and_neither_are_its_files(
    store: Store, in_step: InStep
) -> None:
    assets, files, catch_up = in_step
    store.delete(AssetFileVersion.from_item(stored(ITEMS[AssetFileVersion])))
    store.delete(Asset.key(**PUMP))
    catch_up()
    assert (assets.count(), files.count()) == (0, 0)


def test_what_has_no_stream_is_repaired_by_reconcile(store: Store, in_step: InStep) -> None:
    # Versions have none in the document; nothing else may be called different.
    assets, files, _ = in_step
    assert reconcile(assets, AssetSource(store)).count == 0
    store.put(AssetVersion(**PUMP, asset_version_id="2", comment="Second scan"))
    assert reconcile(assets, AssetSource(store)).stale == ["my-database:asset-123"]
    query = SearchQuery(Match.text("second")).highlighting("str_asset_version_comment")
    (hit,) = assets.query(query).hits
    assert hit.highlights["str_asset_version_comment"] == ["<em>Second</em> scan"]
    assert reconcile(files, FileSource(store)).orphaned == [f"my-database:asset-123:{KEY}"]


def test_a_result_leads_to_the_items_that_it_is_made_of(store: Store) -> None:
    assets, files = AssetSource(store), FileSource(store)
    (asset,) = assets.find(["my-database:asset-123"])
    kinds = [type(each).__name__ for each in assets.parts(asset)]
    assert kinds == ["Asset", "AssetVersion", "S3AssetBucket", "AssetLink", "AssetFileMetadata"]
    (file,) = files.find([f"my-database:asset-123:{KEY}"])
    assert type(files.parts(file)[0]) is AssetFileVersion
    assert type(files.parts(replace(file, recorded=None))[0]) is Asset


def test_all_documents_at_once_are_those_that_are_made_one_by_one(store: Store) -> None:
    # A rebuild scans whole tables, a change asks for one asset: a difference would be drift.
    bucket = store.payloads.buckets["plant-assets"]
    bucket.put(KEY, b"points")
    bucket.put("asset-9/deep/down/b.glb", b"glb")
    bucket.put("elsewhere/c.obj", b"obj")
    bucket.delete("asset-9/deep/down/b.glb")
    for number, more in enumerate(({}, {"asset_location": Location(key="elsewhere/")})):
        ids = {"database_id": "other-database", "asset_id": f"asset-{9 + number}"}
        store.put(Asset(**ids, asset_name="Other", bucket_id="bucket-1", **more))
        for version in ("0", "1", "10", "9"):
            store.put(AssetVersion(**ids, asset_version_id=version, comment=f"v{version}"))
        for key in ("z", "a", "m"):
            about = {**ids, "metadata_key": key, "metadata_value": f"value {key}"}
            store.put(AssetFileMetadata(**about, file_path="/"))
            store.put(AssetFileMetadata(**about, file_path="/c.obj"))
    store.archive(store.get(Asset.key(database_id="other-database", asset_id="asset-9")))
    for source, document, count in (
        (AssetSource(store), asset_document, 3),
        (FileSource(store), file_document, 3),
    ):
        at_once = [document.write_of(each) for page in source.pages() for each in page.entities]
        assert len(at_once) == count
        for write in at_once:
            (alone,) = source.find([write.id])
            assert document.write_of(alone) == write


def test_tables_that_do_not_fit_in_memory_are_asked_asset_by_asset(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [each for page in FileSource(store).pages() for each in page.entities]
    monkeypatch.setattr(related_items, "ITEMS_MAX", 0)
    assert [each for page in FileSource(store).pages() for each in page.entities] == whole != []


def test_metadata_of_a_file_touches_that_file_alone(store: Store, in_step: InStep) -> None:
    # An asset may have ten thousand files; a note on one must not index all of them again.
    bucket = store.payloads.buckets["plant-assets"]
    bucket.put("asset-123/other.glb", b"glb")
    _, files, catch_up = in_step
    store.update(Asset.key(**PUMP), attr(Asset.description).set("touched"))
    catch_up()
    before = {hit.id: hit.version for hit in files.iterate()}
    assert len(before) == 2
    source, seen = FileSource(store), list[str]()
    store.put(metadata("note", "new", file_path="/other.glb"))
    worker = StreamWorker(
        store,
        [
            on_changes(AssetFileMetadata, name="watch")(
                lambda changes: seen.extend(id for c in changes for id in source.touched(c, files))
            )
        ],
        name="watch",
    )
    worker.run_until_idle()
    assert seen.count("my-database:asset-123:asset-123/other.glb") == 1
    assert seen.count(f"my-database:asset-123:{KEY}") == 1  # its own note, of the fixture
    catch_up()
    assert files.query(Match.text("new", ["list_metadata_values"])).ids == [
        "my-database:asset-123:asset-123/other.glb"
    ]


@pytest.mark.accepts("VA-36")
def test_the_version_that_the_asset_names_is_the_current_one(store: Store) -> None:
    # The newest need not be the current one: a version may be archived, or restored by an import.
    for number in ("2", "3"):
        store.put(AssetVersion(**PUMP, asset_version_id=number, comment=f"v{number}"))
    for named, shown in ((None, "3"), ("2", "2"), ("99", "3")):
        store.update(Asset.key(**PUMP), attr(Asset.current_version_id).set(named))
        assert the_asset(store)["str_asset_version_id"] == shown
