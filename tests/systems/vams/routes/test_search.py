"""/search and /search/simple: requests that are refused, shapes, and an index that is not ready."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.systems.vams.host import ADMIN, Requests
from tests.systems.vams.search.corpus import searched
from tests.systems.vams.upload_client import upload


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Requests]:
    with searched(tmp_path_factory.mktemp("searched")) as opened:
        yield opened


REFUSED: dict[str, dict[str, Any]] = {
    "size beyond the limit": {"size": 2001},
    "no size": {"size": 0},
    "negative start": {"from": -1},
    "page beyond the reach": {"from": 9950, "size": 100},
    "unknown kind": {"entityTypes": ["folder"]},
    "long words": {"query": "x" * 1001},
    "many words": {"query": "x " * 31},
    "filter without a kind": {"filters": [{}]},
    "filter of two kinds": {"filters": [{"term": {}, "range": {}}]},
    "unknown filter": {"filters": [{"script": {"source": "1"}}]},
    "filter that is no object": {"filters": [{"term": "x"}]},
    "unknown field": {"filters": [{"term": {"nothing": "x"}}]},
    "internal field": {"filters": [{"term": {"VAMS_owner": "x"}}]},
    "regular expression": {"filters": [{"query_string": {"query": "str_assetid:/.*/ AND ("}}]},
    "deep filters": {
        "filters": [
            {
                "bool": {
                    "must": {
                        "bool": {
                            "must": {
                                "bool": {
                                    "must": {
                                        "bool": {
                                            "must": {
                                                "bool": {"must": {"bool": {"must": {"bool": {}}}}}
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        ]
    },
    "range of texts": {"filters": [{"range": {"str_assetid": {"gte": "a"}}}]},
    "range from a list": {"filters": [{"range": {"num_filesize": {"gte": []}}}]},
    "range from an object": {"filters": [{"range": {"date_lastmodified": {"gte": {}}}}]},
    "range of nothing known": {"filters": [{"range": {"num_filesize": {"from": 1}}}]},
    "value of another type": {"filters": [{"term": {"num_filesize": "large"}}]},
    "date that is none": {"filters": [{"range": {"date_lastmodified": {"gte": "soon"}}}]},
    "many filters": {"filters": [{"match_all": {}}] * 101},
    "order of a list": {"sort": [{"field": "list_tags", "order": "asc"}]},
    "order of nothing": {"sort": ["nothing"]},
    "unknown order": {"sort": [{"field": "str_assetname", "order": "up"}]},
    "and with or": {"metadataQuery": "a:1 AND b:2 OR c:3"},
    "unknown mode": {"metadataSearchMode": "regex"},
    "place off the map": {"geoSearch": {"point": {"lat": 91, "lon": 0}}},
    "no place": {"geoSearch": {}},
    "two places": {
        "geoSearch": {
            "point": {"lat": 1, "lon": 1},
            "geoJson": {"type": "Point", "coordinates": [1, 1]},
        }
    },
    "a line": {"geoSearch": {"geoJson": {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}}},
    "polygon of two corners": {
        "geoSearch": {"geoJson": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 0]]]}}
    },
    "polygon of texts": {
        "geoSearch": {"geoJson": {"type": "Polygon", "coordinates": [[["a", "b"]]]}}
    },
    "polygon of ten thousand corners": {
        "geoSearch": {
            "geoJson": {
                "type": "Polygon",
                "coordinates": [[[n / 1000, n % 7] for n in range(10_000)]],
            }
        }
    },
    "wrong distance": {
        "filters": [{"geo_distance": {"distance": "far", "gp_Location": {"lat": 1, "lon": 1}}}]
    },
    "place in a text": {
        "filters": [{"geo_distance": {"distance": "1km", "str_assetid": {"lat": 1, "lon": 1}}}]
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_search_that_cannot_be_made_is_refused_with_a_reason(filled: Requests, name: str) -> None:
    answer = filled("POST", "/search", REFUSED[name])
    assert answer.status_code == 400, answer.text
    assert answer.json().keys() == {"message"}
    assert len(answer.json()["message"]) > 10


@pytest.mark.parametrize(
    "body",
    [
        r'{"sort": ["\ud800"]}',
        r'{"filters": [{"term": {"str_assetname": "\ud800"}}]}',
        r'{"filters": [{"prefix": {"MD_colour": "\ud800"}}]}',
    ],
)
def test_half_of_a_pair_is_refused_and_is_not_an_error_of_the_server(
    filled: Requests, body: str
) -> None:
    # JSON can carry what is not text: no index takes it, and an answer cannot quote it.
    headers = {**filled.header(ADMIN), "Content-Type": "application/json"}
    answer = filled.client.post("/search", content=body, headers=headers)
    assert answer.status_code == 400, answer.text


ACCEPTED: dict[str, dict[str, Any] | None] = {
    "no body": None,
    "nothing": {},
    "nulls": {"query": None, "filters": None, "sort": None, "from": None, "size": None},
    "unknown members": {"viewType": "card"},
    "score": {"sort": ["_score"]},
    "the order as OpenSearch has it": {"sort": [{"str_assetname": {"order": "desc"}}]},
    "filter of the record type": {"filters": [{"query_string": {"query": '_rectype:"asset"'}}]},
    "far page": {"from": 9000, "size": 1000},
}


@pytest.mark.parametrize("path", ["/search", "/search/simple"])
@pytest.mark.parametrize("name", ACCEPTED)
def test_a_search_answers_in_the_shape_of_opensearch(
    filled: Requests, name: str, path: str
) -> None:
    answer = filled("POST", path, ACCEPTED[name])
    assert answer.status_code == 200, answer.text
    shape = answer.json()
    assert shape.keys() >= {"took", "timed_out", "_shards", "hits"}
    assert shape["hits"].keys() == {"total", "max_score", "hits"}
    for hit in shape["hits"]["hits"]:
        assert hit.keys() >= {"_index", "_id", "_score", "_source"}


def test_the_fields_are_listed_with_their_types(filled: Requests) -> None:
    shape = filled("GET", "/search").json()["mappings"]
    assert list(shape) == ["vams-asset", "vams-file"]
    properties = shape["vams-file"]["mappings"]["properties"]
    assert properties["num_filesize"] == {"type": "long"}
    assert properties["MD_"] == {"type": "flat_object"}
    assert properties["str_key"]["type"] == "text"


def test_a_search_needs_a_token_and_the_permission_for_its_route(filled: Requests) -> None:
    assert filled.client.post("/search", json={}).status_code == 401
    filled.add_user("stranger@example.com")
    assert filled("POST", "/search", {}, user="stranger@example.com").status_code == 403


def test_an_index_that_is_not_built_yet_is_answered_with_503(requests: Requests) -> None:
    # An answer from a part of the index would say that things do not exist.
    answer = requests("POST", "/search", {"query": "pump"})
    assert answer.status_code == 503
    assert "being built" in answer.json()["message"]
    assert answer.headers["Retry-After"]


def wait_for(filled: Requests, body: dict[str, Any], wanted: set[str]) -> None:
    """Search until the answer is as expected: indexes follow the tables a moment later."""
    end = time.monotonic() + 20
    while True:
        hits = filled("POST", "/search", body).json()["hits"]["hits"]
        found = {hit["_id"] for hit in hits}
        if found == wanted:
            return
        assert time.monotonic() < end, found
        time.sleep(0.05)


@pytest.mark.slow
def test_what_the_routes_change_is_found_a_moment_later(filled: Requests) -> None:
    # Seven tables and the buckets have a part in the documents: none may be forgotten.
    asset_id = filled.make_asset("library", assetName="Zeppelin", tags=[])
    asset, path = f"library:{asset_id}", f"/database/library/assets/{asset_id}"
    wait_for(filled, {"query": "zeppelin"}, {asset})
    key = f"{asset}:{asset_id}/model/hull.glb"
    upload(filled, asset_id, {"/model/hull.glb": b"glTF"}, database_id="library")
    filled.run_jobs()
    wait_for(filled, {"query": "zeppelin"}, {asset, key})
    note = {"metadataKey": "hull", "metadataValue": "duralumin", "metadataValueType": "string"}
    assert filled("POST", f"{path}/metadata", {"metadata": [note]}).status_code == 200
    wait_for(filled, {"metadataQuery": "hull:duralumin"}, {asset})
    assert filled("PUT", path, {"assetName": "Airship"}).status_code == 200
    wait_for(filled, {"query": "airship"}, {asset, key})
    wait_for(filled, {"query": "zeppelin"}, set())
    assert filled("DELETE", f"{path}/archiveAsset", {}).status_code == 200
    filled.run_jobs()
    wait_for(filled, {"query": "airship"}, set())
    wait_for(filled, {"query": "airship", "includeArchived": True}, {asset, key})
