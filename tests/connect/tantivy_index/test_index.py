"""One writer, many readers; commits by themselves; what a crash or a full disk leaves behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sortkey import DeleteDocument, Match, PutDocument, Search, open_search
from sortkey.connect.tantivy_index import writer
from sortkey.connect.tantivy_index.home import Home
from sortkey.errors import SearchIndexInUse, SearchWritesFailed
from sortkey.testing import FrozenClock
from tests.contract.search_adapters import Note, notes
from tests.storage.disks import full_disk

READER = """
import sys
from sortkey import open_search
from tests.contract.search_adapters import notes
with open_search(notes, sys.argv[1]) as search:
    for line in sys.stdin:
        print(search.count(), flush=True)
"""


def opened(folder: Path, **settings: Any) -> Search[Note]:
    search = open_search(notes, folder, **{"commit_seconds": None, **settings})
    search.ensure()
    return search


def puts(*numbers: int) -> list[PutDocument]:
    return [PutDocument(f"{number:04d}", 1, {"size": number}) for number in numbers]


def until(test: Callable[[], bool], seconds: float = 10) -> None:
    """Look again and again, a few milliseconds apart."""
    deadline = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.003)


def test_a_second_opener_reads_and_is_told_who_writes(tmp_path: Path) -> None:
    # A console beside a worker: it searches, and must not write past the worker's knowledge of
    # versions.
    with opened(tmp_path) as writer, opened(tmp_path) as reader:
        writer.write(puts(1))
        writer.refresh()
        assert reader.count() == 1
        with pytest.raises(SearchIndexInUse, match=f"written by process {os.getpid()}"):
            reader.write(puts(2))
        writer.write(puts(2, 3))
        writer.refresh()
        assert reader.count() == 3
    with opened(tmp_path) as heir:
        assert heir.write(puts(4)).written == 1
        heir.refresh()
        assert heir.count() == 4


def test_an_index_that_could_not_be_taken_on_a_full_disk_is_free(tmp_path: Path) -> None:
    # After freeing space, a retry in the same process must not fail because another one writes
    # it: it is itself.
    home = Home(tmp_path)
    with full_disk(), pytest.raises(OSError, match="too large"):
        home.own()
    home.own()
    home.release()


def test_another_process_sees_commits_and_another_index(tmp_path: Path) -> None:
    with opened(tmp_path) as writer:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", READER, str(tmp_path)]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen(command, env=environment, **pipes) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            counts = list[int]()
            for number in (1, 2, 3):
                writer.write(puts(number))
                writer.refresh()
                if number == 3:
                    built = writer.replacement()
                    built.write(puts(1, 2, 3, 4, 5))
                    writer.replace_with(built)
                process.stdin.write("?\n")
                process.stdin.flush()
                counts.append(int(process.stdout.readline()))
            process.stdin.close()
        assert counts == [1, 2, 5]


def test_a_write_is_found_soon_by_itself(tmp_path: Path) -> None:
    # Nobody calls refresh for a change of somebody else.
    with opened(tmp_path, commit_seconds=0.005) as search:
        search.write(puts(1))
        until(lambda: search.count() == 1)
        search.write(puts(2))
        until(lambda: search.count() == 2)


def test_very_many_writes_are_found_by_themselves_too(tmp_path: Path) -> None:
    # More threads, then one again: what is between them is neither lost nor doubled.
    with opened(tmp_path, commit_seconds=0.005) as search:
        search.write(puts(*range(3000)))
        search.write(puts(*range(2900, 3100)))
        search.refresh()
        assert search.count() == 3100
        search.write(puts(5000))
        until(
            lambda: search.count() == 3101, seconds=3
        )  # one is not many: it does not wait for others


def test_threads_write_and_search_while_an_index_is_built_anew(tmp_path: Path) -> None:
    # A service does all of it at once.
    with opened(tmp_path, commit_seconds=0.001) as search:
        failed = list[BaseException]()

        def write(first: int) -> None:
            try:
                for number in range(first, first + 150):
                    search.write(puts(number))
                    search.query(Match.range("size", at_least=first))
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=write, args=(first,)) for first in (0, 1000, 2000)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            built = search.replacement()
            built.write(PutDocument(hit.id, hit.version, hit.fields) for hit in search.iterate())
            search.replace_with(built)
        for thread in threads:
            thread.join()
        assert failed == []
        missing = [number for number in (149, 1149, 2149) if search.get(f"{number:04d}") is None]
        assert missing == []


def test_what_is_closed_is_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as search:
        search.write(puts(1, 2))
    search.close()
    with opened(tmp_path) as again:
        assert again.count() == 2


def test_deletes_are_known_for_an_hour(tmp_path: Path) -> None:
    # Tombstones for ever would outgrow the documents.
    clock = FrozenClock()
    with opened(tmp_path, clock=clock) as search:
        search.write([DeleteDocument("0001", 5), *puts(2)])
        search.refresh()
        clock.advance(3000)
        search.write(puts(3))
        search.refresh()
        assert search.write(puts(1)).late == ["0001"]
        clock.advance(3000)
        search.write(puts(4))
        search.refresh()
        assert search.write(puts(1)).late == []
        search.refresh()
        assert search.count() == 4


def test_writes_that_the_disk_did_not_take_are_named_once_and_can_be_repeated(
    tmp_path: Path,
) -> None:
    # Whoever notes that a change is done must hear that it is not.
    with opened(tmp_path) as search:
        search.write(puts(1))
        search.refresh()
        inner = next(each for each in (tmp_path / "notes").iterdir() if each.is_dir())
        away = inner.rename(inner.with_suffix(".away"))
        search.write(puts(2, 3))
        with pytest.raises(SearchWritesFailed, match="2 documents were not written") as caught:
            search.flush()
        assert set(caught.value.ids) == {"0002", "0003"}
        away.rename(inner)
        search.write(puts(2, 3))
        search.refresh()
        assert search.count() == 3


def test_a_failure_behind_ones_back_is_reported_to_the_next_caller(tmp_path: Path) -> None:
    with opened(tmp_path, commit_seconds=0.001) as search:
        search.write(puts(1))
        until(lambda: search.count() == 1)
        inner = next(each for each in (tmp_path / "notes").iterdir() if each.is_dir())
        away = inner.rename(inner.with_suffix(".away"))
        search.write(puts(2))

        def has_failed() -> bool:
            try:
                search.flush()
            except SearchWritesFailed:
                return True
            return False

        until(has_failed)
        away.rename(inner)
        search.write(puts(2))
        until(lambda: search.count() == 2)


def test_a_writer_that_cannot_be_had_for_much_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More threads need memory that may not be there. What was written is committed then, and
    # writing goes on.
    monkeypatch.setattr(writer, "BULK_WRITES", 3)
    monkeypatch.setattr(writer, "BULK_HEAP_BYTES", 1)
    with opened(tmp_path) as search:
        for first in (1, 11, 21):
            assert search.write(puts(*range(first, first + 5))).written == 5
        search.refresh()
        assert search.count() == 15


def test_folders_of_crashes_are_removed(tmp_path: Path) -> None:
    with opened(tmp_path) as search:
        search.write(puts(1))
    shutil.copytree(tmp_path / "notes" / "000001", tmp_path / "notes" / "000007")
    with opened(tmp_path) as search:
        search.write(puts(2))
        names = sorted(each.name for each in (tmp_path / "notes").iterdir() if each.is_dir())
    assert names == ["000001"]
