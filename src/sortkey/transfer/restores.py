"""Tables as they were, at a moment or in a backup: as new tables, or in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sortkey.errors import TransferFailed, TransferRefused
from sortkey.runtime.backend import Backend
from sortkey.runtime.evolution.record_removal import forget_backfills
from sortkey.runtime.store import Store
from sortkey.transfer.backups import find_backup
from sortkey.transfer.progress import OnProgress, Tracker, no_progress
from sortkey.transfer.table_sync import make_equal
from sortkey.transfer.tables import all_tables, describe, going, has_recovery, waiting
from sortkey.values.table_names import is_own


@dataclass(frozen=True, slots=True)
class RestoredTable:
    """The result for a table. `source` is the table that a new one was created from. The counts are
    None if nothing was done.
    """

    table: str
    source: str | None = None
    items_put: int | None = None
    items_deleted: int | None = None

    @property
    def summary(self) -> str:
        if self.source is None:
            return "unchanged, because it keeps no history"
        if self.items_put is None:
            return f"created from {self.source}"
        items = "item" if self.items_put == 1 else "items"
        return f"{self.items_put:,} {items} restored, {self.items_deleted:,} deleted"


def restore_tables(
    store: Store,
    tables: Sequence[str] = (),
    *,
    at: datetime | None = None,
    backup: str | None = None,
    rename: str | None = None,
    in_place: bool = False,
    on_progress: OnProgress = no_progress,
) -> list[RestoredTable]:
    """Restore tables to what they held `at` a moment, or when a `backup` of one of them was
    created.

    `rename` creates a new table. `in_place` writes only what differs, and keeps the table's
    settings; its stream shows the changes. A moment needs point-in-time recovery. Where no table is
    named, Sortkey's own tables that keep no history are left as they are.
    """
    if (at is None) == (backup is None):
        raise TransferRefused("choose what to restore to: a moment or a backup")
    selected = _tables(store, tables, backup)
    unchanged = [] if at is None else _without_recovery(store.backend, selected, is_all=not tables)
    selected = [table for table in selected if table not in unchanged]
    if rename is not None and (len(selected) != 1 or in_place):
        raise TransferRefused(
            "only a single table can be renamed, and not when it is restored in place"
        )
    restore = _Restore(store, at, backup, on_progress)
    restored = [restore.one(table, rename, in_place) for table in selected]
    return [*restored, *(RestoredTable(table) for table in unchanged)]


def _tables(store: Store, tables: Sequence[str], backup: str | None) -> list[str]:
    """The named tables. A backup may be of a deleted table."""
    if backup is not None:
        return [find_backup(store, backup, tables).table]
    return [*tables] or all_tables(store.backend)


def _without_recovery(backend: Backend, tables: Sequence[str], *, is_all: bool) -> list[str]:
    """Sortkey's own tables without history, such as jobs, which are skipped if no table is named.
    Others are refused.
    """
    without = [table for table in tables if not has_recovery(backend, table)]
    if refused := [table for table in without if not (is_all and is_own(table))]:
        raise TransferFailed(
            f"these tables keep no history (no point-in-time recovery): {', '.join(refused)}"
        )
    return without


@dataclass(frozen=True, slots=True)
class _Restore:
    store: Store
    at: datetime | None
    backup: str | None
    on_progress: OnProgress

    @property
    def backend(self) -> Backend:
        return self.store.backend

    def one(self, table: str, rename: str | None, in_place: bool) -> RestoredTable:
        if not self._exists(table) and rename is None:
            rename, in_place = table, False
        if rename is None and not in_place:
            raise TransferRefused(
                f"{table} exists: restore it in place, or give the restored table another name"
            )
        target = rename or f"{table}.restoring"
        if in_place and self._exists(target):  # of a run that was interrupted
            self._wait(target, f"what an earlier run left of {table}")
            self._drop(target)
            self._wait_until_gone(target)
        forget_backfills(self.store, table if in_place else target)
        self._create(table, target)
        if not in_place:
            return RestoredTable(target, table)
        put, deleted = make_equal(self.backend, target, table, self.on_progress)
        self._drop(target)
        return RestoredTable(table, table, put, deleted)

    def _create(self, table: str, target: str) -> None:
        if self.backup is not None:
            arn = find_backup(self.store, self.backup, [table]).arn
            self.backend.call(
                "RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": target}
            )
        elif self.at is not None:
            moment = self.at.timestamp()
            request = {
                "SourceTableName": table,
                "TargetTableName": target,
                "RestoreDateTime": moment,
            }
            self.backend.call("RestoreTableToPointInTime", request)
        self._wait(target, f"restoring {table}")

    def _exists(self, table: str) -> bool:
        """Whether a table of this name exists. Waits for one that is being deleted."""
        described = describe(self.backend, table)
        if described is not None and described["TableStatus"] == "DELETING":
            self._wait_until_gone(table)
            return False
        return described is not None

    def _wait(self, table: str, title: str) -> None:
        tracker = Tracker(self.on_progress, title)
        for _ in waiting(self.backend, table):
            tracker.advance(0)

    def _wait_until_gone(self, table: str) -> None:
        tracker = Tracker(self.on_progress, f"waiting until {table} is deleted")
        for _ in going(self.backend, table):
            tracker.advance(0)

    def _drop(self, table: str) -> None:
        self.backend.call("DeleteTable", {"TableName": table})
