"""`sortkey wallcrawler run` and `doctor` with a real Chromium."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sortkey.cli import main
from sortkey_systems.wallcrawler.browsers.local.chromium import ChromiumMissing, find_chromium


def _has_chromium() -> bool:
    try:
        find_chromium()
    except ChromiumMissing:
        return False
    return True


needs_chromium = pytest.mark.skipif(not _has_chromium(), reason="no Chromium: apt install chromium")

PAGE = "<!doctype html><title>Orders</title><body style='margin: 0; height: 3000px'><a href=x>1</a>"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "orders.html").write_text(PAGE)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.mark.slow
@needs_chromium
def test_a_page_is_opened_asked_and_photographed(
    site: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The shortest way to a browser: no server, no key.
    picture = tmp_path / "page.png"
    options = ["--screenshot", str(picture), "--full", "--evaluate", "document.links.length"]
    assert main(["wallcrawler", "run", f"{site}/orders.html", *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["title"], found["value"]) == ("Orders", 1)
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert int.from_bytes(data[16:20]) == 1280
    assert int.from_bytes(data[20:24]) == 3000


@pytest.mark.slow
@needs_chromium
def test_a_page_that_cannot_be_opened_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    # The command line has no live view: the line is all that somebody sees.
    for url in ("http://127.0.0.1:1/", "file:///etc/passwd"):
        assert main(["wallcrawler", "run", url]) == 1
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert url.rstrip("/") in error


def test_a_picture_for_a_missing_folder_starts_no_browser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A browser that has loaded the page for nothing is time that somebody waited.
    target = tmp_path / "missing" / "page.png"
    assert main(["wallcrawler", "run", "https://example.com", "--screenshot", str(target)]) == 2
    assert "is not a folder" in capsys.readouterr().err


@pytest.mark.slow
@needs_chromium
def test_the_doctor_starts_a_browser_and_says_what_isolates_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # "Installed" is not "runs": a container without user namespaces has Chromium, and no session.
    assert main(["wallcrawler", "doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    found = {each["name"]: each for each in report["checks"]}
    assert found["start"]["state"] == "ok"
    assert "seccomp" in found["a page"]["text"]
