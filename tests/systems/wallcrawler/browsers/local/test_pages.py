"""The open pages of a browser, as its status tells them."""

import asyncio
import time
from pathlib import Path

import pytest

from tests.systems.wallcrawler.browsers.local.running import running

pytestmark = pytest.mark.slow


def test_the_title_of_a_page_is_reported_also_when_a_script_changes_it(tmp_path: Path) -> None:
    # It is how people know their browsers in a list; Chromium tells nobody of a new title.
    async def scenario() -> None:
        async with running(tmp_path) as run:
            session = await run.start()
            async with run.client(session) as client:
                page = await client.page()
                await client.call("Page.navigate", {"url": "data:text/html,<title>A</title>"}, page)
                for title in ("A", "B"):
                    await client.evaluate(f"document.title = {title!r}", page)
                    assert await _title(run, session, title) == title

    async def _title(run, session: str, wanted: str) -> str:
        deadline, title = time.monotonic() + 10, ""
        while title != wanted and time.monotonic() < deadline:
            status = await run.browsers.status(session)
            title = status.pages[0].title
            await asyncio.sleep(0.02)
        return title

    asyncio.run(scenario())
