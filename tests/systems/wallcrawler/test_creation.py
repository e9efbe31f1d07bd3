"""What a create asks for, in a real browser: proxies, extensions, viewport, files, logs."""

from __future__ import annotations

import base64
import io
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.systems.wallcrawler.driven import Cdp, Driven, driven, wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driven]:
    with driven(tmp_path, monkeypatch) as made:
        yield made


class Upstream(BaseHTTPRequestHandler):
    """A proxy that answers every request itself, if it has credentials; /file is a download."""

    seen: list[str | None]

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Proxy-Authorization"))
        body = b"<title>through the proxy</title>" + b"x" * 10_000
        self.send_response(200)
        if self.path.endswith("/file"):
            self.send_header("Content-Disposition", 'attachment; filename="report.txt"')
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def upstream() -> Iterator[tuple[str, list[str | None]]]:
    handler = type("Handler", (Upstream,), {"seen": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as made:
        Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{made.server_address[1]}", handler.seen
        made.shutdown()


def first_page(cdp: Cdp) -> tuple[str, str]:
    """The target of the first page, and a CDP session that is attached to it."""
    targets = cdp.call("Target.getTargets")["targetInfos"]
    target = next(each["targetId"] for each in targets if each["type"] == "page")
    attached = cdp.call("Target.attachToTarget", {"targetId": target, "flatten": True})
    return target, attached["sessionId"]


def evaluated(cdp: Cdp, session: str, expression: str) -> object:
    result = cdp.call("Runtime.evaluate", {"expression": expression}, session)
    return result["result"].get("value")


def test_requests_leave_through_the_proxy_with_credentials_and_are_counted(
    server: Driven, upstream: tuple[str, list[str | None]]
) -> None:
    # Chromium takes no credentials for a proxy; usage is billed by what went through it.
    address, seen = upstream
    proxy = {"type": "external", "server": address, "username": "ada", "password": "s3cret"}
    session = server.create(proxies=[proxy])
    cdp = Cdp(session["connectUrl"])
    _, page = first_page(cdp)
    cdp.call("Page.navigate", {"url": "http://shop.test/"}, page)
    wait_until(lambda: evaluated(cdp, page, "document.title") == "through the proxy")
    assert base64.b64decode(str(seen[0]).removeprefix("Basic ")) == b"ada:s3cret"
    ended = server.release(session)
    assert ended["proxyBytes"] > 10_000
    assert "s3cret" not in str(server.item(session).to_item())
    bad = server.client.post(
        "/v1/sessions", json={"proxies": [{"type": "external", "server": "ftp://x"}]}
    )
    assert bad.status_code == 400


def test_a_page_has_the_size_that_was_asked_for(server: Driven) -> None:
    # Screenshots and layouts are compared by the pixel. Some clients send whole numbers as 800.0.
    session = server.create(browserSettings={"viewport": {"width": 800.0, "height": 600.0}})
    cdp = Cdp(session["connectUrl"])
    _, page = first_page(cdp)
    assert evaluated(cdp, page, "innerWidth + 'x' + innerHeight") == "800x600"


def test_downloads_come_as_a_zip_during_and_after_the_session(
    server: Driven, upstream: tuple[str, list[str | None]]
) -> None:
    # Clients ask for the zip until their file is in it, often when the session has ended.
    address, _ = upstream
    session = server.create(keepAlive=True)
    cdp = Cdp(session["connectUrl"])
    _, page = first_page(cdp)

    def names() -> list[str]:
        answer = server.client.get(f"/v1/sessions/{session['id']}/downloads")
        assert answer.headers["content-type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            return archive.namelist()

    assert names() == []
    cdp.call("Page.navigate", {"url": f"{address}/file"}, page)
    wait_until(lambda: names() != [])
    [name] = names()
    assert name.startswith("report-")
    server.release(session)
    assert names() == [name]


def test_an_upload_can_be_chosen_in_a_page(server: Driven) -> None:
    # Files beyond 50 MB cannot go through the page itself.
    session = server.create(keepAlive=True)
    path = f"/v1/sessions/{session['id']}/uploads"
    sent = server.client.post(path, files={"file": ("hello.txt", b"hello")})
    assert sent.status_code == 200, sent.text
    assert sent.json()["message"]
    cdp = Cdp(session["connectUrl"])
    _, page = first_page(cdp)
    evaluated(cdp, page, "document.body.innerHTML = '<input type=file>'; 0")
    root = cdp.call("DOM.getDocument", session=page)["root"]["nodeId"]
    node = cdp.call("DOM.querySelector", {"nodeId": root, "selector": "input"}, page)["nodeId"]
    cdp.call("DOM.setFileInputFiles", {"files": ["hello.txt"], "nodeId": node}, page)
    asked = {
        "expression": "document.querySelector('input').files[0].text()",
        "awaitPromise": True,
    }
    assert cdp.call("Runtime.evaluate", asked, page)["result"]["value"] == "hello"
    server.release(session)
    refused = server.client.post(path, files={"file": ("late.txt", b"late")})
    assert refused.status_code == 410


def test_commands_and_events_are_in_the_log(server: Driven) -> None:
    # Whoever debugs a failed run reads what was asked and what came back.
    session = server.create(keepAlive=True)
    cdp = Cdp(session["connectUrl"])
    _, page = first_page(cdp)
    cdp.call("Page.enable", session=page)
    evaluated(cdp, page, "1 + 1")

    def entries(method: str) -> list[dict[str, object]]:
        log = server.client.get(f"/v1/sessions/{session['id']}/logs").json()
        return [each for each in log if each["method"] == method]

    wait_until(lambda: entries("Runtime.evaluate") != [])
    [entry] = entries("Runtime.evaluate")
    assert entry["sessionId"] == session["id"]
    assert abs(int(str(entry["timestamp"])) - time.time() * 1000) < 60_000
    assert "1 + 1" in str(entry["request"])
    assert "rawBody" in str(entry["response"])
    server.release(session)
    assert entries("Page.enable")


def test_an_extension_is_in_the_browser_that_asked_for_it(server: Driven) -> None:
    # Stagehand brings its own, and waits for its service worker.
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        manifest = (
            '{"manifest_version": 3, "name": "T", "version": "1",'
            ' "background": {"service_worker": "worker.js"}}'
        )
        archive.writestr("manifest.json", manifest)
        archive.writestr("worker.js", "self.isHere = true")
    files = {"file": ("mine.zip", data.getvalue())}
    extension = server.client.post("/v1/extensions", files=files).json()["id"]
    session = server.create(extensionId=extension)
    assert server.client.delete(f"/v1/extensions/{extension}").status_code == 204
    cdp = Cdp(session["connectUrl"])

    def workers() -> list[str]:
        targets = cdp.call("Target.getTargets")["targetInfos"]
        return [each["url"] for each in targets if each["type"] == "service_worker"]

    wait_until(lambda: any(url.endswith("/worker.js") for url in workers()))
    assert server.client.post("/v1/sessions", json={"extensionId": extension}).status_code == 404
