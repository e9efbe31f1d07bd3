"""A real `sortkey up` and a real Chromium, one of each for a file of tests; pages are watched for errors."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

PICTURES = Path(os.environ.get("SORTKEY_PICTURES", ".pictures"))
"""Where the tests put what they saw, for people to look at."""
WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
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

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.port, self.dynamodb_port = _free_port(), _free_port()
        command = [sys.executable, "-m", "sortkey", "up", "--data", str(folder), "--port", str(self.port)]
        command += ["--dynamodb-port", str(self.dynamodb_port), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

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


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    running = Up(tmp_path_factory.mktemp("up") / "data")
    try:
        running.wait_for("jobengine: sample data is there")
        yield running
    finally:
        running.process.kill()
        running.process.wait()


@pytest.fixture(scope="module")  # not longer: while it is open, no other test of the process can run an event loop
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium: install the package `chromium`")
    arguments = ["--no-sandbox"]  # which needs rights that root in a container does not have
    with sync_playwright() as started, started.chromium.launch(executable_path=program, args=arguments) as browser:
        yield browser


@pytest.fixture(params=["wide", "narrow"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page of each width. A test fails where the page had an error, or asked for something from elsewhere."""
    viewport: Any = WIDE if request.param == "wide" else NARROW
    context = browser.new_context(viewport=viewport)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: wrong.append(f"asks for {asked.url}") if _is_elsewhere(asked.url) else None)
    yield page
    _picture(page, re.sub(r"\W+", "-", request.node.name).strip("-"))
    context.close()
    assert wrong == []


@pytest.fixture
def wide(browser: Browser) -> Iterator[Page]:
    """A wide page that nobody watches for errors."""
    context = browser.new_context(viewport=WIDE)  # pyright: ignore[reportArgumentType]
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    yield page
    context.close()


def _picture(page: Page, name: str) -> None:
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")


def _is_elsewhere(url: str) -> bool:
    return url.startswith(("http", "ws")) and not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]", url)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
