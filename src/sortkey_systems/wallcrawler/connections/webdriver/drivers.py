"""The chromedrivers of all sessions: each runs from the first WebDriver client to the last."""

from __future__ import annotations

import asyncio
import json
import re
import time
from base64 import b64decode
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

from sortkey_systems.wallcrawler.browsers.port import BrowserGone, CdpConnection, Role
from sortkey_systems.wallcrawler.connections.webdriver.capabilities import answer_for, request_for
from sortkey_systems.wallcrawler.connections.webdriver.driver import (
    Answer,
    Driver,
    DriverFailed,
    remove_leftovers,
)

IDLE_SECONDS = 600
"""A WebDriver client has no connection that could end: one that is silent for so long has left."""
SWEEP_SECONDS = 10
SESSIONS_MAX = 4
FILE_BYTES_MAX = 50 << 20
_COMMAND = re.compile(
    r"/session/(?P<id>[0-9a-f]{16,64})(?P<rest>(?:/[A-Za-z0-9_.:=~-]{1,500}){0,8})"
)

ConnectTo = Callable[[str, Role], Awaitable[CdpConnection]]
SaveUpload = Callable[[str, str, bytes], Awaitable[None]]
"""(session id, name, content): puts a file where the browser of the session finds it."""


class WebDriverError(Exception):
    """An error as WebDriver writes it."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    @property
    def body(self) -> bytes:
        return json.dumps(
            {"value": {"error": self.code, "message": self.message, "stacktrace": ""}}
        ).encode()


class Drivers:
    """One chromedriver per session with WebDriver clients."""

    def __init__(self, connect: ConnectTo, save_upload: SaveUpload) -> None:
        self._connect, self._save_upload = connect, save_upload
        self._drivers: dict[str, Driver] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._sweep: asyncio.Task[None] | None = None

    async def command(self, session_id: str, method: str, path: str, body: bytes) -> Answer:
        """Run a WebDriver command in a session. Raises WebDriverError."""
        try:
            if (method, path) == ("POST", "/session"):
                return await self._begin(session_id, body)
            if (method, path) == ("GET", "/status"):
                return _value({"ready": True, "message": "ready"})
            match = _COMMAND.fullmatch(path)
            driver = self._drivers.get(session_id)
            if match is None:
                raise WebDriverError(404, "unknown command", "this command is not supported")
            if driver is None or match["id"] not in driver.sessions or not driver.is_alive:
                raise WebDriverError(
                    404, "invalid session id", "the WebDriver session has ended: begin a new one"
                )
            return await self._run(session_id, driver, match["id"], match["rest"], method, body)
        except DriverFailed as failed:
            await self.stop(session_id)
            raise WebDriverError(500, "unknown error", str(failed)) from failed

    async def stop(self, session_id: str) -> None:
        """End the chromedriver of a session, if it has one."""
        driver = self._drivers.pop(session_id, None)
        self._locks.pop(session_id, None)
        if driver is not None:
            await driver.stop()

    async def close(self) -> None:
        """End all of them."""
        if self._sweep is not None:
            self._sweep.cancel()
        for session_id in list(self._drivers):
            await self.stop(session_id)

    # -- commands

    async def _begin(self, session_id: str, body: bytes) -> Answer:
        wanted = _object(body)
        async with self._locks[session_id]:
            driver = await self._driver(session_id)
        if len(driver.sessions) >= SESSIONS_MAX:
            raise WebDriverError(
                500,
                "session not created",
                f"a session has at most {SESSIONS_MAX} WebDriver clients",
            )
        answer = await driver.request(
            "POST", "/session", json.dumps(request_for(wanted, driver.address)).encode()
        )
        value: Any = _object(answer.body).get("value")
        if answer.status != 200 or not isinstance(value, dict):
            if not driver.sessions:
                await self.stop(session_id)
            return answer
        shown = answer_for(value)  # pyright: ignore[reportUnknownArgumentType]
        driver.sessions.add(str(shown["sessionId"]))
        return _value(shown)

    async def _run(
        self,
        session_id: str,
        driver: Driver,
        webdriver_id: str,
        rest: str,
        method: str,
        body: bytes,
    ) -> Answer:
        if method == "POST" and rest in ("/se/file", "/file"):
            return await self._upload(session_id, driver, body)
        answer = await driver.request(method, f"/session/{webdriver_id}{rest}", body)
        if method == "DELETE" and not rest:
            driver.sessions.discard(webdriver_id)
            if not driver.sessions:
                await self.stop(session_id)
        return answer

    async def _upload(self, session_id: str, driver: Driver, body: bytes) -> Answer:
        """Selenium sends a local file as a zip of one, and puts the answer into the file input."""
        try:
            name, content = _only_file(b64decode(str(_object(body).get("file", ""))))
        except (ValueError, BadZipFile):
            raise WebDriverError(
                400, "invalid argument", "the file must be a zip of one file, in base64"
            ) from None
        await self._save_upload(session_id, name, content)
        placeholder = driver.folder / name
        placeholder.touch(mode=0o644)
        return _value(str(placeholder))

    # -- processes

    async def _driver(self, session_id: str) -> Driver:
        driver = self._drivers.get(session_id)
        if driver is not None and driver.is_alive:
            return driver
        await self.stop(session_id)

        async def connect(role: Role) -> CdpConnection:
            return await self._connect(session_id, role)

        if not self._drivers:
            await asyncio.to_thread(remove_leftovers)
        driver = Driver(connect)
        await driver.start()
        self._drivers[session_id] = driver
        if self._sweep is None or self._sweep.done():
            self._sweep = asyncio.ensure_future(self._sweep_idle())
        return driver

    async def _sweep_idle(self) -> None:
        """Stop those whose client or browser has gone, while there are any."""
        while self._drivers:
            await asyncio.sleep(SWEEP_SECONDS)
            for session_id, driver in list(self._drivers.items()):
                is_idle = time.monotonic() - driver.used_at > IDLE_SECONDS
                if is_idle or not driver.is_alive or not await self._has_browser(session_id):
                    await self.stop(session_id)

    async def _has_browser(self, session_id: str) -> bool:
        with suppress(BrowserGone):
            (await self._connect(session_id, Role.OBSERVER)).close()
            return True
        return False


def _object(body: bytes) -> dict[str, Any]:
    try:
        value: Any = json.loads(body or b"{}")
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise WebDriverError(400, "invalid argument", "the body must be a JSON object")
    return value  # pyright: ignore[reportUnknownVariableType]


def _value(value: Any) -> Answer:
    return Answer(200, json.dumps({"value": value}).encode())


def _only_file(archive: bytes) -> tuple[str, bytes]:
    with ZipFile(BytesIO(archive)) as opened:
        (entry,) = [each for each in opened.infolist() if not each.is_dir()]
        name = PurePosixPath(entry.filename).name
        if (
            not name
            or name in (".", "..")
            or "\\" in name
            or "\0" in name
            or entry.file_size > FILE_BYTES_MAX
        ):
            raise ValueError(name)
        with opened.open(entry) as file:
            content = file.read(FILE_BYTES_MAX + 1)
    if len(content) > FILE_BYTES_MAX:
        raise ValueError("too large")
    return name, content
