"""Puppeteer, run by Node; installed once into the cache, skipped with the reason otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.systems.wallcrawler.clients.conftest import Server, wait_until
from tests.systems.wallcrawler.clients.node import run_node
from tools.downloads import PUPPETEER


def test_it_drives_leaves_comes_back_and_closes(
    server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # `disconnect` leaves the browser alone; `close` sends Browser.close, which ends the session.
    session = new_session()
    seen = run_node("puppeteer.mjs", PUPPETEER, CONNECT_URL=session.connect_url, SITE=f"{site}/")
    assert seen == {"said": "Hello Linus", "again": f"{site}/", "tabs": 2, "picture": True}
    wait_until(lambda: server.client().sessions.retrieve(session.id).status == "COMPLETED")
