"""Converts the errors of a full or broken disk to StorageFailed, which says which folder it is and
what to do.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from sortkey.errors import StorageFailed

STORAGE_FAILURE = "storageFailure"
"""The member of a wire error with the disk's error, for callers with the folder's token."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_storage_failure(error: BaseException) -> bool:
    """Whether the error comes from the disk."""
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    return isinstance(error, (apsw.FullError, apsw.IOError))


def storage_failed(folder: str | os.PathLike[str] | None, reason: object) -> StorageFailed:
    """The error for the caller. Its data is in a folder or in memory."""
    where = f"the data folder {Path(folder)}" if folder else "the data in memory"
    return StorageFailed(
        f"{where} cannot be written ({reason}): free space on its disk, and try again"
    )


@contextmanager
def named_failures(folder: str | os.PathLike[str]) -> Generator[None]:
    """Converts errors of a folder's disk to StorageFailed."""
    try:
        yield
    except Exception as error:
        if is_storage_failure(error):
            raise storage_failed(folder, error) from error
        raise
