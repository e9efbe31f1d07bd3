"""CreateBackup: back up the current items of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import backups, recovery
from sortkey.errors import TableNotFoundException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    table = recovery.find_table(engine, request["TableName"])
    if table.status == "CREATING":
        raise TableNotFoundException(f"Table not found: {table.name}")
    return {"BackupDetails": backups.details(backups.create(engine, table, request["BackupName"]))}
