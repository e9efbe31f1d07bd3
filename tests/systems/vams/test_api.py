"""All routes together: each is behind a token and tier 1, unless it is meant for everybody."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute

from sortkey_systems.vams.api import KNOWN, PUBLIC, make_router
from tests.systems.vams.host import Requests

FEWEST = 100
"""The interface has more routes than this; fewer would mean that the walk misses some."""


def calls(router: APIRouter) -> Iterator[tuple[str, str]]:
    """Methods and paths, with a value for each parameter."""
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from calls(inner)
            continue
        assert isinstance(route, APIRoute), f"{route} is checked by nobody"
        for method in sorted(route.methods):
            yield method, re.sub(r"{[^}]*}", "value-1", route.path)


@pytest.fixture(scope="module")
def guarded(requests: Requests) -> list[tuple[str, str]]:
    """Every call but those for everybody, and those about oneself."""
    service = requests.service
    for_everybody = {call for part in PUBLIC for call in calls(part(service))}
    about_oneself = {call for part in KNOWN for call in calls(part(service))}
    every = set(calls(make_router(service)))
    assert for_everybody < every
    assert about_oneself < every
    return sorted(every - for_everybody - about_oneself)


def test_without_a_token_every_route_answers_401(
    requests: Requests, guarded: list[tuple[str, str]]
) -> None:
    # A route that forgets the check would be open to the network.
    assert len(guarded) >= FEWEST
    for method, path in guarded:
        answer = requests.client.request(method, path)
        assert answer.status_code == 401, (method, path, answer.text)


def test_without_a_role_every_route_answers_403(
    requests: Requests, guarded: list[tuple[str, str]]
) -> None:
    # Denied by default, before anything of the request is looked at.
    requests.add_user("nobody@example.com")
    for method, path in guarded:
        answer = requests(method, path, user="nobody@example.com")
        assert answer.status_code == 403, (method, path, answer.text)


def test_a_reader_changes_nothing_by_any_route(
    requests: Requests, guarded: list[tuple[str, str]]
) -> None:
    # The role of a new installation may use three kinds of POST, which change nothing.
    harmless = ("/search", "/search/simple", "/check-subscription")
    writes = [call for call in guarded if call[0] not in ("GET", "HEAD")]
    for method, path in writes:
        answer = requests(method, path, user="reader@example.com")
        if path not in harmless:
            assert answer.status_code == 403, (method, path, answer.text)
