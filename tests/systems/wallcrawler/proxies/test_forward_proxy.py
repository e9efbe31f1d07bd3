"""The forward proxy between a real client, a real server and a real upstream proxy."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sortkey.web import make_app
from sortkey_systems.wallcrawler.proxies.forward_proxy import ForwardProxy
from sortkey_systems.wallcrawler.proxies.rules import read_rules
from tests.strangers import GUEST, needs_root, send_as
from tests.systems.wallcrawler.proxies.upstream import BODY, tls_site, upstream
from tests.web.running import running


@pytest.fixture
def site() -> Iterator[tuple[int, list[tuple[str, str, str | None]]]]:
    with upstream() as opened:
        yield opened


def _proxied(url: str, port: int, **settings: bytes) -> httpx.Response:
    with httpx.Client(proxy=f"http://127.0.0.1:{port}", trust_env=False) as client:
        return client.request("POST" if settings else "GET", url, **settings)  # pyright: ignore[reportArgumentType]


def test_a_request_goes_upstream_with_credentials_and_is_counted(
    site: tuple[int, list[object]],
) -> None:
    # Chromium cannot send them: without us the upstream answers 407 and the page stays empty.
    upstream, seen = site
    server = f"http://127.0.0.1:{upstream}"
    rules = read_rules(
        [{"type": "external", "server": server, "username": "ada", "password": "secret"}]
    )
    proxy = ForwardProxy(rules)
    try:
        answer = _proxied("http://far.example/path?q=1", proxy.start())
        assert answer.content == BODY
        assert seen == [("GET", "http://far.example/path?q=1", "Basic YWRhOnNlY3JldA==")]
        assert len(BODY) < proxy.byte_count < len(BODY) + 2000
    finally:
        proxy.stop()


def test_a_direct_request_is_not_counted_and_carries_no_credentials(
    site: tuple[int, list[object]],
) -> None:
    # proxyBytes is what the upstream bills; credentials are nobody else's business.
    port, seen = site
    rules = read_rules(
        [
            {"type": "none", "domainPattern": "127.0.0.1"},
            {
                "type": "external",
                "server": "http://127.0.0.1:9",
                "username": "ada",
                "password": "secret",
            },
        ]
    )
    proxy = ForwardProxy(rules)
    try:
        answer = _proxied(f"http://127.0.0.1:{port}/form", proxy.start(), content=b"a body")
        assert answer.content == b"a body"
        assert seen == [("POST", "/form", None)]
        assert proxy.byte_count == 0
    finally:
        proxy.stop()


def test_a_tunnel_goes_upstream_with_credentials(site: tuple[int, list[object]]) -> None:
    # Everything over https is a tunnel.
    upstream, seen = site
    server = f"http://127.0.0.1:{upstream}"
    proxy = ForwardProxy(
        read_rules([{"type": "external", "server": server, "username": "ada", "password": "x"}])
    )
    try:
        with socket.create_connection(("127.0.0.1", proxy.start()), timeout=10) as client:
            client.sendall(b"CONNECT far.example:443 HTTP/1.1\r\nHost: far.example:443\r\n\r\n")
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
            client.sendall(b"hello\n")
            assert client.recv(1000) == b"echo hello\n"
        assert seen == [("CONNECT", "far.example:443", "Basic YWRhOng=")]
        assert proxy.byte_count == len(b"hello\necho hello\n")
    finally:
        proxy.stop()


def test_a_refusal_of_the_upstream_and_a_dead_host_are_502(site: tuple[int, list[object]]) -> None:
    # The page must fail, not hang, and a 407 would make Chromium ask for a password.
    upstream, _ = site
    proxy = ForwardProxy(
        read_rules([{"type": "external", "server": f"http://127.0.0.1:{upstream}"}])
    )
    try:
        with socket.create_connection(("127.0.0.1", proxy.start()), timeout=10) as client:
            client.sendall(b"CONNECT far.example:443 HTTP/1.1\r\n\r\n")
            assert client.recv(1000).startswith(b"HTTP/1.1 502")
    finally:
        proxy.stop()
    proxy = ForwardProxy([])
    try:
        assert _proxied("http://127.0.0.1:9/", proxy.start()).status_code == 502
    finally:
        proxy.stop()


def test_what_a_guest_sends_through_the_proxy_stays_a_guests() -> None:
    # The proxy may run as root: the server on loopback would take its requests for the operator's.
    needs_root()
    app = make_app([], is_guest=lambda uid: uid == GUEST)
    proxy = ForwardProxy([], uid=GUEST)
    try:
        with running(app) as address:
            request = f"GET {address}/health HTTP/1.1\nHost: 127.0.0.1\n\n"
            answer = send_as(GUEST, "127.0.0.1", proxy.start(), request)
        assert b"closed to programs that the server runs for others" in answer
    finally:
        proxy.stop()


def test_the_metadata_service_of_a_cloud_is_not_reached_directly() -> None:
    # It gives the credentials of the machine to whoever asks from there, also under another name.
    proxy = ForwardProxy([])
    try:
        assert _proxied("http://169.254.169.254/", proxy.start()).status_code == 502
    finally:
        proxy.stop()


def test_processes_of_another_user_are_refused(site: tuple[int, list[object]]) -> None:
    # The port is open to the whole machine: another tenant must not send through this one's
    # account.
    port, seen = site
    proxy, own = ForwardProxy([], uid=os.getuid() + 1), ForwardProxy([], uid=os.getuid())
    try:
        assert _proxied(f"http://127.0.0.1:{port}/", proxy.start()).status_code == 403
        assert seen == []
        assert _proxied(f"http://127.0.0.1:{port}/", own.start()).status_code == 200
    finally:
        proxy.stop()
        own.stop()


def test_a_page_that_asks_the_proxy_itself_gets_nothing() -> None:
    # fetch("http://127.0.0.1:port/") of any page comes in this form.
    proxy = ForwardProxy([])
    try:
        assert httpx.get(f"http://127.0.0.1:{proxy.start()}/", trust_env=False).status_code == 400
    finally:
        proxy.stop()


def test_https_passes_two_proxies_unbroken(tmp_path: Path) -> None:
    # A tunnel must hand on every byte, large answers and half-closed connections included.
    with tls_site(tmp_path) as port:
        far = ForwardProxy([])
        near = ForwardProxy(
            read_rules([{"type": "external", "server": f"http://127.0.0.1:{far.start()}"}])
        )
        try:
            address = f"http://127.0.0.1:{near.start()}"
            with httpx.Client(proxy=address, verify=False, trust_env=False) as client:
                for _ in range(5):
                    assert client.get(f"https://127.0.0.1:{port}/").content == BODY
            assert near.byte_count > 5 * len(BODY)
            assert far.byte_count == 0
        finally:
            near.stop()
            far.stop()
