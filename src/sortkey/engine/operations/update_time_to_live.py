"""UpdateTimeToLive: choose the attribute that says when items expire, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import expiry
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    specification = request["TimeToLiveSpecification"]
    attribute, enabled = specification["AttributeName"], specification["Enabled"]
    table = engine.catalog.described(request["TableName"])
    current = table.ttl_attribute
    if not enabled and current is None:
        raise ValidationException("TimeToLive is already disabled")
    if current is not None and current != attribute:
        raise ValidationException(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    if enabled and current is not None:
        raise ValidationException("TimeToLive is already enabled")
    if enabled:
        expiry.enable(engine, table, attribute)
    else:
        expiry.disable(engine, table)
    return {"TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute}}
