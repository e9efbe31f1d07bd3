"""The recorder: CDP messages in, commands and frames out."""

from base64 import b64encode
from pathlib import Path
from typing import Any

from sortkey_systems.wallcrawler.recording.frames import PAGES_AT_ONCE_MAX, PAGES_MAX, read_pages
from sortkey_systems.wallcrawler.recording.recorder import Recorder


class Sent(list[tuple[str, dict[str, Any], str | None]]):
    """The commands of a recorder, in order."""

    def __call__(self, method: str, params: dict[str, Any], session: str | None) -> None:
        self.append((method, params, session))

    def count(self, method: str) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return sum(1 for each in self if each[0] == method)


def _attached(number: int = 1, kind: str = "page") -> dict[str, Any]:
    target = {"targetId": f"T{number}", "type": kind, "url": "about:blank"}
    return {
        "method": "Target.attachedToTarget",
        "params": {"sessionId": f"S{number}", "targetInfo": target},
    }


def _frame(number: int, at: float, data: bytes = b"jpeg") -> dict[str, Any]:
    about = {"timestamp": at, "deviceWidth": 1280, "deviceHeight": 720}
    params = {"data": b64encode(data).decode(), "metadata": about, "sessionId": number}
    return {"method": "Page.screencastFrame", "params": params, "sessionId": "S1"}


def test_every_page_is_recorded_and_nothing_else(tmp_path: Path) -> None:
    # Workers and the browser's own pages have nothing to see; a page must not wait for the
    # recorder.
    sent = Sent()
    recorder = Recorder(tmp_path, sent)
    recorder.start()
    recorder.receive(_attached(1), 10.0)
    recorder.receive(_attached(2, "service_worker"), 10.0)
    recorder.receive(_frame(7, 10.1), 10.1)
    recorder.close(11.0)
    assert sent[0][0] == "Target.setAutoAttach"
    assert sent[0][1]["waitForDebuggerOnStart"] is False
    assert ("Page.screencastFrameAck", {"sessionId": 7}, "S1") in sent
    (page,) = read_pages(tmp_path)
    assert [(frame.time_ms, image) for frame, image in page.images()] == [(10100, b"jpeg")]
    assert page.end_ms == 11000


def test_frames_are_acknowledged_no_faster_than_they_are_wanted(tmp_path: Path) -> None:
    # Chromium encodes a frame per acknowledgement: at 37 a second the page's own script would feel
    # it.
    sent = Sent()
    recorder = Recorder(tmp_path, sent, fps=5)
    recorder.receive(_attached(), 10.0)
    recorder.receive(_frame(1, 10.0), 10.0)
    recorder.receive(_frame(2, 10.02), 10.02)
    assert sent.count("Page.screencastFrameAck") == 1
    wait = recorder.tick(10.1)
    assert wait is not None
    assert 0.09 < wait < 0.11
    recorder.tick(10.2)
    assert sent.count("Page.screencastFrameAck") == 2
    recorder.close(11.0)


def test_what_a_busy_page_shows_at_last_is_recorded(tmp_path: Path) -> None:
    # While acknowledgements are out Chromium drops what it draws; without another frame the end
    # would be missing.
    sent = Sent()
    recorder = Recorder(tmp_path, sent, fps=5)
    recorder.receive(_attached(), 10.0)
    for number, at in ((1, 10.0), (2, 10.01), (3, 10.02)):
        recorder.receive(_frame(number, at), at)
    now, wait = 10.02, recorder.tick(10.02)
    while wait is not None and now < 20:
        now += wait + 0.001
        wait = recorder.tick(now)
    assert sent.count("Page.screencastFrameAck") == 3
    assert sent.count("Page.startScreencast") == 2
    assert now < 11.5
    recorder.close(now)


def test_where_a_page_goes_is_noted_once(tmp_path: Path) -> None:
    # The time line shows where the page was. Titles change too, and other pages.
    recorder = Recorder(tmp_path, Sent())
    recorder.receive(_attached(), 10.0)
    changes = [
        (10.5, "T1", "https://example.com/"),
        (10.6, "T1", "https://example.com/"),
        (10.7, "T2", "https://elsewhere.example/"),
    ]
    for at, target_id, url in changes:
        target = {"targetId": target_id, "type": "page", "url": url}
        changed = {"method": "Target.targetInfoChanged", "params": {"targetInfo": target}}
        recorder.receive(changed, at)
    recorder.receive({"method": "Target.detachedFromTarget", "params": {"sessionId": "S1"}}, 12.0)
    (page,) = read_pages(tmp_path)
    assert page.urls == [(10000, "about:blank"), (10500, "https://example.com/")]
    assert page.end_ms == 12000


def test_tabs_that_come_and_go_are_all_recorded_up_to_a_limit(tmp_path: Path) -> None:
    # A run that opens each result in a tab of its own has more than ten, but never at once.
    recorder = Recorder(tmp_path, Sent())
    for number in range(PAGES_MAX + 5):
        recorder.receive(_attached(number), 10.0)
        gone = {"method": "Target.detachedFromTarget", "params": {"sessionId": f"S{number}"}}
        recorder.receive(gone, 10.5)
    assert len(read_pages(tmp_path)) == PAGES_MAX


def test_a_recording_is_limited_in_pages_and_bytes(tmp_path: Path) -> None:
    # A session that opens tabs in a loop must not fill the disk of all the others.
    sent = Sent()
    recorder = Recorder(tmp_path, sent, bytes_max=100)
    for number in range(PAGES_AT_ONCE_MAX + 5):
        recorder.receive(_attached(number), 10.0)
    assert len(read_pages(tmp_path)) == PAGES_AT_ONCE_MAX
    for number in range(5):
        recorder.receive(_frame(number, 10.0, bytes(40)), 10.0)
    assert sum(frame.size for page in read_pages(tmp_path) for frame in page.frames) <= 100
    assert sent.count("Page.stopScreencast") == 1
    recorder.close(11.0)
