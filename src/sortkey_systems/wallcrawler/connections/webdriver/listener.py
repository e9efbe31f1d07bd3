"""The private port at which a chromedriver finds the browser of its session.

chromedriver takes an address of host and port only, so nothing secret fits into it. Instead, each
connection is traced to the process that made it: only the one chromedriver is let in.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from sortkey_systems.wallcrawler.browsers.port import BrowserGone, CdpConnection, Role
from sortkey_systems.wallcrawler.connections import discovery

Connect = Callable[[Role], Awaitable[CdpConnection]]
UPLOADS = "/tmp/.uploads"
"""Where clients find what they have uploaded. The holder maps it to the folder of the session."""
_FILES = '"DOM.setFileInputFiles"'


class PrivateListener:
    """Serves discovery and CDP of one browser to one process: `process_id`, once it is known."""

    def __init__(self, connect: Connect, uploads: Path) -> None:
        self._connect, self._uploads = connect, uploads
        self.process_id: int | None = None
        self._server: Server | None = None

    async def start(self) -> str:
        """Listen on a free port of loopback. Returns host and port."""
        self._server = await serve(
            self._relay,
            "127.0.0.1",
            0,
            process_request=self._discover,
            compression=None,
            max_size=None,
            ping_interval=None,
        )
        host, port = next(iter(self._server.sockets)).getsockname()[:2]
        return f"{host}:{port}"

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _discover(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer discovery. None: go on to the WebSocket."""
        if not self._is_ours(connection):
            return connection.respond(
                HTTPStatus.FORBIDDEN, "this port belongs to a WebDriver session\n"
            )
        path = request.path.rstrip("/")
        if not path.startswith("/json"):
            return None
        question = discovery.version if path == "/json/version" else discovery.pages
        address = f"ws://{request.headers['Host']}/devtools/browser"
        try:
            browser = await self._connect(Role.OBSERVER)
        except BrowserGone:
            return connection.respond(HTTPStatus.GONE, "the session has ended\n")
        try:
            answer = await question(browser, address)
        except BrowserGone:
            return connection.respond(HTTPStatus.GONE, "the session has ended\n")
        finally:
            browser.close()
        response = connection.respond(HTTPStatus.OK, json.dumps(answer))
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = "application/json; charset=UTF-8"
        return response

    def _is_ours(self, connection: ServerConnection) -> bool:
        if self.process_id is None:
            return False
        return is_connected(
            self.process_id, connection.remote_address[1], connection.local_address[1]
        )

    async def _relay(self, connection: ServerConnection) -> None:
        try:
            browser = await self._connect(Role.CLIENT)
        except BrowserGone:
            return
        ways = [
            asyncio.ensure_future(way(connection, browser))
            for way in (self._to_browser, _to_driver)
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            browser.close()
            for each in ways:
                each.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _to_browser(self, connection: ServerConnection, browser: CdpConnection) -> None:
        with suppress(ConnectionClosed, BrowserGone):
            async for message in connection:
                text = message if isinstance(message, str) else message.decode()
                await browser.send(self._with_uploads(text) if _FILES in text else text)

    def _with_uploads(self, text: str) -> str:
        """chromedriver checks that files exist: it sees empty ones, the browser real ones."""
        try:
            message: dict[str, Any] = json.loads(text)
            files: list[str] = message["params"]["files"]
            own = [
                Path(each).name if Path(each).parent == self._uploads else None for each in files
            ]
            changed = [
                f"{UPLOADS}/{name}" if name else each for name, each in zip(own, files, strict=True)
            ]
            message["params"]["files"] = changed
        except (ValueError, KeyError, TypeError):
            return text
        return json.dumps(message)


async def _to_driver(connection: ServerConnection, browser: CdpConnection) -> None:
    with suppress(ConnectionClosed, BrowserGone):
        while True:
            await connection.send(await browser.receive())


def is_connected(process_id: int, peer_port: int, own_port: int) -> bool:
    """Whether the process has the other end of a connection over loopback."""
    inode = _inode(peer_port, own_port)
    folder = f"/proc/{process_id}/fd"
    try:
        files = os.listdir(folder) if inode else []
    except OSError:
        return False
    return any(_link(f"{folder}/{each}") == f"socket:[{inode}]" for each in files)


def _inode(peer_port: int, own_port: int) -> str | None:
    ends = f"0100007F:{peer_port:04X}", f"0100007F:{own_port:04X}"
    try:
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return None
    found = (line.split() for line in lines)
    return next((each[9] for each in found if (each[1], each[2]) == ends), None)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
