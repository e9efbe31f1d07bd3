"""The private port at which chromedriver finds the browser."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import httpx

from sortkey_systems.wallcrawler.browsers.port import BrowserGone, CdpConnection, Role
from sortkey_systems.wallcrawler.connections.webdriver.listener import PrivateListener

ASK = "import sys, http.client as h; c = h.HTTPConnection(sys.argv[1]); "
ASK += "c.request('GET', '/json/version'); print(c.getresponse().status)"


async def _no_browser(role: Role) -> CdpConnection:
    raise BrowserGone("the session has ended")


def test_only_its_own_process_gets_in(tmp_path: Path) -> None:
    # The port is open to the whole machine, and whoever gets in drives the browser.
    async def statuses() -> list[int]:
        listener = PrivateListener(_no_browser, tmp_path)
        address = await listener.start()
        try:
            async with httpx.AsyncClient(trust_env=False) as client:
                before = await client.get(f"http://{address}/json/version")
            listener.process_id = os.getpid()
            async with httpx.AsyncClient(trust_env=False) as client:
                own = await client.get(f"http://{address}/json/version")
            command = [sys.executable, "-c", ASK, address]
            other = await asyncio.to_thread(subprocess.check_output, command, timeout=20)
            return [before.status_code, own.status_code, int(other)]
        finally:
            await listener.stop()

    assert asyncio.run(statuses()) == [403, 410, 403]
