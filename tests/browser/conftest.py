"""A real `sortkey up` for all of these tests, a real Chromium for a file of them; pages are watched
for errors.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

PICTURES = Path(os.environ.get("SORTKEY_PICTURES", ".pictures"))
"""Where the tests put what they saw, for people to look at."""
WIDE, NARROW = ViewportSize(width=1280, height=860), ViewportSize(width=390, height=844)
READY_SECONDS = 60
PATIENCE_MS = 20_000
"""For a busy machine; what is there is seen at once."""
expect.set_options(timeout=PATIENCE_MS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/browser" in item.nodeid:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("browser"))


class Up:
    """A running `sortkey up`."""

    def __init__(
        self, folder: Path, *arguments: str, cwd: Path | None = None, port: int | None = None
    ) -> None:
        self.folder = folder
        self.port, self.dynamodb_port = port or _free_port(), _free_port()
        command = [
            sys.executable,
            "-m",
            "sortkey",
            "up",
            "--data",
            str(folder),
            "--port",
            str(self.port),
        ]
        command += ["--dynamodb-port", str(self.dynamodb_port), *arguments]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=cwd,
            env={**os.environ, "WALLCRAWLER_WARM": "0"},  # no browser that nobody asked for
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    def wait_for(self, text: str, seconds: float = READY_SECONDS) -> None:
        """Until it has said this."""
        end = time.monotonic() + seconds
        while not any(text in line for line in self.lines):
            assert self.process.poll() is None, "".join(self.lines)
            assert time.monotonic() < end, f"it did not say {text!r}:\n" + "".join(self.lines)
            time.sleep(0.05)

    @property
    def said(self) -> str:
        return "".join(self.lines)

    def ended(self, seconds: float = READY_SECONDS) -> int:
        """With which code it ended by itself; all that it said is there then."""
        code = self.process.wait(seconds)
        self._reader.join(seconds)
        return code

    @property
    def console(self) -> str:
        return f"http://127.0.0.1:{self.port}/console"

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


def client(up: Up) -> Any:
    """boto3, as anybody's program would use it."""
    return boto3.client(
        "dynamodb",
        endpoint_url=f"http://127.0.0.1:{up.dynamodb_port}",
        region_name="us-east-1",
        aws_access_key_id="any",
        aws_secret_access_key="any",
    )


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """With its sample data. What a test stores there, the next one finds."""
    running = Up(tmp_path_factory.mktemp("up") / "data")
    try:
        running.wait_for("jobengine: sample data is loaded")
        running.wait_for("vams: sample data is loaded")
        yield running
    finally:
        running.process.kill()
        running.process.wait()


@pytest.fixture(
    scope="module"
)  # not longer: while it is open, no other test of the process can run an event loop
def browser() -> Iterator[Browser]:
    program = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if program is None:
        pytest.skip("there is no Chromium: install the package `chromium`")
    # The sandbox needs rights that root in a container does not have. Pages of other sites, as
    # http://evil.test, are served by the tests.
    arguments = ["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"]
    with (
        sync_playwright() as started,
        started.chromium.launch(executable_path=program, args=arguments) as browser,
    ):
        yield browser


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Iterator[Page]:
    """One for a file of tests: scripts are fetched and read once, which is most of what a page
    costs.
    """
    with browser.new_page() as tab:
        tab.set_default_timeout(PATIENCE_MS)
        yield tab


@pytest.fixture(params=["wide", "narrow"])
def page(request: pytest.FixtureRequest, tab: Page) -> Iterator[Page]:
    """A page of each width. A test fails where the page had an error, or asked for something from
    elsewhere.
    """
    _like_new(tab, WIDE if request.param == "wide" else NARROW)
    with watched(tab):
        yield tab
        picture(tab, request.node.name)


@pytest.fixture
def wide(tab: Page) -> Page:
    """A wide page that nobody watches for errors."""
    return _like_new(tab, WIDE)


def _like_new(tab: Page, size: ViewportSize) -> Page:
    """As somebody sees it who was never there: what the console keeps of a person hangs on a
    cookie.
    """
    tab.goto("about:blank")
    tab.context.clear_cookies()
    tab.emulate_media(color_scheme="light")
    tab.set_viewport_size(size)
    return tab


@contextmanager
def watched(page: Page) -> Generator[None]:
    """The page must have no error here, and ask for nothing from elsewhere."""
    wrong: list[str] = []
    watchers: dict[Any, Callable[[Any], None]] = {
        "console": lambda said: wrong.append(said.text) if said.type == "error" else None,
        "pageerror": lambda error: wrong.append(str(error)),
        "request": lambda asked: (
            wrong.append(f"asks for {asked.url}") if _is_elsewhere(asked.url) else None
        ),
    }
    for event, watcher in watchers.items():
        page.on(event, watcher)
    yield
    for event, watcher in watchers.items():
        page.remove_listener(event, watcher)
    assert wrong == []


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    words = re.findall(r"\w+", name)
    page.screenshot(path=PICTURES / f"{'-'.join(words)}.png")


def _is_elsewhere(url: str) -> bool:
    return url.startswith(("http", "ws")) and not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]", url)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
