"""The embedded DynamoDB. `open` gives the engine of a folder, or one in memory, inside this process."""

from __future__ import annotations

import os
from typing import Any

from sortkey.engine.engine import Engine
from sortkey.engine.remote import RemoteEngine
from sortkey.errors import FolderInUse
from sortkey.storage.database import Database, Synchronous
from sortkey.storage.folder import Folder

MEMORY = ":memory:"

__all__ = ["MEMORY", "Engine", "RemoteEngine", "open", "own"]


def open(folder: str | os.PathLike[str] = MEMORY, *, background: bool = True, **settings: Any) -> Engine | RemoteEngine:
    """The engine of a folder, or one in memory, which expires items and finishes backups by itself.

    A folder that a running server owns is reached through that server; one that a program holds without serving
    raises FolderInUse. Without `background` the program calls `work` when it likes.
    """
    try:
        engine = own(folder, **settings)
        if background:
            engine.work_by_itself()
        return engine
    except FolderInUse as held:
        if held.address is None:
            raise
        return RemoteEngine(held.address, held.token)


def own(folder: str | os.PathLike[str] = MEMORY, *, synchronous: Synchronous = "normal", **settings: Any) -> Engine:
    """The engine of a folder in this process and no other, made if it is not there. Raises FolderInUse."""
    owned = None if folder == MEMORY else Folder(folder)
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
