"""Clients of a server that has other systems too: everything is below the name of this one."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.systems.wallcrawler.clients.conftest import served, wait_until
from tests.systems.wallcrawler.clients.test_selenium import connected


def test_addresses_keep_the_path_of_the_system(tmp_path: Path, site: str) -> None:
    # As `sortkey up` serves it: clients append their routes to a base URL with a path.
    with served(tmp_path, "rest", "--systems", "wallcrawler", path="/wallcrawler") as server:
        client = server.client()
        session = client.sessions.create(keep_alive=True)
        with sync_playwright() as playwright:
            for address in (session.connect_url, session.connect_url.replace("ws://", "http://")):
                browser = playwright.chromium.connect_over_cdp(address)
                browser.contexts[0].pages[0].goto(site)
                browser.close()
        if shutil.which("chromedriver"):
            headers = {"x-bb-signing-key": session.signing_key}
            driver = connected(session.selenium_remote_url or "", headers)
            assert driver.title == "Orders"
            driver.quit()
        client.sessions.update(session.id, status="REQUEST_RELEASE")
        wait_until(lambda: client.sessions.retrieve(session.id).status == "COMPLETED")
