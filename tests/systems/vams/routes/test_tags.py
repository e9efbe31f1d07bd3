"""Tags and tag types by requests."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.vams.model import Tag, TagType
from sortkey_systems.vams.tags import Tags, TagValues
from tests.systems.vams.host import READER, Requests
from tests.systems.vams.stock import add_user


def rows(requests: Requests, path: str, **more: Any) -> dict[str, dict[str, Any]]:
    answer = requests("GET", path, **more)
    assert answer.status_code == 200, answer.text
    message = answer.json()["message"]
    return {row.get("tagName") or row["tagTypeName"]: row for row in message["Items"]}


def make_type(requests: Requests, name: str, **more: Any) -> None:
    body = {"tagTypeName": name, "description": f"type {name}", "required": "False", **more}
    answer = requests("POST", "/tag-types", body)
    assert answer.status_code == 200, answer.text


def tag(name: str, kind: str) -> dict[str, str]:
    return {"tagName": name, "description": f"tag {name}", "tagTypeName": kind}


def make_tag(requests: Requests, name: str, kind: str) -> None:
    answer = requests("POST", "/tags", tag(name, kind))
    assert answer.status_code == 200, answer.text


@pytest.mark.accepts("VA-24")
def test_a_tag_is_listed_with_its_type_and_whether_that_is_required(requests: Requests) -> None:
    # Clients cut the mark off where they write the type again.
    make_type(requests, "state", required="True")
    make_tag(requests, "new", "state")
    assert rows(requests, "/tags")["new"] == {
        "tagName": "new",
        "description": "tag new",
        "tagTypeName": "state [R]",
        "required": "True",
    }
    assert rows(requests, "/tag-types")["state"] == {
        "tagTypeName": "state",
        "description": "type state",
        "required": "True",
        "tags": ["new"],
    }
    stored = requests.service.store.get(Tag.key(tag_name="new"))
    assert stored.tag_type_name == "state"
    change = {"tagName": "new", "description": "brand new", "tagTypeName": "state [R]"}
    assert requests("PUT", "/tags", change).json()["operation"] == "update"
    assert rows(requests, "/tags")["new"]["description"] == "brand new"
    requests("PUT", "/tag-types", {"tagTypeName": "state", "required": "False"})
    assert rows(requests, "/tags")["new"]["tagTypeName"] == "state"


def test_a_list_of_tags_or_types_is_taken_as_a_whole(requests: Requests) -> None:
    # The original's command line tool sends the list, and its server takes only the object.
    types = {"tagTypes": [{"tagTypeName": name, "description": "x"} for name in ("size", "form")]}
    answer = requests("POST", "/tag-types", types)
    assert answer.json()["operation"] == "create", answer.text
    tags = {"tags": [tag("small", "size"), tag("round", "form")]}
    assert requests("POST", "/tags", tags).status_code == 200
    assert rows(requests, "/tag-types")["size"]["tags"] == ["small"]
    again = {"tags": [tag("large", "size"), tag("round", "form")]}
    assert requests("POST", "/tags", again).status_code == 400
    twice = {"tags": [tag("large", "size"), tag("large", "form")]}
    assert requests("POST", "/tags", twice).status_code == 400
    assert "large" not in rows(requests, "/tags")
    changes = {"tags": [{"tagName": "small", "description": "tiny"}]}
    assert requests("PUT", "/tags", changes).status_code == 200
    assert rows(requests, "/tags")["small"]["description"] == "tiny"
    assert rows(requests, "/tags")["small"]["tagTypeName"] == "size"
    required = {"tagTypes": [{"tagTypeName": "form", "required": True}]}
    assert requests("PUT", "/tag-types", required).status_code == 200
    assert rows(requests, "/tag-types")["form"]["required"] == "True"


def test_a_type_with_tags_cannot_be_deleted(requests: Requests) -> None:
    # Its tags would have a type that does not exist.
    make_type(requests, "busy")
    make_tag(requests, "used", "busy")
    refused = requests("DELETE", "/tag-types/busy")
    assert refused.status_code == 400
    assert requests("DELETE", "/tags/used").json()["operation"] == "delete"
    assert requests("DELETE", "/tag-types/busy").json()["tagTypeName"] == "busy"
    assert requests("DELETE", "/tag-types/busy").status_code == 404
    assert requests("DELETE", "/tags/used").status_code == 404


REFUSED: list[tuple[str, str, Any, int]] = [
    ("POST", "/tags", tag("a", "nowhere"), 404),
    ("POST", "/tags", {"tagName": "a"}, 400),
    ("POST", "/tags", tag("a/b", "state"), 400),
    ("POST", "/tags", {"tags": []}, 400),
    ("POST", "/tags", None, 400),
    ("PUT", "/tags", {"tagName": "nothing", "description": "x"}, 404),
    ("POST", "/tag-types", {"tagTypeName": "a"}, 400),
    ("POST", "/tag-types", {"tagTypeName": "a", "description": "x", "required": "no"}, 400),
    ("PUT", "/tag-types", {"tagTypeName": "nothing", "description": "x"}, 404),
    ("PUT", "/tag-types", {"tagTypeName": "state"}, 400),
    ("DELETE", "/tags/a%3Ab", None, 404),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), REFUSED)
def test_what_is_wrong_is_refused(
    requests: Requests, method: str, path: str, body: Any, status: int
) -> None:
    # Each with the status that says what to do.
    answer = requests(method, path, body)
    assert answer.status_code == status, answer.text


def test_lists_come_in_pages(requests: Requests) -> None:
    # `pageSize=2` gives 2, while there are more.
    make_type(requests, "pages")
    requests("POST", "/tags", {"tags": [tag(f"page {number}", "pages") for number in range(3)]})
    seen: list[str] = []
    path = "/tags?pageSize=2"
    while True:
        message = requests("GET", path).json()["message"]
        seen += [row["tagName"] for row in message["Items"]]
        if message["NextToken"] is None:
            break
        assert len(message["Items"]) == 2
        path = f"/tags?pageSize=2&startingToken={message['NextToken']}"
    assert seen == sorted(set(seen))
    assert {"page 0", "page 1", "page 2"} <= set(seen)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/tags", tag("a", "state")),
        ("PUT", "/tags", tag("new", "state")),
        ("DELETE", "/tags/new", None),
        ("POST", "/tag-types", {"tagTypeName": "a", "description": "x"}),
        ("PUT", "/tag-types", {"tagTypeName": "state", "description": "x"}),
        ("DELETE", "/tag-types/state", None),
    ],
)
def test_a_denial_is_403(requests: Requests, method: str, path: str, body: Any) -> None:
    # The original answers 500. Tier 1 lets the user through, and tier 2 does not.
    if requests.service.store.find(TagType.key(tag_type_name="state")) is None:
        make_type(requests, "state")
        make_tag(requests, "new", "state")
    if not requests.service.access.caller("tess@example.com").roles:
        seen = ("tag", "GET", {"tagName": "^new$"})
        kinds = ("tagType", "GET", {"tagTypeName": ".*"})
        add_user(requests, "tess@example.com", seen, kinds)
    answer = requests(method, path, body, user="tess@example.com")
    assert (answer.status_code, answer.json()) == (403, {"message": "Not Authorized"})
    assert requests(method, path, body, user=READER).status_code == 403
    assert set(rows(requests, "/tags", user="tess@example.com")) == {"new"}
    names = rows(requests, "/tag-types", user="tess@example.com")["state"]["tags"]
    assert names == ["new"]


def test_a_type_is_not_deleted_while_a_tag_of_it_is_written(requests: Requests) -> None:
    # The tag is written between the look for tags and the deletion.
    make_type(requests, "race")
    service = requests.service
    caller, tags = service.access.caller("admin@example.com"), service.tags

    class Racing:
        """The store, where somebody writes a tag after every look at all tags."""

        def __getattr__(self, name: str) -> Any:
            return getattr(service.store, name)

        def scan(self, kind: Any) -> Any:
            found = service.store.scan(kind)
            if not any(each.tag_name == "raced" for each in found):
                tags.create(caller, [TagValues(**tag("raced", "race"))])
            return found

    racing: Any = Racing()
    with pytest.raises(Exception, match="changed meanwhile"):
        Tags(racing, service.access).delete_type(caller, "race")
    assert rows(requests, "/tag-types")["race"]["tags"] == ["raced"]
