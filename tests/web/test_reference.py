"""The page /docs: every route stands on it, and it needs nothing but itself."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from fastapi.testclient import TestClient

from sortkey.web.reference_types import example, type_words

VOID = {"meta", "br"}


class Shape(HTMLParser):
    """Follows the tags of a page, and collects its anchors, its links and the addresses that it
    loads.
    """

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value or "")
            if name == "href":
                self.links.add(value or "")
            if name == "src" or tag in ("script", "link"):
                self.loaded.append(f"{tag} {value}")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def page(client: TestClient) -> str:
    answer = client.get("/docs")
    assert answer.status_code == 200
    return answer.text


def test_every_operation_stands_on_the_page(client: TestClient, page: str) -> None:
    # A route that is not documented is not found.
    document = client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method in methods:
            assert f'<b class="{method}">{method.upper()}</b> <code>{path}</code>' in page
    assert "/shop/orders/{number}" in page
    assert "Needs a token of a user or a key of a program." in page
    assert "whole number from 1 to 999,999" in page


def test_the_page_is_whole_and_its_links_lead_somewhere(page: str) -> None:
    # Written by hand, so checked by machine.
    shape = Shape()
    shape.feed(page)
    assert shape.open == []
    assert {link[1:] for link in shape.links if link.startswith("#")} <= shape.anchors
    assert {link for link in shape.links if not link.startswith("#")} == {"/openapi.json"}


def test_the_page_loads_nothing(client: TestClient, page: str) -> None:
    # It works on a plane, and tells nobody else what is looked at.
    shape = Shape()
    shape.feed(page)
    assert shape.loaded == []
    assert not re.search(r"url\(|@import", page)
    policy = client.get("/docs").headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "text"),
        ({"type": "string", "format": "date-time"}, "time"),
        ({"type": "string", "maxLength": 10}, "text of 0 to 10 characters"),
        ({"type": "string", "pattern": "^<a>$"}, "text like <code>^&lt;a&gt;$</code>"),
        ({"type": "integer", "minimum": 1}, "whole number, 1 or more"),
        ({"enum": ["dev", "prod"]}, "<code>dev</code> or <code>prod</code>"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text or null"),
        (
            {"type": "array", "items": {"$ref": "#/components/schemas/Page_Run_"}},
            'list of <a href="#type-Page_Run_">Page of Run</a>',
        ),
        ({}, "anything"),
    ],
)
def test_types_are_described_in_words(schema: dict[str, object], words: str) -> None:
    # JSON Schema is for programs.
    assert type_words(schema) == words


def test_an_example_has_what_must_be_there(client: TestClient) -> None:
    # It is copied into a terminal: it should be taken.
    document = client.get("/openapi.json").json()
    assert example({"$ref": "#/components/schemas/Wanted"}, document["components"]["schemas"]) == {
        "number": 1
    }
    assert (
        example({"$ref": "#/a/Tree"}, {"Tree": {"type": "array", "items": {"$ref": "#/a/Tree"}}})
        is not None
    )
