"""A session whose requests leave through somebody's proxy, asked for with the published client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import browserbase
import pytest
from playwright.sync_api import sync_playwright

from tests.systems.wallcrawler.clients.conftest import Server, wait_until
from tests.systems.wallcrawler.proxies.upstream import BODY, upstream


def test_requests_take_their_proxy_with_credentials_and_are_counted(
    server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # The address that a site sees is why people ask for proxies, and the bytes are what they pay.
    with upstream() as (port, seen), sync_playwright() as playwright:
        proxy = {
            "type": "external",
            "server": f"http://127.0.0.1:{port}",
            "username": "ada",
            "password": "secret",
            "domainPattern": "far.example",
        }
        session = new_session(proxies=[proxy])
        browser = playwright.chromium.connect_over_cdp(session.connect_url)
        page = browser.contexts[0].pages[0]
        page.goto("http://far.example/path")
        assert len(page.locator("body").inner_text()) == len(BODY)
        page.goto(site)  # not through it
        browser.close()
        assert ("GET", "http://far.example/path", "Basic YWRhOnNlY3JldA==") in seen
        assert all(target.startswith("http://far.example/") for _, target, _ in seen)
    client = server.client()
    wait_until(lambda: client.sessions.retrieve(session.id).status == "COMPLETED")
    assert client.sessions.retrieve(session.id).proxy_bytes >= len(BODY)


def test_a_proxy_that_cannot_be_used_is_refused(server: Server) -> None:
    # Going out without it would show the wrong address to the world.
    for proxies in (True, [{"type": "external", "server": "ftp://far.example"}]):
        with pytest.raises(browserbase.BadRequestError):
            server.client().sessions.create(proxies=proxies)  # pyright: ignore[reportArgumentType]
