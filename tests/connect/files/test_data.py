"""The folder behind objects: what a crash leaves is finished or removed, and nothing lies
around.
"""

from __future__ import annotations

import multiprocessing
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sortkey.connect.files import FileObjects, bucket
from sortkey.errors import ObjectNotFound, PreconditionFailed
from sortkey.runtime.objects import PART_BYTES_MIN
from sortkey.testing import FrozenClock


@pytest.fixture
def files(tmp_path: Path) -> Iterator[FileObjects]:
    with FileObjects(tmp_path / "bucket") as opened:
        yield opened


def lying(files: FileObjects, where: str) -> list[str]:
    return sorted(path.name for path in (files.folder / where).rglob("*") if path.is_file())


def test_keys_are_no_file_names(files: FileObjects) -> None:
    # On S3 these are five objects; on many a file system some of them exclude each other.
    keys = ["a", "a/b", "A", "a/b/c", "con", "é" * 512, "x" * 1024, "*?<>|:", "%2e%2e"]
    for key in keys:
        files.put(key, key.encode())
    assert [files.read(key) for key in keys] == [key.encode() for key in keys]
    assert len(lying(files, "objects")) == len(keys)


def test_only_what_is_an_object_lies_in_the_folder(files: FileObjects) -> None:
    # A bucket that grows by itself fills the disk one day.
    first = files.put("a", b"1")
    second = files.put("a", b"2")
    files.delete("a")
    files.delete("a", first.version_id)
    with pytest.raises(PreconditionFailed):
        files.put("a", b"3", if_match=first.etag)
    copy = files.copy("a", "b", version_id=second.version_id)
    upload = files.begin_upload("c")
    files.put_part(upload, 1, b"4")
    part = files.put_part(upload, 1, b"5")
    assert len(lying(files, "objects")) == 3
    done = files.complete_upload(upload, [part])
    files.abort_upload(upload)
    other = files.begin_upload("d")
    files.put_part(other, 7, b"6")
    files.abort_upload(other)
    assert lying(files, "objects") == sorted([second.version_id, copy.version_id, done.version_id])
    assert lying(files, "incoming") == []


def test_what_a_killed_writer_left_is_removed_by_the_next_opener(files: FileObjects) -> None:
    # Half a file, of which the index knows nothing.
    (files.folder / "incoming" / ("0" * 32)).write_bytes(b"half")
    kept = files.put("a", b"whole")
    with FileObjects(files.folder) as again:
        assert lying(again, "incoming") == []
        assert lying(again, "objects") == [kept.version_id]


def test_what_is_an_object_but_was_not_moved_is_moved_on(files: FileObjects) -> None:
    # Killed between the row and the move. Whoever has the folder open reads it all the same.
    made = files.put("a", b"whole")
    place = files.folder / "objects" / made.version_id[-2:] / made.version_id
    waiting = files.folder / "incoming" / made.version_id
    place.rename(waiting)
    assert files.read("a") == b"whole"
    assert files.copy("a", "b").size == 5
    with FileObjects(files.folder) as again:
        assert not waiting.exists()
        assert again.read("a") == b"whole"


def test_what_is_no_object_any_more_is_removed_by_the_next_opener(files: FileObjects) -> None:
    # Killed between the row's end and the file's.
    made = files.put("a", b"whole")
    files._index.remove("a", made.version_id)
    assert lying(files, "objects") == [made.version_id]
    with FileObjects(files.folder) as again:
        assert lying(again, "objects") == []
        assert again._index.garbage() == []


def test_what_is_being_written_is_not_taken_for_a_leftover(files: FileObjects) -> None:
    # Every program that opens the folder tidies it, also while others upload for hours.
    going_on, opened = threading.Event(), threading.Event()

    def slow() -> Iterator[bytes]:
        yield b"first "
        going_on.set()
        assert opened.wait(30)
        yield b"second"

    writer = threading.Thread(target=files.put, args=("a", slow()))
    writer.start()
    assert going_on.wait(30)
    with FileObjects(files.folder) as other:
        assert len(lying(other, "incoming")) == 1
    opened.set()
    writer.join()
    assert files.read("a") == b"first second"


def test_an_object_that_is_deleted_is_read_to_its_end(files: FileObjects) -> None:
    # A download that has begun goes on.
    made = files.put("a", b"x" * 3_000_000)
    with files.open("a") as reader:
        begun = reader.read(1)
        files.delete("a", made.version_id)
        assert begun + reader.read() == b"x" * 3_000_000
    with pytest.raises(ObjectNotFound):
        files.open("a")


def test_a_long_history_comes_page_by_page(
    files: FileObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Across the edges of pages no version is lost or listed twice.
    ids = [files.put(key, f"{number}".encode()).version_id for key in "ab" for number in range(7)]
    monkeypatch.setattr(bucket, "PAGE_SIZE", 3)
    found = [(version.key, version.version_id) for version in files.versions()]
    assert found == [("a", id) for id in reversed(ids[:7])] + [
        ("b", id) for id in reversed(ids[7:])
    ]


def test_parts_that_were_replaced_or_never_came_are_refused(files: FileObjects) -> None:
    # An upload that is completed with another part than its sender meant would be damaged silently.
    upload = files.begin_upload("a")
    first = files.put_part(upload, 1, b"first")
    files.put_part(upload, 1, b"second")
    with pytest.raises(Exception, match="replaced by another"):
        files.complete_upload(upload, [first])


def write_once(folder: str, number: int) -> bool:
    with FileObjects(folder) as files:
        try:
            files.put("once", f"{number}".encode() * 1000, if_absent=True)
        except PreconditionFailed:
            return False
        return True


@pytest.mark.slow
def test_of_several_processes_that_open_and_write_at_once_one_wins(tmp_path: Path) -> None:
    # The folder, its index and its secret are made by all of them at the same moment.
    with multiprocessing.get_context("spawn").Pool(6) as pool:
        for round in range(5):
            folder = str(tmp_path / f"{round}")
            won = pool.starmap(write_once, [(folder, number) for number in range(6)], chunksize=1)
            assert won.count(True) == 1
            with FileObjects(folder) as files:
                assert files.read("once") == f"{won.index(True)}".encode() * 1000
                assert len(lying(files, "objects")) == 1
                assert lying(files, "incoming") == []


def test_the_secret_is_one_and_nobody_elses(files: FileObjects) -> None:
    # Two processes must accept each other's links; other users of the machine must not be able to
    # make any.
    assert stat.S_IMODE((files.folder / "secret").stat().st_mode) == 0o600
    assert stat.S_IMODE(files.folder.stat().st_mode) == 0o700
    clock = FrozenClock()
    with (
        FileObjects(files.folder, clock=clock) as one,
        FileObjects(files.folder, clock=clock) as other,
    ):
        assert one.presign_get("a") == other.presign_get("a")


def test_a_part_in_parts_is_as_large_as_s3_wants_it(files: FileObjects) -> None:
    # The rule is the port's; this shows that a folder does not let pass what S3 refuses.
    upload = files.begin_upload("a")
    parts = [
        files.put_part(upload, number, b"x" * (PART_BYTES_MIN - (number == 2)))
        for number in (1, 2, 3)
    ]
    with pytest.raises(Exception, match="part 2"):
        files.complete_upload(upload, parts)
