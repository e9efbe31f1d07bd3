"""Stopping: nothing new is taken, what is under way is answered and committed."""

from __future__ import annotations

import asyncio

import pytest

from sortkey.wire.server import Limits
from tests.wire.harness import Running, Start, http


def begin_stop(running: Running) -> asyncio.Future[None]:
    return running.run(lambda: asyncio.ensure_future(running.server.stop()))


def wait(running: Running, future: asyncio.Future[None]) -> None:
    running.run(asyncio.wait_for(future, 10))


def test_idle_connections_are_closed_and_new_ones_refused(running: Running) -> None:
    client = running.client()
    client.send(http())
    client.read()
    wait(running, begin_stop(running))
    assert client.closed()
    with pytest.raises(ConnectionRefusedError):
        running.client()


def test_a_request_under_way_is_answered_and_then_closed(running: Running) -> None:
    # A rolling restart must not show as an error.
    client = running.client()
    request = http("PutItem", b'{"Name":"late"}')
    client.send(request[:-3])
    while not any(connection.receiving for connection in running.server.connections):
        running.run(lambda: None)
    stopped = begin_stop(running)
    client.send(request[-3:])
    answer = client.read()
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    wait(running, stopped)
    assert running.engine.committed == ["late"]


def test_a_busy_client_is_told_before_its_connection_is_closed(running: Running) -> None:
    # It sends the next request as soon as it has an answer: closing in between would lose that.
    client = running.client()
    client.send(http("PutItem", b'{"Name":"a"}'))
    assert client.read().headers["connection"] == "keep-alive"
    stopped = begin_stop(running)
    client.send(http("PutItem", b'{"Name":"b"}'))
    assert client.read().headers["connection"] == "close"
    assert client.closed()
    wait(running, stopped)


def test_a_quiet_connection_does_not_hold_up_the_stop(start: Start) -> None:
    running = start(limits=Limits(linger_seconds=60, stop_seconds=60))
    client = running.client()
    client.send(http())
    client.read()
    for _ in range(2):
        running.run(running.server.sweep)
    wait(running, begin_stop(running))
    assert client.closed()


def test_a_client_that_does_not_finish_is_not_waited_for_forever(start: Start) -> None:
    running = start(limits=Limits(stop_seconds=0))
    client = running.client()
    client.send(http()[:-1])
    while not any(connection.receiving for connection in running.server.connections):
        running.run(lambda: None)
    wait(running, begin_stop(running))
    assert client.closed()
