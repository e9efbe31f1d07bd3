"""Guests at REST and at sockets: real programs of another user on loopback."""

from __future__ import annotations

import os
from collections.abc import Generator
from urllib.parse import urlsplit

import pytest
from fastapi import APIRouter, WebSocket

from sortkey.web import Mount, make_app
from tests.strangers import GUEST, needs_root, send_as
from tests.web.running import running

UPGRADE = (
    "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
)


def is_guest(uid: int) -> bool:
    return uid == GUEST


@pytest.fixture(scope="module")
def port() -> Generator[int]:
    needs_root()
    router = APIRouter()

    @router.get("/view/{token}")
    @router.get("/orders")
    def orders() -> str:  # pyright: ignore[reportUnusedFunction]
        return "an order"

    @router.websocket("/view/{token}/socket")
    @router.websocket("/socket")
    async def talk(socket: WebSocket) -> None:  # pyright: ignore[reportUnusedFunction]
        await socket.accept()
        await socket.close()

    mount = Mount("shop", router, any_origin=("/view/*",))
    with running(make_app([mount], is_guest=is_guest)) as address:
        found = urlsplit(address).port
        assert found is not None
        yield found


def get_as(uid: int, port: int, path: str, headers: str = "Connection: close\n") -> bytes:
    request = f"GET {path} HTTP/1.1\nHost: 127.0.0.1\n{headers}\n"
    return send_as(uid, "127.0.0.1", port, request)


@pytest.mark.parametrize("path", ["/shop/orders", "/health", "/docs", "/", "/shop/view"])
def test_a_guest_is_refused_everywhere_without_a_token_in_the_path(port: int, path: str) -> None:
    # A tenant's browser would be taken for the operator, who is on loopback too.
    answer = get_as(GUEST, port, path)
    assert answer.startswith(b"HTTP/1.1 403")
    assert b"closed to programs that the server runs for others" in answer


def test_others_on_the_machine_are_served(port: int) -> None:
    # The operator's own tools.
    assert get_as(os.getuid(), port, "/shop/orders").startswith(b"HTTP/1.1 200")
    assert get_as(GUEST + 1, port, "/shop/orders").startswith(b"HTTP/1.1 200")


def test_a_guest_may_use_paths_that_check_a_token(port: int) -> None:
    # Extensions in a tenant's browser connect to it from inside.
    assert get_as(GUEST, port, "/shop/view/abc").startswith(b"HTTP/1.1 200")
    assert get_as(GUEST, port, "/shop/view/abc/socket", UPGRADE).startswith(b"HTTP/1.1 101")


def test_a_guest_cannot_open_another_socket(port: int) -> None:
    # The console works over one.
    assert get_as(GUEST, port, "/shop/socket", UPGRADE).startswith(b"HTTP/1.1 403")
    assert get_as(os.getuid(), port, "/shop/socket", UPGRADE).startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize("header", ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-For: 127.0.0.1"])
def test_a_guest_cannot_pretend_to_be_behind_a_proxy(port: int, header: str) -> None:
    # On loopback the server believes this header, and clients of a browser can set it.
    answer = get_as(GUEST, port, "/shop/orders", f"{header}\nConnection: close\n")
    assert answer.startswith(b"HTTP/1.1 403")
