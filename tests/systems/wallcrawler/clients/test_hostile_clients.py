"""Clients that do not behave: they read nothing, send what is not CDP, or die in mid-command."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.systems.wallcrawler.clients.conftest import Server, wait_until

MEGABYTE = 1 << 20


def opened(url: str, **settings: Any) -> ClientConnection:
    return connect(url, max_size=None, compression=None, **settings)


def asked(client: ClientConnection, method: str, seconds: float = 20, **more: Any) -> Any:
    """The answer to a command; events are passed over."""
    client.send(json.dumps({"id": 1, "method": method, **more}))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        message = json.loads(client.recv(timeout=seconds))
        if message.get("id") == 1:
            return message
    raise AssertionError(f"no answer to {method}")


def attached(client: ClientConnection) -> str:
    """A CDP session in the first page."""
    targets = asked(client, "Target.getTargets")["result"]["targetInfos"]
    page = next(each["targetId"] for each in targets if each["type"] == "page")
    params = {"targetId": page, "flatten": True}
    return asked(client, "Target.attachToTarget", params=params)["result"]["sessionId"]


def memory_bytes(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * 4096


def test_one_that_reads_nothing_fills_no_memory_and_holds_up_nobody(
    server: Server, new_session: Callable[..., Any]
) -> None:
    # 200 MB of answers that nobody takes: they must stay in the browser, not pile up in the server.
    session, other = new_session(keep_alive=True), new_session(keep_alive=True)
    expression = {"expression": f"'x'.repeat({MEGABYTE})", "returnByValue": True}
    with opened(session.connect_url, max_queue=1) as silent:
        inside = attached(silent)
        before = memory_bytes(server.pid)
        for number in range(2, 202):
            command = {"id": number, "method": "Runtime.evaluate", "params": expression}
            silent.send(json.dumps({**command, "sessionId": inside}))
        with opened(other.connect_url) as neighbour:
            began = time.monotonic()
            assert "result" in asked(neighbour, "Browser.getVersion")
            assert time.monotonic() - began < 5
        with opened(session.connect_url) as same_browser:
            assert "result" in asked(same_browser, "Browser.getVersion", 30)
        assert memory_bytes(server.pid) - before < 100 * MEGABYTE


@pytest.mark.parametrize(
    "message", ["not JSON", "[]", "7", "{}", '{"id": "x"}', b"\xff\xfe", '{"id": 1}', "[" * 10_000]
)
def test_what_is_not_cdp_ends_or_fails_alone(
    new_session: Callable[..., Any], message: str | bytes
) -> None:
    # One pipe serves all clients of a browser: a broken message must not reach it.
    session = new_session(keep_alive=True)
    with opened(session.connect_url) as good:
        with opened(session.connect_url) as bad:
            bad.send(message)
        assert "result" in asked(good, "Browser.getVersion")


def test_one_that_dies_in_mid_command_leaves_a_working_session(
    server: Server, new_session: Callable[..., Any]
) -> None:
    # A notebook is closed, a network is cut: the connection is reset while answers are on the way.
    session = new_session(keep_alive=True)
    for _ in range(20):
        with opened(session.connect_url, close_timeout=0) as client:
            inside = attached(client)
            slow = {"expression": f"'x'.repeat({8 * MEGABYTE})", "returnByValue": True}
            command = {"id": 2, "method": "Runtime.evaluate", "params": slow, "sessionId": inside}
            client.send(json.dumps(command))
            _reset(client.socket)
    with opened(session.connect_url) as after:
        assert "result" in asked(after, "Browser.getVersion")
    assert server.client().sessions.retrieve(session.id).status == "RUNNING"


def test_the_last_that_dies_ends_the_session(
    server: Server, new_session: Callable[..., Any]
) -> None:
    # Nobody says goodbye: without this rule browsers would run until their time is over.
    session = new_session()
    with opened(session.connect_url, close_timeout=0) as client:
        asked(client, "Browser.getVersion")
        _reset(client.socket)
    wait_until(lambda: server.client().sessions.retrieve(session.id).status == "COMPLETED")


def _reset(connection: socket.socket) -> None:
    """Close with a RST, as a machine does that was switched off and on again."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.shutdown(socket.SHUT_RD)
    connection.close()


def test_a_message_that_is_too_large_ends_its_connection_only(
    new_session: Callable[..., Any],
) -> None:
    # Chromium closes its pipe at a message of 100 MB, and with it the session.
    session = new_session(keep_alive=True)
    with opened(session.connect_url) as client, pytest.raises(ConnectionClosed):
        asked(client, "Browser.getVersion", 30, params={"x": "x" * (97 * MEGABYTE)})
    with opened(session.connect_url) as after:
        assert "result" in asked(after, "Browser.getVersion")
