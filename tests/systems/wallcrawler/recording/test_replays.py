"""What the interface says of recordings."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from sortkey_systems.wallcrawler.recording.frames import PageRecording, PageWriter
from sortkey_systems.wallcrawler.recording.renders import TooManyVideos
from sortkey_systems.wallcrawler.recording.replays import (
    PLAYLISTS_MAX,
    PageNotRecorded,
    Replays,
)

SESSION = "sess_1"


@pytest.fixture
def replays(page: PageRecording) -> Replays:
    """Of one session, whose folder has the recording of one page."""
    return Replays(lambda _: page.folder.parent.parent)


@pytest.mark.slow
def test_a_playlist_links_to_segments_that_can_be_read(replays: Replays) -> None:
    # A player has no API key: it follows the links as they stand.
    link = "https://host/{}?token=t".format
    playlist = asyncio.run(replays.playlist(SESSION, "0", link))
    links = [line for line in playlist.splitlines() if not line.startswith("#")]
    assert links
    for link in links:
        name = link.removeprefix("https://host/replays/0/segments/").removesuffix("?token=t")
        assert replays.segment(SESSION, "0", name).stat().st_size > 0


SLOW_FFMPEG = """#!/bin/sh
echo started >> "$RENDERS/started"
cat > /dev/null
until [ -e "$RENDERS/go" ]; do sleep 0.02; done
echo '#EXTM3U' > index.m3u8
"""


@pytest.fixture
def renders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that notes what an ffmpeg starts, which waits until the folder has a file `go`."""
    folder, program = tmp_path / "renders", tmp_path / "programs" / "ffmpeg"
    folder.mkdir()
    program.parent.mkdir()
    program.write_text(SLOW_FFMPEG)
    program.chmod(0o755)
    monkeypatch.setenv("RENDERS", str(folder))
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    for number in range(PLAYLISTS_MAX + 1):
        writer = PageWriter(tmp_path / "recording" / str(number), f"T{number}", 1)
        writer.frame(b"an image", 1, 10, 10)
        writer.close(2)
    return folder


def test_many_who_ask_for_replays_do_not_keep_the_threads_of_others(renders: Path) -> None:
    # All tenants share the threads that answer requests: forty callers took every one of them.
    replays = Replays(lambda _: renders.parent)

    async def ask() -> list[str | BaseException]:
        pages = [0] * 40 + list(range(1, PLAYLISTS_MAX + 1))
        asked = [asyncio.create_task(replays.playlist(SESSION, str(page), str)) for page in pages]
        try:
            await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)  # one too many
            with pytest.raises(PageNotRecorded):  # there is a thread that answers
                await replays.playlist(SESSION, "x", str)
        finally:
            (renders / "go").touch()
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(asyncio.wait_for(ask(), 30))
    [refused] = [each for each in answers if isinstance(each, TooManyVideos)]
    assert int(refused.headers["Retry-After"]) > 0
    assert answers.count("#EXTM3U\n") == len(answers) - 1
    assert len((renders / "started").read_text().splitlines()) == PLAYLISTS_MAX


@pytest.mark.slow
def test_an_mp4_is_made_after_it_was_asked_for(replays: Replays) -> None:
    # It takes long: the client asks, and comes back for it.
    (before,) = replays.downloads(SESSION)
    assert before.status == "NOT_REQUESTED"
    (asked,) = replays.request_downloads(SESSION)
    assert asked.status in ("PENDING", "COMPLETED")
    deadline = time.monotonic() + 60
    while (
        done := replays.downloads(SESSION)[0]
    ).status == "PENDING" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert done.status == "COMPLETED"
    assert done.completed_at is not None
    assert replays.mp4(SESSION, "0").stat().st_size > 0


@pytest.mark.slow
def test_a_page_that_cannot_be_shown_fails_alone(replays: Replays, page: PageRecording) -> None:
    # One broken tab must not keep the other recordings of a session.
    writer = PageWriter(page.folder.parent / "1", "T2", 5)
    writer.frame(b"broken", 5, 10, 10)
    writer.close(6)
    replays.request_downloads(SESSION)
    deadline = time.monotonic() + 60
    states = []
    while "PENDING" in (
        states := [each.status for each in replays.downloads(SESSION)] or ["PENDING"]
    ):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert states == ["COMPLETED", "FAILED"]


@pytest.mark.parametrize(
    "name", ["../../0/page.json", "index.m3u8", ".hidden.ts", "missing.ts", "a\\b.ts"]
)
def test_nothing_but_segments_is_served(replays: Replays, name: str) -> None:
    # The name comes from a URL.
    with pytest.raises(PageNotRecorded):
        replays.segment(SESSION, "0", name)
    with pytest.raises(PageNotRecorded):
        replays.segment(SESSION, "../0", "segment-00000.ts")


def test_the_events_name_their_session(replays: Replays) -> None:
    # Clients merge the recordings of several sessions.
    events = list(replays.events(SESSION))
    assert {each["sessionId"] for each in events} == {SESSION}
    assert all(isinstance(each["type"], int) for each in events)
