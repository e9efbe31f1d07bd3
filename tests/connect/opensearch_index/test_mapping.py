"""What an OpenSearch index looks like to those who see it without Sortkey: its types and its rules, literally."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from sortkey import open_search
from sortkey.connect.opensearch_index.mapping import mappings, settings
from tests.contract import search_adapters
from tests.contract.search_adapters import FIELDS, Note, notes

TEXT = {
    "type": "text",
    "analyzer": "sortkey",
    "fields": {"keyword": {"type": "keyword", "ignore_above": 1024}},
}
TYPES = {
    "str_title": TEXT,
    "str_body": TEXT,
    "num_size": {"type": "long"},
    "bool_open": {"type": "boolean"},
    "date_made": {"type": "date"},
    "list_tags": TEXT,
    "gp_place": {"type": "geo_point"},
    "gs_outline": {"type": "text", "analyzer": "sortkey"},
    "MD_": {"type": "flat_object"},
    "AB_": {"type": "flat_object"},
    "_rectype": {"type": "keyword", "ignore_above": 1024},
}


def test_declared_fields_have_the_types_of_their_prefixes() -> None:
    properties = mappings(FIELDS)["properties"]
    assert {name: properties[name] for name in FIELDS} == TYPES
    assert properties.keys() - set(FIELDS) == {"sortkey_id", "sortkey_text", "sortkey_original"}


def test_the_rules_for_other_names_are_called_as_their_document_calls_them() -> None:
    # Dashboards and other programs know them by these names.
    rules = [(name, rule["match"]) for each in mappings(FIELDS)["dynamic_templates"] for name, rule in each.items()]
    assert rules == [
        ("core_strings", "str_*"),
        ("core_numeric", "num_*"),
        ("core_boolean", "bool_*"),
        ("core_dates", "date_*"),
        ("core_lists", "list_*"),
        ("core_geo_points", "gp_*"),
        ("core_geo_shapes", "gs_*"),
    ]


def test_deletes_are_known_for_an_hour() -> None:
    assert settings(shards=2)["gc_deletes"] == "3600s"
    assert settings(shards=2)["number_of_shards"] == 2


@pytest.mark.slow
@pytest.mark.xdist_group("opensearch")
def test_a_real_index_gets_these_types_also_for_fields_that_come_later() -> None:
    # What the service makes of the rules, not what we think it does. MD_ stays one field, whatever is in it.
    port = search_adapters.port()
    address = f"http://127.0.0.1:{port}/{search_adapters.unused_prefix()}"
    more = {
        "str_later": "x",
        "num_later": 1,
        "bool_later": True,
        "date_later": "2024-01-01",
        "list_later": ["x"],
        "gp_later": {"lat": 1.0, "lon": 2.0},
        "gs_later": {"type": "Point"},
        "MD_": {f"key{number}": {"deeper": number} for number in range(50)},
    }
    with open_search(notes, address) as search:
        search.ensure()
        search.put(Note("a", more))
        found = _properties(port, address)
    search_adapters.forget(address)
    kinds = {name: found[name]["type"] for name in more}
    assert kinds == {
        "str_later": "text",
        "num_later": "long",
        "bool_later": "boolean",
        "date_later": "date",
        "list_later": "text",
        "gp_later": "geo_point",
        "gs_later": "text",
        "MD_": "flat_object",
    }
    assert found["str_later"]["fields"]["keyword"]["type"] == "keyword"
    assert len(found) == len(FIELDS) + 3 + 7


def _properties(port: int, address: str) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/{address.rpartition('/')[2]}notes/_mapping")
    answered = json.loads(connection.getresponse().read())
    connection.close()
    ((_, index),) = answered.items()
    return index["mappings"]["properties"]
