"""The programs of the page "Connect", as somebody copies them: they run."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.console.snippets import new_session, running_session
from tests.systems.wallcrawler.driven import Driven, driven

URL = "http://127.0.0.1:8080/wallcrawler"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driven]:
    with (
        pytest.MonkeyPatch.context() as monkeypatch,
        driven(tmp_path_factory.mktemp("snippets"), monkeypatch) as running,
    ):
        yield running


@pytest.fixture(scope="module")
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


def _run(command: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Python", "Selenium"])
def test_a_program_in_python_drives_a_new_session(
    server: Driven, site: str, tmp_path: Path, name: str
) -> None:
    # It is the first thing that somebody tries; what does not run is not tried twice.
    if name == "Selenium" and not shutil.which("chromedriver"):
        pytest.skip("there is no chromedriver: apt install chromium-driver")
    program = new_session(server.address)[name].replace("https://example.com", site)
    key = server.client.headers["X-BB-API-Key"]
    printed = _run([sys.executable, "-c", program], tmp_path, BROWSERBASE_API_KEY=key)
    assert printed == "Example Domain\n"
    assert (name == "Python") == (tmp_path / "page.png").exists()


@pytest.mark.slow
def test_curl_creates_a_session_and_releases_it(server: Driven, tmp_path: Path) -> None:
    # For whoever has no client library, or wants to see what goes over the wire.
    create, release = new_session(server.address)["curl"].split("\n# Later")
    release = release.partition("\n")[2]
    key = server.client.headers["X-BB-API-Key"]
    created = _run(["bash", "-c", create], tmp_path, BROWSERBASE_API_KEY=key)
    session_id = created.partition('"id":"')[2].partition('"')[0]
    assert server.item({"id": session_id}).status == "RUNNING"
    line = release.replace("{id}", session_id)
    assert "COMPLETED" in _run(["bash", "-c", line], tmp_path, BROWSERBASE_API_KEY=key)


@pytest.mark.slow
def test_a_program_joins_a_session_that_runs(server: Driven, tmp_path: Path) -> None:
    # Its browser goes on afterwards: somebody else is at work in it.
    session = server.create(keepAlive=True)
    program = running_session(server.address)["Python"]
    printed = _run([sys.executable, "-c", program], tmp_path, CONNECT_URL=session["connectUrl"])
    assert printed.strip() == "about:blank"
    assert server.item(session).status == "RUNNING"
    server.release(session)


@pytest.mark.parametrize("texts", [new_session(URL), running_session(URL)])
def test_every_program_is_valid_in_its_language(texts: dict[str, str], tmp_path: Path) -> None:
    # A brace too many, left over from filling in the address, breaks what somebody copied.
    for name, text in texts.items():
        assert "{{" not in text
        if name in ("Python", "Selenium"):
            compile(text, name, "exec")
        elif name in ("Node", "Puppeteer") and shutil.which("node"):
            program = tmp_path / "program.mjs"
            program.write_text(text)
            _run(["node", "--check", str(program)], tmp_path)
