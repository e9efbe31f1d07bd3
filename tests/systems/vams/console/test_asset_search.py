"""What the wall of assets asks the search for, and how it reads the answer."""

from sortkey_systems.vams.console.asset_search import AssetQuery, read, relative_path


def test_each_chosen_facet_becomes_a_filter_with_its_whole_value() -> None:
    # A tag may have quotes in its name: values are data, not a query.
    query = AssetQuery(text=" pump ", chosen={"list_tags": 'the "best"'}, database_id="plant")
    body = query.body()
    assert body["query"] == "pump"
    assert body["filters"] == [
        {"term": {"list_tags": 'the "best"'}},
        {"term": {"str_databaseid": "plant"}},
    ]


def test_a_hit_is_read_with_its_preview_as_a_path_of_the_asset() -> None:
    # The browser asks for paths, not for keys of a bucket.
    source = {
        "str_databaseid": "plant#deleted",
        "str_assetid": "pump",
        "str_assetname": "Pump",
        "str_assettype": ".glb",
        "list_tags": ["a", "b"],
        "str_assetlocationkey": "base/pump/",
        "str_previewfilekey": "base/pump/preview.png",
        "bool_archived": True,
    }
    found = read({"hits": {"total": {"value": 7}, "hits": [{"_source": source}]}})
    asset = found.assets[0]
    assert (found.total, asset.preview, asset.tags) == (7, "/preview.png", ("a", "b"))
    assert (asset.database_id, asset.is_archived) == ("plant", True)
    assert relative_path("elsewhere/preview.png", "base/pump/") == ""


def test_facets_are_found_in_whatever_they_are_wrapped() -> None:
    # The original nests buckets one level deep, under a name of its own.
    buckets = [{"key": ".glb", "doc_count": 3}, {"key": ".png", "doc_count": 1}]
    plain = {"aggregations": {"str_assettype": {"buckets": buckets}}}
    nested = {"aggregations": {"str_assettype": {"doc_count": 4, "filtered": {"buckets": buckets}}}}
    for answer in (plain, nested):
        assert read(answer).facets == {"str_assettype": [(".glb", 3), (".png", 1)]}
