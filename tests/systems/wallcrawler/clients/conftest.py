"""A real server in a process of its own, with Chromium behind it, for the clients that people use."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from browserbase import Browserbase

from sortkey_systems.wallcrawler.command_tables import opened_tenants
from tools.downloads import Missing, program
from tools.dynamodb_local import free_port, wait_until_it_answers

SETTINGS = {"WALLCRAWLER_ORPHAN_SECONDS": "2"}
"""Browsers that outlive the server end soon: nothing is left after the tests."""
PROJECTS = ("project_one", "project_two")
SITE = Path(__file__).with_name("site")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group(f"wallcrawler {item.path.stem}"))


@dataclass(frozen=True)
class Server:
    """Where it answers, and the keys of two tenants."""

    url: str
    key: str
    other_key: str
    data: Path
    pid: int

    def client(self, key: str | None = None) -> Browserbase:
        """The published client, pointed here by its base URL only."""
        return Browserbase(api_key=key or self.key, base_url=self.url, max_retries=0)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("wallcrawler"), "rest", "wallcrawler") as running:
        yield running


@contextmanager
def served(folder: Path, *command: str, path: str = "") -> Iterator[Server]:
    """A server with two tenants; `path` is where it serves the system."""
    try:
        program("chromium", "Debian: apt-get install chromium")
    except Missing as missing:
        pytest.skip(str(missing))
    data, port = folder / "data", free_port()
    data.mkdir()
    keys = _keys(data)
    full = [sys.executable, "-m", "sortkey", *command, "--port", str(port), "--data", str(data)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(full, stdout=log, stderr=log, env=os.environ | SETTINGS)
        try:
            wait_until_it_answers(port, process)
            url = f"http://127.0.0.1:{port}{path}"
            yield Server(url, keys[0], keys[1], data, process.pid)
        finally:
            process.terminate()
            process.wait(timeout=30)


def _keys(data: Path) -> list[str]:
    with opened_tenants(str(data)) as tenants:
        for project in PROJECTS:
            tenants.create_project(project, concurrency=20)
        return [tenants.create_key(project, name="test").raw for project in PROJECTS]


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """A few pages to drive: a form, a download, a file input."""
    handler = partial(_Handler, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        Thread(target=served.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{served.server_address[1]}"
        served.shutdown()


class _Handler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        if self.path.endswith(".csv"):
            self.send_header("Content-Disposition", "attachment")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def new_session(server: Server) -> Iterator[Callable[..., Any]]:
    """Creates sessions with the published client; those that are left are released."""
    client, made = server.client(), []

    def create(**settings: Any) -> Any:
        session = client.sessions.create(**settings)
        made.append(session.id)
        return session

    yield create
    for session_id in made:
        client.sessions.update(session_id, status="REQUEST_RELEASE")


def wait_until(is_so: Callable[[], bool], seconds: float = 20) -> None:
    """Poll until it is so; fail if it never is."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.05)
