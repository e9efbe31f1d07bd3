"""Point-in-time recovery: which instants a table can be brought back to. The journal is what makes
it possible.
"""

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
    """The table that a backup operation names; these have an error of their own for a table that is
    not there.
    """
    name = engine.catalog.name_of(name_or_arn)
    table = engine.catalog.find(name)
    if table is None:
        raise TableNotFoundException(f"Table not found: {name}")
    return table


def switch(engine: Engine, table: Table, enabled: bool, days: int | None) -> Table:
    """Turn recovery on or off, or change how far it reaches back."""
    if not enabled:
        return engine.catalog.save(replace(table, pitr_since=None, pitr_days=DAYS_MAX))
    now = engine.clock()
    # A longer period does not bring back what a shorter one has let go.
    since = now if table.pitr_since is None else earliest(table, now)
    return engine.catalog.save(replace(table, pitr_since=since, pitr_days=days or DAYS_MAX))


def earliest(table: Table, now: float) -> float:
    """The first instant that the table can be brought back to."""
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
    """The table is about to be deleted: end the copies of it; with recovery on, what it holds stays
    as a backup.
    """
    jobs.finish(engine, table)
    if table.pitr_since is not None:
        backups.keep_deleted(engine, table)


def number_at(engine: Engine, table: Table, instant: float) -> int:
    """The last number of the journal at an instant: what a copy of the table as of then
    must have.
    """
    return engine.journal.at(table.number, int(instant * 1000))


def number_before(engine: Engine, table: Table, instant: float) -> int:
    """The last number of the journal before an instant."""
    return engine.journal.at(table.number, int(instant * 1000) - 1)
