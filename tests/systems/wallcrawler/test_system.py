"""A tenant's browser at the server that started it: `sortkey up` and a real Chromium."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.strangers import needs_root
from tests.systems.wallcrawler.driven import Cdp, need_chromium

UP = ("up", "--systems", "wallcrawler", "--port", "0", "--dynamodb-port", "0")
CLOSED = {
    f"net::ERR_{name}"
    for name in ("CONNECTION_RESET", "CONNECTION_CLOSED", "EMPTY_RESPONSE", "SOCKET_NOT_CONNECTED")
}
"""What Chromium calls it depends on how far its request was."""
OPENS_SOCKET = """
new Promise(done => {
  const socket = new WebSocket(%r);
  socket.onopen = () => socket.send('{"id": 1, "method": "Browser.getVersion"}');
  socket.onmessage = event => { socket.close(); done(event.data); };
  socket.onerror = () => done("refused");
})"""


@contextmanager
def up(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The addresses of REST and of DynamoDB, and the key that the program prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sortkey", *UP],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "WALLCRAWLER_WARM": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        printed = ""
        while not (key := re.search(r"\bwc_\w+", printed)):
            line = process.stdout.readline()
            assert line, printed  # it has ended
            printed += line
        console, dynamodb = (
            re.findall(rf"{name} +(http://[\w.:]+)", printed)[0] for name in ("console", "DynamoDB")
        )
        yield console, dynamodb, key[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)  # not for the end of its output: holders of browsers outlive it


class Page:
    """The page of a session, as a tenant drives it."""

    def __init__(self, cdp: Cdp) -> None:
        self._cdp = cdp
        target = cdp.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attach = {"targetId": target, "flatten": True}
        self._session: str = cdp.call("Target.attachToTarget", attach)["sessionId"]

    def goto(self, url: str) -> dict[str, Any]:
        return self._cdp.call("Page.navigate", {"url": url}, self._session)

    def evaluate(self, expression: str) -> Any:
        params = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        return self._cdp.call("Runtime.evaluate", params, self._session)["result"].get("value")


@pytest.mark.slow
def test_a_tenants_page_reaches_its_own_browser_and_nothing_of_the_operator(tmp_path: Path) -> None:
    # On loopback, console and tables need no password: they show the sessions of all tenants.
    needs_root()
    need_chromium()
    with (
        up(tmp_path) as (address, dynamodb, key),
        httpx.Client(base_url=address, headers={"X-BB-API-Key": key}, timeout=60) as client,
    ):
        assert client.get("/console/").status_code == 200  # the operator's own
        session = client.post("/wallcrawler/v1/sessions", json={}).json()
        try:
            check(session["connectUrl"], address, dynamodb)
        finally:
            body = {"status": "REQUEST_RELEASE"}
            client.post(f"/wallcrawler/v1/sessions/{session['id']}", json=body)


def check(connect_url: str, address: str, dynamodb: str) -> None:
    cdp = Cdp(connect_url)
    page = Page(cdp)
    for path in ("/console/", "/wallcrawler/v1/sessions", "/health"):
        page.goto(f"{address}{path}")
        shown = page.evaluate("document.body.innerText")
        assert "closed to programs that the server runs" in shown
    assert page.goto(f"{dynamodb}/")["errorText"] in CLOSED
    metadata = page.goto("http://169.254.169.254/latest/meta-data/")
    assert metadata["errorText"] == "net::ERR_NAME_NOT_RESOLVED"
    with site() as elsewhere:  # pages of the server itself have a policy that forbids sockets
        page.goto(elsewhere)
        assert "product" in page.evaluate(OPENS_SOCKET % connect_url)
    cdp.close()


class _Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def site() -> Iterator[str]:
    """A web site of the tenant."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hello)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
