"""The settings that durability and speed rest on."""

from __future__ import annotations

import shutil
import threading

import pytest

from sortkey.storage.database import LOG_BYTES, Database
from sortkey.storage.folder import Folder
from tests.storage.disks import full_disk


@pytest.mark.parametrize(("synchronous", "level"), [("normal", 1), ("full", 2)])
def test_a_folder_is_opened_as_asked(tmp_path, synchronous, level):
    # A pragma that is not run is silent: NORMAL was FULL once, at a tenth of the speed.
    database = Database(Folder(tmp_path), synchronous)
    settings = {
        name: database.execute(f"pragma {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous")
    }
    assert settings == {"journal_mode": "wal", "synchronous": level}
    assert database.execute("pragma cache_size").fetchone()[0] == -32768
    database.close()


def test_a_laid_out_log_holds_what_was_committed_and_nothing_else(tmp_path):
    # The zeros behind the log's end must never be read as frames, nor hide those before them.
    database = Database(Folder(tmp_path), "full")
    log = tmp_path / "sortkey.db-wal"
    assert log.stat().st_size >= LOG_BYTES
    database.begin()
    database.execute("insert into meta(name, value) values('a', 1)")
    database.commit()
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("sortkey.db", "sortkey.db-wal"):  # as a kill would leave them
        shutil.copy(tmp_path / name, copy / name)
    database.close()
    after = Database(Folder(copy), "full")
    assert after.execute("select name, value from meta").fetchall() == [("a", 1)]
    assert after.execute("pragma integrity_check").fetchall() == [("ok",)]
    after.close()


def test_a_database_that_cannot_be_opened_leaves_no_thread(tmp_path):
    # A program that waits for room on the disk tries again and again.
    Database(Folder(tmp_path)).close()
    folder, before = Folder(tmp_path), threading.enumerate()
    with full_disk(LOG_BYTES // 2), pytest.raises(OSError, match="too large"):
        Database(folder, "full")
    folder.release()
    assert [each.name for each in threading.enumerate() if each not in before] == []
