"""Which journey a target belongs to. It is recorded in the target, which is locked during a step.

Another journey is refused before anything in the target changes. The kernel releases the lock when
its process dies, so a journey whose worker was killed continues at once.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sortkey_systems.jobengine.journeys.progress import WrongState
from sortkey_systems.jobengine.stages.data_migration.target import Target, is_folder, working_file
from sortkey_systems.jobengine.stages.work import Work
from sortkey_systems.jobengine.tmf import resources

WAIT_SECONDS = 30.0
"""How long a step waits for an earlier worker of the same journey that lost its lease and is about
to stop.
"""
POLL_SECONDS = 0.05


class TargetRefused(WrongState):
    """The target belongs to another journey, or is not a target. Nothing in it was changed."""


class TargetBusy(Exception):
    """An earlier worker of the same journey is still writing to the target."""


@contextmanager
def open_target(work: Work) -> Generator[Target]:
    """The target of the work, locked and claimed for its journey. Raises TargetRefused,
    TargetBusy.
    """
    with locked(work.target, work.owner):
        check_owner(work.target, work.owner)
        with Target(work.target) as target:
            target.say("journey", work.owner)
            yield target


def check_owner(address: str | Path, owner: str) -> None:
    """Raise TargetRefused if the address holds anything that `owner` has not written. Changes
    nothing.
    """
    if not working_file(address).exists():
        _check_files(Path(address))
        return
    about = _about(address)
    other = about.get(
        "journey", "an earlier version, which did not record its journey" if about else owner
    )
    if other != owner:
        what = "folder" if is_folder(address) else "file"
        raise TargetRefused(
            f"{address} holds the documents of {_named(other)}: choose another target (--target), "
            f"or delete that {what}"
            " if its documents are no longer needed"
        )


@contextmanager
def locked(address: str | Path, owner: str) -> Generator[None]:
    """Lock the target for exclusive use. Raises TargetRefused if another journey holds the lock."""
    path = _lock_file(address)
    deadline = time.monotonic() + WAIT_SECONDS
    while (lock := _try_lock(path)) is None:
        holder, _, pid = _holder(path).partition("\n")
        if holder not in ("", owner):
            text = (
                f"{address} is in use by {_named(holder)} (process {pid}): choose another target "
                "(--target)"
            )
            raise TargetRefused(text)
        if time.monotonic() >= deadline:
            raise TargetBusy(
                f"{address} is still in use by process {pid} for the same journey: stop that "
                "process"
            )
        time.sleep(POLL_SECONDS)
    try:
        os.pwrite(lock, f"{owner}\n{os.getpid()}".encode(), 0)
        yield
    finally:
        path.unlink(
            missing_ok=True
        )  # before the lock is released, so that nobody else's file is removed
        os.close(lock)


def _named(owner: str) -> str:
    return f"journey {owner}" if owner.startswith("JRN-") else owner


def _check_files(folder: Path) -> None:
    """A folder may hold other files, but none that the documents would replace."""
    existing = [f"{name}.jsonl" for name in resources() if (folder / f"{name}.jsonl").exists()]
    if existing:
        raise TargetRefused(
            f"{folder} has a {existing[0]} that no journey wrote: choose another target (--target)"
        )


def _about(address: str | Path) -> dict[str, str]:
    """The metadata of a target. Empty if it is new."""
    # Not read-only: SQLite may have to finish what a killed writer left.
    place = f"{working_file(address).absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(place, uri=True)) as db:
            tables = {
                name
                for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            if tables and "_about" not in tables:
                raise TargetRefused(
                    f"{address} is a database that no journey made: choose another target "
                    "(--target)"
                )
            return dict(db.execute("SELECT name, value FROM _about")) if tables else {}
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        raise TargetRefused(
            f"{address} cannot be a target ({error}): choose another one (--target)"
        ) from None


def _lock_file(address: str | Path) -> Path:
    file = working_file(address).resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    return file.with_name(f".{file.name.lstrip('.')}.lock")


def _try_lock(path: Path) -> int | None:
    """The lock as an open file, or None if another process holds it."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), os.stat(path)):
            return lock
    except OSError:  # held, or removed by its last holder in the same instant
        pass
    os.close(lock)
    return None


def _holder(path: Path) -> str:
    """Who holds the lock. Empty just before it is written and after it is removed."""
    with suppress(OSError):
        return path.read_text(encoding="utf-8")
    return ""
