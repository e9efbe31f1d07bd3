"""DeleteBackup: delete a backup."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortkey.engine import backups

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    backup = backups.find(engine, request["BackupArn"])
    backups.delete(engine, backup)
    return {"BackupDescription": backups.describe(engine, replace(backup, status="DELETED"))}
