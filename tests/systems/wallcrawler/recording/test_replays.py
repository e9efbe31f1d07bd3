"""What the interface says of recordings."""

import time

import pytest

from sortkey_systems.wallcrawler.recording.frames import PageRecording, PageWriter
from sortkey_systems.wallcrawler.recording.replays import PageNotRecorded, Replays

SESSION = "sess_1"


@pytest.fixture
def replays(page: PageRecording) -> Replays:
    """Of one session, whose folder has the recording of one page."""
    return Replays(lambda _: page.folder.parent.parent)


@pytest.mark.slow
def test_a_playlist_links_to_segments_that_can_be_read(replays: Replays) -> None:
    # A player has no API key: it follows the links as they stand.
    playlist = replays.playlist(SESSION, "0", lambda path: f"https://host/{path}?token=t")
    links = [line for line in playlist.splitlines() if not line.startswith("#")]
    assert links
    for link in links:
        name = link.removeprefix("https://host/replays/0/segments/").removesuffix("?token=t")
        assert replays.segment(SESSION, "0", name).stat().st_size > 0


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
