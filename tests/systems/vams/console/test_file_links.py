"""Links to files for the browser."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from sortkey_systems.vams.console.file_links import PATH, PICTURE, SECONDS, FileLinks
from sortkey_systems.vams.console.interface import Identity, Interface
from tests.systems.vams.host import ADMIN, Requests

ASSET = "/database/plant/assets/pump"


@pytest.fixture(scope="module")
def links(requests: Requests) -> FileLinks:
    return FileLinks(requests.service, Interface(requests.service), "/console")


@pytest.fixture(scope="module")
def client(links: FileLinks) -> Iterator[TestClient]:
    inner = Starlette(routes=[Mount(PATH, links)])
    with TestClient(Starlette(routes=[Mount("/console", inner)])) as opened:
        yield opened


def test_a_link_that_was_changed_opens_nothing(links: FileLinks, client: TestClient) -> None:
    # It names the user in whose name the file is read.
    address = links.address(Identity(ADMIN), ASSET, "/a.txt")
    ticket = address.split("/")[3]
    forged = links.address(Identity("other@example.com"), ASSET, "/a.txt").split("/")[3]
    text, signature = forged.split(".")[0], ticket.split(".")[1]
    assert client.get(f"/console{PATH}/{text}.{signature}/a.txt").status_code == 403
    assert client.get(f"/console{PATH}/nonsense/a.txt").status_code == 403
    assert client.get(f"/console{PATH}/{text}.\u00e9/a.txt").status_code == 403
    assert client.get(f"/console{PATH}/").status_code == 403
    assert client.post(address).status_code == 403


def test_the_interface_answers_a_valid_link(links: FileLinks, client: TestClient) -> None:
    # An asset that is unknown is not there; the link itself was fine. And nothing runs as a page.
    answer = client.get(links.address(Identity(ADMIN), ASSET, "/a b+c.txt"))
    assert answer.status_code == 404
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_preview_that_is_missing_is_empty_and_no_error(
    links: FileLinks, client: TestClient
) -> None:
    # A wall of pictures would fill the log of the browser; it shows an icon instead.
    answer = client.get(links.address(Identity(ADMIN), ASSET, "/preview.png") + f"?{PICTURE}")
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_link_ends(
    requests: Requests, links: FileLinks, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It may stay in the history of a browser.
    address = links.address(Identity(ADMIN), ASSET, "/a.txt")
    later = requests.service.clock() + SECONDS + 1
    monkeypatch.setattr(links, "_clock", lambda: later)
    assert client.get(address).status_code == 403
