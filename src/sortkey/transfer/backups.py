"""Backups of tables: what they hold now, kept beside them, as on AWS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sortkey.errors import TransferFailed, TransferRefused
from sortkey.runtime.backend import Backend
from sortkey.runtime.store import Store
from sortkey.transfer.progress import OnProgress, Tracker, no_progress
from sortkey.transfer.tables import all_tables, pauses


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup of one table. `status` is AWS's word: AVAILABLE, CREATING, DELETED."""

    table: str
    name: str
    arn: str
    created_at: datetime
    status: str
    size_bytes: int

    @staticmethod
    def of(table: str, details: Mapping[str, Any]) -> Backup:
        created = datetime.fromtimestamp(details["BackupCreationDateTime"], UTC)
        size = details.get("BackupSizeBytes", 0)
        return Backup(
            table,
            details["BackupName"],
            details["BackupArn"],
            created,
            details["BackupStatus"],
            size,
        )


def create_backups(
    store: Store,
    tables: Sequence[str] = (),
    *,
    name: str | None = None,
    on_progress: OnProgress = no_progress,
) -> list[Backup]:
    """Back up tables, all of them by default, while they are in use. `name` is the current time by
    default.
    """
    name = name or f"sortkey-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    backend = store.backend
    return [_create(backend, table, name, on_progress) for table in tables or all_tables(backend)]


def list_backups(store: Store, tables: Sequence[str] = ()) -> list[Backup]:
    """The backups of tables, or all, oldest first, including those of deleted tables."""
    backups: list[Backup] = []
    request: dict[str, Any] = {"BackupType": "ALL"}
    while True:
        answer = store.backend.call("ListBackups", request)
        backups += [
            Backup.of(summary["TableName"], summary) for summary in answer["BackupSummaries"]
        ]
        if "LastEvaluatedBackupArn" not in answer:
            break
        request["ExclusiveStartBackupArn"] = answer["LastEvaluatedBackupArn"]
    selected = [backup for backup in backups if not tables or backup.table in tables]
    return sorted(selected, key=lambda backup: backup.created_at)


def find_backup(store: Store, name: str, tables: Sequence[str] = ()) -> Backup:
    """A backup by its ARN or name. If a table has several with that name, the newest."""
    known = list_backups(store, tables)
    matches = [backup for backup in known if name in (backup.arn, backup.name)]
    if not matches:
        names = ", ".join(dict.fromkeys(backup.name for backup in known)) or "none"
        raise TransferRefused(f"there is no backup {name}; there are: {names}")
    if len({backup.table for backup in matches}) > 1:
        several = ", ".join(backup.table for backup in matches)
        raise TransferRefused(f"{name} is the name of backups of {several}: name the table too")
    return matches[-1]


def delete_backup(store: Store, backup: Backup) -> None:
    store.backend.call("DeleteBackup", {"BackupArn": backup.arn})


def _create(backend: Backend, table: str, name: str, on_progress: OnProgress) -> Backup:
    details = backend.call("CreateBackup", {"TableName": table, "BackupName": name})[
        "BackupDetails"
    ]
    tracker = Tracker(on_progress, f"backup of {table}")
    for _ in pauses():
        described = backend.call("DescribeBackup", {"BackupArn": details["BackupArn"]})[
            "BackupDescription"
        ]
        details = described["BackupDetails"]
        if details["BackupStatus"] != "CREATING":
            break
        tracker.advance(0)
    backup = Backup.of(table, details)
    if backup.status != "AVAILABLE":
        raise TransferFailed(f"the backup of {table} is {backup.status}")
    return backup
