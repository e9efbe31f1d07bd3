"""Wallcrawler with real browsers on a real port, and a small CDP client to drive them."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from sortkey.cli.listeners import address_of
from sortkey.errors import AlreadyExists
from sortkey.systems import Addresses, open_resources
from sortkey.web import Host
from sortkey.wire.addresses import bind
from sortkey_systems.wallcrawler.browsers.local.chromium import ChromiumMissing, find_chromium
from sortkey_systems.wallcrawler.model import Session
from sortkey_systems.wallcrawler.service import Wallcrawler
from sortkey_systems.wallcrawler.system import system
from tests.web.running import serving

PROJECT = "project_one"


@dataclass(frozen=True, slots=True)
class Driven:
    """A server with browsers. `client` has the key of the project."""

    service: Wallcrawler
    client: httpx.Client
    address: str

    def create(self, **body: Any) -> dict[str, Any]:
        answer = self.client.post("/v1/sessions", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def release(self, session: Mapping[str, Any]) -> dict[str, Any]:
        body = {"status": "REQUEST_RELEASE"}
        return self.client.post(f"/v1/sessions/{session['id']}", json=body).json()

    def item(self, session: Mapping[str, Any]) -> Session:
        found = self.service.records.find(session["id"])
        assert found is not None
        return found

    def ended(self, session: Mapping[str, Any], seconds: float = 15) -> Session:
        """The session when it has ended."""
        wait_until(lambda: self.item(session).status != "RUNNING", seconds)
        return self.item(session)

    @property
    def places_taken(self) -> int:
        return self.service.tenants.project(PROJECT).running_sessions


@contextmanager
def driven(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    concurrency: int = 5,
    leaves_sessions: bool = False,
    **settings: str,
) -> Iterator[Driven]:
    """Serve from a folder, with settings of the environment by their names without WALLCRAWLER_.
    Sessions that still run at the end are released, unless it leaves them to the next server.
    """
    need_chromium()
    for name, value in {"WARM": "0", **settings}.items():
        monkeypatch.setenv(f"WALLCRAWLER_{name}", value)
    sockets = bind("127.0.0.1", 0)
    address = address_of(sockets[0])
    with open_resources(Addresses(str(folder / "data")), url=address) as shared:
        host = Host(shared, [system], at_root=True)
        service: Wallcrawler = host.systems[0].service
        with suppress(AlreadyExists):
            service.tenants.create_project(PROJECT, concurrency=concurrency)
        key = service.tenants.create_key(PROJECT, name="test").raw
        host.start()
        with (
            serving(host.app, sockets),
            httpx.Client(base_url=address, headers={"X-BB-API-Key": key}, timeout=60) as client,
        ):
            server = Driven(service, client, address)
            yield server
            for session in [] if leaves_sessions else service.records.running():
                server.release({"id": session.session_id})
        host.stop()


def need_chromium() -> None:
    """Skip where none is installed."""
    try:
        find_chromium()
    except ChromiumMissing as missing:
        pytest.skip(str(missing))


class Cdp:
    """One CDP client over a WebSocket."""

    def __init__(self, url: str) -> None:
        self._open = ExitStack()
        opening = connect(url, max_size=None, open_timeout=20)
        self._socket: ClientConnection = self._open.enter_context(opening)
        self._ids = itertools.count(1)

    def call(self, method: str, params: Mapping[str, Any] | None = None, session: str = "") -> Any:
        """The result of a command. Events in between are dropped."""
        message = {"id": next(self._ids), "method": method, "params": dict(params or {})}
        self._socket.send(json.dumps({**message, **({"sessionId": session} if session else {})}))
        while True:
            answer = json.loads(self._socket.recv(timeout=30))
            if answer.get("id") == message["id"]:
                assert "error" not in answer, answer
                return answer["result"]

    def close(self) -> None:
        self._open.close()


def wait_until(is_true: Callable[[], bool], seconds: float = 15) -> None:
    """Look until something is so. Fails after so many seconds."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, "it did not become true in time"
        time.sleep(0.02)


def processes_of(service: Wallcrawler, session: Mapping[str, Any]) -> Callable[[], list[int]]:
    """A function that gives the processes of a session's browser, also when the session has ended."""
    state = json.loads((service.browsers.folder(session["id"]) / "state.json").read_text())
    holder, home = state["holder_pid"], state["home"].encode()

    def alive() -> list[int]:
        return [pid for pid in _pids() if pid == holder or home in _command_line(pid)]

    assert len(alive()) > 1
    return alive


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
