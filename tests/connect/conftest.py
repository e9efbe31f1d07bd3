"""Both clients behind one face, so that each test runs with each of them; and a real server that
checks signatures.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sortkey.engine
from sortkey.connect.dynamodb import AsyncClient, Client, Credentials, Settings
from sortkey.wire.access import Access
from sortkey.wire.access import Credentials as Accepted
from sortkey.wire.addresses import bind
from sortkey.wire.server import Server

KEYS = Credentials("someone", "secret")


class Caller:
    """A client that writes down its pauses in place of sleeping. `random` is 1, so that pauses are
    the longest.
    """

    def __init__(
        self, kind: str, url: str, settings: Settings, credentials: Any, clock: Callable[[], float]
    ) -> None:
        self.slept: list[float] = []
        self._runner: asyncio.Runner | None = None
        given: dict[str, Any] = {"settings": settings, "clock": clock, "random": lambda: 1.0}
        if kind == "sync":
            self.client: Any = Client(
                url, "us-east-1", credentials, sleep=self.slept.append, **given
            )
            return
        factory = pytest.importorskip("uvloop").new_event_loop if kind == "uvloop" else None
        self._runner = asyncio.Runner(loop_factory=factory)
        self.client = AsyncClient(url, "us-east-1", credentials, sleep=self._sleep, **given)

    def call(
        self, operation: str = "ListTables", request: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        return self._finish(self.client.call(operation, request or {}))

    def close(self) -> None:
        self._finish(self.client.close())
        if self._runner:
            self._runner.close()

    def _finish(self, result: Any) -> Any:
        return self._runner.run(result) if self._runner else result

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


Connect = Callable[..., Caller]


@pytest.fixture(params=["sync", "asyncio", "uvloop"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def connect(kind: str) -> Iterator[Connect]:
    """Makes callers: `connect(url, attempts_max=3)`. Closes them after the test."""
    callers: list[Caller] = []

    def make(
        url: str,
        *,
        credentials: Any = KEYS,
        clock: Callable[[], float] = time.time,
        **settings: Any,
    ) -> Caller:
        callers.append(Caller(kind, url, Settings(**settings), credentials, clock))
        return callers[-1]

    yield make
    for caller in callers:
        caller.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server on a real engine, which takes requests that are signed with
    KEYS.
    """
    folder: Path = tmp_path_factory.mktemp("connect")
    loop = asyncio.new_event_loop()
    engine = sortkey.engine.own(folder / "data")
    access = Access(Accepted(KEYS.access_key, KEYS.secret_key), "us-east-1", time.time)
    running = Server(engine, access)
    sockets = bind("127.0.0.1", 0)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(running.start(sockets), loop).result(10)
    yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    asyncio.run_coroutine_threadsafe(running.stop(), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()
    engine.close()
