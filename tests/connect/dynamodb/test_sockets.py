"""One client shared by threads, by tasks, by event loops and by processes."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sortkey.connect.dynamodb import AsyncClient, Client, Credentials, Settings
from tests.connect.conftest import KEYS
from tests.connect.scripted import Act, answer, scripted

DONE = answer(b'{"done":true}')
TABLE = {
    "TableName": "Shared",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(scope="module")
def table(server: str) -> str:
    """The server's address, with a table of 200 items."""
    with Client(server, "us-east-1", KEYS) as client:
        client.call("CreateTable", TABLE)
        for number in range(200):
            client.call("PutItem", {"TableName": "Shared", "Item": _item(number)})
    return server


def test_many_threads_share_a_client_and_get_their_own_answers(table: str) -> None:
    # A connection given to two threads at once would hand one the answer of the other.
    with (
        Client(table, "us-east-1", KEYS, settings=Settings(idle_max=5)) as client,
        ThreadPoolExecutor(24) as threads,
    ):
        items = list(
            threads.map(
                lambda number: client.call("GetItem", _get(number))["Item"], list(range(200)) * 10
            )
        )
    assert items == [_item(number) for number in range(200)] * 10


def test_many_tasks_share_a_client_and_get_their_own_answers(table: str) -> None:
    # More of them than connections: the others wait.
    async def ask() -> list[Any]:
        async with AsyncClient(
            table, "us-east-1", KEYS, settings=Settings(connections_max=7)
        ) as client:
            return await asyncio.gather(
                *(client.call("GetItem", _get(number)) for number in range(200))
            )

    assert [answer["Item"] for answer in asyncio.run(ask())] == [
        _item(number) for number in range(200)
    ]


def test_tasks_have_no_more_connections_than_configured() -> None:
    # Ten thousand tasks must not be ten thousand sockets.
    acts: list[Act] = [DONE] * 100
    with scripted(acts) as server:

        async def ask() -> None:
            settings = Settings(connections_max=3)
            async with AsyncClient(server.url, "us-east-1", KEYS, settings=settings) as client:
                await asyncio.gather(*(client.call("ListTables", {}) for _ in range(60)))

        asyncio.run(ask())
    assert (server.connections, len(server.requests)) == (3, 60)


def test_a_cancelled_call_takes_its_connection_with_it() -> None:
    # The answer is still on its way; the next request on that connection would get it.
    asked, said = threading.Event(), threading.Event()

    def late(connection: socket.socket) -> None:
        asked.set()
        said.wait(5)
        connection.sendall(answer(b'{"late":true}'))

    with scripted([late, DONE], [DONE]) as server:

        async def ask() -> dict[str, Any]:
            async with AsyncClient(server.url, "us-east-1", KEYS) as client:
                first = asyncio.create_task(client.call("ListTables", {}))
                await asyncio.to_thread(asked.wait, 5)
                first.cancel()
                said.set()
                with pytest.raises(asyncio.CancelledError):
                    await first
                return await client.call("ListTables", {})

        assert asyncio.run(ask()) == {"done": True}


def test_a_connection_that_speaks_unasked_is_closed() -> None:
    # A parting 408, or worse. The loop sees it come; the next request must not take it for its
    # answer.
    troubles: list[object] = []
    closed = threading.Event()

    def speak_unasked(connection: socket.socket) -> None:
        connection.sendall(DONE)
        said.wait(5)
        connection.sendall(answer(b'{"__type":"RequestTimeout"}', 408))
        connection.recv(1)
        closed.set()

    said = threading.Event()
    with scripted([speak_unasked], [DONE]) as server:

        async def ask() -> list[dict[str, Any]]:
            asyncio.get_running_loop().set_exception_handler(
                lambda _, trouble: troubles.append(trouble)
            )
            async with AsyncClient(
                server.url, "us-east-1", KEYS, settings=Settings(attempts_max=1)
            ) as client:
                first = await client.call("ListTables", {})
                said.set()
                assert await asyncio.to_thread(closed.wait, 5), "the connection was kept"
                return [first, await client.call("ListTables", {})]

        assert asyncio.run(ask()) == [{"done": True}] * 2
    assert troubles == []


def test_each_event_loop_has_its_own_connections() -> None:
    # A connection belongs to the loop that made it; programs run more than one, one after the
    # other.
    acts: list[Act] = [DONE] * 10
    with scripted(acts) as server:
        client = AsyncClient(server.url, "us-east-1", KEYS)

        async def ask() -> None:
            async with client:
                assert await client.call("ListTables", {}) == {"done": True}
                assert await client.call("ListTables", {}) == {"done": True}

        asyncio.run(ask())
        asyncio.run(ask())
    assert [request.connection for request in server.requests] == [0, 0, 1, 1]


def test_a_closed_client_holds_no_connection_and_can_be_used_again() -> None:
    # Closing twice is fine, and so is a late call from a finaliser.
    ended: list[bytes] = []

    def answer_and_wait(connection: socket.socket) -> None:
        connection.sendall(DONE)
        ended.append(connection.recv(1))

    with scripted([answer_and_wait], [DONE]) as server:
        client = Client(server.url, "us-east-1", KEYS)
        client.call("ListTables", {})
        client.close()
        client.close()
        assert client.call("ListTables", {}) == {"done": True}
        client.close()
        deadline = time.monotonic() + 5
        while not ended and time.monotonic() < deadline:
            time.sleep(0.001)
    assert ended == [b""]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_opens_connections_of_its_own() -> None:
    # Servers that load a program first and fork then: two processes would read each other's
    # answers.
    acts: list[Act] = [DONE] * 10
    with scripted(acts) as server, Client(server.url, "us-east-1", KEYS) as client:
        client.call("ListTables", {})
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if client.call("ListTables", {}) == {"done": True} else 1)
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        client.call("ListTables", {})
    assert [request.connection for request in server.requests] == [0, 1, 0]


def test_fetching_credentials_does_not_hold_up_the_event_loop() -> None:
    # A role is taken over the network; other tasks go on meanwhile.
    turn = threading.Event()

    class Slow:
        def due(self) -> bool:
            return True

        def current(self) -> Credentials:
            assert turn.wait(5), "the loop stood still"
            return KEYS

    with scripted([DONE]) as server:

        async def ask() -> dict[str, Any]:
            async with AsyncClient(server.url, "us-east-1", Slow()) as client:
                call = asyncio.create_task(client.call("ListTables", {}))
                await asyncio.sleep(0)
                turn.set()
                return await call

        assert asyncio.run(ask()) == {"done": True}


def _item(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"item {number}"}, "text": {"S": "x" * number * 100}}


def _get(number: int) -> dict[str, Any]:
    return {"TableName": "Shared", "Key": {"pk": {"S": f"item {number}"}}}
