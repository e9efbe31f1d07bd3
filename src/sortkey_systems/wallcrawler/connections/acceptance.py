"""WebSockets of browsers, from the request to their end. A refusal comes before the upgrade, as a
plain HTTP answer, so that a client sees the status and the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Any, NamedTuple

from fastapi import WebSocket
from fastapi.responses import JSONResponse

from sortkey.web import Refused
from sortkey_systems.wallcrawler.browsers.port import CdpConnection
from sortkey_systems.wallcrawler.connections.relay import relay

ACCEPT_SECONDS = 30


class Opened(NamedTuple):
    """A browser for a socket, and for how long."""

    browser: CdpConnection
    seconds_max: float | None = None


async def serve(socket: WebSocket, opening: Coroutine[Any, Any, Opened]) -> None:
    """Connect a browser, accept the socket, and hand messages on until one side leaves."""
    try:
        async with asyncio.timeout(ACCEPT_SECONDS):
            browser, seconds_max = await opening
    except Refused as refused:
        await socket.send_denial_response(_denial(refused))
        return
    except TimeoutError:
        slow = Refused(504, "BrowserSlow", "the browser did not answer in time: try again")
        await socket.send_denial_response(_denial(slow))
        return
    try:
        await socket.accept()
    except BaseException:
        browser.close()
        raise
    await relay(socket, browser, seconds_max=seconds_max)


def _denial(refused: Refused) -> JSONResponse:
    """A refusal in the shape of all errors of this interface."""
    body = {
        "statusCode": refused.status,
        "error": HTTPStatus(refused.status).phrase,
        "message": refused.message,
        "code": refused.code,
    }
    return JSONResponse(body, refused.status, {"Cache-Control": "no-store"})
