"""The service with real browsers: created, used, ended in every way, and nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sortkey_systems.wallcrawler.contexts.profiles import BUCKET
from sortkey_systems.wallcrawler.model import Session
from tests.systems.wallcrawler.driven import (
    PROJECT,
    Cdp,
    Driven,
    driven,
    processes_of,
    wait_until,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driven]:
    with driven(tmp_path, monkeypatch, LEAVE_SECONDS="0.3", UNUSED_SECONDS="300") as made:
        yield made


@pytest.mark.accepts("WC-13", "WC-21", "WC-22", "WC-24", "WC-40")
def test_a_session_is_ready_when_it_is_answered_and_gone_when_it_is_released(
    server: Driven,
) -> None:
    # Clients take the first page at once; a release that leaves processes is a leak a day later.
    session = server.create(userMetadata={"a": "b"}, browserSettings={"recordSession": False})
    assert session["status"] == "RUNNING"
    assert session["connectUrl"].startswith(f"ws://{urlsplit(server.address).netloc}/")
    assert session["signingKey"] in session["connectUrl"]
    for name in ("createdAt", "updatedAt", "startedAt", "expiresAt"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", session[name])
    cdp = Cdp(session["connectUrl"])
    assert [each["type"] for each in cdp.call("Target.getTargets")["targetInfos"]].count(
        "page"
    ) == 1
    item = server.item(session)
    assert item.internal_status in ("READY", "ACTIVE")
    assert "Browser Ready" in [event.detail_type for event in item.event_history]
    alive = processes_of(server.service, session)
    retrieved = server.client.get(f"/v1/sessions/{session['id']}").json()
    assert retrieved["connectUrl"] == session["connectUrl"]
    released = server.release(session)
    assert (released["status"], "connectUrl" in released) == ("COMPLETED", False)
    assert released["endedAt"] >= released["startedAt"]
    assert alive() == []
    assert server.release(session) == released
    assert server.places_taken == 0
    usage = server.client.get(f"/v1/projects/{PROJECT}/usage").json()
    assert usage["browserMinutes"] == 1


def test_live_urls_name_the_pages(server: Driven) -> None:
    # A page's id is its CDP target, so that both ways lead to the same page.
    session = server.create()
    live = server.client.get(f"/v1/sessions/{session['id']}/debug").json()
    [page] = live["pages"]
    cdp = Cdp(session["connectUrl"])
    ids = [each["targetId"] for each in cdp.call("Target.getTargets")["targetInfos"]]
    assert page["id"] in ids
    assert live["wsUrl"].startswith("ws://")
    assert server.client.get(page["debuggerFullscreenUrl"]).status_code == 200
    assert session["signingKey"] not in str(live)


def test_a_session_ends_soon_after_its_last_client(server: Driven) -> None:
    # Stagehand never releases. One that holds two connections must not lose both with the first.
    session = server.create()
    one, other = Cdp(session["connectUrl"]), Cdp(session["connectUrl"])
    other.call("Browser.getVersion")
    one.close()
    wait_until(lambda: server.item(session).internal_status == "ACTIVE")
    assert other.call("Browser.getVersion")
    other.close()
    ended = server.ended(session)
    assert (ended.status, ended.end_reason) == ("COMPLETED", "the last client has left")


@pytest.mark.accepts("WC-19")
def test_a_session_that_is_kept_alive_survives_its_clients(server: Driven) -> None:
    # The same URL opens it again, with its pages as they were.
    session = server.create(keepAlive=True)
    first = Cdp(session["connectUrl"])
    target = first.call("Target.createTarget", {"url": "about:blank#kept"})["targetId"]
    first.close()
    wait_until(lambda: server.item(session).internal_status == "READY")
    second = Cdp(session["connectUrl"])
    targets = second.call("Target.getTargets")["targetInfos"]
    assert target in [each["targetId"] for each in targets]


def test_a_client_that_closes_the_browser_ends_its_session(server: Driven) -> None:
    # Puppeteer's browser.close() sends this; the session must not wait for its timeout.
    session = server.create()
    Cdp(session["connectUrl"]).call("Browser.close")
    assert server.ended(session).status == "COMPLETED"


@pytest.mark.accepts("WC-8", "WC-26")
def test_a_session_is_ended_when_its_window_closes(server: Driven) -> None:
    # Found by the index of statuses and windows. The connected client is notified.
    session = server.create(timeout=8, keepAlive=True)
    alive = processes_of(server.service, session)
    ended = server.ended(session, 30)
    assert (ended.status, ended.internal_status) == ("TIMED_OUT", "TIMED_OUT")
    assert ended.ended_at is not None
    assert abs(ended.ended_at - ended.expires_at) < timedelta(seconds=8)
    assert alive() == []


def test_a_browser_that_dies_ends_its_session_as_an_error(server: Driven) -> None:
    # The client learns it at once, and the place is free for the next.
    session = server.create(keepAlive=True)
    alive = processes_of(server.service, session)
    for pid in alive():
        if b"--type=" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)
    ended = server.ended(session)
    assert ended.status == "ERROR"
    assert "stopped" in (ended.end_reason or "")
    wait_until(lambda: alive() == [])
    assert server.places_taken == 0


@pytest.mark.accepts("WC-26")
def test_a_browser_whose_item_is_deleted_is_ended(server: Driven) -> None:
    # TTL or an operator may take the item; a browser that nobody can name must not run on.
    session = server.create(keepAlive=True)
    alive = processes_of(server.service, session)
    server.service.store.delete(Session.key(session_id=session["id"]))
    wait_until(lambda: alive() == [])
    wait_until(lambda: server.places_taken == 0)
    wait_until(lambda: not server.service.browsers.folder(session["id"]).exists())


def test_a_creator_who_hangs_up_leaves_nothing_behind(server: Driven) -> None:
    # Clients give up after a minute and try again: one call would make three browsers.
    host, port = urlsplit(server.address).hostname, urlsplit(server.address).port
    head = (
        f"POST /v1/sessions HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"X-BB-API-Key: {server.client.headers['X-BB-API-Key']}\r\n"
        "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n" + '{"keepAlive":true}'
    )
    with socket.create_connection((host, port)) as connection:
        connection.sendall(head.encode())
        wait_until(lambda: server.places_taken == 1)
    wait_until(lambda: server.places_taken == 0)
    [session] = server.client.get("/v1/sessions").json()
    assert session["status"] == "COMPLETED"
    assert server.item(session).end_reason == "the creator has left"
    sessions = server.service.resources.folder / "sessions"
    wait_until(lambda: not list(sessions.iterdir()))


@pytest.mark.accepts("WC-15", "WC-38", "WC-39")
def test_a_context_keeps_logins_from_session_to_session(server: Driven) -> None:
    # Cookies without an expiry too: they are what most logins are. persist=false changes nothing.
    context = server.client.post("/v1/contexts").json()["id"]
    bucket = server.service.resources.buckets[BUCKET]

    def cookies(value: str | None, *, persist: bool) -> list[str]:
        wanted = {"context": {"id": context, "persist": persist}}
        session = server.create(browserSettings=wanted)
        assert session["contextId"] == context
        cdp = Cdp(session["connectUrl"])
        found = [each["value"] for each in cdp.call("Storage.getCookies")["cookies"]]
        if value is not None:
            cookie = {"name": "login", "value": value, "domain": "example.com", "path": "/"}
            cdp.call("Storage.setCookies", {"cookies": [cookie]})
        server.release(session)
        return found

    assert cookies("ada", persist=True) == []
    assert cookies("eve", persist=False) == ["ada"]
    assert cookies(None, persist=True) == ["ada"]
    assert len(list(bucket.versions(f"{PROJECT}/{context}/"))) == 2


def test_one_session_at_a_time_persists_into_a_context(server: Driven) -> None:
    # The second is refused while the first runs, and waits while it is being archived.
    context = server.client.post("/v1/contexts").json()["id"]
    wanted = {"context": {"id": context, "persist": True}}
    first = server.create(browserSettings=wanted)
    refused = server.client.post("/v1/sessions", json={"browserSettings": wanted})
    assert (refused.status_code, refused.headers["x-should-retry"]) == (409, "false")
    Cdp(first["connectUrl"]).close()
    second = server.create(browserSettings=wanted)
    assert server.item(first).status == "COMPLETED"
    assert server.item(second).context_persist


def test_a_browser_that_is_not_ready_in_time_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 504 and no second try by the client: the machine is slow already.
    with driven(tmp_path, monkeypatch, READY_SECONDS="0.05") as server:
        answer = server.client.post("/v1/sessions", json={})
        assert (answer.status_code, answer.headers["x-should-retry"]) == (504, "false")
        [session] = server.client.get("/v1/sessions").json()
        assert session["status"] == "TIMED_OUT"
        assert server.places_taken == 0
        sessions = server.service.resources.folder / "sessions"
        wait_until(lambda: not list(sessions.iterdir()))


def test_a_session_that_nobody_uses_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Somebody's script failed between create and connect; nobody will come.
    with driven(tmp_path, monkeypatch, UNUSED_SECONDS="0.5") as server:
        ended = server.ended(server.create())
        assert (ended.status, ended.end_reason) == ("COMPLETED", "nobody has connected")


def test_a_server_that_starts_again_finds_its_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What runs is used again under the same URL; what died meanwhile is said to have died.
    with driven(tmp_path, monkeypatch, leaves_sessions=True) as server:
        kept, lost = (server.create(keepAlive=True, timeout=600) for _ in range(2))
        dying = processes_of(server.service, lost)
    for pid in dying():
        os.kill(pid, signal.SIGKILL)
    with driven(tmp_path, monkeypatch) as server:
        assert server.item(kept).status == "RUNNING"
        token = urlsplit(kept["connectUrl"])
        url = f"ws://{urlsplit(server.address).netloc}{token.path}?{token.query}"
        assert Cdp(url).call("Browser.getVersion")
        ended = server.ended(lost)
        assert ended.status == "ERROR"
        assert ended.ended_at is not None
        assert ended.ended_at <= datetime.now(UTC)
        assert server.places_taken == 1


@pytest.mark.accepts("WC-17")
def test_a_browser_that_crashes_at_every_start_is_tried_twice_and_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A crash loop must not keep the machine busy; the client learns the reason, and stops trying.
    with driven(tmp_path, monkeypatch, CHROMIUM="/bin/false") as server:
        answer = server.client.post("/v1/sessions", json={})
        assert (answer.status_code, answer.headers["x-should-retry"]) == (503, "false")
        [session] = server.client.get("/v1/sessions").json()
        item = server.item(session)
        assert (item.status, item.retry_count) == ("ERROR", 1)
        assert server.places_taken == 0
        assert not list((server.service.resources.folder / "sessions").iterdir())
