"""The first minute with Wallcrawler, as its README tells it: the key that `up` prints, and a program
of a newcomer."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser.conftest import Up

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "src/sortkey_systems/wallcrawler/README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/wallcrawler.md").read_text(encoding="utf-8")
RELEASE = """
for each in (session, again):
    client.sessions.update(each.id, status="REQUEST_RELEASE")
"""
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture
def site() -> Iterator[str]:
    """Stands in for example.com: tests reach no network."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>Example Domain</title>")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def _programs(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def _run(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_programs_of_the_readme_and_of_the_page_drive_a_browser(
    tmp_path: Path, site: str
) -> None:
    # A newcomer who copies what stands there has a browser within a minute, or leaves.
    up = Up(tmp_path / "data", "--systems", "wallcrawler")
    try:
        up.wait_for("wallcrawler: API key")
        said = re.search(r"API key (\S+), base URL (\S+)", up.said)
        assert said is not None
        key, url = said.groups()
        first, second = _programs(README)[0], _programs(PAGE)[0]
        local = {"https://example.com": site, "http://127.0.0.1:8080/wallcrawler": url}
        for program in (first, second):
            for there, here in local.items():
                program = program.replace(there, here)
            printed = _run(program, BROWSERBASE_API_KEY=key, BROWSERBASE_BASE_URL=url)
            assert printed == "Example Domain\n"
        context = "from browserbase import Browserbase\n" + _programs(PAGE)[1] + RELEASE
        assert _run(context, BROWSERBASE_API_KEY=key, BROWSERBASE_BASE_URL=url) == ""
        assert up.stop() == 0
    finally:
        up.process.kill()
        up.process.wait()


def test_without_chromium_up_and_doctor_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Everything else works without it, and somebody must learn why sessions do not.
    monkeypatch.setenv("WALLCRAWLER_CHROMIUM", str(tmp_path / "missing"))
    up = Up(tmp_path / "data", "--systems", "wallcrawler")
    try:
        up.wait_for("wallcrawler: API key")
        assert "apt install chromium" in up.said
    finally:
        up.process.kill()
        up.process.wait()
    command = [sys.executable, "-m", "sortkey", "wallcrawler", "doctor"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "apt install chromium" in done.stdout


def test_every_setting_of_the_readme_is_read_somewhere() -> None:
    # A variable that nobody reads is a setting that somebody trusts.
    source = ROOT / "src/sortkey_systems/wallcrawler"
    text = "".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py"))
    named = re.findall(r"`((?:WALLCRAWLER|SESSION)_[A-Z_]+)`", README)
    assert len(named) > 10
    assert [name for name in named if f'"{name}"' not in text] == []
