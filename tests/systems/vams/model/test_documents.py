"""What the systems ask of search: the asset and file indexes of VAMS by their literal names, places
in metadata.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sortkey import LatLon, Match, ObjectVersion, Search, SearchQuery, Sort
from sortkey_systems.vams.model import (
    Asset,
    AssetFileMetadata,
    FileAttribute,
    SearchedAsset,
    SearchedFile,
    asset_document,
    file_document,
)
from tests.contract.search_adapters import Open, adapter, open_index

__all__ = ["adapter", "open_index"]  # fixtures

MADE = datetime(2024, 5, 6, tzinfo=UTC)
LATER = MADE + timedelta(seconds=1)
PLACE = '{"type": "Point", "coordinates": [-0.1, 51.5]}'


def asset(database: str, asset_id: str, name: str, *tags: str, **metadata: str) -> SearchedAsset:
    stored = Asset(
        database_id=database, asset_id=asset_id, asset_name=name, tags=tags, updated_at=MADE
    )
    return SearchedAsset(
        stored, metadata=tuple(value(stored, key, text) for key, text in metadata.items())
    )


def value(of: Asset, key: str, text: str, type: str = "string") -> AssetFileMetadata:
    """Metadata of the asset itself."""
    return AssetFileMetadata(
        metadata_key=key,
        database_id=of.database_id,
        asset_id=of.asset_id,
        file_path="/",
        metadata_value=text,
        metadata_value_type=type,
    )


def file(owner: SearchedAsset, key: str, size: int) -> SearchedFile:
    """A file that its bucket has, and that was checked."""
    checked = FileAttribute(
        attribute_key="checked",
        database_id=owner.database_id,
        asset_id=owner.asset_id,
        file_path=key,
        attribute_value="true",
    )
    stored = ObjectVersion(
        key, "1", size, "etag", MADE, "standard", is_latest=True, is_marker=False
    )
    return SearchedFile(owner, key, stored=stored, attributes=(checked,))


def changed(found: SearchedAsset, **fields: object) -> SearchedAsset:
    """The asset as it is a second later."""
    return replace(found, asset=found.asset.changed(**fields, updated_at=LATER))


BRIDGE = asset("db1", "bridge", "Old bridge", "steel", "bridge", colour="red", VAMS_x="?")
TOWER = asset("db1", "tower", "Tower of steel", "tower", colour="grey", spans="3")
RUIN = asset("db2", "ruin", "Old ruin", colour="red")
GONE = replace(RUIN, asset=RUIN.asset.moved_to_archive(True))
ACTIVE = ~Match.keyword("bool_archived", True)


def filled(open_index: Open) -> Search[SearchedAsset]:
    search: Search[SearchedAsset] = open_index(asset_document)
    search.ensure()
    search.put(BRIDGE, TOWER, GONE)
    search.refresh()
    return search


def test_assets_are_found_by_text_and_metadata_and_filters_archived_ones_only_when_asked(
    open_index: Open,
) -> None:
    # The search page of VAMS: three boxes, all of which must hold.
    search = filled(open_index)
    query = SearchQuery(ACTIVE).sorted_by("str_assetname")
    assert search.query(query).ids == ["db1:bridge", "db1:tower"]
    assert search.query(query.matching(Match.text("steel"))).ids == ["db1:bridge", "db1:tower"]
    assert search.query(query.matching(Match.text("old"))).ids == ["db1:bridge"]
    assert search.query(Match.text("old")).total == 2
    narrowed = query.matching(Match.text("steel")).matching(Match.keyword("MD_.colour", "grey"))
    assert search.query(narrowed.matching(Match.keyword("MD_.spans", "3"))).ids == ["db1:tower"]
    assert search.query(SearchQuery(Match.keyword("bool_archived", True))).ids == ["db2:ruin"]
    assert search.count(Match.exists("MD_.VAMS_x")) == 0


def test_results_facets_and_totals_are_limited_to_what_somebody_may_see(open_index: Open) -> None:
    # Databases that are not one's own must not even show in a count.
    search = filled(open_index)
    allowed = Match.keyword("str_databaseid", "db1")
    page = search.query(
        SearchQuery(allowed).facet("str_databaseid").facet("list_tags").facet("bool_archived")
    )
    assert page.total == 2
    assert [(each.value, each.count) for each in page.facets["str_databaseid"]] == [("db1", 2)]
    assert [each.value for each in page.facets["list_tags"]] == ["bridge", "steel", "tower"]
    assert [each.value for each in page.facets["bool_archived"]] == [False]


def test_places_in_metadata_are_found_under_the_names_that_people_gave_them(
    open_index: Open,
) -> None:
    search = filled(open_index)
    later = changed(TOWER)
    search.put(replace(later, metadata=(value(later.asset, "site of work", PLACE, "geopoint"),)))
    search.refresh()
    assert search.query(Match.near("gp_site of work", LatLon(51.5, -0.12), metres=5000)).ids == [
        "db1:tower"
    ]
    box = Match.box("gp_site of work", top=52, left=-1, bottom=51, right=1)
    assert search.query(box).ids == ["db1:tower"]
    assert search.count(Match.exists("gp_site of work")) == 1


def test_assets_are_sorted_by_the_distance_of_a_place_in_their_metadata(open_index: Open) -> None:
    # A map shows the nearest first. Nobody could declare the field: it is a key that somebody has
    # typed.
    search = filled(open_index)
    for found, lon in ((changed(BRIDGE), 8.9), (changed(TOWER), -0.1)):
        place = value(found.asset, "site of work", f'{{"lat": 51.5, "lon": {lon}}}', "geopoint")
        search.put(replace(found, metadata=(place,)))
    search.refresh()
    for lon, ids in (
        (0.0, ["db1:tower", "db1:bridge", "db2:ruin"]),
        (8.0, ["db1:bridge", "db1:tower", "db2:ruin"]),
    ):
        query = SearchQuery(size=2).sorted_by(Sort.distance("gp_site of work", LatLon(51.5, lon)))
        assert [hit.id for hit in search.iterate(query)] == ids


def test_files_inherit_from_their_asset_when_it_is_indexed_again(open_index: Open) -> None:
    # The name and the tags of an asset stand in the documents of its files.
    search: Search[SearchedFile] = open_index(file_document)
    search.ensure()
    files = [file(BRIDGE, f"bridge/parts/part {number}.glb", number * 1000) for number in range(5)]
    search.put(*files)
    search.refresh()
    query = SearchQuery(Match.text("bridge", ["str_assetname"])).sorted_by("-num_filesize").limit(2)
    assert search.query(query).ids == [
        "db1:bridge:bridge/parts/part 4.glb",
        "db1:bridge:bridge/parts/part 3.glb",
    ]
    assert (
        search.count(
            Match.prefix("str_key", "bridge/parts/") & Match.keyword("AB_.checked", "true")
        )
        == 5
    )
    renamed = changed(BRIDGE, asset_name="New viaduct", tags=("new",))
    search.put(*(replace(each, owner=renamed) for each in files))
    search.refresh()
    assert search.count(Match.text("bridge", ["str_assetname"])) == 0
    assert search.count(Match.text("viaduct") & Match.keyword("list_tags", "new")) == 5
    assert search.query(Match.range("num_filesize", at_least=2000, below=4000)).total == 2


def test_both_indexes_lie_beside_each_other(open_index: Open) -> None:
    assets: Search[SearchedAsset] = filled(open_index)
    files: Search[SearchedFile] = open_index(file_document)
    files.ensure()
    files.put(file(TOWER, "tower/a.las", 5))
    files.refresh()
    assert assets.count() == 3
    assert files.count() == 1
    assert [len(each.fields) for each in (asset_document, file_document)] == [21, 18]
