"""A real `sortkey serve` in a process of its own, on a free port, for the clients that
people use.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools.dynamodb_local import free_port, wait_until_it_answers

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "someone",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a server answers that asks for signatures, so that each client's signing is
    tried too.
    """
    keys = [
        "--access-key",
        CREDENTIALS["AWS_ACCESS_KEY_ID"],
        "--secret-key",
        CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    ]
    with _served(tmp_path_factory.mktemp("signed"), *keys) as chosen:
        yield chosen


@pytest.fixture(scope="session")
def open_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a server answers anyone on this machine, as `make up` starts it."""
    with _served(tmp_path_factory.mktemp("open")) as chosen:
        yield chosen


@contextmanager
def _served(folder: Path, *more: str) -> Iterator[int]:
    chosen = free_port()
    command = [
        sys.executable,
        "-m",
        "sortkey",
        "serve",
        "--port",
        str(chosen),
        "--data",
        str(folder / "data"),
        *more,
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_until_it_answers(chosen, process)
            yield chosen
        finally:
            process.terminate()
            process.wait(timeout=10)


@pytest.fixture
def endpoint(port: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server's address, with credentials in the environment as every SDK reads them."""
    return _address(port, monkeypatch)


@pytest.fixture
def open_endpoint(open_port: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the server that checks no signatures."""
    return _address(open_port, monkeypatch)


def _address(port: int, monkeypatch: pytest.MonkeyPatch) -> str:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def environment(endpoint: str) -> dict[str, str]:
    """For clients in a process of their own."""
    return os.environ | {"SORTKEY_ENDPOINT": endpoint, "AWS_PAGER": ""}
