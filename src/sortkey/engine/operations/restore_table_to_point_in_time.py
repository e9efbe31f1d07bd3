"""RestoreTableToPointInTime: a new table with what another one held at an instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import recovery, restores, snapshots
from sortkey.engine.describe import describe
from sortkey.errors import InvalidRestoreTimeException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

OUTSIDE = (
    "An invalid restore time was specified. "
    "RestoreDateTime must be between EarliestRestorableDateTime and LatestRestorableDateTime."
)


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    source = recovery.find_table(engine, _source(request))
    now = engine.clock()
    earliest = recovery.earliest(source, now)
    restores.check_target(engine, request["TargetTableName"])
    instant = now if request.get("UseLatestRestorableTime") else request["RestoreDateTime"]
    if not int(earliest) <= instant <= now:  # clients know whole seconds only
        raise InvalidRestoreTimeException(OUTSIDE)
    summary = {"SourceTableArn": engine.catalog.arn(source.name), "RestoreDateTime": round(instant, 3)}
    target = restores.create_target(engine, source, request, summary)
    answer = {"TableDescription": describe(engine, target)}
    snapshot = snapshots.begin(engine, source, recovery.number_at(engine, source, instant))
    restores.fill(engine, target, snapshot.rows, snapshot)
    return answer


def _source(request: dict[str, Any]) -> str:
    names = [request[member] for member in ("SourceTableArn", "SourceTableName") if request.get(member) is not None]
    if len(names) != 1:
        raise ValidationException("Exactly one of SourceTableArn and SourceTableName must be specified")
    if bool(request.get("UseLatestRestorableTime")) == (request.get("RestoreDateTime") is not None):
        raise ValidationException("Exactly one of RestoreDateTime and UseLatestRestorableTime must be specified")
    return names[0]
