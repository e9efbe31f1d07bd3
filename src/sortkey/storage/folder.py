"""Who owns a data folder: one process, by a lock that ends with it. The lock file says who, and
where it answers.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sortkey.errors import FolderInUse

LOCK_NAME = "sortkey.lock"
DATABASE_NAME = "sortkey.db"
RECENT_SECONDS = 10.0
LOCK_ATTEMPTS, LOCK_PAUSE_SECONDS = 200, 0.005
"""An owner that is starting or ending holds the lock for a moment without its name in the file."""


def owner_of(path: str | os.PathLike[str]) -> FolderInUse | None:
    """Who owns a folder, without taking it, or None. Nothing is written or created."""
    try:
        lock = os.open(Path(path) / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        _take(Path(path), lock, fcntl.LOCK_SH)
    except FolderInUse as owner:
        return owner
    finally:
        os.close(lock)
    return None


class Folder:
    """An owned data folder. Raises FolderInUse if another process owns it.

    `is_interim` tells a server that it may ask for the folder.
    """

    def __init__(self, path: str | os.PathLike[str], *, is_interim: bool = False) -> None:
        self.path, self._is_interim, self._is_served = Path(path), is_interim, False
        self.path.mkdir(
            mode=0o700, parents=True, exist_ok=True
        )  # other users must not read the items
        # 0600: the file carries a token that opens the server of this folder.
        self._lock = os.open(self.path / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            _take(self.path, self._lock, fcntl.LOCK_EX)
            self._write({})
        except (FolderInUse, OSError):  # OSError: a full disk. A later attempt must find no lock.
            os.close(self._lock)
            raise

    @property
    def database(self) -> str:
        return str(self.path / DATABASE_NAME)

    def publish(self, address: str, token: str) -> None:
        """Tell other openers of this folder where its owner answers."""
        self._is_served = True
        self._write({"address": address, "token": token})

    def release(self) -> None:
        os.ftruncate(self._lock, 0)  # needs no space: a folder is released on a full disk too
        if self._is_served:
            with suppress(OSError):
                os.pwrite(self._lock, json.dumps({"servedUntil": time.time()}).encode(), 0)
        os.close(self._lock)

    def _write(self, content: dict[str, Any]) -> None:
        about = {"pid": os.getpid(), **({"interim": True} if self._is_interim else {})}
        text = json.dumps({**about, **content}).encode()
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, text, 0)


def published_owner(path: str | os.PathLike[str]) -> FolderInUse | None:
    """The owner that the lock file names. It may have died since: the lock is not checked."""
    try:
        text = (Path(path) / LOCK_NAME).read_bytes()
    except OSError:
        return None
    return _read(Path(path), text) if text else None


def was_served_recently(path: str | os.PathLike[str]) -> bool:
    """Whether an owner that served others ended a moment ago or was killed. Others may be about to
    take the folder over.
    """
    try:
        owner: Any = json.loads((Path(path) / LOCK_NAME).read_bytes())
        return "address" in owner or owner["servedUntil"] > time.time() - RECENT_SECONDS
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _take(path: Path, lock: int, kind: int) -> None:
    """Lock the file. Raises FolderInUse, with the owner that the file names."""
    for _ in range(LOCK_ATTEMPTS):
        try:
            return fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if (owner := _read(path, os.pread(lock, 65536, 0))).pid:
                raise owner from None
        time.sleep(LOCK_PAUSE_SECONDS)
    raise _read(path, b"")


def _read(path: Path, text: bytes) -> FolderInUse:
    try:
        owner: dict[str, Any] = json.loads(text) if text else {}
    except ValueError:
        owner = {}
    about = (owner.get("address"), owner.get("token"))
    return FolderInUse(
        str(path), int(owner.get("pid", 0)), *about, is_interim=bool(owner.get("interim"))
    )
