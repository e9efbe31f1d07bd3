"""Calls: pages, waits and refusals, over a transport that plays a server's part."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

import pytest

from sortkey_systems.vams.client.client import CallFailed, Client, asset_path, query_text
from sortkey_systems.vams.client.transport import Request, Response


class Answers:
    """A transport with prepared answers, which remembers the requests."""

    def __init__(self, *answers: tuple[int, Any]) -> None:
        self._answers = list(answers)
        self.requests: list[Request] = []

    def send(self, request: Request, into: BinaryIO | None = None) -> Response:
        self.requests.append(request)
        status, body = self._answers.pop(0)
        return Response(status, {"retry-after": "7"}, json.dumps(body).encode())


def test_a_list_is_read_over_all_its_pages_whichever_shape_it_has() -> None:
    # Lists stand under Items, items, versions, metadata, and sometimes under message.
    pages = Answers(
        (200, {"message": {"Items": [{"n": 1}], "NextToken": "t"}}),
        (200, {"message": {"Items": [], "NextToken": "u"}}),
        (200, {"versions": [{"n": 2}], "NextToken": None}),
    )
    client = Client(pages, "token")
    assert [row["n"] for row in client.every("/rows", a=True)] == [1, 2]
    assert [request.url for request in pages.requests] == [
        "/rows?a=true",
        "/rows?a=true&startingToken=t",
        "/rows?a=true&startingToken=u",
    ]


def test_a_server_that_asks_to_wait_is_asked_again_after_that_time() -> None:
    # 429 is not an error of the caller.
    waits: list[float] = []
    answers = Answers((429, {}), (429, {}), (200, {"ok": 1}))
    assert Client(answers, "token", sleep=waits.append).get("/x") == {"ok": 1}
    assert waits == [7, 7]


def test_waiting_ends() -> None:
    # A command must not hang for ever.
    waits: list[float] = []
    answers = Answers(*[(429, {"message": "slow down"})] * 6)
    with pytest.raises(CallFailed, match="slow down") as raised:
        Client(answers, "token", sleep=waits.append).get("/x")
    assert (raised.value.status, len(waits)) == (429, 5)


def test_a_refusal_says_what_the_server_said_and_never_the_token() -> None:
    # The message is all that a user sees.
    answers = Answers((400, {"message": "VAMS General Error: the id is taken"}))
    with pytest.raises(CallFailed) as raised:
        Client(answers, "vams_secret").post("/x", {})
    assert str(raised.value) == "the id is taken (400)"
    assert "vams_secret" not in repr(raised.value)


def test_a_missing_thing_is_none_and_other_refusals_are_not() -> None:
    # `find` must not hide that something is forbidden.
    client = Client(Answers((404, {"message": "no"}), (403, {"message": "no"})), "token")
    assert client.find("/x") is None
    with pytest.raises(CallFailed):
        client.find("/x")


def test_ids_are_quoted_in_paths_and_queries() -> None:
    # An asset id may have a space, a percent sign or a hash.
    assert asset_path("db", "a b%#?", "listFiles") == "/database/db/assets/a%20b%25%23%3F/listFiles"
    assert query_text({"filePath": "/a b&c", "none": None}) == "?filePath=%2Fa+b%26c"
