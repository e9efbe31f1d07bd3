"""What the examples of hosted browsers do, in the words that people copy from them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import browserbase
import pytest
from playwright.sync_api import Error, Playwright, sync_playwright

from tests.systems.wallcrawler.clients.conftest import Server, wait_until


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


def test_a_download_with_the_rules_of_the_browser(
    playwright: Playwright, server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # The example names a folder that means nothing here, and fetches the zip afterwards.
    client, session = server.client(), new_session()
    browser = playwright.chromium.connect_over_cdp(session.connect_url)
    context = browser.contexts[0]
    page = context.pages[0]
    cdp = context.new_cdp_session(page)
    behaviour = {"behavior": "allow", "downloadPath": "downloads", "eventsEnabled": True}
    cdp.send("Browser.setDownloadBehavior", behaviour)
    page.goto(site)
    with page.expect_download() as begun:
        page.locator("#report").click()
    assert begun.value.failure() is None
    browser.close()
    wait_until(lambda: client.sessions.retrieve(session.id).status == "COMPLETED")
    archive = zipfile.ZipFile(io.BytesIO(client.sessions.downloads.list(session.id).read()))
    (name,) = archive.namelist()
    assert archive.read(name).startswith(b"order,total")


def test_an_uploaded_extension_works_in_pages(
    playwright: Playwright, server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # Uploaded once, used by many sessions; a new session with a deleted one is refused.
    client = server.client()
    extension = client.extensions.create(file=("marker.zip", _extension()))
    assert client.extensions.retrieve(extension.id).file_name == "marker.zip"
    session = new_session(extension_id=extension.id)
    browser = playwright.chromium.connect_over_cdp(session.connect_url)
    page = browser.contexts[0].pages[0]
    page.goto(site)
    page.wait_for_function("document.documentElement.dataset.marked === 'yes'")
    client.extensions.delete(extension.id)
    page.reload()
    page.wait_for_function("document.documentElement.dataset.marked === 'yes'")
    browser.close()
    with pytest.raises(browserbase.NotFoundError):
        client.sessions.create(extension_id=extension.id)


def _extension() -> bytes:
    manifest = {
        "manifest_version": 3,
        "name": "Marker",
        "version": "1.0",
        "content_scripts": [{"matches": ["<all_urls>"], "js": ["mark.js"]}],
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.writestr("mark.js", "document.documentElement.dataset.marked = 'yes'")
    return packed.getvalue()


def test_a_viewport_is_exact_and_domains_are_kept(
    playwright: Playwright, site: str, new_session: Callable[..., Any]
) -> None:
    # Screenshots are compared pixel by pixel; an agent must not wander off.
    settings = {"viewport": {"width": 1024, "height": 768}, "allowedDomains": ["127.0.0.1"]}
    browser = playwright.chromium.connect_over_cdp(
        new_session(browser_settings=settings).connect_url
    )
    page = browser.contexts[0].pages[0]
    page.goto(site)
    assert page.evaluate("[innerWidth, innerHeight]") == [1024, 768]
    with pytest.raises(Error):
        page.goto("http://localhost:1/")
    page.evaluate("setTimeout(() => { location.href = 'http://elsewhere.example/' }, 0)")
    page.wait_for_timeout(500)
    assert "elsewhere.example" not in page.evaluate("location.href")
    browser.close()


def test_contexts_of_a_client_go_with_it(
    playwright: Playwright, site: str, new_session: Callable[..., Any]
) -> None:
    # Each program makes an incognito context of its own; the next must not find its cookies.
    session = new_session(keep_alive=True)
    browser = playwright.chromium.connect_over_cdp(session.connect_url)
    own = browser.new_context()
    page = own.new_page()
    page.goto(site)
    page.evaluate("document.cookie = 'a=b'")
    browser.close()
    again = playwright.chromium.connect_over_cdp(session.connect_url)
    assert len(again.contexts) == 1
    again.contexts[0].pages[0].goto(site)
    assert again.contexts[0].pages[0].evaluate("document.cookie") == ""
    again.close()


def test_a_session_by_its_id_only(
    playwright: Playwright, server: Server, new_session: Callable[..., Any]
) -> None:
    # A second program has the key and the id, nothing else.
    session = new_session(keep_alive=True)
    found = server.client().sessions.retrieve(session.id)
    browser = playwright.chromium.connect_over_cdp(found.connect_url or "")
    assert browser.version
    browser.close()
