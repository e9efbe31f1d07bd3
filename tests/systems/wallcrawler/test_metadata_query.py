"""`q`: three forms of a question about user metadata."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey_systems.wallcrawler.metadata_query import QueryRefused, metadata_test

METADATA: dict[str, Any] = {"user": {"name": "ada's", "id": 7}, "tags": ["a"], "env": "ci"}


@pytest.mark.parametrize(
    ("query", "is_match"),
    [
        ("user_metadata['env']:'ci'", True),
        ("user_metadata['user']['name']:'ada\\'s'", True),
        ("user_metadata['env']:'c'", False),
        ("user_metadata['user']['id']:'7'", False),
        ("user_metadata['tags']['0']:'a'", False),
        ("user_metadata['env']['x']:'ci'", False),
        ('{"env": "ci"}', True),
        ('{"env": "ci", "tags": ["a"]}', True),
        ('{"env": null}', False),
        ('{"none": null}', False),
        ("ada", True),
        ("grace", False),
    ],
)
def test_metadata_match(query: str, is_match: bool) -> None:
    # Texts on a path are compared as a whole; numbers and lists have no such form.
    assert metadata_test(query)(METADATA) is is_match


@pytest.mark.parametrize("query", ["user_metadata['a']:'x'", '{"a": 1}', "{}", "a"])
def test_a_session_without_metadata_never_matches(query: str) -> None:
    # Otherwise an empty object would select the sessions of everybody who sent none.
    assert not metadata_test(query)({})


@pytest.mark.parametrize(
    "query",
    ["user_metadata", "user_metadata['a']", "user_metadata[a]:'b'", "user_metadata['a':'b'"],
)
def test_brackets_that_cannot_be_read_are_refused(query: str) -> None:
    # As a substring they would find nothing, and nobody would know why.
    with pytest.raises(QueryRefused, match="write"):
        metadata_test(query)


def test_a_query_has_a_limit() -> None:
    # It comes from outside, and every session is compared with it.
    with pytest.raises(QueryRefused, match="most"):
        metadata_test("x" * 1001)
