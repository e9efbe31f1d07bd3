"""Playwright over CDP: by WebSocket and by discovery, alone and with others, with files both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Error, Playwright, sync_playwright

from tests.systems.wallcrawler.clients.conftest import Server, wait_until


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.mark.parametrize("form", ["websocket", "discovery", "key in the address"])
def test_it_connects_by_each_form_of_address(
    playwright: Playwright, server: Server, site: str, new_session: Callable[..., Any], form: str
) -> None:
    # connectUrl, its http twin, and what older examples still build by hand.
    session = new_session()
    address = {
        "websocket": session.connect_url,
        "discovery": session.connect_url.replace("ws://", "http://"),
        "key in the address": f"{server.url.replace('http', 'ws')}?apiKey={server.key}&sessionId={session.id}",
    }[form]
    browser = playwright.chromium.connect_over_cdp(address)
    page = browser.contexts[0].pages[0]
    page.goto(site)
    page.locator("#name").fill("Ada")
    page.locator("#go").click()
    assert page.locator("#said").inner_text() == "Hello Ada"
    assert page.screenshot()[:4] == b"\x89PNG"
    browser.close()


def test_two_at_once_see_the_same_page_and_one_that_leaves_disturbs_nobody(
    playwright: Playwright, server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # A person watches while a program drives; both are clients.
    session = new_session()
    first = playwright.chromium.connect_over_cdp(session.connect_url)
    second = playwright.chromium.connect_over_cdp(session.connect_url)
    page = first.contexts[0].pages[0]
    page.goto(site)
    second.contexts[0].pages[0].wait_for_url(f"{site}/")
    second.contexts[0].pages[0].locator("#name").fill("from the second")
    assert page.locator("#name").input_value() == "from the second"
    second.close()
    page.locator("#go").click()
    assert page.locator("#said").inner_text() == "Hello from the second"
    assert server.client().sessions.retrieve(session.id).status == "RUNNING"
    first.close()
    wait_until(lambda: server.client().sessions.retrieve(session.id).status == "COMPLETED")


def test_it_downloads_and_uploads(
    playwright: Playwright, site: str, new_session: Callable[..., Any], tmp_path: Path
) -> None:
    # It asks for its own folder on its own machine, which the browser must never see.
    (tmp_path / "letter.txt").write_text("from the client")
    browser = playwright.chromium.connect_over_cdp(new_session().connect_url)
    page = browser.contexts[0].pages[0]
    page.goto(site)
    page.locator("#file").set_input_files(tmp_path / "letter.txt")
    assert page.locator("#size").inner_text() == "letter.txt: from the client"
    with page.expect_download() as begun:
        page.locator("#report").click()
    assert begun.value.suggested_filename == "report.csv"
    assert begun.value.failure() is None
    browser.close()


def test_a_session_that_is_kept_alive_is_driven_again(
    playwright: Playwright, site: str, new_session: Callable[..., Any]
) -> None:
    # The same address works for every connection until the session is released.
    session = new_session(keep_alive=True)
    for number in range(3):
        browser = playwright.chromium.connect_over_cdp(session.connect_url)
        page = browser.contexts[0].pages[0]
        if number == 0:
            page.goto(site)
        assert page.url == f"{site}/"
        browser.close()


def test_ten_megabytes_pass_in_one_message(
    playwright: Playwright, new_session: Callable[..., Any]
) -> None:
    # Screenshots of long pages, and scripts with data in them, are as large.
    browser = playwright.chromium.connect_over_cdp(new_session().connect_url)
    page = browser.contexts[0].pages[0]
    text = "x" * 10_000_000
    assert page.evaluate("text => text + '!'", text) == f"{text}!"
    browser.close()


def test_a_release_disconnects_and_the_address_is_gone(
    playwright: Playwright, server: Server, new_session: Callable[..., Any]
) -> None:
    # A client that reconnects in a loop must see that it is over: 410, not 500.
    session = new_session()
    browser = playwright.chromium.connect_over_cdp(session.connect_url)
    server.client().sessions.update(session.id, status="REQUEST_RELEASE")
    with pytest.raises(Error, match="closed"):
        browser.contexts[0].pages[0].evaluate("1")
    with pytest.raises(Error, match="410"):
        playwright.chromium.connect_over_cdp(session.connect_url)


def test_tokens_open_their_own_session_only(
    playwright: Playwright, server: Server, new_session: Callable[..., Any]
) -> None:
    # A refusal comes before the upgrade, with a status that says what is wrong.
    one, two = new_session(keep_alive=True), new_session(keep_alive=True)
    mixed = one.connect_url.replace(one.id, two.id)
    bare = one.connect_url.partition("?")[0]
    unknown = one.connect_url.replace(one.id, "sess_unknown")
    for address, status in (
        (mixed, 403),
        (bare, 401),
        (f"{bare}?signingKey=x", 401),
        (unknown, 403),
    ):
        with pytest.raises(Error, match=str(status)):
            playwright.chromium.connect_over_cdp(address)
        asked = httpx.get(address.replace("ws://", "http://").replace("?", "/json/version?"))
        assert asked.status_code in (status, 404)
    stranger = f"{server.url}/v1/connect/{one.id}/json/version?apiKey={server.other_key}"
    assert httpx.get(stranger).status_code == 404
