"""What Chromium's own discovery over HTTP would say of a session's browser: its version and its
pages.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from sortkey_systems.wallcrawler.browsers.port import BrowserGone, CdpConnection

ANSWER_SECONDS = 10


class BrowserAnswers:
    """Asks a browser over a connection that is not a client's."""

    def __init__(self, connection: CdpConnection) -> None:
        self._connection = connection
        self._number = 0

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result of a command. Raises BrowserGone, also for a browser that does not answer."""
        self._number += 1
        request = {"id": self._number, "method": method, "params": params or {}}
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._connection.send(json.dumps(request))
                while True:
                    message: dict[str, Any] = json.loads(await self._connection.receive())
                    if message.get("id") == self._number:
                        break
        except TimeoutError:
            raise BrowserGone("the browser does not answer") from None
        if "error" in message:
            raise BrowserGone(f"the browser refuses {method}")
        return message["result"]


async def version(connection: CdpConnection, socket_url: str) -> dict[str, str]:
    """As Chromium answers /json/version; chromedriver needs every line of it."""
    about = await BrowserAnswers(connection).ask("Browser.getVersion")
    return {
        "Browser": about["product"],
        "Protocol-Version": about["protocolVersion"],
        "User-Agent": about["userAgent"],
        "V8-Version": about["jsVersion"],
        "WebKit-Version": f"537.36 ({about['revision']})",
        "webSocketDebuggerUrl": socket_url,
    }


async def pages(connection: CdpConnection, socket_url: str) -> list[dict[str, str]]:
    """As Chromium answers /json/list. All pages share the socket of the browser, where `Target`
    leads to each.
    """
    targets = (await BrowserAnswers(connection).ask("Target.getTargets"))["targetInfos"]
    return [
        {
            "id": target["targetId"],
            "type": target["type"],
            "title": target["title"],
            "url": target["url"],
            "description": "",
            "webSocketDebuggerUrl": socket_url,
        }
        for target in targets
        if target["type"] == "page"
    ]
