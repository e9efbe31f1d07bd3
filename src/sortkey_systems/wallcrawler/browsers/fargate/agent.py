"""The entry point of a task's container: starts one holder, and lets the server reach it over TCP.

Every connection begins with a frame that has the secret of the task and a role. `start` brings the
spec with its files, `files` takes what an ended browser has left; every other role is handed to the
holder's socket as it is. The container ends with its browser.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tarfile
import tempfile
import time
from hmac import compare_digest
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.browsers.choice import local_settings
from sortkey_systems.wallcrawler.browsers.local.adapter import LocalBrowsers
from sortkey_systems.wallcrawler.browsers.local.folders import Folders
from sortkey_systems.wallcrawler.browsers.local.frame_connection import (
    FrameConnection,
    open_frame_connection,
)
from sortkey_systems.wallcrawler.browsers.local.launch import spec_from_json
from sortkey_systems.wallcrawler.browsers.port import BrowserDidNotStart, BrowserGone

SECRET, HOST, PORT = (f"WALLCRAWLER_AGENT_{name}" for name in ("SECRET", "HOST", "PORT"))
PORT_DEFAULT = 9223
HELLO_SECONDS = 10.0
START, FILES = "start", "files"
"""Roles of connections that the agent serves itself."""
PIECE_BYTES = 256 << 10
LOOK_SECONDS = 0.5
UNUSED_SECONDS = 300.0
"""A task that nobody starts a browser in ends after so long."""
LINGER_SECONDS = 60.0
"""How long what an ended browser has left can be taken."""


class Agent:
    """Serves one session of one task."""

    def __init__(self, root: Path, secret: str) -> None:
        self._root, self._secret = root, secret
        self._folders = Folders(root)
        self._session_id: str | None = None
        self._is_fetched = False

    async def run(self, host: str, port: int) -> None:
        """Serve until the browser has ended and its files were taken."""
        loop = asyncio.get_running_loop()
        server = await loop.create_server(self._protocol, host, port)
        async with server:
            await self._until_done()

    def _protocol(self) -> _Incoming:
        return _Incoming(self._serve)

    async def _until_done(self) -> None:
        begun, ended_at = time.monotonic(), None
        while not self._is_fetched:
            await asyncio.sleep(LOOK_SECONDS)
            if self._session_id is None:
                if time.monotonic() - begun > UNUSED_SECONDS:
                    return
            elif not await self._has_holder():
                ended_at = ended_at or time.monotonic()
                if time.monotonic() - ended_at > LINGER_SECONDS:
                    return

    async def _has_holder(self) -> bool:
        return (self._folder / "state.json").exists()

    @property
    def _folder(self) -> Path:
        return self._folders.of(self._session_id or "none")

    # -- connections

    async def _serve(self, connection: FrameConnection) -> None:
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                hello: dict[str, Any] = json.loads(await connection.receive())
            if not compare_digest(str(hello.get("secret", "")).encode(), self._secret.encode()):
                return
            role = str(hello.get("role", ""))
            if role == START:
                await self._start(connection)
            elif role == FILES:
                await self._send_files(connection)
            else:
                await self._relay(connection, role, hello.get("page"))
        except (BrowserGone, TimeoutError, ValueError):
            pass  # whoever connected has left, or was not who it should be
        finally:
            connection.close()

    async def _start(self, connection: FrameConnection) -> None:
        """Start the browser of a spec; the answer has its version, or why it did not start."""
        content: dict[str, Any] = json.loads(await connection.receive())
        with tempfile.TemporaryDirectory(prefix="wallcrawler-") as folder:
            spec = content["spec"]
            for name in ("profile_archive", "extension"):
                if spec[name] is not None:
                    spec[name] = str(await _received(connection, Path(folder), name))
            browsers = LocalBrowsers(
                self._root, local_settings({**os.environ, "WALLCRAWLER_WARM": "0"})
            )
            try:
                await browsers.open()
                started = await browsers.start(spec_from_json(spec))
            except BrowserDidNotStart as error:
                await connection.send(json.dumps({"error": str(error)}).encode())
                return
            finally:
                await browsers.close()  # from now on the holder hears from the server only
        self._session_id = spec["session_id"]
        version = {
            "product": started.product,
            "userAgent": started.user_agent,
            "protocolVersion": started.protocol_version,
        }
        await connection.send(json.dumps(version).encode())

    async def _relay(self, connection: FrameConnection, role: str, page_id: str | None) -> None:
        """Hand frames on between the server and the holder, until one of them leaves."""
        holder = await open_frame_connection(self._folder, role, page_id)
        ways = [
            asyncio.create_task(_pump(source, target))
            for source, target in ((connection, holder), (holder, connection))
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            holder.close()

    async def _send_files(self, connection: FrameConnection) -> None:
        """All that the session has left, as a tar; then nothing keeps the container."""
        with tempfile.TemporaryFile() as file:
            await asyncio.to_thread(_pack, self._folder, file)
            file.seek(0)
            while piece := file.read(PIECE_BYTES):
                await connection.send(piece)
        await connection.send(b"")
        self._is_fetched = not await self._has_holder()


class _Incoming(FrameConnection):
    """A connection that is served as soon as it is made."""

    def __init__(self, serve: Any) -> None:
        super().__init__()
        self._serve = serve

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._task = asyncio.get_running_loop().create_task(self._serve(self))


async def _pump(source: FrameConnection, target: FrameConnection) -> None:
    try:
        while True:
            await target.send(await source.receive())
    except BrowserGone:
        return


async def _received(connection: FrameConnection, folder: Path, name: str) -> Path:
    """A file, or a folder as a tar, up to an empty frame."""
    path = folder / f"{name}.received"
    with path.open("xb") as file:
        while piece := await connection.receive():
            file.write(piece)
    if name != "extension":
        return path
    target = folder / name
    with tarfile.open(path) as archive:
        archive.extractall(target, filter="data")
    return target


def _pack(folder: Path, file: Any) -> None:
    with tarfile.open(fileobj=file, mode="w") as archive:
        for path in sorted(folder.iterdir()) if folder.exists() else ():
            if path.is_file() or (path.is_dir() and not path.is_symlink()):
                archive.add(path, path.name)


def main() -> None:
    secret = os.environ.pop(SECRET, "")
    if not secret:
        sys.exit(f"{SECRET} is missing: a task is started by the server, which sets it")
    default = os.path.join(tempfile.gettempdir(), "wallcrawler-agent")
    root = Path(os.environ.get("WALLCRAWLER_AGENT_FOLDER", default))
    host = os.environ.get(HOST, "0.0.0.0")
    asyncio.run(Agent(root, secret).run(host, int(os.environ.get(PORT, PORT_DEFAULT))))


if __name__ == "__main__":
    main()
