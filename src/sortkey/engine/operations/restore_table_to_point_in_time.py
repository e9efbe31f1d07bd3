"""RestoreTableToPointInTime: a new table with the items of another one at an instant."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sortkey.engine import recovery, restores, snapshots
from sortkey.engine.describe import describe
from sortkey.engine.operations.create_table import creating
from sortkey.errors import InvalidRestoreTimeException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

TWO_TIMES = (
    "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for "
    "point-in-time restore "
    "request. Please specify either RestoreDateTime time or UseLatestRestorableTime"
)
NO_TIME = (
    "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, "
    "but not both"
)


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    source = recovery.find_table(engine, _source(request))
    now = engine.clock()
    earliest = recovery.earliest(source, now)
    instant = now if request.get("UseLatestRestorableTime") else request["RestoreDateTime"]
    if not int(earliest) <= instant <= now:  # clients use whole seconds
        raise InvalidRestoreTimeException(
            f"RestoreDateTime '{_iso(instant)}' must be within EarliestRestorableDateTime "
            f"'{_iso(earliest)}' and "
            f"LatestRestorableDateTime '{_iso(now)}'"
        )
    _check_warm(request)
    restores.check_target(engine, request["TargetTableName"])
    summary = {
        "SourceTableArn": engine.catalog.arn(source.name),
        "RestoreDateTime": round(instant, 3),
    }
    target = restores.create_target(engine, source, request, summary)
    answer = {"TableDescription": creating(describe(engine, target), {})}
    snapshot = snapshots.begin(engine, source, recovery.number_at(engine, source, instant))
    restores.fill(engine, target, snapshot.rows, snapshot)
    return answer


def _source(request: dict[str, Any]) -> str:
    names = [
        request[member]
        for member in ("SourceTableArn", "SourceTableName")
        if request.get(member) is not None
    ]
    if not names:
        raise ValidationException(
            "The parameter 'TableName' is required but was not present in the request"
        )
    if len(names) > 1:
        raise ValidationException("Must provide exactly one of: sourceTableArn, sourceTableName")
    if request.get("SourceTableArn", "arn:").split(":", 1)[0] != "arn":
        raise ValidationException("sourceTableArn is not a valid ARN")
    latest, instant_given = (
        bool(request.get("UseLatestRestorableTime")),
        request.get("RestoreDateTime") is not None,
    )
    if latest and instant_given:
        raise ValidationException(TWO_TIMES)
    if not latest and not instant_given:
        raise ValidationException(NO_TIME)
    return names[0]


def _check_warm(request: dict[str, Any]) -> None:
    """Refuse WarmThroughput of an index, which AWS does not accept here."""
    for index in request.get("GlobalSecondaryIndexOverride") or ():
        if index.get("WarmThroughput"):
            raise ValidationException(
                f"Invalid Request: Cannot override WarmThroughput for index {index['IndexName']}"
            )


def _iso(instant: float) -> str:
    try:
        return f"{datetime.fromtimestamp(int(instant), UTC):%Y-%m-%dT%H:%M:%SZ}"
    except (ValueError, OverflowError, OSError):
        return str(instant)
