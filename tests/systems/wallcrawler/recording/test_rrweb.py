"""Recordings as rrweb events."""

from base64 import b64decode
from pathlib import Path

from sortkey_systems.wallcrawler.recording import rrweb
from sortkey_systems.wallcrawler.recording.frames import PageRecording, PageWriter, read_page


def test_the_events_are_a_document_that_a_player_shows(page: PageRecording) -> None:
    # A player needs the size, a whole document, then changes; and the times of all of them in
    # order.
    events = list(rrweb.events(page))
    assert [each["type"] for each in events] == [1, 4, 2, 3, 3]
    assert [each["timestamp"] for each in events] == sorted(each["timestamp"] for each in events)
    assert events[1]["data"] == {"href": "https://example.com/", "width": 321, "height": 181}
    change = events[-1]["data"]["attributes"][0]
    image = events[2]["data"]["node"]["childNodes"][1]["childNodes"][1]["childNodes"][0]
    assert change["id"] == image["id"]
    assert b64decode(change["attributes"]["src"].partition(",")[2]) == page.image(page.frames[-1])


def test_a_long_recording_is_thinned_out(tmp_path: Path) -> None:
    # An hour at five frames a second would be hundreds of megabytes in one answer.
    writer = PageWriter(tmp_path / "0", "T1", 0)
    for number in range(rrweb.EVENTS_MAX * 3):
        writer.frame(b"x", number, 10, 10)
    writer.close(rrweb.EVENTS_MAX * 3)
    long = read_page(tmp_path / "0")
    assert long is not None
    assert len(list(rrweb.events(long))) <= rrweb.EVENTS_MAX + 2
