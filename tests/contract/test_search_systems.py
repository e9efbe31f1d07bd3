"""What the systems ask of search: the asset and file indexes of VAMS by their literal names, places in metadata."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from sortkey import GeoPoint, Match, Search, Searchable, SearchQuery, document
from tests.contract.search_adapters import Open, adapter, open_index

__all__ = ["adapter", "open_index"]  # fixtures

MADE = datetime(2024, 5, 6, tzinfo=UTC)


@dataclass(frozen=True)
class AssetView:
    """An asset with what its document needs of other tables."""

    database_id: str
    asset_id: str
    name: str
    version: int = 1
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    is_archived: bool = False
    has_children: bool = False


@dataclass(frozen=True)
class FileView:
    """A file of an asset: it is in no table."""

    asset: AssetView
    file_key: str
    size: int
    version: int = 1

    @property
    def database_id(self) -> str:
        return self.asset.database_id

    @property
    def asset_id(self) -> str:
        return self.asset.asset_id


@document(
    AssetView,
    "asset",
    id="{database_id}:{asset_id}",
    version=lambda view: view.version,
    fields=(
        "str_databaseid",
        "str_assetid",
        "str_assetname",
        "str_assettype",
        "str_description",
        "str_bucketid",
        "str_bucketname",
        "str_bucketprefix",
        "str_asset_version_id",
        "str_asset_version_comment",
        "str_assetlocationkey",
        "str_previewfilekey",
        "bool_isdistributable",
        "list_tags",
        "date_asset_version_createdate",
        "bool_has_asset_children",
        "bool_has_asset_parents",
        "bool_has_assets_related",
        "bool_archived",
        "MD_",
        "_rectype",
    ),
)
def asset_document(view: AssetView) -> Searchable:
    return {
        "str_databaseid": view.database_id,
        "str_assetid": view.asset_id,
        "str_assetname": view.name,
        "str_assettype": ".glb",
        "list_tags": view.tags,
        "date_asset_version_createdate": MADE,
        "bool_isdistributable": True,
        "bool_has_asset_children": view.has_children,
        "bool_has_asset_parents": False,
        "bool_has_assets_related": False,
        "bool_archived": view.is_archived,
        "MD_": view.metadata,
        "_rectype": "asset",
        **_places(view.metadata),
    }


@document(
    FileView,
    "file",
    id="{database_id}:{asset_id}:{file_key}",
    version=lambda view: view.version,
    fields=(
        "str_key",
        "str_databaseid",
        "str_assetid",
        "str_assetname",
        "str_bucketid",
        "str_bucketname",
        "str_bucketprefix",
        "str_fileext",
        "str_etag",
        "str_s3_version_id",
        "str_previewfilekey",
        "date_lastmodified",
        "num_filesize",
        "bool_archived",
        "list_tags",
        "MD_",
        "AB_",
        "_rectype",
    ),
)
def file_document(view: FileView) -> Searchable:
    return {
        "str_key": view.file_key,
        "str_databaseid": view.database_id,
        "str_assetid": view.asset_id,
        "str_assetname": view.asset.name,
        "str_fileext": view.file_key.rpartition(".")[2],
        "date_lastmodified": MADE,
        "num_filesize": view.size,
        "bool_archived": view.asset.is_archived,
        "list_tags": view.asset.tags,
        "AB_": {"checked": True},
        "_rectype": "file",
    }


def _places(metadata: dict[str, Any]) -> dict[str, Any]:
    """Metadata that is a place is searched as one, under the name that somebody gave it."""
    return {f"gp_{name}": value for name, value in metadata.items() if isinstance(value, GeoPoint)}


BRIDGE = AssetView("db1", "bridge", "Old bridge", tags=("steel", "bridge"), metadata={"colour": "red", "VAMS_x": "?"})
TOWER = AssetView("db1", "tower", "Tower of steel", tags=("tower",), metadata={"colour": "grey", "spans": 3})
GONE = AssetView("db2", "ruin", "Old ruin", is_archived=True, metadata={"colour": "red"})
ACTIVE = ~Match.keyword("bool_archived", True)


def filled(open_index: Open) -> Search[AssetView]:
    search: Search[AssetView] = open_index(asset_document)
    search.ensure()
    search.put(BRIDGE, TOWER, GONE)
    search.refresh()
    return search


def test_assets_are_found_by_text_and_metadata_and_filters_archived_ones_only_when_asked(open_index: Open) -> None:
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
    page = search.query(SearchQuery(allowed).facet("str_databaseid").facet("list_tags").facet("bool_archived"))
    assert page.total == 2
    assert [(each.value, each.count) for each in page.facets["str_databaseid"]] == [("db1", 2)]
    assert [each.value for each in page.facets["list_tags"]] == ["bridge", "steel", "tower"]
    assert [each.value for each in page.facets["bool_archived"]] == [False]


def test_places_in_metadata_are_found_under_the_names_that_people_gave_them(open_index: Open) -> None:
    search = filled(open_index)
    search.put(replace(TOWER, version=2, metadata={"site of work": GeoPoint(51.5, -0.1)}))
    search.refresh()
    assert search.query(Match.near("gp_site of work", GeoPoint(51.5, -0.12), metres=5000)).ids == ["db1:tower"]
    box = Match.box("gp_site of work", top=52, left=-1, bottom=51, right=1)
    assert search.query(box).ids == ["db1:tower"]
    assert search.count(Match.exists("gp_site of work")) == 1


def test_files_inherit_from_their_asset_when_it_is_indexed_anew(open_index: Open) -> None:
    # The name and the tags of an asset stand in the documents of its files.
    search: Search[FileView] = open_index(file_document)
    search.ensure()
    files = [FileView(BRIDGE, f"bridge/parts/part {number}.glb", number * 1000) for number in range(5)]
    search.put(*files)
    search.refresh()
    query = SearchQuery(Match.text("bridge", ["str_assetname"])).sorted_by("-num_filesize").limit(2)
    assert search.query(query).ids == ["db1:bridge:bridge/parts/part 4.glb", "db1:bridge:bridge/parts/part 3.glb"]
    assert search.count(Match.prefix("str_key", "bridge/parts/") & Match.keyword("AB_.checked", "true")) == 5
    renamed = replace(BRIDGE, name="New viaduct", tags=("new",), version=2)
    search.put(*(replace(each, asset=renamed, version=2) for each in files))
    search.refresh()
    assert search.count(Match.text("bridge", ["str_assetname"])) == 0
    assert search.count(Match.text("viaduct") & Match.keyword("list_tags", "new")) == 5
    assert search.query(Match.range("num_filesize", at_least=2000, below=4000)).total == 2


def test_both_indexes_lie_beside_each_other(open_index: Open) -> None:
    assets: Search[AssetView] = filled(open_index)
    files: Search[FileView] = open_index(file_document)
    files.ensure()
    files.put(FileView(TOWER, "tower/a.las", 5))
    files.refresh()
    assert assets.count() == 3
    assert files.count() == 1
    assert [len(each.fields) for each in (asset_document, file_document)] == [21, 18]
