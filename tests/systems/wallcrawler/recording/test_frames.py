"""The folder format of recordings."""

from pathlib import Path

from sortkey_systems.wallcrawler.recording.frames import PageWriter, last_frame, read_pages


def test_a_page_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    # The holder writes and the server reads: they share nothing but this folder.
    writer = PageWriter(tmp_path / "0", "T1", 1000)
    writer.navigated("about:blank", 1000)
    writer.frame(b"first", 1200, 1280, 720)
    writer.navigated("https://example.com/", 1300)
    writer.frame(b"second image", 1400, 1280, 720)
    writer.close(2000)
    (page,) = read_pages(tmp_path)
    assert (page.page_id, page.target_id, page.url) == ("0", "T1", "https://example.com/")
    assert (page.start_ms, page.end_ms) == (1000, 2000)
    assert [(frame.time_ms, image) for frame, image in page.images()] == [
        (1200, b"first"),
        (1400, b"second image"),
    ]
    assert last_frame(tmp_path) == b"second image"


def test_a_recording_that_a_crash_cut_short_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    # A killed holder leaves half a line, and a line whose image did not reach the disk.
    writer = PageWriter(tmp_path / "0", "T1", 1000)
    writer.frame(b"whole", 1200, 1, 1)
    writer.frame(b"torn", 1300, 1, 1)
    frames, index = tmp_path / "0" / "frames.mjpeg", tmp_path / "0" / "index.jsonl"
    frames.write_bytes(frames.read_bytes()[:-1])
    with index.open("a") as file:
        file.write('{"t": 1400, "at"')
    (page,) = read_pages(tmp_path)
    assert [image for _, image in page.images()] == [b"whole"]
    writer.close(1500)


def test_pages_are_in_the_order_in_which_they_were_opened(tmp_path: Path) -> None:
    # Page 10 comes after page 9, not after page 1.
    for number in (10, 9, 1):
        PageWriter(tmp_path / str(number), f"T{number}", number).close(number)
    (tmp_path / "not-a-page").mkdir()
    assert [page.page_id for page in read_pages(tmp_path)] == ["1", "9", "10"]


def test_nothing_was_recorded_where_there_is_no_folder(tmp_path: Path) -> None:
    # recordSession=false: no folder is made at all.
    assert read_pages(tmp_path / "missing") == []
    assert last_frame(tmp_path / "missing") is None
