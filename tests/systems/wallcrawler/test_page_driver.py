"""The page driver on a real browser."""

import asyncio
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.browsers.port import BrowserSpec, Role
from sortkey_systems.wallcrawler.command_run import one_browser
from sortkey_systems.wallcrawler.page_driver import PageDriver, PageFailed, with_scheme
from tests.systems.wallcrawler.driven import need_chromium


class _Handler(BaseHTTPRequestHandler):
    """`/slow` never ends; everything else is a page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Here</title><body>" + b" " * 1024)
        self.wfile.flush()
        if self.path == "/slow":
            time.sleep(15)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.mark.slow
def test_a_page_is_loaded_asked_and_given_up(site: str, tmp_path: Path) -> None:
    # One browser for all of it: what fails must leave a page that still answers.
    need_chromium()

    async def drive() -> None:
        browsers = one_browser(tmp_path)
        await browsers.open()
        expires = time.time() + 60
        try:
            await browsers.start(
                BrowserSpec(session_id="sess_1", project_id="p", expires_at=expires, record=False)
            )
            connection = await browsers.connect("sess_1", Role.OBSERVER)
            driver = await PageDriver.attach(connection)
            await driver.go(f"{site}/a")
            assert await driver.evaluate("document.title") == "Here"
            await driver.go(f"{site}/a#below")  # nothing is loaded, and nothing waited for
            with pytest.raises(PageFailed, match="not loaded within 1 seconds"):
                await driver.go(f"{site}/slow", 1)
            with pytest.raises(PageFailed, match="cannot be opened: net::ERR"):
                await driver.go("http://127.0.0.1:1/")
            with pytest.raises(PageFailed, match=r"Page\.nonsense"):
                await driver.send("Page.nonsense")
            await driver.go(f"{site}/b")
            assert await driver.evaluate("location.pathname") == "/b"
            connection.close()
        finally:
            await browsers.end("sess_1", "done")
            await browsers.close()

    asyncio.run(drive())


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("example.com", "https://example.com"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://example.com", "http://example.com"),
        ("about:blank", "about:blank"),
        ("data:text/html,x", "data:text/html,x"),
    ],
)
def test_an_address_without_a_scheme_is_completed(typed: str, address: str) -> None:
    # A local server rarely speaks TLS, and everything else should.
    assert with_scheme(typed) == address
