"""Fixtures that start servers with a made-up engine, on both event loops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator

import pytest

from sortkey.origins import OriginPolicy
from sortkey.peers import IsGuest
from sortkey.wire.access import Access, Credentials
from sortkey.wire.addresses import bind
from sortkey.wire.server import Limits, Server
from tests.wire.harness import NOW, FakeEngine, Running, Start


@pytest.fixture(params=["uvloop", "asyncio"])
def loop_factory(request: pytest.FixtureRequest) -> Callable[[], asyncio.AbstractEventLoop]:
    if request.param == "asyncio":
        return asyncio.new_event_loop
    return pytest.importorskip("uvloop").new_event_loop


@pytest.fixture
def start(loop_factory: Callable[[], asyncio.AbstractEventLoop]) -> Generator[Start]:
    """Starts servers; stops them after the test."""
    running: list[tuple[Running, threading.Thread]] = []

    def begin(
        credentials: Credentials | None = None,
        *,
        limits: Limits | None = None,
        token: str | None = None,
        origins: OriginPolicy | None = None,
        clock: Callable[[], float] = lambda: NOW,
        is_guest: IsGuest | None = None,
    ) -> Running:
        engine = FakeEngine()
        loop = loop_factory()
        access = Access(credentials, "us-east-1", clock, token)
        server = Server(
            engine, access, limits=limits, origins=origins, clock=clock, is_guest=is_guest
        )
        sockets = bind("127.0.0.1", 0)
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        each = Running(server, engine, sockets[0].getsockname()[1], loop)
        each.run(server.start(sockets))
        running.append((each, thread))
        return each

    yield begin
    for each, thread in running:
        for client in each.clients:
            client.close()
        if not each.server.stopping:
            each.run(each.server.stop())
        each.loop.call_soon_threadsafe(each.loop.stop)
        thread.join(10)
        each.loop.close()


@pytest.fixture
def running(start: Start) -> Running:
    return start()
