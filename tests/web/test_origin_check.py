"""Pages of other sites at REST and at sockets: refused, whatever they send, and under whatever name
they come.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
from pathlib import Path

import pytest
from fastapi import APIRouter, FastAPI, WebSocket
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from sortkey import Store
from sortkey.origins import OriginPolicy
from sortkey.web import Mount, Tokens, make_app
from tests.web import shop
from tests.web.running import running

HERE = "http://127.0.0.1:8080"
PROXIED = OriginPolicy(frozenset({"app.example.com"}), frozenset({"https://app.example.com"}))


def app_with(store: Store, tokens: Tokens, policy: OriginPolicy | None) -> FastAPI:
    app = make_app([shop.system(store)], tokens=tokens, origins=policy)

    @app.websocket("/socket")
    async def socket(socket: WebSocket) -> None:  # pyright: ignore[reportUnusedFunction]
        await socket.accept()
        await socket.send_text("hello")

    return app


@pytest.fixture
def local(store: Store, tokens: Tokens) -> TestClient:
    """As it is served on loopback."""
    return TestClient(app_with(store, tokens, OriginPolicy()), base_url=HERE)


def can_open_a_socket(client: TestClient, **headers: str) -> bool:
    try:
        with client.websocket_connect(
            "/socket", headers={"host": "127.0.0.1:8080", **headers}
        ) as socket:
            return socket.receive_text() == "hello"
    except WebSocketDisconnect:
        return False


@pytest.mark.parametrize("origin", ["https://evil.test", "http://127.0.0.1:9999", "null"])
def test_pages_of_other_sites_are_refused_with_a_good_token_too(
    local: TestClient, ada: dict[str, str], origin: str
) -> None:
    # A browser sends along what it has for us, whoever asks.
    answer = local.post("/shop/orders", json={"orderId": "o1"}, headers={**ada, "Origin": origin})
    assert answer.status_code == 403
    error = answer.json()["error"]
    assert (error["code"], error["requestId"]) == ("Forbidden", answer.headers["X-Request-Id"])
    assert "--url" in error["message"]
    assert local.get("/health", headers={"Origin": origin}).status_code == 403
    assert local.options("/shop/orders", headers={"Origin": origin}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8080", "127.0.0.1.evil.test", "10.0.0.5:8080"]
)
def test_a_name_that_was_made_to_point_here_is_refused(local: TestClient, host: str) -> None:
    # DNS rebinding: for the browser the page is of our origin then, so only the name tells.
    answer = local.get("/health", headers={"Host": host, "Origin": f"http://{host}"})
    assert answer.status_code == 403
    assert "--allow-host" in answer.json()["error"]["message"]


def test_its_own_pages_and_programs_get_in(local: TestClient) -> None:
    assert local.get("/health", headers={"Origin": HERE}).status_code == 200
    assert local.get("/health").status_code == 200
    assert local.get("/docs", headers={"Host": "localhost:8080"}).status_code == 200


def test_sockets_are_guarded_as_requests_are(local: TestClient) -> None:
    # No browser asks before it opens a socket to another site: the server is the only one that can
    # say no.
    assert can_open_a_socket(local)
    assert can_open_a_socket(local, origin=HERE)
    assert not can_open_a_socket(local, origin="https://evil.test")
    assert not can_open_a_socket(local, origin="null")
    assert not can_open_a_socket(local, host="evil.test:8080", origin="http://evil.test:8080")


def test_routes_with_a_token_in_their_url_take_any_origin_but_no_foreign_name(
    store: Store, tokens: Tokens
) -> None:
    # An extension inside a browser has an origin that no policy can name; the token says enough.
    # Rebinding does not.
    router = APIRouter()
    router.get("/view/{number}")(lambda number: number)
    router.get("/other")(lambda: "closed")
    app = make_app(
        [Mount("films", router, any_origin=("/view/*",))], tokens=tokens, origins=OriginPolicy()
    )
    client = TestClient(app, base_url=HERE)
    origin = {"Origin": "chrome-extension://abcdefgh"}
    assert client.get("/films/view/7", headers=origin).status_code == 200
    assert client.get("/films/other", headers=origin).status_code == 403
    assert client.get("/films/view/7", headers={**origin, "Host": "evil.test"}).status_code == 403


def test_behind_a_proxy_the_public_address_gets_in(store: Store, tokens: Tokens) -> None:
    # Some proxies pass the name on, others hide it.
    client = TestClient(app_with(store, tokens, PROXIED), base_url=HERE)
    origin = {"Origin": "https://app.example.com"}
    assert client.get("/health", headers={**origin, "Host": "app.example.com"}).status_code == 200
    assert client.get("/health", headers=origin).status_code == 200
    assert client.get("/health", headers={"Origin": "https://other.example.com"}).status_code == 403


def test_who_serves_the_app_otherwise_decides_for_themselves(store: Store, tokens: Tokens) -> None:
    client = TestClient(app_with(store, tokens, None))
    assert client.get("/health", headers={"Origin": "https://other.example.com"}).status_code == 200


def test_over_a_real_port_two_hosts_and_a_foreign_socket_are_refused(
    store: Store, tokens: Tokens
) -> None:
    # What a test client cannot send: the same header twice, and the handshake as a browser does it.
    with running(app_with(store, tokens, OriginPolicy())) as address:
        where = address.removeprefix("http://")
        assert _status(where, [("Host", where)]) == 200
        assert _status(where, [("Host", where), ("Host", "evil.test")]) in (400, 403)
        upgrade = [("Host", where), ("Connection", "Upgrade"), ("Upgrade", "websocket")]
        upgrade += [
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        assert _status(where, [*upgrade, ("Origin", "https://evil.test")], "/socket") == 403
        assert _status(where, [*upgrade, ("Origin", address)], "/socket") == 101


CONSOLE = """
import asyncio
import sys
from pathlib import Path

from fastapi import FastAPI

import sortkey
from sortkey import Model
from sortkey.web.console import RequestLog, Workspace, add_console
from sortkey.web.rest_server import RestServer
from sortkey.wire.addresses import bind

app = FastAPI()
app.get("/open")(lambda: "of the program itself")
workspace = Workspace(sortkey.open(":memory:"), [Model("shop")], RequestLog())
add_console(app, workspace, secret="x" * 32, sessions=Path(sys.argv[1]))


async def serve():
    sockets = bind("127.0.0.1", 0)
    await RestServer(app, sockets).start()
    print(sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


asyncio.run(serve())
"""


@pytest.mark.slow
def test_the_console_in_a_program_of_ones_own_lets_only_its_own_pages_in(tmp_path: Path) -> None:
    # Whoever mounts it must not have to think of this. Under which name it is reached, only they
    # know.
    command = [sys.executable, "-c", CONSOLE, str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        where = f"127.0.0.1:{int(process.stdout.readline())}"
        own, evil = ("Origin", f"http://{where}"), ("Origin", "https://evil.test")
        upgrade = [
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
        ]
        upgrade += [("Host", where), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]
        socket = "/console/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        assert _status(where, [*upgrade, own], socket) == 101
        assert _status(where, [*upgrade, evil], socket) == 403
        assert _status(where, [("Host", where), evil], "/console/") == 403
        assert _status(where, [("Host", "app.example.com")], "/console/") == 200
        assert _status(where, [("Host", where), evil], "/open") == 200
    finally:
        process.kill()
        process.communicate()


def _status(where: str, headers: list[tuple[str, str]], path: str = "/health") -> int:
    connection = http.client.HTTPConnection(where, timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status
