"""A server of VAMS at the root of a port, as a process, and a tool that is signed in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.systems.vams.clients.tool import ENDPOINT_VARIABLE, Tool

ADMIN = "admin@example.com"


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str
    folder: Path
    password: str


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/systems/vams/clients" in item.nodeid:
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.xdist_group("vams clients"))


def program(*arguments: str) -> str:
    """What `sortkey` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "sortkey", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("vams-server")
    process = subprocess.Popen(
        [sys.executable, "-m", "sortkey", "rest", "vams", "--port", "0", "--data", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://[^\s/]+", process.stdout.readline())
        assert found
        yield Served(found[0], folder, program("vams", "password", ADMIN, "--data", str(folder)))
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)


@pytest.fixture(scope="session")
def endpoint(served: Served) -> Iterator[str]:
    """The one variable that a user sets for the password login."""
    patch = pytest.MonkeyPatch()
    patch.setenv(ENDPOINT_VARIABLE, served.url)
    yield served.url
    patch.undo()


@pytest.fixture(scope="session")
def tool(served: Served, endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Tool:
    """Signed in as the administrator."""
    made = Tool(tmp_path_factory.mktemp("profile"))
    made.setup(served.url)
    made.login(ADMIN, served.password)
    return made


@pytest.fixture(scope="session")
def database(tool: Tool) -> str:
    """A database with two tags to choose from."""
    bucket = tool.get("/buckets")["Items"][0]["bucketId"]
    body = {"databaseId": "tool-walk", "description": "For walks", "defaultBucketId": bucket}
    assert tool.post("/database", body)["databaseId"] == "tool-walk"
    return "tool-walk"
