"""ListBackups: the backups of all tables or of one, the oldest first, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import backups
from sortkey.engine.backups import Backup
from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

PAGE = 100


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    lower, upper = request.get("TimeRangeLowerBound"), request.get("TimeRangeUpperBound")
    if lower is not None and upper is not None and lower > upper:
        raise ValidationException(
            INVALID + "Time range lower bound must be less than or equal to upper bound"
        )
    limit = request.get("Limit") or PAGE
    name_or_arn = request.get("TableName")
    name = None if name_or_arn is None else engine.catalog.name_of(name_or_arn)
    matching = [backup for backup in backups.all_of(engine) if _matches(backup, name, request)]
    answer: dict[str, Any] = {
        "BackupSummaries": [backups.summary(engine, backup) for backup in matching[:limit]]
    }
    if len(matching) > limit:
        answer["LastEvaluatedBackupArn"] = matching[limit - 1].arn
    return answer


def _matches(backup: Backup, name: str | None, request: dict[str, Any]) -> bool:
    type = request.get("BackupType") or "USER"
    start = request.get("ExclusiveStartBackupArn")
    return (
        type in ("ALL", backup.type)
        and (name is None or backup.table["name"] == name)
        and request.get("TimeRangeLowerBound", 0) <= backup.created
        and backup.created < request.get("TimeRangeUpperBound", float("inf"))
        and (start is None or backup.id > start.rsplit("/", 1)[-1])
    )
