"""RestoreTableFromBackup: a new table with the items of a backup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import backups, restores
from sortkey.engine.describe import describe
from sortkey.engine.operations.create_table import creating
from sortkey.errors import BackupInUseException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    backup = backups.find(engine, request["BackupArn"])
    if backup.status != "AVAILABLE":
        raise BackupInUseException(f"Backup is being created: {backup.arn}")
    restores.check_target(engine, request["TargetTableName"])
    if backups.in_use(engine, backup):
        raise BackupInUseException(f"Backup is being used to restore another table: {backup.arn}")
    source = backup.source
    summary = {
        "SourceBackupArn": backup.arn,
        "SourceTableArn": engine.catalog.arn(source.name),
        "RestoreDateTime": backup.created,
    }
    target = restores.create_target(engine, source, request, summary)
    answer = {"TableDescription": creating(describe(engine, target), {})}
    restores.fill(engine, target, backup.rows)
    return answer
