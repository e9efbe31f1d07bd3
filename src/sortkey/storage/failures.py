"""What a disk that is full or broken means for a caller: one error of ours, that says which folder and what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw

from sortkey.errors import StorageFailed

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def storage_failure(error: BaseException, folder: str | os.PathLike[str] | None) -> StorageFailed | None:
    """The error as a caller should see it; None where it is not about the disk."""
    is_disk = isinstance(error, (apsw.FullError, apsw.IOError))
    if not is_disk and not (isinstance(error, OSError) and error.errno in _NO_ROOM):
        return None
    where = f"the data folder {Path(folder)}" if folder else "the data in memory"
    return StorageFailed(f"{where} cannot be written ({error}): make room on its disk, and try again")


@contextmanager
def named_failures(folder: str | os.PathLike[str]) -> Generator[None]:
    """Raises StorageFailed for what the disk of a folder refuses."""
    try:
        yield
    except Exception as error:
        failure = storage_failure(error, folder)
        if failure is None:
            raise
        raise failure from error
