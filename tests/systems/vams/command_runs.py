"""The sample in the folder of a running server, once for all tests of commands, and commands on it:
over HTTP with the token of a user, or beside the server on its folder.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey.cli import main
from sortkey.systems import Addresses, open_resources
from sortkey.systems.host_secret import derive, host_secret
from sortkey.web import Tokens
from sortkey_systems.vams.model import model
from sortkey_systems.vams.sample.loader import load
from sortkey_systems.vams.service import make_service
from tests.systems.vams.host import ADMIN


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sample."""
    folder = tmp_path_factory.mktemp("vams-data")
    with open_resources(Addresses(str(folder)), [model], url="http://127.0.0.1:8080") as shared:
        shared.store.ensure(model)
        load(make_service(shared.of("vams")))
    return folder


@pytest.fixture(scope="session")
def url(data: Path) -> Iterator[str]:
    """A server on that folder."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sortkey", "rest", "vams", "--port", "0", "--data", str(data)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://[^\s/]+", process.stdout.readline())
        assert found
        yield found[0]
    finally:
        process.kill()
        process.wait(20)


class Commands:
    """Runs commands over HTTP, or on the folder beside the server that owns it."""

    def __init__(
        self,
        data: Path,
        url: str,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self._data, self._url, self._capsys, self._patch = data, url, capsys, monkeypatch
        self._tokens = Tokens(derive(host_secret(str(data)), "tokens"))

    def __call__(self, *words: str, user: str = ADMIN) -> Any:
        """A command of a user that must succeed: what it prints, or the value of its JSON."""
        self._patch.setenv("SORTKEY_VAMS_URL", self._url)
        self._patch.setenv("SORTKEY_VAMS_TOKEN", self._tokens.issue(user, system="vams"))
        return self._output(*words)

    def beside(self, *words: str) -> Any:
        """The same without HTTP."""
        self._patch.delenv("SORTKEY_VAMS_URL", raising=False)
        return self._output(*words, "--data", str(self._data))

    def refused(self, *words: str, user: str = ADMIN) -> str:
        """A command that must fail: what it says."""
        self._patch.setenv("SORTKEY_VAMS_URL", self._url)
        self._patch.setenv("SORTKEY_VAMS_TOKEN", self._tokens.issue(user, system="vams"))
        self._capsys.readouterr()
        assert main(["vams", *words]) != 0
        return self._capsys.readouterr().err

    def _output(self, *words: str) -> Any:
        self._capsys.readouterr()
        status = main(["vams", *words])
        printed = self._capsys.readouterr()
        assert status == 0, printed.err
        return json.loads(printed.out) if "--json" in words else printed.out


@pytest.fixture
def run(
    data: Path, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Commands:
    return Commands(data, url, capsys, monkeypatch)
