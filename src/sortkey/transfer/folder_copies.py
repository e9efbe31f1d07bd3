"""A copy of a whole data folder, made while it is in use, and the way back.

The database is copied as of one moment, and first: an object is stored before an item points at it,
so what the items of the copy point at is in the copy. A copy has its name only when it is whole.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sortkey import __version__
from sortkey.errors import TransferFailed, TransferRefused
from sortkey.storage.folder import DATABASE_NAME, LOCK_NAME
from sortkey.systems.data_folder import SEARCHES
from sortkey.transfer.progress import OnProgress, Tracker, no_progress
from sortkey.transfer.table_files import write_whole

NOTE = "backup.json"
STEP_PAGES = 1000
_SQLITE = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")
"""Files that SQLite keeps beside a database. A copy of the database includes their content."""
_OWN = (DATABASE_NAME, LOCK_NAME, NOTE)


def copy_folder(source: Path, target: Path, *, on_progress: OnProgress = no_progress) -> int:
    """Copy a data folder. Returns the size of the copy in bytes."""
    if not (source / DATABASE_NAME).is_file():
        raise TransferRefused(f"{source} is not a data folder: there is no {DATABASE_NAME} in it")
    if source.resolve() in target.resolve().parents:
        raise TransferRefused(
            f"{target} is inside the folder that is copied: choose one outside of it"
        )
    begun = _new_folder(target)
    try:
        _copy_database(source / DATABASE_NAME, begun / DATABASE_NAME, on_progress)
        rest = list(_rest(source))
        tracker = Tracker(on_progress, "files", len(rest), "files")
        for path in rest:
            _copy(path, begun / path.relative_to(source))
            tracker.advance(1)
        write_whole(
            begun / NOTE,
            {"made": time.time(), "version": __version__, "of": str(source.absolute())},
        )
    except BaseException:
        shutil.rmtree(begun, ignore_errors=True)
        raise
    os.replace(begun, target)
    return sum(path.stat().st_size for path in target.rglob("*") if path.is_file())


def restore_folder(copy: Path, target: Path, *, on_progress: OnProgress = no_progress) -> None:
    """Create a data folder from a copy."""
    if not (copy / NOTE).is_file():
        raise TransferRefused(f"{copy} is not a copy of a data folder: there is no {NOTE} in it")
    copy_folder(copy, target, on_progress=on_progress)
    (target / NOTE).unlink()


def _new_folder(target: Path) -> Path:
    """The folder in which the copy is made. The target must be missing or empty."""
    if target.exists():
        if not target.is_dir() or any(target.iterdir()):
            raise TransferRefused(f"{target} already exists: choose another folder")
        target.rmdir()
    begun = target.with_name(f"{target.name}.part")
    shutil.rmtree(begun, ignore_errors=True)  # of a copy that was interrupted
    begun.parent.mkdir(parents=True, exist_ok=True)
    begun.mkdir(mode=0o700)
    return begun


def _rest(source: Path) -> Iterator[Path]:
    """All but the database and what belongs to it. Files of people may have any name."""
    for path in sorted(source.rglob("*")):
        inside = path.relative_to(source)
        is_ours = inside.parts[0] == SEARCHES or str(inside) in _OWN
        if path.is_file() and not is_ours and not _is_beside_a_database(path):
            yield path


def _is_beside_a_database(path: Path) -> bool:
    end = next((suffix for suffix in _BESIDE if path.name.endswith(suffix)), None)
    return (
        end is not None
        and path.name != end
        and _is_database(path.with_name(path.name.removesuffix(end)))
    )


def _is_database(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except FileNotFoundError:
        return False


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        if _is_database(path):
            _copy_database(path, target)
        else:
            shutil.copy2(path, target)
    except FileNotFoundError:  # deleted meanwhile
        return


def _copy_database(path: Path, target: Path, on_progress: OnProgress = no_progress) -> None:
    import apsw

    source: Any = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    copy: Any = apsw.Connection(str(target))
    try:
        source.set_busy_timeout(10_000)
        source.execute(
            "begin; select count(*) from sqlite_master"
        ).fetchall()  # from here on it sees one moment
        pages = source.execute("pragma page_count").fetchall()[0][0]
        tracker = Tracker(on_progress, path.name, pages, "pages")
        with copy.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(STEP_PAGES)
                tracker.advance(STEP_PAGES)
    except apsw.Error as error:
        raise TransferFailed(f"{path} cannot be read: {error}") from None
    finally:
        copy.close()
        source.close()
    shutil.copymode(path, target)
