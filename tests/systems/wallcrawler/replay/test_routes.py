"""The routes of replays: what was recorded, for whoever has a token of that recording."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from sortkey.systems import SharedResources
from sortkey_systems.wallcrawler.recording.frames import PageWriter
from sortkey_systems.wallcrawler.replay.routes import replay_token
from tests.systems.wallcrawler.served import ONE, REMOTE, URL, Served, served

START_MS = 1_763_424_000_000
IMAGES = (b"\xff\xd8 first", b"\xff\xd8 the second", b"\xff\xd8 third")
PATH = "/v1/replay/sess_1"


@pytest.fixture
def recorded(
    sortkey_shared: SharedResources, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Served, str]]:
    """A server with a recording of two pages, and a token for it."""
    monkeypatch.setenv("WALLCRAWLER_BROWSERS", "none")
    with served(sortkey_shared) as server:
        folder = server.service.browsers.folder("sess_1") / "recording"
        for number, images in enumerate((IMAGES[:2], IMAGES[2:])):
            writer = PageWriter(folder / str(number), f"T{number}", START_MS)
            writer.navigated(f"https://example.com/{number}", START_MS + 5)
            for image in images:
                writer.frame(image, START_MS + 1000 * number, 1280, 720)
            writer.close(START_MS + 5000)
        yield server, replay_token(server.service.tokens, "sess_1", ONE)


def _anybody(server: Served) -> TestClient:
    """Without a key: the token is all that counts."""
    return TestClient(server.host.app, client=REMOTE, base_url=URL)


def test_the_pages_and_ranges_of_their_frames_are_what_was_written(
    recorded: tuple[Served, str],
) -> None:
    # The player cuts the pictures out of one file: an offset that is wrong by one shows nothing.
    server, token = recorded
    anybody = _anybody(server)
    first, second = anybody.get(f"{PATH}/pages", params={"token": token}).json()["pages"]
    assert first["urls"] == [[START_MS + 5, "https://example.com/0"]]
    assert [time for time, _, _ in second["frames"]] == [START_MS + 1000]
    for (_, offset, size), image in zip(first["frames"], IMAGES[:2], strict=True):
        headers = {"Range": f"bytes={offset}-{offset + size - 1}"}
        answer = anybody.get(f"{PATH}/pages/0/frames", params={"token": token}, headers=headers)
        assert (answer.status_code, answer.content) == (206, image)


def test_the_newest_picture_is_sent_once_until_there_is_another(
    recorded: tuple[Served, str],
) -> None:
    # The console asks every two seconds for each browser.
    server, token = recorded
    anybody = _anybody(server)
    answer = anybody.get(f"{PATH}/newest.jpg", params={"token": token})
    assert answer.content == IMAGES[2]
    again = {"If-None-Match": answer.headers["etag"]}
    unchanged = anybody.get(f"{PATH}/newest.jpg", params={"token": token}, headers=again)
    assert (unchanged.status_code, unchanged.content) == (304, b"")


@pytest.mark.parametrize("path", ["", "/pages", "/pages/0/frames", "/newest.jpg"])
def test_nothing_is_shown_without_a_token_of_this_recording(
    recorded: tuple[Served, str], path: str
) -> None:
    # A recording shows what a tenant's browser showed, passwords included.
    server, _ = recorded
    tokens = server.service.tokens
    anybody = _anybody(server)
    assert anybody.get(PATH + path).status_code == 401
    other_session = replay_token(tokens, "sess_2", ONE)
    other_file = tokens.issue_file("sess_1", ONE, "downloads/")
    for token in (other_session, other_file):
        assert anybody.get(PATH + path, params={"token": token}).status_code == 403
    assert server.one.get(PATH + path).status_code == 401  # a key is not a token


@pytest.mark.parametrize("page", ["7", "..", "%2e%2e", "0%2f..%2f1", "٣"])
def test_a_page_that_was_not_recorded_is_unknown(recorded: tuple[Served, str], page: str) -> None:
    # The name of a page is a folder: it must not lead out of the recording.
    server, token = recorded
    answer = _anybody(server).get(f"{PATH}/pages/{page}/frames", params={"token": token})
    assert answer.status_code == 404


def test_a_session_that_was_not_recorded_has_no_pages_and_no_picture(
    recorded: tuple[Served, str],
) -> None:
    server, _ = recorded
    token = replay_token(server.service.tokens, "sess_none", ONE)
    anybody = _anybody(server)
    assert anybody.get("/v1/replay/sess_none/pages", params={"token": token}).json() == {
        "pages": []
    }
    picture = anybody.get("/v1/replay/sess_none/newest.jpg", params={"token": token})
    assert picture.status_code == 404
