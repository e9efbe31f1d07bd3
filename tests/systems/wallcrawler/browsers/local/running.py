"""Real browsers for tests: the local adapter in a temporary folder, a CDP client, and a small site."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.wallcrawler.browsers.local.adapter import LocalBrowsers
from sortkey_systems.wallcrawler.browsers.local.chromium import ChromiumMissing, find_chromium
from sortkey_systems.wallcrawler.browsers.local.session_folder import State
from sortkey_systems.wallcrawler.browsers.local.settings import LocalSettings
from sortkey_systems.wallcrawler.browsers.port import (
    BrowserEvent,
    BrowserSpec,
    CdpConnection,
    Role,
)

ANSWER_SECONDS = 20.0


def need_chromium() -> None:
    """Skip where there is no Chromium."""
    try:
        find_chromium()
    except ChromiumMissing as error:
        pytest.skip(str(error))


@dataclass
class Running:
    """Browsers that run, and what they have said."""

    browsers: LocalBrowsers
    homes: Path
    events: list[BrowserEvent] = field(default_factory=list[BrowserEvent])

    async def start(self, name: str = "a", **settings: Any) -> str:
        """The id of a new session."""
        given = spec(name, **settings)
        await self.browsers.start(given)
        return given.session_id

    def state(self, session_id: str) -> State:
        state = State.read(self.browsers.folder(session_id))
        assert state is not None
        return state

    async def heard(self, wanted: BrowserEvent | type[BrowserEvent]) -> None:
        """Wait for an event."""
        await until(
            lambda: any(
                event == wanted or (isinstance(wanted, type) and isinstance(event, wanted))
                for event in self.events
            )
        )

    @asynccontextmanager
    async def client(self, session_id: str, role: Role = Role.CLIENT) -> AsyncIterator[Cdp]:
        connection = await self.browsers.connect(session_id, role)
        try:
            yield Cdp(connection)
        finally:
            connection.close()


@asynccontextmanager
async def running(
    folder: Path, *, ends_sessions: bool = True, **settings: Any
) -> AsyncIterator[Running]:
    """Browsers below a folder. At the end they are all ended, and nothing of them is left."""
    need_chromium()
    # Not below pytest's folder, which is closed to the users that browsers run as.
    with tempfile.TemporaryDirectory(prefix="homes-") as homes:
        os.chmod(homes, 0o711)
        settings = {"warm": 0, "homes": homes} | settings
        browsers = LocalBrowsers(folder / "data", LocalSettings(**settings))
        found = Running(browsers, Path(homes))
        browsers.subscribe(found.events.append)
        await browsers.open()
        try:
            yield found
        finally:
            for browser in await browsers.running() if ends_sessions else []:
                await browsers.end(browser.session_id, "the test is over")
            await browsers.close()
        assert os.listdir(homes) == []


def spec(name: str = "a", **settings: Any) -> BrowserSpec:
    given: dict[str, Any] = {
        "session_id": f"sess_{name}",
        "project_id": "project_test",
        "expires_at": time.time() + 600,
        "record": False,
    }
    return BrowserSpec(**given | settings)


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)


async def nothing_left_of(state: State) -> None:
    """Wait until no process of a session is left: a holder that has hung up still has to exit, and
    its parent to notice.
    """
    await until(lambda: processes_of(state) == [])


class CdpError(Exception):
    """What Chromium, or the holder, has answered instead of a result."""


class Cdp:
    """A CDP client that does one thing after another."""

    def __init__(self, connection: CdpConnection) -> None:
        self.connection = connection
        self.events: list[dict[str, Any]] = []
        self._number = 0

    async def call(
        self, method: str, params: dict[str, Any] | None = None, session: str | None = None
    ) -> dict[str, Any]:
        number = await self.send(method, params or {}, session)
        while (answer := await self.receive()).get("id") != number:
            self.events.append(answer)
        assert answer.get("sessionId") == session
        if "error" in answer:
            raise CdpError(answer["error"]["message"])
        return answer["result"]

    async def send(self, method: str, params: dict[str, Any], session: str | None = None) -> int:
        """Send a command without waiting for its answer, and return its id."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        target = {"sessionId": session} if session else {}
        await self.connection.send(json.dumps(message | target))
        return self._number

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(ANSWER_SECONDS):
            return json.loads(await self.connection.receive())

    async def event(self, method: str) -> dict[str, Any]:
        """The parameters of the next such event, also of one that has come already."""
        while True:
            for number, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(number)["params"]
            self.events.append(await self.receive())

    async def page(self) -> str:
        """A session on the first page."""
        targets = (await self.call("Target.getTargets"))["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        return await self.attach(page["targetId"])

    async def attach(self, target_id: str) -> str:
        params = {"targetId": target_id, "flatten": True}
        return (await self.call("Target.attachToTarget", params))["sessionId"]

    async def evaluate(self, expression: str, session: str) -> Any:
        params = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = await self.call("Runtime.evaluate", params, session)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def goto(self, url: str, session: str) -> dict[str, Any]:
        """Open a page and wait until it is complete, unless it cannot be loaded."""
        answer = await self.call("Page.navigate", {"url": url}, session)
        loaded = f"document.readyState == 'complete' && location.href.startsWith({json.dumps(url)})"
        for _ in range(1000):
            if "errorText" in answer or await self.evaluate(loaded, session):
                return answer
            await asyncio.sleep(0.02)
        raise AssertionError(f"{url} did not load")


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, headers, body = self._page()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _page(self) -> tuple[int, dict[str, str], bytes]:
        html = {"Content-Type": "text/html; charset=utf-8"}
        path, _, query = self.path.partition("?")
        match path:
            case "/cookie":
                return 200, html, self.headers.get("Cookie", "").encode()
            case "/redirect":
                return 302, {"Location": query}, b""
            case "/download":
                return 200, {"Content-Disposition": "attachment; filename=report.pdf"}, b"pdf" * 99
            case _:
                return 200, html, b"<title>Site</title><input type=file id=file><p>hello</p>"

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@contextmanager
def site() -> Iterator[str]:
    """The address of a small site on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def processes_of(state: State) -> list[int]:
    """The processes of a session's user, and its holder. Without root only the holder is known."""
    found: list[int] = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                is_user = state.uid is not None and entry.stat().st_uid == state.uid
            except OSError:
                continue
            if is_user or int(entry.name) == state.holder_pid:
                found.append(int(entry.name))
    return found
