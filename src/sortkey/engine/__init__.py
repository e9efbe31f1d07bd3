"""The embedded DynamoDB. `open` returns the engine of a folder, or one in memory, in this process.

`sortkey.open` reaches a folder that another process owns through that process.
"""

from __future__ import annotations

import os
from typing import Any

from sortkey.engine.engine import Engine
from sortkey.storage.database import Database, Synchronous
from sortkey.storage.folder import Folder

MEMORY = ":memory:"

__all__ = ["MEMORY", "Engine", "open", "own"]


def open(
    folder: str | os.PathLike[str] = MEMORY, *, background: bool = True, **settings: Any
) -> Engine:
    """The engine of a folder, or one in memory, which expires items and finishes backups by itself.

    Raises FolderInUse. Without `background` the program has to call `work`.
    """
    engine = own(folder, **settings)
    if background:
        engine.work_by_itself()
    return engine


def own(
    folder: str | os.PathLike[str] = MEMORY,
    *,
    synchronous: Synchronous = "normal",
    is_interim: bool = False,
    **settings: Any,
) -> Engine:
    """The engine of a folder that only this process owns. The folder is created if necessary.
    Raises FolderInUse.
    """
    owned = None if folder == MEMORY else Folder(folder, is_interim=is_interim)
    try:
        database = Database(owned, synchronous)
    except BaseException:
        if owned is not None:
            owned.release()
        raise
    try:
        return Engine(database, **settings)
    except BaseException:
        database.close()
        raise
