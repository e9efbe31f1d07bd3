"""The server of apps: what it does with WebSockets."""

from __future__ import annotations

import logging

import pytest
from fastapi import FastAPI, WebSocket
from websockets.sync.client import connect

from tests.web.running import running

LARGE = 20 << 20


@pytest.fixture
def echo() -> FastAPI:
    app = FastAPI()

    @app.websocket("/echo")
    async def answer(socket: WebSocket) -> None:  # pyright: ignore[reportUnusedFunction]
        await socket.accept()
        while True:
            await socket.send_text(await socket.receive_text())

    return app


def test_large_messages_pass_without_compression(echo: FastAPI) -> None:
    # A screenshot has tens of megabytes; deflating it would cost more time than sending it.
    with (
        running(echo) as address,
        connect(f"ws{address.removeprefix('http')}/echo", max_size=None) as client,
    ):
        assert client.protocol.extensions == []
        client.send("x" * LARGE)
        assert len(client.recv(timeout=30)) == LARGE


def test_the_address_of_a_socket_is_not_logged(
    echo: FastAPI, caplog: pytest.LogCaptureFixture
) -> None:
    # Tokens stand in it, and programs that embed the server log at INFO.
    with caplog.at_level(logging.INFO), running(echo) as address:
        with connect(f"ws{address.removeprefix('http')}/echo?token=secret") as client:
            client.send("hello")
            assert client.recv(timeout=10) == "hello"
        assert "secret" not in caplog.text
