"""The chromedriver of one session: a process that ends with it, at the latest with the server."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sortkey.errors import NotConfigured
from sortkey_systems.wallcrawler.connections.webdriver.listener import Connect, PrivateListener

START_SECONDS = 20
COMMAND_SECONDS = 600
STOP_SECONDS = 3
ANSWER_BYTES_MAX = 128 << 20
NOBODY = 65534
PREFIX = "wallcrawler-webdriver-"
"""Of folders; then comes the process id of the server."""
PLACES = ("/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver")


class DriverFailed(Exception):
    """chromedriver did not start, or did not answer."""


class Answer(NamedTuple):
    """What chromedriver answers to a command."""

    status: int
    body: bytes


def chromedriver() -> str:
    """The path of chromedriver. Raises NotConfigured with what to install."""
    path = shutil.which("chromedriver") or next(
        (each for each in PLACES if os.access(each, os.X_OK)), None
    )
    if path is None:
        raise NotConfigured(
            "WebDriver needs chromedriver (Debian: apt-get install chromium-driver)"
        )
    return path


class Driver:
    """One chromedriver, attached to the browser of one session."""

    def __init__(self, connect: Connect) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        """Empty files with the names of uploads; chromedriver looks whether they are there."""
        self.used_at = time.monotonic()
        self.sessions: set[str] = set()
        """The ids of its WebDriver sessions."""
        self.address = ""
        """Where chromedriver finds the browser."""
        self._listener = PrivateListener(connect, self.folder)
        self._base = secrets.token_hex(16)
        self._process: asyncio.subprocess.Process | None = None
        self._port = 0

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Start it. Raises DriverFailed and NotConfigured; nothing is left of a failed start."""
        try:
            self.address = await self._listener.start()
            self._process = await asyncio.create_subprocess_exec(
                *_command(self._base, self.folder),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=self.folder,
                env={
                    "PATH": os.environ.get("PATH", ""),
                    "HOME": str(self.folder),
                    "TMPDIR": str(self.folder),
                },
                start_new_session=True,
            )
            self._listener.process_id = self._process.pid
            async with asyncio.timeout(START_SECONDS):
                self._port = await _port_of(self._process)
        except (OSError, TimeoutError, ValueError) as problem:
            await self.stop()
            raise DriverFailed("chromedriver did not start") from problem
        except BaseException:
            await self.stop()
            raise

    async def request(self, method: str, path: str, body: bytes) -> Answer:
        """Send a command; `path` begins with a slash. Raises DriverFailed."""
        self.used_at = time.monotonic()
        head = [
            f"{method} /{self._base}{path} HTTP/1.1",
            f"Host: 127.0.0.1:{self._port}",
            "Content-Type: application/json; charset=utf-8",
            f"Content-Length: {len(body)}",
            "Connection: close",
        ]
        try:
            async with asyncio.timeout(COMMAND_SECONDS):
                return await _answer(self._port, "\r\n".join([*head, "", ""]).encode() + body)
        except (OSError, TimeoutError, ValueError, EOFError) as problem:
            raise DriverFailed("chromedriver does not answer") from problem
        finally:
            self.used_at = time.monotonic()

    async def stop(self) -> None:
        """End the process. Stopping twice is fine."""
        process = self._process
        if process is not None and process.returncode is None:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.wait(), STOP_SECONDS)
                    break
        await self._listener.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def remove_leftovers() -> None:
    """Delete the folders of servers that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)


def _command(base: str, folder: Path) -> list[str]:
    """As nobody where we may, and so that it dies with the server even if that is killed."""
    command = [chromedriver(), "--port=0", f"--url-base={base}"]
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return command
    drop = [setpriv, "--pdeathsig", "KILL"]
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
        drop += [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs"]
    return [*drop, "--", *command]


async def _port_of(process: asyncio.subprocess.Process) -> int:
    """chromedriver says on which port it listens."""
    assert process.stdout is not None
    async for line in process.stdout:
        words = line.decode(errors="replace").strip().rstrip(".").split(" on port ")
        if len(words) == 2 and words[1].isdecimal() and words[1] != "0":
            return int(words[1])
    raise ValueError("chromedriver ended")


async def _answer(port: int, request: bytes) -> Answer:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    try:
        writer.write(request)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(":") for line in head)}
        length = int(headers.get("content-length", "0"))
        if length > ANSWER_BYTES_MAX:
            raise ValueError("the answer is too large")
        return Answer(int(head[0].split(" ", 2)[1]), await reader.readexactly(length))
    finally:
        writer.close()
