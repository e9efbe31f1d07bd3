"""The published Python client of Browserbase, pointed here by its base URL only."""

from __future__ import annotations

import io
import shutil
import time
import zipfile
from collections.abc import Callable
from typing import Any

import browserbase
import httpx
import pytest
from playwright.sync_api import sync_playwright

from tests.systems.wallcrawler.clients.conftest import Server, wait_until


def test_a_session_is_created_found_watched_and_released(
    server: Server, new_session: Callable[..., Any]
) -> None:
    # What everybody does first; the client validates every object it gets.
    client = server.client()
    session = new_session(user_metadata={"order": "7"}, timeout=120)
    assert session.status == "RUNNING"
    assert session.connect_url.startswith("ws://127.0.0.1:")
    assert client.sessions.retrieve(session.id).connect_url == session.connect_url
    (found,) = client.sessions.list(q="user_metadata['order']:'7'")
    assert (found.id, found.region) == (session.id, session.region)
    live = client.sessions.debug(session.id)
    assert [page.url for page in live.pages] == ["about:blank"]
    assert live.debugger_url.startswith(server.url)
    ended = client.sessions.update(session.id, status="REQUEST_RELEASE")
    assert ended.status == "COMPLETED"
    assert ended.ended_at is not None
    assert client.sessions.update(session.id, status="REQUEST_RELEASE").ended_at == ended.ended_at


def test_the_other_tenant_sees_nothing_of_it(
    server: Server, new_session: Callable[..., Any]
) -> None:
    # Sessions hold logins: the key of another project must not even learn that they exist.
    session, stranger = new_session(), server.client(server.other_key)
    with pytest.raises(browserbase.NotFoundError):
        stranger.sessions.retrieve(session.id)
    with pytest.raises(browserbase.NotFoundError):
        stranger.sessions.update(session.id, status="REQUEST_RELEASE")
    assert session.id not in [each.id for each in stranger.sessions.list()]
    with pytest.raises(browserbase.AuthenticationError):
        server.client("wc_wrong").sessions.list()


def test_a_context_keeps_a_login(
    server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # The client's own example: the second session begins a few seconds after the first was closed.
    client = server.client()
    context = client.contexts.create()
    settings = {"context": {"id": context.id, "persist": True}}
    first = new_session(browser_settings=settings)
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(first.connect_url)
        page = browser.contexts[0].pages[0]
        page.goto(site)
        page.evaluate("document.cookie = 'login=ada'; localStorage.setItem('theme', 'dark')")
        browser.close()
        wait_until(lambda: client.sessions.retrieve(first.id).status == "COMPLETED")
        second = new_session(browser_settings=settings)
        browser = playwright.chromium.connect_over_cdp(second.connect_url)
        page = browser.contexts[0].pages[0]
        page.goto(site)
        state = page.evaluate("[document.cookie, localStorage.getItem('theme')]")
        browser.close()
    assert state == ["login=ada", "dark"]
    client.contexts.delete(context.id)


def test_downloads_and_uploads_go_through_the_service(
    server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # The browser runs elsewhere: its files come and go through these two routes.
    client, session = server.client(), new_session(keep_alive=True)
    client.sessions.uploads.create(session.id, file=("notes.txt", b"for the browser"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(session.connect_url)
        page = browser.contexts[0].pages[0]
        page.goto(site)
        cdp = page.context.new_cdp_session(page)
        root = cdp.send("DOM.getDocument")["root"]["nodeId"]
        node = cdp.send("DOM.querySelector", {"nodeId": root, "selector": "#file"})["nodeId"]
        cdp.send("DOM.setFileInputFiles", {"nodeId": node, "files": ["/tmp/.uploads/notes.txt"]})
        assert page.locator("#size").inner_text(timeout=5000) == "notes.txt: for the browser"
        page.locator("#report").click()
        wait_until(lambda: _zipped(client, session.id) != {})
        browser.close()
    ((name, content),) = _zipped(client, session.id).items()
    stem, _, stamp = name.removesuffix(".csv").rpartition("-")
    assert (stem, len(stamp), content.splitlines()[0]) == ("report", 13, b"order,total")


def _zipped(client: browserbase.Browserbase, session_id: str) -> dict[str, bytes]:
    archive = zipfile.ZipFile(io.BytesIO(client.sessions.downloads.list(session_id).read()))
    return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="no ffmpeg (apt-get install ffmpeg)")
def test_what_happened_is_logged_and_recorded(
    server: Server, site: str, new_session: Callable[..., Any]
) -> None:
    # Logs and replays are what people look at when a run has failed.
    client, session = server.client(), new_session()
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(session.connect_url)
        page = browser.contexts[0].pages[0]
        page.goto(site)
        page.evaluate("document.body.style.background = 'green'")
        time.sleep(1)  # something to see
        browser.close()
    wait_until(lambda: client.sessions.retrieve(session.id).status == "COMPLETED")
    methods = {entry.method for entry in client.sessions.logs.list(session.id)}
    assert {"Page.navigate", "Page.frameNavigated"} <= methods
    replay = client.sessions.replays.retrieve(session.id)
    assert replay.page_count == len(replay.pages) == 1
    assert replay.pages[0].url.startswith(site)
    playlist = client.sessions.replays.retrieve_page("0", id=session.id).read().decode()
    segment = next(line for line in playlist.splitlines() if line.startswith("http"))
    assert httpx.get(segment).content[:1] == b"G"  # an MPEG transport stream
    assert httpx.get(segment.partition("?")[0]).status_code == 401
    with pytest.warns(DeprecationWarning, match="deprecated"):  # the client prefers replays
        events = client.sessions.recording.retrieve(session.id)
    assert {2, 4} <= {event.type for event in events}
    client.sessions.recording.downloads.create(session.id)
    wait_until(lambda: _download(client, session.id).status == "COMPLETED", 60)
    assert httpx.get(_download(client, session.id).download_url or "").content[4:8] == b"ftyp"


def _download(client: browserbase.Browserbase, session_id: str) -> Any:
    return client.sessions.recording.downloads.list(session_id).downloads[0]


def test_projects_and_their_usage_are_shown(server: Server) -> None:
    # The dashboard of the client's examples.
    client = server.client()
    (project,) = client.projects.list()
    assert project.id == "project_one"
    assert client.projects.retrieve(project.id).concurrency == 20
    assert client.projects.usage(project.id).browser_minutes >= 0
