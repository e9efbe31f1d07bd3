"""Who owns a data folder: one process, by a lock that dies with it; the lock file says who, and where it answers."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from sortkey.errors import FolderInUse

LOCK_NAME = "sortkey.lock"
DATABASE_NAME = "sortkey.db"


def owner_of(path: str | os.PathLike[str]) -> FolderInUse | None:
    """Who owns a folder, without taking it; None when nobody does. Nothing is written, and nothing made."""
    try:
        lock = os.open(Path(path) / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _in_use(Path(path), lock)
    finally:
        os.close(lock)
    return None


class Folder:
    """An owned data folder. Raises FolderInUse when another process has it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)  # items are nobody else's business
        # 0600: the file carries a token that opens the server of this folder.
        self._lock = os.open(self.path / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._write({"pid": os.getpid()})
        except BlockingIOError:
            held = _in_use(self.path, self._lock)
            os.close(self._lock)
            raise held from None
        except OSError:  # a full disk: who tries again must not find the folder taken
            os.close(self._lock)
            raise

    @property
    def database(self) -> str:
        return str(self.path / DATABASE_NAME)

    def publish(self, address: str, token: str) -> None:
        """Tell other openers of this folder where its owner answers."""
        self._write({"pid": os.getpid(), "address": address, "token": token})

    def release(self) -> None:
        os.ftruncate(self._lock, 0)  # takes no room: on a full disk a folder is released too
        os.close(self._lock)

    def _write(self, content: dict[str, Any]) -> None:
        text = json.dumps(content).encode()
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, text, 0)


def _in_use(path: Path, lock: int) -> FolderInUse:
    text = os.pread(lock, 65536, 0)
    try:
        owner: dict[str, Any] = json.loads(text) if text else {}
    except ValueError:  # the owner is writing it just now
        owner = {}
    return FolderInUse(str(path), int(owner.get("pid", 0)), owner.get("address"), owner.get("token"))
