"""What a disk that is full or broken means for a caller: one error of ours, that says which folder
and what to do.
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
"""A member of errors on the wire: why the disk refused. For callers who may open the folder
themselves.
"""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_storage_failure(error: BaseException) -> bool:
    """Whether it was the disk that refused."""
    if isinstance(error, OSError):
        return error.errno in _NO_ROOM
    return isinstance(error, (apsw.FullError, apsw.IOError))


def storage_failed(folder: str | os.PathLike[str] | None, reason: object) -> StorageFailed:
    """The error of a caller, whose data are in a folder, or in memory."""
    where = f"the data folder {Path(folder)}" if folder else "the data in memory"
    return StorageFailed(
        f"{where} cannot be written ({reason}): make room on its disk, and try again"
    )


@contextmanager
def named_failures(folder: str | os.PathLike[str]) -> Generator[None]:
    """Raises StorageFailed for what the disk of a folder refuses."""
    try:
        yield
    except Exception as error:
        if is_storage_failure(error):
            raise storage_failed(folder, error) from error
        raise
