"""The first page of a browser, driven over CDP: go somewhere, wait for it, take a picture.

Just what the console and the command line need. Clients bring Playwright or Puppeteer.
"""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64decode
from collections import deque
from typing import Any, Self

from sortkey_systems.wallcrawler.browsers.port import CdpConnection

ANSWER_SECONDS = 30.0
EVENTS_MAX = 1000


class PageFailed(Exception):
    """The browser refused a command, or the page could not be loaded. The message says why."""


class PageDriver:
    """A page, over a connection that nobody else uses."""

    def __init__(self, connection: CdpConnection) -> None:
        self._connection = connection
        self._session_id: str | None = None
        self._number = 0
        self._events: deque[dict[str, Any]] = deque(maxlen=EVENTS_MAX)

    @classmethod
    async def attach(cls, connection: CdpConnection) -> Self:
        """The first page of the browser. Raises PageFailed if it has none, and BrowserGone."""
        driver = cls(connection)
        targets = (await driver.send("Target.getTargets"))["targetInfos"]
        page = next((each for each in targets if each["type"] == "page"), None)
        if page is None:
            raise PageFailed("the browser has no page")
        params = {"targetId": page["targetId"], "flatten": True}
        driver._session_id = (await driver.send("Target.attachToTarget", params))["sessionId"]
        return driver

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The result of a command. Raises PageFailed, BrowserGone, and TimeoutError."""
        self._number += 1
        request: dict[str, Any] = {"id": self._number, "method": method, "params": params or {}}
        if self._session_id is not None:
            request["sessionId"] = self._session_id
        async with asyncio.timeout(ANSWER_SECONDS):
            await self._connection.send(json.dumps(request))
            while (message := await self._receive()).get("id") != self._number:
                self._events.append(message)
        if "error" in message:
            raise PageFailed(f"{method}: {message['error'].get('message', 'refused')}")
        return message["result"]

    async def go(self, url: str, seconds: float = ANSWER_SECONDS) -> None:
        """Navigate, and wait until the page is loaded. Raises PageFailed."""
        await self.send("Page.enable")
        self._events.clear()
        answer = await self.send("Page.navigate", {"url": url})
        if error := answer.get("errorText"):
            raise PageFailed(f"{url} cannot be opened: {error}")
        if "loaderId" not in answer:  # only another place in the same document
            return
        try:
            async with asyncio.timeout(seconds):
                while not self._has_loaded():
                    self._events.append(await self._receive())
        except TimeoutError:
            raise PageFailed(f"{url} was not loaded within {seconds:g} seconds") from None

    async def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        params = {"expression": script, "returnByValue": True}
        return (await self.send("Runtime.evaluate", params))["result"].get("value")

    async def screenshot(self, *, is_full: bool = False) -> bytes:
        """The page as PNG: what is seen, or all of it."""
        params: dict[str, Any] = {"format": "png", "captureBeyondViewport": is_full}
        if is_full:
            await self.send("Emulation.setScrollbarsHidden", {"hidden": True})
            size = (await self.send("Page.getLayoutMetrics"))["cssContentSize"]
            width = max(size["width"], await self.evaluate("innerWidth"))
            clip = {"x": 0, "y": 0, "width": width, "height": size["height"], "scale": 1}
            params["clip"] = clip
        return b64decode((await self.send("Page.captureScreenshot", params))["data"])

    def _has_loaded(self) -> bool:
        return any(each.get("method") == "Page.loadEventFired" for each in self._events)

    async def _receive(self) -> dict[str, Any]:
        return json.loads(await self._connection.receive())


def with_scheme(address: str) -> str:
    """What somebody types as an address: https, unless it says otherwise or is of this machine."""
    if re.match(
        r"(?:[a-z][a-z0-9+.-]*://|(?:about|data|blob|javascript):)", address, re.IGNORECASE
    ):
        return address
    is_local = re.match(r"(?:localhost|\d+\.\d+\.\d+\.\d+|\[)", address, re.IGNORECASE)
    return f"{'http' if is_local else 'https'}://{address}"
