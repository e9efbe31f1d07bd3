"""Steps by HTTP, with a real server."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from sortkey_systems.vams.runners.events import EventNames, EventPost
from sortkey_systems.vams.runners.http_post import HttpRunner
from sortkey_systems.vams.runners.port import StepFailed, StepTimedOut
from tests.systems.vams.runners.steps import Trial


class Server(HTTPServer):
    """Remembers what was posted."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.posted: list[tuple[str, Any, str | None]] = []
        self.archives: dict[str, bytes] = {}
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.posted.append((self.path, body, self.headers["X-Key"]))
        if self.path in self.server.archives:
            self.send_response(200)
            self.send_header("Content-Type", "application/zip")
            self.end_headers()
            self.wfile.write(self.server.archives[self.path])
            return
        if self.path == "/drip":
            self.send_response(200)
            self.end_headers()
            for _ in range(40):
                if self.server.release.wait(0.05):
                    return
                self.wfile.write(b"x")
            return
        if self.path == "/slow":
            self.server.release.wait(5)
            return
        status = {"/refuse": 422, "/move": 307}.get(self.path, 200)
        self.send_response(status)
        if status == 307:
            self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(b"no room")

    def log_message(self, format: str, *args: Any) -> None:
        return


@pytest.fixture
def server() -> Iterator[Server]:
    opened = Server()
    thread = threading.Thread(target=opened.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield opened
    opened.release.set()
    opened.shutdown()
    opened.server_close()
    thread.join(5)


def test_the_message_is_posted_with_the_operators_headers(server: Server, tmp_path: Path) -> None:
    # A server of the operator knows by them that the call is ours.
    trial = Trial(tmp_path / "step", assetId="pump")
    HttpRunner(f"{server.url}/run?x=1", {"X-Key": "secret"}).run(trial.task())
    ((path, message, key),) = server.posted
    assert (path, message["body"]["assetId"], key) == ("/run?x=1", "pump", "secret")
    assert message["inputs"] == [{"path": "/a.txt", "url": "http://127.0.0.1/a.txt"}]
    assert "secret" not in repr(HttpRunner("http://x", {"X-Key": "secret"}))


@pytest.mark.parametrize(
    ("path", "reason"), [("/refuse", "answered 422: no room"), ("/move", "answered 307")]
)
def test_anything_but_success_fails_the_step(
    server: Server, tmp_path: Path, path: str, reason: str
) -> None:
    # A redirect could send the message, with its task token, to somebody else.
    with pytest.raises(StepFailed, match=reason):
        HttpRunner(server.url + path).run(Trial(tmp_path / "step").task())
    assert [posted[0] for posted in server.posted] == [path]


def test_a_server_that_is_slow_or_away_is_named(server: Server, tmp_path: Path) -> None:
    # A thread of the worker must not wait for ever.
    with pytest.raises(StepTimedOut, match=r"did not answer within 0\.2 s"):
        HttpRunner(f"{server.url}/slow").run(Trial(tmp_path / "slow").task(seconds=0.2))
    with pytest.raises(StepFailed, match="could not be asked"):
        HttpRunner("http://127.0.0.1:9/").run(Trial(tmp_path / "away").task())


def test_a_server_that_drips_is_not_waited_for(server: Server, tmp_path: Path) -> None:
    # Each byte comes in time, and all of them could take for ever.
    with pytest.raises(StepTimedOut, match=r"did not answer within 0\.2 s"):
        HttpRunner(f"{server.url}/drip").run(Trial(tmp_path / "drip").task(seconds=0.2))
    server.release.set()


def test_an_event_has_the_envelope_of_eventbridge(server: Server, tmp_path: Path) -> None:
    # Who listens to EventBridge on AWS reads these names.
    trial = Trial(tmp_path / "step", assetId="pump")
    EventPost(f"{server.url}/events", EventNames("plant", "scan")).run(trial.task())
    event = server.posted[0][1]
    assert (event["source"], event["detail-type"]) == ("plant", "scan")
    assert event["detail"]["body"]["assetId"] == "pump"


def archive(**files: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return data.getvalue()


def test_a_server_answers_with_an_archive_of_outputs(server: Server, tmp_path: Path) -> None:
    # It may be on another machine, and has no key of the bucket.
    names = {"files/a b/x.txt": b"one", "metadata/asset.metadata.json": b"{}"}
    server.archives["/zip"] = archive(**names)
    trial = Trial(tmp_path / "step")
    HttpRunner(f"{server.url}/zip").run(trial.task())
    assert trial.made("files") == {"a b/x.txt": b"one"}
    assert trial.made("metadata") == {"asset.metadata.json": b"{}"}


@pytest.mark.parametrize(
    "content",
    [
        archive(**{"files/../../escaped.txt": b"x"}),
        archive(**{"input/x.txt": b"x"}),
        archive(**{"/etc/passwd": b"x"}),
        archive(**{"x.txt": b"x"}),
        b"not an archive",
    ],
)
def test_an_archive_cannot_write_elsewhere(server: Server, tmp_path: Path, content: bytes) -> None:
    # The names in it are those of a stranger.
    server.archives["/zip"] = content
    trial = Trial(tmp_path / "step")
    with pytest.raises(StepFailed, match="the answer"):
        HttpRunner(f"{server.url}/zip").run(trial.task())
    assert not list(tmp_path.rglob("escaped.txt"))
    assert trial.made("files") == {}
