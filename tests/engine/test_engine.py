"""An engine: one process owns its folder, by a lock that ends with it, and commits wake watchers."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

import sortkey
import sortkey.engine
from sortkey import errors
from sortkey.engine import Engine
from sortkey.storage import database
from tests.engine.streaming import iterator, read, stream_arn, streamed
from tests.engine.tables import put, scan, table

TABLE = {
    "TableName": "things",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}

HOLD = (
    "import sys, sortkey.engine; e = sortkey.engine.own(sys.argv[1]); print('held', flush=True); "
    "sys.stdin.read()"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def held(folder: Path) -> Generator[subprocess.Popen[bytes]]:
    """Another program has the folder and serves nothing."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_folder_held_by_a_program_that_serves_nothing_is_refused(
    held: subprocess.Popen[bytes], folder: Path
) -> None:
    # Two writers on one folder would lose data; waiting for the other could take forever.
    for way in (sortkey.open, sortkey.engine.open, sortkey.engine.own):
        with pytest.raises(
            errors.FolderInUse, match=rf"process {held.pid}; it does not serve others: stop it"
        ) as refused:
            way(folder)
        assert (refused.value.pid, refused.value.address) == (held.pid, None)
    held.kill()
    held.communicate()
    sortkey.engine.own(folder).close()


def test_the_owner_itself_cannot_open_its_folder_twice(folder: Path) -> None:
    with sortkey.engine.own(folder), pytest.raises(errors.FolderInUse) as refused:
        sortkey.engine.open(folder)
    assert refused.value.pid == os.getpid()
    sortkey.engine.own(folder).close()


def test_a_folder_that_cannot_be_opened_is_not_kept(folder: Path) -> None:
    # After a failure the same program must be able to try again.
    folder.mkdir()
    (folder / "sortkey.db").write_bytes(b"not a database file " * 100)
    with pytest.raises(database.apsw.NotADBError):
        sortkey.engine.own(folder)
    (folder / "sortkey.db").unlink()
    sortkey.engine.own(folder).close()


def test_the_fixture_gives_a_clean_engine_in_memory(sortkey_engine: Engine) -> None:
    assert sortkey_engine.call("ListTables", {}) == {"TableNames": []}
    sortkey_engine.call("CreateTable", TABLE)


def test_the_fixture_forgets_what_the_test_before_did(sortkey_engine: Engine) -> None:
    assert sortkey_engine.call("ListTables", {}) == {"TableNames": []}


def test_an_engine_that_cannot_be_made_leaves_nothing_open(folder: Path) -> None:
    before = set(threading.enumerate())
    with pytest.raises(TypeError):
        sortkey.engine.own(folder, colour="blue")

    assert not [
        each for each in set(threading.enumerate()) - before if each.name == "sortkey-checkpoint"
    ]
    sortkey.engine.own(folder).close()


def test_a_watcher_is_woken_when_the_change_can_be_read(engine: Engine) -> None:
    # A worker that is woken too early finds nothing, and sleeps over the change.
    engine.call("CreateTable", streamed())
    place = iterator(engine, stream_arn(engine))
    found: list[int] = []
    end = engine.watch(lambda: found.append(len(read(engine, place)["Records"])))
    put(engine, {"a": {"S": "1"}})
    put(engine, {"a": {"S": "2"}})
    assert found == [1, 2]
    end()
    put(engine, {"a": {"S": "3"}})
    assert found == [1, 2]


def test_reads_and_tables_without_a_stream_wake_nobody(engine: Engine) -> None:
    # A worker's own checkpoints are writes too: it would wake itself for ever.
    engine.call("CreateTable", streamed())
    engine.call("CreateTable", table("plain"))
    woken: list[None] = []
    engine.watch(lambda: woken.append(None))
    put(engine, {"a": {"S": "1"}}, "plain")
    scan(engine)
    assert woken == []
    put(engine, {"a": {"S": "1"}})
    put(engine, {"a": {"S": "1"}})  # writing the same again changes nothing
    assert woken == [None]
