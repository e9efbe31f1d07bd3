"""Point-in-time recovery: to which instants a table can be restored. It is based on the journal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortkey.engine import backups, jobs
from sortkey.engine.tables import Table
from sortkey.errors import PointInTimeRecoveryUnavailableException, TableNotFoundException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

DAYS_MAX = 35
DAY_SECONDS = 24 * 3600


def find_table(engine: Engine, name_or_arn: str) -> Table:
    """The table that a backup operation names. These have their own error for a missing table."""
    name = engine.catalog.name_of(name_or_arn)
    table = engine.catalog.find(name)
    if table is None:
        raise TableNotFoundException(f"Table not found: {name}")
    return table


def switch(engine: Engine, table: Table, enabled: bool, days: int | None) -> Table:
    """Turn recovery on or off, or change its period."""
    if not enabled:
        return engine.catalog.save(replace(table, pitr_since=None, pitr_days=DAYS_MAX))
    now = engine.clock()
    # A longer period does not bring back what a shorter one has dropped.
    since = now if table.pitr_since is None else earliest(table, now)
    return engine.catalog.save(replace(table, pitr_since=since, pitr_days=days or DAYS_MAX))


def earliest(table: Table, now: float) -> float:
    """The first instant to which the table can be restored."""
    if table.pitr_since is None:
        raise PointInTimeRecoveryUnavailableException(
            f"Point in time recovery is not enabled for table '{table.name}'"
        )
    return max(table.pitr_since, now - table.pitr_days * DAY_SECONDS)


def describe(engine: Engine, table: Table) -> dict[str, Any]:
    recovery: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    if table.pitr_since is not None:
        now = engine.clock()
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": table.pitr_days,
            "EarliestRestorableDateTime": round(earliest(table, now), 3),
            "LatestRestorableDateTime": round(now, 3),
        }
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": recovery,
        }
    }


def drop(engine: Engine, table: Table) -> None:
    """Before a table is deleted: finish the copies of it. With recovery on, its items become a
    backup.
    """
    jobs.finish(engine, table)
    if table.pitr_since is not None:
        backups.keep_deleted(engine, table)


def number_at(engine: Engine, table: Table, instant: float) -> int:
    """The last sequence number at an instant, which a copy as of then must include."""
    return engine.journal.at(table.number, int(instant * 1000))


def number_before(engine: Engine, table: Table, instant: float) -> int:
    """The last sequence number before an instant."""
    return engine.journal.at(table.number, int(instant * 1000) - 1)
