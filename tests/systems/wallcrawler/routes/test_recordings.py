"""/v1/sessions/{id}/recording and /replays, of a session that has ended."""

from __future__ import annotations

import shutil
import time
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient

from sortkey_systems.wallcrawler.model import Session
from tests.systems.wallcrawler.recording.recorded import START_MS, record_page
from tests.systems.wallcrawler.served import ONE, REMOTE, URL, Served

PATH = "/v1/sessions/sess_1"


@pytest.fixture
def recorded(without_browsers: Served) -> Served:
    """A tenant with an ended session, whose recording is there."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        pytest.skip("ffmpeg is missing (Debian: apt-get install ffmpeg)")
    service = without_browsers.service
    expires = datetime.now(UTC) + timedelta(hours=1)
    session = Session(
        session_id="sess_1", project_id=ONE, expires_at=expires, signing_key="a secret"
    )
    service.store.create(session)
    service.store.update(Session.key(session_id="sess_1"), set={"internal_status": "STOPPED"})
    record_page(service.browsers.folder("sess_1") / "recording", ffmpeg)
    return without_browsers


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


@pytest.mark.slow
def test_a_playlist_is_played_without_a_key_but_not_without_its_token(recorded: Served) -> None:
    # A player in any page follows the links; nobody else can guess them.
    answer = recorded.one.get(f"{PATH}/replays/0")
    assert answer.headers["content-type"].startswith("application/vnd.apple.mpegurl")
    links = [line for line in answer.text.splitlines() if not line.startswith("#")]
    assert len(links) >= 2
    player = TestClient(
        recorded.host.app,
        client=REMOTE,
        base_url=URL,
        headers={"Origin": "https://player.example"},
    )
    assert player.get(_path(links[0])).content[:1] == b"G"  # an MPEG transport stream
    assert player.get(_path(links[0]).partition("?")[0]).status_code == 401
    other = _path(links[0]).replace("segment-00000", "segment-00001")
    assert player.get(other).status_code == 403


def test_the_pages_and_the_events_of_a_recording_are_listed(recorded: Served) -> None:
    # rrweb's players and the newest clients take either.
    pages = recorded.one.get(f"{PATH}/replays").json()
    assert pages == {
        "pageCount": 1,
        "pages": [
            {
                "pageId": "0",
                "url": "https://example.com/",
                "startTimeMs": START_MS,
                "endTimeMs": START_MS + 11_000,
            }
        ],
    }
    events = recorded.one.get(f"{PATH}/recording").json()
    assert all(event.keys() == {"type", "timestamp", "data", "sessionId"} for event in events)


@pytest.mark.slow
def test_an_mp4_is_asked_for_waited_for_and_fetched(recorded: Served) -> None:
    # It takes a while, so the client polls; the link it gets needs no key.
    before = recorded.one.get(f"{PATH}/recording/downloads").json()
    assert before == {"downloads": [{"pageId": "0", "status": "NOT_REQUESTED"}]}
    assert recorded.one.post(f"{PATH}/recording/downloads").status_code == 202
    deadline = time.monotonic() + 60
    while True:
        (download,) = recorded.one.get(f"{PATH}/recording/downloads").json()["downloads"]
        if download["status"] != "PENDING" or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    assert download["status"] == "COMPLETED"
    assert download["completedAt"].endswith("Z")
    player = TestClient(recorded.host.app, client=REMOTE, base_url=URL)
    assert player.get(_path(download["downloadUrl"])).content[4:8] == b"ftyp"


def test_other_tenants_and_other_pages_get_nothing(recorded: Served) -> None:
    # A recording shows what somebody typed.
    for path in ("replays", "replays/0", "recording", "recording/downloads"):
        assert recorded.other.get(f"{PATH}/{path}").status_code == 404
    for page in ("1", "..%2f0", "x"):
        assert recorded.one.get(f"{PATH}/replays/{page}").status_code == 404


def test_a_running_session_has_no_mp4_yet(recorded: Served) -> None:
    # It would be another one a second later.
    expires = datetime.now(UTC) + timedelta(hours=1)
    running = Session(
        session_id="sess_2", project_id=ONE, expires_at=expires, signing_key="another secret"
    )
    recorded.service.store.create(running)
    answer = recorded.one.post("/v1/sessions/sess_2/recording/downloads")
    assert answer.status_code == 400
    assert "release" in answer.json()["message"]
