"""Stagehand: it uploads an extension, and that extension connects from inside the browser."""

from __future__ import annotations

import asyncio

from stagehand import Stagehand, browserbase

from tests.systems.wallcrawler.clients.conftest import Server, wait_until
from tests.systems.wallcrawler.clients.node import run_node
from tools.downloads import STAGEHAND_JS


def test_its_locators_drive_a_session(server: Server, site: str) -> None:
    # No language model is needed for them.
    asyncio.run(_drive(server, site))
    client = server.client()
    (session,) = client.sessions.list(q="user_metadata['test']:'locators'")
    wait_until(lambda: client.sessions.retrieve(session.id).status == "COMPLETED")


async def _drive(server: Server, site: str) -> None:
    browser = await browserbase.launch(
        api_key=server.key, base_url=server.url, user_metadata={"test": "locators"}
    )
    stagehand = None
    try:
        stagehand = await Stagehand.create(browser=browser)
        page = (await browser.context.pages())[0]
        await page.goto(site)
        await page.locator("#name").fill("Barbara")
        await page.locator("#go").click()
        assert await page.locator("#said").inner_text() == "Hello Barbara"
        assert await page.title() == "Orders"
        assert (await page.screenshot())[:4] == b"\x89PNG"
    finally:
        if stagehand is not None:
            await stagehand.close()
        await browser.close()


def test_its_javascript_twin_drives_a_session_too(server: Server, site: str) -> None:
    # Most of its users write TypeScript; the SDK below it is another implementation as well.
    seen = run_node("stagehand.mjs", STAGEHAND_JS, KEY=server.key, SERVER=server.url, SITE=site)
    assert seen == {
        "acted": True,
        "said": "Hello Margaret",
        "found": 1,
        "pages": 1,
        "ended": "COMPLETED",
        "refused": 404,
    }
