"""The lifecycle of a folder of objects, which S3 does by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sortkey.connect.files import FileObjects
from sortkey.errors import ObjectNotFound
from sortkey.runtime.objects import Lifecycle, LifecycleReport
from sortkey.testing import FrozenClock

DAY = 24 * 3600


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(1_800_000_000.0)


@pytest.fixture
def files(tmp_path: Path, clock: FrozenClock) -> Iterator[FileObjects]:
    with FileObjects(tmp_path / "bucket", clock=clock) as opened:
        yield opened


def applied(files: FileObjects, clock: FrozenClock) -> LifecycleReport:
    return files.apply_lifecycle(datetime.fromtimestamp(clock(), UTC))


def test_what_is_old_expires_behind_a_marker(files: FileObjects, clock: FrozenClock) -> None:
    # "Access logs: 90-day expiration." The versions are still there for who needs them.
    files.set_lifecycle([Lifecycle("logs/", expire_after_days=90)])
    old = files.put("logs/1", b"old")
    files.put("assets/1", b"stays")
    clock.advance(89 * DAY)
    files.put("logs/2", b"young")
    assert applied(files, clock) == LifecycleReport()
    clock.advance(DAY)
    assert applied(files, clock) == LifecycleReport(expired=["logs/1"])
    assert [entry.key for entry in files.list().objects] == ["assets/1", "logs/2"]
    assert files.read("logs/1", old.version_id) == b"old"
    assert applied(files, clock) == LifecycleReport()


def test_a_new_version_is_as_young_as_it_is(files: FileObjects, clock: FrozenClock) -> None:
    files.set_lifecycle([Lifecycle(expire_after_days=10)])
    files.put("a", b"1")
    clock.advance(9 * DAY)
    files.put("a", b"2")
    clock.advance(9 * DAY)
    assert applied(files, clock).expired == []
    assert files.read("a") == b"2"


def test_old_versions_go_when_they_were_old_for_long_enough(
    files: FileObjects, clock: FrozenClock
) -> None:
    # Counted from when something newer came, not from when they were written.
    files.set_lifecycle([Lifecycle(old_versions_after_days=30)])
    first = files.put("a", b"1")
    clock.advance(100 * DAY)
    second = files.put("a", b"2")
    clock.advance(29 * DAY)
    assert applied(files, clock) == LifecycleReport()
    clock.advance(DAY)
    assert applied(files, clock) == LifecycleReport(removed_versions=["a"])
    with pytest.raises(ObjectNotFound):
        files.read("a", first.version_id)
    assert files.read("a") == b"2"
    files.delete("a")
    clock.advance(30 * DAY)
    assert applied(files, clock).removed_versions == ["a"]
    with pytest.raises(ObjectNotFound):
        files.read("a", second.version_id)
    assert applied(files, clock).removed_versions == [
        "a"
    ]  # the marker, which hides nothing any more
    assert list(files.versions()) == []
    assert list((files.folder / "objects").glob("*/*")) == []


def test_the_archive_is_a_tier_that_is_recorded(files: FileObjects, clock: FrozenClock) -> None:
    # Read in the same way; what it costs is another matter.
    files.set_lifecycle([Lifecycle("graphs/", archive_after_days=30)])
    files.put("graphs/1", b"1")
    files.put("other", b"")
    clock.advance(30 * DAY)
    young = files.put("graphs/2", b"2")
    assert applied(files, clock) == LifecycleReport(archived=["graphs/1"])
    assert [(entry.key, entry.tier) for entry in files.list().objects] == [
        ("graphs/1", "archive"),
        ("graphs/2", "standard"),
        ("other", "standard"),
    ]
    assert files.head("graphs/1").tier == "archive"
    assert files.head("graphs/2") == young
    assert files.read("graphs/1") == b"1"
    assert applied(files, clock) == LifecycleReport()


def test_uploads_that_nobody_finishes_are_given_up(files: FileObjects, clock: FrozenClock) -> None:
    # Their parts are seen by nobody, and fill the disk.
    files.set_lifecycle([Lifecycle(uploads_after_days=7)])
    old = files.begin_upload("a")
    files.put_part(old, 1, b"part")
    clock.advance(7 * DAY)
    files.begin_upload("b")
    assert applied(files, clock) == LifecycleReport(aborted_uploads=["a"])
    assert [upload.key for upload in files.uploads()] == ["b"]
    assert list((files.folder / "objects").glob("*/*")) == []
    assert files.lifecycle() == [Lifecycle(uploads_after_days=7)]
