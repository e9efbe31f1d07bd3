"""Messages between a WebSocket and a browser, both ways, in order, each side at the pace of the
other.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from sortkey_systems.wallcrawler.browsers.port import BrowserGone, CdpConnection

GOING_AWAY = 1001
"""The close code that says: the session has ended."""


async def relay(
    socket: WebSocket, browser: CdpConnection, *, seconds_max: float | None = None
) -> None:
    """Hand messages on until one side leaves, or for `seconds_max`. The socket is accepted; both
    are closed in the end.

    Each direction holds one message at most. A side that does not read is not sent to, so the other
    one waits.
    """
    ways = [asyncio.ensure_future(way(socket, browser)) for way in (_to_browser, _to_client)]
    try:
        done, _ = await asyncio.wait(ways, timeout=seconds_max, return_when=asyncio.FIRST_COMPLETED)
        reason = "the session has ended" if done else "the link has expired"
        await close(socket, reason)  # nothing happens if it was the client that left
    finally:
        browser.close()
        for each in ways:
            each.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def close(socket: WebSocket, reason: str = "the session has ended") -> None:
    """Close a socket, whatever state it is in."""
    with suppress(RuntimeError, WebSocketDisconnect, OSError):
        await socket.close(GOING_AWAY, reason)


async def _to_browser(socket: WebSocket, browser: CdpConnection) -> None:
    with suppress(BrowserGone):
        while True:
            message: Any = await socket.receive()
            if message["type"] != "websocket.receive":
                return
            text: str | None = message.get("text")
            await browser.send(message["bytes"] if text is None else text)


async def _to_client(socket: WebSocket, browser: CdpConnection) -> None:
    with suppress(BrowserGone, WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_text(await browser.receive())
