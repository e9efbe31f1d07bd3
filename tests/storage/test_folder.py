"""Who owns a data folder, and the error that others get."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sortkey.errors import FolderInUse
from sortkey.storage.folder import LOCK_NAME, Folder, owner_of
from tests.storage.disks import full_disk

HOLD = """
import sys
from sortkey.storage.folder import Folder
folder = Folder(sys.argv[1])
if len(sys.argv) > 2:
    folder.publish(sys.argv[2], "secret")
print("held", flush=True)
sys.stdin.read()
"""


def hold(path, *address):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), *address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"held\n"
    return process


def test_a_held_folder_names_the_process_and_says_what_to_do(tmp_path):
    # Two writers on one SQLite file with two journals in memory would lose data.
    process = hold(tmp_path)
    try:
        with pytest.raises(
            FolderInUse, match=rf"process {process.pid}; it does not serve others: stop it"
        ):
            Folder(tmp_path)
    finally:
        process.kill()
        process.communicate()


def test_a_served_folder_tells_where_it_answers(tmp_path):
    # A script that opens the folder of a running server should find the server.
    process = hold(tmp_path, "http://127.0.0.1:8123")
    try:
        with pytest.raises(FolderInUse) as caught:
            Folder(tmp_path)
        assert (caught.value.pid, caught.value.address) == (process.pid, "http://127.0.0.1:8123")
        assert caught.value.token == "secret"
    finally:
        process.kill()
        process.communicate()


def test_a_killed_owner_leaves_the_folder_free(tmp_path):
    # The lock must die with the process, however it dies.
    process = hold(tmp_path)
    process.kill()
    process.communicate()
    Folder(tmp_path).release()


def test_the_lock_file_is_private_and_forgets_its_owner(tmp_path):
    # It carries the token that opens the server.
    folder = Folder(tmp_path)
    folder.publish("http://127.0.0.1:1", "secret")
    lock = tmp_path / "sortkey.lock"
    assert os.stat(lock).st_mode & 0o077 == 0
    folder.release()
    assert "secret" not in lock.read_text()


def test_who_owns_a_folder_can_be_asked_without_taking_it(tmp_path):
    # A check of the machine must not keep a server from starting, or leave files behind.
    assert owner_of(tmp_path / "none") is None
    assert not (tmp_path / "none").exists()
    folder = Folder(tmp_path)
    folder.publish("http://127.0.0.1:8000", "token")
    held = owner_of(tmp_path)
    assert held is not None
    assert (held.pid, held.address) == (os.getpid(), "http://127.0.0.1:8000")
    folder.release()
    assert owner_of(tmp_path) is None


def test_a_folder_that_cannot_be_taken_is_not_kept(tmp_path):
    # Who makes room and tries again in the same process must get it.
    with full_disk(), pytest.raises(OSError, match="too large"):
        Folder(tmp_path)
    Folder(tmp_path).release()


def test_a_folder_is_released_on_a_full_disk(tmp_path):
    # Closing is what one does when the disk is full; the folder must be free then.
    folder = Folder(tmp_path)
    with full_disk():
        folder.release()
    Folder(tmp_path).release()


def test_an_owner_that_is_just_leaving_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It has erased its name and still holds the lock: "in use by process 0" helps nobody.
    lock = os.open(tmp_path / LOCK_NAME, os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 50:
            os.close(lock)

    monkeypatch.setattr("sortkey.storage.folder.time.sleep", pause)
    folder = Folder(tmp_path)
    folder.release()
    assert len(pauses) == 50
