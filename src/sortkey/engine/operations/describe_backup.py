"""DescribeBackup: a backup and its source table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import backups

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    return {
        "BackupDescription": backups.describe(engine, backups.find(engine, request["BackupArn"]))
    }
