"""The routes of a service in this process: the same answers and the same checks as over HTTP."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from sortkey_systems.vams.client.client import CallFailed, Client
from sortkey_systems.vams.client.in_process import InProcess
from sortkey_systems.vams.client.transport import Request
from tests.systems.vams.host import ADMIN, READER, URL, Requests


@pytest.fixture(scope="module")
def transport(requests: Requests) -> Iterator[InProcess]:
    with InProcess(requests.service) as opened:
        yield opened


def test_a_call_answers_as_over_http(requests: Requests, transport: InProcess) -> None:
    # Commands and the sample must not have a way around the routes.
    client = Client(transport, transport.token(ADMIN))
    assert client.get("/roles") == requests("GET", "/roles").json()
    names = [row["roleName"] for row in client.every("/roles", pageSize=1)]
    assert names == ["admin", "basicReadOnly"]


def test_permissions_are_those_of_the_user(transport: InProcess) -> None:
    # The token says who; having the folder does not change it.
    client = Client(transport, transport.token(READER))
    with pytest.raises(CallFailed, match="Not Authorized") as raised:
        client.post("/roles", {"roleName": "mine", "description": "for me"})
    assert raised.value.status == 403


def test_a_token_of_one_transport_opens_no_other(requests: Requests, transport: InProcess) -> None:
    # Each has a secret of its own, so that a token in a log is worth nothing.
    with InProcess(requests.service) as other, pytest.raises(CallFailed) as raised:
        Client(other, transport.token(ADMIN)).get("/roles")
    assert raised.value.status == 401


def test_links_as_callers_from_outside_use_them_are_followed(
    requests: Requests, transport: InProcess
) -> None:
    # Uploads answer with absolute links to the server that may not be running.
    objects = requests.service.resources.buckets["vams-assets"]
    link = objects.presign_put("linked.txt", seconds=60, size=10)
    assert link.startswith(URL)
    client = Client(transport, transport.token(ADMIN))
    client.send_part(link, lambda: iter([b"two ", b"chunks"]), 10)
    assert objects.read("linked.txt") == b"two chunks"


def test_a_large_answer_goes_into_a_file(requests: Requests, transport: InProcess) -> None:
    # Files are not kept in memory.
    objects = requests.service.resources.buckets["vams-assets"]
    objects.put("large.bin", bytes(3_000_000))
    target = io.BytesIO()
    response = transport.send(Request("GET", objects.presign_get("large.bin", seconds=60)), target)
    assert (response.status, response.body) == (200, b"")
    assert target.getvalue() == bytes(3_000_000)
