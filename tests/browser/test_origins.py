"""Pages of other sites in a real Chromium, against a real `sortkey up`: what they try gets them
nothing.
"""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import sortkey
from tests.browser.conftest import Up, client

FORGED = {"PK": {"S": "KEY#0123456789ab"}, "SK": {"S": "METADATA"}, "access": {"S": "full"}}
LIST, PUT = ("ListTables", {}), ("PutItem", {"TableName": "sortkey-api-keys", "Item": FORGED})

ASK = """async ([address, operation, request, settings]) => {
  const target = {'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': 'DynamoDB_20120810.' + operation};
  const asked = {method: 'POST', headers: target, body: JSON.stringify(request), ...settings};
  try {
    const answer = await fetch(address, asked);
    return {type: answer.type, status: answer.status, id: answer.headers.get('x-amzn-requestid'),
            text: await answer.text()};
  } catch (error) { return {failed: String(error)}; }
}"""
OPEN_SOCKET = """address => new Promise(done => {
  const socket = new WebSocket(address);
  socket.onopen = () => done('open');
  socket.onerror = () => done('refused');
})"""
SIMPLE = {"mode": "no-cors", "headers": {"Content-Type": "text/plain"}}
"""What a page may send without asking first."""


class Site(BaseHTTPRequestHandler):
    """An empty page, under every name."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Kittens</title>")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[int]:
    """The port of a web server that is not ours."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module")
def served(site: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """A program of which only pages of friend.test may call the DynamoDB endpoint."""
    arguments = ("--no-sample", "--systems", "applens", "--cors", f"http://friend.test:{site}")
    running = Up(tmp_path_factory.mktemp("served") / "data", *arguments)
    try:
        running.wait_for("Ctrl-C stops it")
        yield running
    finally:
        running.process.kill()
        running.process.wait()


def endpoint(up: Up) -> str:
    return f"http://127.0.0.1:{up.dynamodb_port}/"


def socket_of(up: Up, host: str = "127.0.0.1") -> str:
    return f"ws://{host}:{up.port}/console/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


def rows_of_the_keys(up: Up) -> list[Any]:
    with sortkey.open(up.folder) as store:
        return store.backend.call("Scan", {"TableName": "sortkey-api-keys"})["Items"]


def test_a_page_of_another_site_reads_nothing_writes_nothing_and_opens_no_socket(
    served: Up, site: int, wide: Page
):
    # It was enough to visit a page: all tables were listed, and a forged key opened REST.
    wide.goto(f"http://evil.test:{site}/")
    for operation, request in (LIST, PUT):
        assert "failed" in wide.evaluate(ASK, [endpoint(served), operation, request, {}])
        assert (
            wide.evaluate(ASK, [endpoint(served), operation, request, SIMPLE])["type"] == "opaque"
        )
    rest = f"http://127.0.0.1:{served.port}/health"
    assert "failed" in wide.evaluate(ASK, [rest, "", {}, {}])
    assert wide.evaluate(OPEN_SOCKET, socket_of(served)) == "refused"
    assert rows_of_the_keys(served) == []


def test_a_name_that_a_page_points_at_this_machine_opens_nothing(served: Up, wide: Page):
    # DNS rebinding: for Chromium the page at evil.test and the server behind that name are of one
    # origin.
    for port, path in (
        (served.dynamodb_port, "/"),
        (served.port, "/console/"),
        (served.port, "/docs"),
    ):
        answer = wide.goto(f"http://evil.test:{port}{path}")
        assert answer is not None
        assert answer.status == 403
    assert wide.evaluate(OPEN_SOCKET, socket_of(served, "evil.test")) == "refused"
    wide.goto(f"http://evil.test:{served.dynamodb_port}/")
    for operation, request in (LIST, PUT):
        answer = wide.evaluate(ASK, ["/", operation, request, {}])
        assert answer["status"] == 403
        assert "--allow-host evil.test" in answer["text"]
        assert "TableNames" not in answer["text"]
    assert rows_of_the_keys(served) == []


def test_a_page_of_a_given_origin_calls_as_sdks_do_but_changes_no_table_of_ours(
    served: Up, site: int, wide: Page
):
    wide.goto(f"http://friend.test:{site}/")
    listed = wide.evaluate(ASK, [endpoint(served), *LIST, {}])
    assert listed["status"] == 200
    assert "applens-graph-metadata" in listed["text"]
    assert len(listed["id"]) == 52  # SDKs log it, and a page sees only headers that are exposed
    item = {
        "TableName": "applens-graph-metadata",
        "Item": {"PK": {"S": "USER#1"}, "SK": {"S": "NOTE#1"}},
    }
    assert wide.evaluate(ASK, [endpoint(served), "PutItem", item, {}])["status"] == 200
    refused = wide.evaluate(ASK, [endpoint(served), *PUT, {}])
    assert refused["status"] == 400
    assert "AccessDeniedException" in refused["text"]
    assert rows_of_the_keys(served) == []


def test_the_console_and_programs_notice_nothing(served: Up, wide: Page):
    wide.goto(f"{served.console}/")
    expect(wide.get_by_role("heading", name="Your data models, running")).to_be_visible()
    assert wide.evaluate(OPEN_SOCKET, socket_of(served)) == "open"
    wide.goto(f"http://localhost:{served.port}/console/data")
    expect(wide.get_by_role("heading", name="Data")).to_be_visible()
    assert wide.evaluate(OPEN_SOCKET, socket_of(served, "localhost")) == "open"
    assert "applens-graph-metadata" in client(served).list_tables()["TableNames"]
