"""Discovery over HTTP, as Chromium's own port offers it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tests.systems.wallcrawler.clients.conftest import Server


@pytest.mark.parametrize("slash", ["", "/"])
@pytest.mark.parametrize("form", ["token in the address", "headers at the root"])
def test_the_version_leads_to_the_socket(
    server: Server, new_session: Callable[..., Any], form: str, slash: str
) -> None:
    # Some clients add a slash; Puppeteer's browserURL drops path and query and keeps headers only.
    session = new_session(keep_alive=True)
    if form == "token in the address":
        path, _, query = session.connect_url.replace("ws://", "http://").partition("?")
        answer = httpx.get(f"{path}/json/version{slash}?{query}")
    else:
        headers = {"x-bb-api-key": server.key, "session-id": session.id}
        answer = httpx.get(f"{server.url}/json/version{slash}", headers=headers)
    about = answer.json()
    assert about["Browser"].startswith(("Chrome/", "HeadlessChrome/"))
    assert about["webSocketDebuggerUrl"] == session.connect_url
    with connect(about["webSocketDebuggerUrl"]) as client:
        client.send(json.dumps({"id": 1, "method": "Browser.getVersion"}))
        assert json.loads(client.recv(timeout=20))["result"]["product"] == about["Browser"]


def test_the_list_has_pages_only(server: Server, new_session: Callable[..., Any]) -> None:
    # Chromium has targets for tabs and for its own surface too, which no client can drive.
    session = new_session(keep_alive=True)
    path, _, query = session.connect_url.replace("ws://", "http://").partition("?")
    (page,) = httpx.get(f"{path}/json/list?{query}").json()
    assert (page["type"], page["url"]) == ("page", "about:blank")
    assert page["webSocketDebuggerUrl"] == session.connect_url
