"""The relay between a WebSocket and a browser."""

import asyncio
from typing import Any

from starlette.websockets import WebSocket

from sortkey_systems.wallcrawler.connections.relay import relay


class QuietBrowser:
    """A connection on which nothing happens until it is closed."""

    is_closed = False

    async def send(self, message: str | bytes) -> None: ...

    async def receive(self) -> str:
        await asyncio.sleep(30)
        return ""

    def close(self) -> None:
        self.is_closed = True


def test_a_relay_ends_when_its_link_expires() -> None:
    # A link for a minute must not show the browser for hours to whoever keeps the page open.
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        if not sent:
            return {"type": "websocket.connect"}
        await asyncio.sleep(30)
        return {"type": "websocket.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async def scenario() -> None:
        browser = QuietBrowser()
        socket = WebSocket({"type": "websocket", "headers": []}, receive, send)
        await socket.accept()
        async with asyncio.timeout(5):
            await relay(socket, browser, seconds_max=0.02)
        assert sent[-1]["reason"] == "the link has expired"
        assert browser.is_closed

    asyncio.run(scenario())
