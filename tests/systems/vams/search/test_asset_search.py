"""Searches of assets and files: words, metadata, filters, places, order, facets, highlights, and
what a caller may see of it. The same on both kinds of index.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.systems.vams.host import ADMIN, Requests
from tests.systems.vams.search.corpus import BERLIN, GENOA, PEOPLE, ROWS

ASSETS = {f"{row.database}:{row.id}": row for row in ROWS}
ACTIVE = {id for id, row in ASSETS.items() if not row.is_archived}


def search(requests: Requests, user: str = ADMIN, **body: Any) -> dict[str, Any]:
    answer = requests("POST", "/search", body, user=user)
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(answer: dict[str, Any]) -> list[str]:
    return [hit["_id"] for hit in answer["hits"]["hits"]]


def asset_ids(requests: Requests, user: str = ADMIN, **body: Any) -> set[str]:
    """The ids that a search of assets finds, which are as many as it says."""
    answer = search(requests, user, entityTypes=["asset"], **body)
    found = ids(answer)
    assert len(found) == len(set(found)) == answer["hits"]["total"]["value"]
    return set(found)


def named(*names: str) -> set[str]:
    return {id for id, row in ASSETS.items() if row.id in names}


WORDS: dict[str, tuple[str, set[str]]] = {
    "word of names, whatever the case": ("PUMP", named("pump-1", "pump-2", "hall-3")),
    "all words, in different fields": ("red hall", named("pump-1")),
    "beginning of the last word": ("spar", named("pump-2")),
    "words in sequence": ('"old red"', named("pump-1")),
    "words in another order": ('"red old"', set()),
    "beginning in the middle": ("cro* jewels", named("crown")),
    "tag": ("greek", named("vase")),
    "comment of the version": ('"First of vase"', named("vase")),
    "metadata": ("dark", named("pump-1")),
    "not the bucket": ("assets", set()),
    "nothing but marks": ("--- !", set()),
    "no such word": ("zeppelin", set()),
}


@pytest.mark.parametrize("name", WORDS)
def test_the_general_text_is_found_in_what_people_read(requests: Requests, name: str) -> None:
    # Names, descriptions, tags, comments and metadata; not the names of buckets, which all share.
    text, wanted = WORDS[name]
    assert asset_ids(requests, query=text) == wanted


def test_metadata_is_searched_with_the_general_text_only_if_wanted(requests: Requests) -> None:
    assert asset_ids(requests, query="dark", includeMetadataInSearch=False) == set()


METADATA: dict[str, tuple[dict[str, str], set[str]]] = {
    "whole value of a key": ({"metadataQuery": "colour:red"}, named("vase")),
    "with its prefix": ({"metadataQuery": "MD_colour:red"}, named("vase")),
    "quoted": ({"metadataQuery": 'colour:"dark red"'}, named("pump-1")),
    "beginning of a value": ({"metadataQuery": "colour:dar*"}, named("pump-1")),
    "both": ({"metadataQuery": "colour:blue OR colour:red"}, named("pump-2", "vase")),
    "and": ({"metadataQuery": 'colour:"dark red" AND weight:120'}, named("pump-1")),
    "key": ({"metadataQuery": "weight", "metadataSearchMode": "key"}, named("pump-1")),
    "beginning of a key": (
        {"metadataQuery": "MD_wei*", "metadataSearchMode": "key"},
        named("pump-1"),
    ),
    "value": ({"metadataQuery": "red", "metadataSearchMode": "value"}, named("pump-1", "vase")),
    "a key is no value": ({"metadataQuery": "pump", "metadataSearchMode": "value"}, set()),
    "key or value": ({"metadataQuery": "pump"}, named("vase")),
    "and the general text": ({"metadataQuery": "colour:*", "query": "vase"}, named("vase")),
}


@pytest.mark.parametrize("name", METADATA)
def test_metadata_is_searched_by_keys_and_values(requests: Requests, name: str) -> None:
    body, wanted = METADATA[name]
    assert asset_ids(requests, **body) == wanted


def string(query: str, **more: Any) -> dict[str, Any]:
    return {"query_string": {"query": query, **more}}


LARGE = {"plant:pump-1:pump-1/scan/p101.e57", "museum:vase:vase/back.jpg"}
FILTERS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "string: database": (string('str_databaseid:"museum"'), named("vase", "untagged")),
    "string: a part of an id is not the id": (string("str_databaseid:muse"), set()),
    "string: beginning": (string("str_assetid:pump*"), named("pump-1", "pump-2")),
    "string: and, or, not": (
        string(
            "str_databaseid:plant AND (list_tags:pump OR list_tags:valve) AND NOT str_assetid:pump-2"
        ),
        named("pump-1", "valve-1"),
    ),
    "string: values of one field": (
        string('list_tags:("valve" OR "greek")'),
        named("valve-1", "vase"),
    ),
    "string: minus": (string("list_tags:pump -str_assetid:pump-1"), named("pump-2")),
    "string: plus": (string("+list_tags:pump str_assetid:pump-1"), named("pump-1", "pump-2")),
    "string: default operator": (
        string("list_tags:pump str_assetid:pump-1", default_operator="AND"),
        named("pump-1"),
    ),
    "string: exists": (string("_exists_:MD_weight"), named("pump-1")),
    "string: member of metadata": (string('MD_colour:"dark red"'), named("pump-1")),
    "string: boolean": (string("bool_has_asset_children:true"), set()),
    "string: words without a field": (string("attic OR spare"), named("vase", "pump-2")),
    "term": ({"term": {"str_databaseid.keyword": "vault"}}, named("crown")),
    "term with its value": ({"term": {"str_assettype": {"value": ".obj"}}}, named("valve-1")),
    "terms": ({"terms": {"list_tags": ["greek", "valve"]}}, named("vase", "valve-1")),
    "exists": ({"exists": {"field": "str_assettype"}}, ACTIVE - named("untagged")),
    "prefix": ({"prefix": {"str_assetname": "Pump P"}}, named("pump-1", "pump-2")),
    "match": ({"match": {"str_description": "OLD red"}}, named("pump-1")),
    "bool": (
        {
            "bool": {
                "must": [{"term": {"str_databaseid": "plant"}}],
                "must_not": [{"term": {"list_tags": "pump"}}],
                "should": [{"exists": {"field": "str_description"}}],
            }
        },
        named("hall-3"),
    ),
    "place within a distance": (
        {"geo_distance": {"distance": "50km", "gp_Location": {"lat": GENOA[0], "lon": GENOA[1]}}},
        named("pump-2", "vase"),
    ),
    "place in a box": (
        {"geo_bounding_box": {"gp_Location": {"top_left": [13, 53], "bottom_right": [14, 52]}}},
        named("pump-1"),
    ),
    "place in a polygon": (
        {
            "geo_polygon": {
                "gp_Location": {
                    "points": [{"lat": 44, "lon": 8}, {"lat": 46, "lon": 8}, {"lat": 44, "lon": 11}]
                }
            }
        },
        named("pump-2", "vase"),
    ),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_narrow_a_search(requests: Requests, name: str) -> None:
    # The original takes only query_string, though its tool documents term and range too.
    body, wanted = FILTERS[name]
    assert asset_ids(requests, filters=[body]) == wanted


@pytest.mark.parametrize(
    "body",
    [
        {"range": {"num_filesize": {"gt": 1000}}},
        {"range": {"num_filesize": {"gte": 1001, "lt": "3000"}}},
        string("num_filesize:[2000 TO *]"),
        string("num_filesize:{1000 TO 2000]"),
        string("num_filesize:>1000"),
    ],
)
def test_ranges_of_numbers_select_files(requests: Requests, body: dict[str, Any]) -> None:
    answer = search(requests, filters=[body])
    assert set(ids(answer)) == LARGE


def test_files_are_found_by_extension_and_by_the_attributes_they_have(requests: Requests) -> None:
    jpg = search(requests, filters=[string("str_fileext:.JPG")])
    assert set(ids(jpg)) == {"museum:vase:vase/front.jpg", "museum:vase:vase/back.jpg"}
    sha = search(requests, filters=[{"term": {"AB_sha": "vase-1"}}])
    assert ids(sha) == ["museum:vase:vase/back.jpg"]


PLACES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "radius": (
        {"point": {"lat": BERLIN[0], "lon": BERLIN[1], "radiusMeters": 5000}},
        named("pump-1"),
    ),
    "box": (
        {"bbox": {"topLeft": {"lat": 60, "lon": 0}, "bottomRight": {"lat": 40, "lon": 20}}},
        named("pump-1", "pump-2", "vase"),
    ),
    "box over the date line": (
        {"bbox": {"topLeft": {"lat": 0, "lon": 150}, "bottomRight": {"lat": -50, "lon": -150}}},
        named("untagged"),
    ),
    "polygon": (
        {"geoJson": {"type": "Polygon", "coordinates": [[[8, 44], [11, 44], [8, 46], [8, 44]]]}},
        named("pump-2", "vase"),
    ),
    "polygon with a hole": (
        {
            "geoJson": {
                "type": "Feature",
                "geometry": {
                    "type": "Polygon",
                    "coordinates": [
                        [[0, 40], [20, 40], [20, 60], [0, 60], [0, 40]],
                        [[8, 44], [10, 44], [10, 45], [8, 45], [8, 44]],
                    ],
                },
            }
        },
        named("pump-1"),
    ),
    "circle": (
        {"geoJson": {"type": "circle", "coordinates": [13.4, 52.5], "radius": "10km"}},
        named("pump-1"),
    ),
    "elsewhere": (
        {
            "relation": "disjoint",
            "bbox": {"topLeft": {"lat": 60, "lon": 0}, "bottomRight": {"lat": 40, "lon": 20}},
        },
        named("untagged"),
    ),
    "another key": ({"field": "site", "point": {"lat": 0, "lon": 0, "radiusMeters": 9e6}}, set()),
}


@pytest.mark.parametrize("name", PLACES)
def test_assets_are_found_by_their_place(requests: Requests, name: str) -> None:
    # Wanted by its users: radius, box and shape.
    body, wanted = PLACES[name]
    assert asset_ids(requests, geoSearch=body) == wanted


@pytest.mark.accepts("VA-44")
def test_what_is_archived_is_hidden_unless_it_is_asked_for(requests: Requests) -> None:
    assert asset_ids(requests) == ACTIVE
    assert asset_ids(requests, includeArchived=True) == set(ASSETS)
    archived = search(requests, includeArchived=True, filters=[{"term": {"bool_archived": True}}])
    assert ids(archived) == ["museum:old-pump"]


# -- permissions


def visible(requests: Requests, user: str) -> set[str]:
    """What the decisions of permissions say of each asset."""
    service = requests.service
    allows = service.access.filter(service.access.caller(user))
    return {id for id, row in ASSETS.items() if allows(row.subject)}


@pytest.mark.parametrize("user", PEOPLE)
def test_a_search_finds_and_counts_exactly_what_the_caller_may_see(
    requests: Requests, user: str
) -> None:
    # The original counts in its facets and totals what it then hides from the hits.
    wanted = visible(requests, user)
    answer = search(requests, user, includeArchived=True, size=1)
    files = [
        f"{id}:{row.id}/{path}" for id, row in ASSETS.items() if id in wanted for path in row.files
    ]
    assert answer["hits"]["total"] == {"value": len(wanted) + len(files), "relation": "eq"}
    assert answer["aggregationTotal"] == len(wanted) + len(files)
    assert set(ids(search(requests, user, includeArchived=True))) == {*wanted, *files}
    counts = _counts(search(requests, user, entityTypes=["asset"], includeArchived=True))
    assert counts["str_databaseid"] == _counted([ASSETS[id].database for id in wanted])
    assert counts["list_tags"] == _counted([tag for id in wanted for tag in ASSETS[id].tags])
    assert counts["str_assettype"] == _counted([t for id in wanted if (t := ASSETS[id].type)])


def test_the_people_see_different_things(requests: Requests) -> None:
    # Otherwise the test above would prove little.
    seen = {user: frozenset(visible(requests, user)) for user in PEOPLE}
    assert len(set(seen.values())) == len(PEOPLE)
    assert seen["nobody@example.com"] == frozenset()


def test_a_filter_cannot_ask_for_what_is_hidden(requests: Requests) -> None:
    # Whoever guesses a name must not learn from a total that it exists.
    for body in (
        {"query": "crown"},
        {"filters": [string('str_databaseid:"vault" OR _exists_:str_assetid')]},
        {"filters": [{"bool": {"must_not": [{"term": {"str_databaseid": "plant"}}]}}]},
    ):
        answer = search(requests, "plant@example.com", includeArchived=True, **body)
        assert all(hit["_source"]["str_databaseid"] == "plant" for hit in answer["hits"]["hits"])
        assert answer["hits"]["total"]["value"] == len(answer["hits"]["hits"])
        assert "vault" not in str(answer["aggregations"])


def _counts(answer: dict[str, Any]) -> dict[str, dict[str, int]]:
    return {
        name: {
            bucket["key"]: bucket["doc_count"]
            for inner in counted.values()
            if isinstance(inner, dict)
            for bucket in inner["buckets"]
        }
        for name, counted in answer["aggregations"].items()
    }


def _counted(values: list[str]) -> dict[str, int]:
    return {value: values.count(value) for value in values}


# -- order, pages and the shape of the answer


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("field", ["str_assetname", "num_filesize", "str_databaseid", "str_key"])
def test_both_indexes_are_sorted_together(requests: Requests, field: str, order: str) -> None:
    # The original sorts each index by itself and puts the lists one behind the other.
    answer = search(requests, sort=[{"field": field, "order": order}])
    found = [(hit["_source"].get(field), hit["_id"]) for hit in answer["hits"]["hits"]]
    present = sorted(row for row in found if row[0] is not None)
    present.sort(key=lambda row: row[0], reverse=order == "desc")
    absent = sorted(row for row in found if row[0] is None)
    assert found == present + absent
    assert {hit["_index"] for hit in answer["hits"]["hits"]} == {"vams-asset", "vams-file"}


@pytest.mark.parametrize(
    "body", [{}, {"query": "p*"}, {"sort": [{"str_assetname": {"order": "desc"}}]}]
)
def test_pages_join_without_a_gap_or_a_repetition(requests: Requests, body: dict[str, Any]) -> None:
    whole = search(requests, **body)
    total = whole["hits"]["total"]["value"]
    for size in (1, 3):
        paged: list[str] = []
        for start in range(0, total + size, size):
            page = search(requests, **body, **{"from": start, "size": size})
            assert page["hits"]["total"]["value"] == total
            paged += ids(page)
        assert paged == ids(whole)
    assert len(ids(whole)) == total


def test_the_best_match_comes_first(requests: Requests) -> None:
    answer = search(requests, query="pump", entityTypes=["asset"])
    scores = [hit["_score"] for hit in answer["hits"]["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert answer["hits"]["max_score"] == scores[0] > 0


def test_facets_of_both_indexes_are_added_up(requests: Requests) -> None:
    counts = _counts(search(requests))
    assert counts["str_databaseid"]["plant"] == 4 + 4
    assert counts["str_fileext"] == {"glb": 3, "jpg": 2, "obj": 1, "e57": 1}
    assert "aggregations" not in str(search(requests, aggregations=False).keys() - {"aggregations"})
    assert search(requests, aggregations=False)["aggregations"] is None


def test_highlights_show_where_the_words_are(requests: Requests) -> None:
    answer = search(
        requests, query="red", entityTypes=["asset"], filters=[string("str_assetid:pump-1")]
    )
    (hit,) = answer["hits"]["hits"]
    assert hit["highlight"]["str_description"] == ["The old <em>red</em> pump"]
    assert hit["highlight"]["MD_"] == ["dark <em>red</em>"]
    plain = search(requests, query="red", entityTypes=["asset"], includeHighlights=False)
    assert all("highlight" not in hit for hit in plain["hits"]["hits"])


def test_results_are_explained_on_request(requests: Requests) -> None:
    answer = search(requests, query="vase", explainResults=True, entityTypes=["asset"])
    (hit,) = answer["hits"]["hits"]
    assert hit["explanation"]["index_type"] == "asset"
    assert hit["explanation"]["query_type"] == "general"
    assert "str_assetname" in hit["explanation"]["matched_fields"]


def test_a_hit_shows_the_document_without_the_fields_that_only_help_searching(
    requests: Requests,
) -> None:
    answer = search(requests, filters=[string("str_assetid:pump-1")], entityTypes=["asset"])
    (hit,) = answer["hits"]["hits"]
    source = hit["_source"]
    assert source["MD_"]["colour"] == "dark red"
    assert not any(name.startswith("list_metadata") for name in source)


TOKENS: dict[str, tuple[list[dict[str, str]], str, set[str]]] = {
    "one property": ([{"propertyKey": "str_assetid", "value": "vase"}], "AND", named("vase")),
    "all properties": ([{"propertyKey": "all", "value": "spare"}], "AND", named("pump-2")),
    "not": (
        [
            {"propertyKey": "list_tags", "value": "pump"},
            {"propertyKey": "str_assetid", "operator": "!=", "value": "pump-1"},
        ],
        "AND",
        named("pump-2"),
    ),
    "or": (
        [
            {"propertyKey": "str_assetid", "value": "vase"},
            {"propertyKey": "str_assetname", "operator": ":", "value": "Cro*"},
        ],
        "OR",
        named("vase", "crown"),
    ),
}


@pytest.mark.parametrize("name", TOKENS)
def test_tokens_are_conditions_on_properties(requests: Requests, name: str) -> None:
    tokens, operation, wanted = TOKENS[name]
    assert asset_ids(requests, tokens=tokens, operation=operation) == wanted


SIMPLE: dict[str, tuple[dict[str, Any], set[str]]] = {
    "name": ({"assetName": "pump p", "entityTypes": ["asset"]}, named("pump-1", "pump-2")),
    "id": ({"assetId": "vase", "entityTypes": ["asset"]}, named("vase")),
    "type": ({"assetType": "obj", "entityTypes": ["asset"]}, named("valve-1")),
    "type of the asset of a file": (
        {"assetType": ".obj", "entityTypes": ["file"]},
        {"plant:valve-1:valve-1/v7.obj"},
    ),
    "extension with a dot": ({"fileExtension": ".e57"}, {"plant:pump-1:pump-1/scan/p101.e57"}),
    "extension without": ({"fileExtension": "E57"}, {"plant:pump-1:pump-1/scan/p101.e57"}),
    "key": ({"fileKey": "vase/front"}, {"museum:vase:vase/front.jpg"}),
    "database": ({"databaseId": "vault"}, {"vault:crown", "vault:crown:crown/crown.glb"}),
    "tags": ({"tags": ["greek", "valve"], "entityTypes": ["asset"]}, named("vase", "valve-1")),
    "metadata": ({"metadataKey": "colour", "metadataValue": "red"}, named("pump-1", "vase")),
    "everything given": ({"query": "pump", "databaseId": "museum"}, set()),
    "archived": (
        {"query": "fire", "includeArchived": True, "entityTypes": ["asset"]},
        named("old-pump"),
    ),
    "place": (
        {"geoSearch": {"point": {"lat": GENOA[0], "lon": GENOA[1], "radiusMeters": 100}}},
        named("pump-2", "vase"),
    ),
}


@pytest.mark.parametrize("name", SIMPLE)
def test_the_simple_search_finds_by_a_few_properties(requests: Requests, name: str) -> None:
    body, wanted = SIMPLE[name]
    answer = requests("POST", "/search/simple", body)
    assert answer.status_code == 200, answer.text
    assert set(ids(answer.json())) == wanted
    assert "aggregations" not in answer.json()


def test_a_change_of_permissions_counts_from_the_next_search_on(requests: Requests) -> None:
    # A copy of the rules in an index would be one more thing that can be out of date.
    user = "plant@example.com"
    before = search(requests, user)["hits"]["total"]["value"]
    name = "/auth/constraints/plant-hides-pumps"
    denied = {
        "name": "plant-hides-pumps",
        "description": "of a test",
        "objectType": "asset",
        "criteriaAnd": [{"field": "tags", "operator": "equals", "value": "pump"}],
        "groupPermissions": [{"groupId": "plant", "permission": "GET", "permissionType": "deny"}],
    }
    assert requests("POST", name, denied).status_code == 200
    try:
        assert search(requests, user)["hits"]["total"]["value"] == before - 2 - 3
    finally:
        assert requests("DELETE", name).status_code == 200
    assert search(requests, user)["hits"]["total"]["value"] == before
