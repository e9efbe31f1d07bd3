"""What an OpenSearch index looks like to those who see it without Sortkey: its types and its rules,
literally.
"""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from sortkey import Flat, PutDocument, Searchable, Text, document, open_search
from sortkey.connect.opensearch_index.mapping import mappings, settings
from sortkey.errors import SearchWritesFailed
from sortkey.model.document_fields import DocumentFields
from tests.contract import search_adapters
from tests.contract.search_adapters import FIELDS, Note, notes

TEXT = {
    "type": "text",
    "analyzer": "sortkey",
    "fields": {"keyword": {"type": "keyword", "ignore_above": 1024}},
}
KEYWORD = {"type": "keyword", "ignore_above": 1024}
TYPES = {
    "title": TEXT,
    "body": TEXT,
    "size": {"type": "long"},
    "rating": {"type": "double"},
    "open": {"type": "boolean"},
    "made": {"type": "date"},
    "tags": TEXT,
    "codes": KEYWORD,
    "place": {"type": "geo_point"},
    "outline": {"type": "text", "analyzer": "sortkey"},
    "attributes": {"type": "flat_object"},
    "marks": {"type": "flat_object"},
    "kind": KEYWORD,
}


def test_declared_fields_have_the_types_of_their_kinds() -> None:
    properties = mappings(notes.fields)["properties"]
    assert {name: properties[name] for name in FIELDS} == TYPES
    assert properties.keys() - set(FIELDS) == {"sortkey_id", "sortkey_text", "sortkey_original"}


def test_rules_for_undeclared_fields_are_dynamic_templates() -> None:
    # Other programs write to the index too; and dashboards know the templates by their names.
    made = mappings(notes.fields)
    rules = [
        (name, rule["match"])
        for template in made["dynamic_templates"]
        for name, rule in template.items()
    ]
    assert rules[:3] == [("texts", "text_*"), ("texts_*", "texts_*"), ("word_*", "word_*")]
    assert "hidden_*" not in dict(rules).values()
    assert made["dynamic_templates"][0]["texts"]["mapping"] == {**TEXT, "copy_to": "sortkey_text"}
    assert made["dynamic"] is True


def test_without_rules_the_index_takes_no_other_fields() -> None:
    made = mappings(DocumentFields({"title": Text()}))
    assert (made["dynamic"], made["dynamic_templates"]) == ("strict", [])


def test_deletes_are_known_for_an_hour() -> None:
    assert settings(shards=2)["gc_deletes"] == "3600s"
    assert settings(shards=2)["number_of_shards"] == 2


@pytest.mark.slow
@pytest.mark.xdist_group("opensearch")
def test_a_real_index_gets_these_types_also_for_fields_that_come_later() -> None:
    # What the service makes of the rules, not what we think it does. A map stays one field,
    # whatever is in it.
    port = search_adapters.port()
    address = f"http://127.0.0.1:{port}/{search_adapters.unused_prefix()}"
    more = {
        "text_later": "x",
        "texts_later": ["x"],
        "word_later": "x",
        "whole_later": 1,
        "number_later": 1,
        "is_later": True,
        "on_later": "2024-01-01",
        "at_later": {"lat": 1.0, "lon": 2.0},
        "around_later": {"type": "Point"},
        "attributes": {f"key{number}": {"deeper": number} for number in range(50)},
    }
    with open_search(notes, address) as search:
        search.ensure()
        search.put(Note("a", more))
        found = _properties(port, address)
    search_adapters.forget(address)
    assert {name: found[name]["type"] for name in more} == {
        "text_later": "text",
        "texts_later": "text",
        "word_later": "keyword",
        "whole_later": "long",
        "number_later": "double",
        "is_later": "boolean",
        "on_later": "date",
        "at_later": "geo_point",
        "around_later": "text",
        "attributes": "flat_object",
    }
    assert found["text_later"]["fields"]["keyword"]["type"] == "keyword"
    assert len(found) == len(FIELDS) + 3 + 9


@pytest.mark.slow
@pytest.mark.xdist_group("opensearch")
def test_a_real_index_without_rules_refuses_fields_that_are_not_declared() -> None:
    # Whatever program writes it: a type that was guessed once stays for good.
    address = f"http://127.0.0.1:{search_adapters.port()}/{search_adapters.unused_prefix()}"

    @document(
        Note,
        "notes",
        id="{key}",
        fields={"title": Text(), "more": Flat()},
        version=lambda note: note.version,
    )
    def strict(note: Note) -> Searchable:
        return note.fields

    with open_search(strict, address) as search:
        search.ensure()
        search.put(Note("a", {"title": "Café", "more": {"anything": {"goes": 1}}}))
        with pytest.raises(SearchWritesFailed, match="strict"):
            search.write([PutDocument("b", 1, {"other": 1})])
    search_adapters.forget(address)


def _properties(port: int, address: str) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/{address.rpartition('/')[2]}notes/_mapping")
    answered = json.loads(connection.getresponse().read())
    connection.close()
    ((_, index),) = answered.items()
    return index["mappings"]["properties"]
