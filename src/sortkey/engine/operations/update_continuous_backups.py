"""UpdateContinuousBackups: turn point-in-time recovery on or off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import recovery
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    specification = request["PointInTimeRecoverySpecification"]
    enabled, days = (
        specification["PointInTimeRecoveryEnabled"],
        specification.get("RecoveryPeriodInDays"),
    )
    if not enabled and days is not None:
        raise ValidationException(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
            "recovery."
        )
    table = recovery.find_table(engine, request["TableName"])
    return recovery.describe(engine, recovery.switch(engine, table, enabled, days))
