"""The embedded DynamoDB. `open` gives the engine of a folder, or one in memory, inside this process."""

from __future__ import annotations

import os
from typing import Any

from sortkey.engine.engine import Engine
from sortkey.storage.database import Database, Synchronous
from sortkey.storage.folder import Folder

MEMORY = ":memory:"

__all__ = ["MEMORY", "Engine", "open"]


def open(folder: str | os.PathLike[str] = MEMORY, *, synchronous: Synchronous = "normal", **settings: Any) -> Engine:
    """Open a data folder, made if it is not there, or an engine in memory. Raises FolderInUse."""
    owned = None if folder == MEMORY else Folder(folder)
    return Engine(Database(owned, synchronous), **settings)
