"""Billing modes and throughput: what a request may ask for, and how a table or an index describes it.

Nothing is ever throttled here. The figures are kept and described because tools read and compare them.
"""

from __future__ import annotations

from typing import Any, Literal

from sortkey.engine.tables import Table
from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID

UNITS_MAX = 10**12
UNLIMITED = -1  # an on-demand maximum that is none

WARM_BASE = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}
"""What every on-demand table is warm for, and the least that can be asked."""

ON_DEMAND: Literal["PAY_PER_REQUEST"] = "PAY_PER_REQUEST"
PROVISIONED: Literal["PROVISIONED"] = "PROVISIONED"

NO_UNITS_ON_DEMAND = (
    INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
)
UNITS_NEEDED = (
    INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
)
NO_MAXIMUM_PROVISIONED = (
    INVALID + "Neither MaxReadRequestUnits nor MaxWriteRequestUnits can be specified when BillingMode is PROVISIONED"
)

Settings = dict[str, Any]


def billing_mode(settings: Settings) -> str:
    """A table that says nothing is provisioned, as all were once."""
    return settings.get("BillingMode", PROVISIONED)


def check_table(request: dict[str, Any]) -> None:
    """The billing mode of a new table, and what goes with it."""
    wanted = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == ON_DEMAND:
        if wanted is not None:
            raise ValidationException(NO_UNITS_ON_DEMAND)
    elif wanted is None:
        raise ValidationException(UNITS_NEEDED)
    else:
        check_bounds(wanted)
    check_maximum(request.get("OnDemandThroughput"), request.get("BillingMode") or PROVISIONED)


def check_index(index: dict[str, Any], mode: str) -> None:
    """The throughput of a new global index under the table's billing mode."""
    name, wanted = index["IndexName"], index.get("ProvisionedThroughput")
    if mode == ON_DEMAND:
        if wanted is not None:
            raise ValidationException(
                f"{INVALID}ProvisionedThroughput should not be specified for index: {name} "
                "when BillingMode is PAY_PER_REQUEST"
            )
    elif wanted is None:
        raise ValidationException(f"{INVALID}ProvisionedThroughput must be specified for index: {name}")
    else:
        check_bounds(wanted, f" for index {name}")
    check_maximum(index.get("OnDemandThroughput"), mode)


def check_bounds(wanted: dict[str, int], where: str = "") -> None:
    for member in ("ReadCapacityUnits", "WriteCapacityUnits"):
        if wanted[member] > UNITS_MAX:
            raise ValidationException(f"Given value {wanted[member]} for {member} is out of bounds{where}")


def check_maximum(wanted: dict[str, int] | None, mode: str) -> None:
    """OnDemandThroughput: a maximum of at least 1, or -1 for none."""
    if wanted is None:
        return
    if mode != ON_DEMAND:
        raise ValidationException(NO_MAXIMUM_PROVISIONED)
    for member, units in wanted.items():
        if units != UNLIMITED and units < 1:
            raise ValidationException(f"{INVALID}{member} must be -1 or at least 1. Provided value: {units}")


def check_warm(wanted: dict[str, int] | None, current: dict[str, int] | None, what: str) -> None:
    """WarmThroughput only rises. `current` is None for what is new."""
    for member, units in (wanted or {}).items():
        least, why = WARM_BASE[member], f"the minimum of {WARM_BASE[member]}"
        if current is not None:
            least, why = current[member], "current WarmThroughput, decreasing WarmThroughput is not supported"
        if units < least:
            raise ValidationException(f"{INVALID}Requested {member} for WarmThroughput for {what} is lower than {why}")


def check_changes(current: dict[str, Any] | None, wanted: dict[str, int], what: str, kind: str) -> None:
    """AWS refuses to set the throughput that is set already."""
    now = {member: (current or {}).get(member, 0) for member in ("ReadCapacityUnits", "WriteCapacityUnits")}
    if now != {member: wanted[member] for member in now}:
        return
    figures = " ".join(
        f"Current {member} provisioned for the {kind}: {now[member]}. Requested {member}: {wanted[member]}."
        for member in now
    )
    raise ValidationException(
        f"The provisioned throughput for the {what} will not change. The requested value equals the current value. "
        f"{figures} Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits."
    )


def with_limits(settings: Settings, request: dict[str, Any]) -> Settings:
    """The settings with what a request says of OnDemandThroughput and WarmThroughput; a side left out stays."""
    for name in ("OnDemandThroughput", "WarmThroughput"):
        if name in request:
            settings[name] = {**settings.get(name, {}), **request[name]}
    return settings


def changed(old: dict[str, Any] | None, wanted: dict[str, int], now: float) -> dict[str, Any]:
    """The throughput that is kept after a change, with when it last rose and fell."""
    old = old or {}
    kept = {**old, **wanted}
    rises = [wanted[member] - old.get(member, 0) for member in ("ReadCapacityUnits", "WriteCapacityUnits")]
    if max(rises) > 0:
        kept["LastIncreaseDateTime"] = round(now, 3)
    if min(rises) < 0:
        kept["LastDecreaseDateTime"] = round(now, 3)
        kept["DecreasesToday"] = decreases_today(old, now) + 1
    return kept


def decreases_today(kept: dict[str, Any], now: float) -> int:
    """Counted by the day in UTC."""
    last = kept.get("LastDecreaseDateTime", 0.0)
    return kept.get("DecreasesToday", 0) if last // 86400 == now // 86400 else 0


def describe(settings: Settings, mode: str, now: float) -> dict[str, Any]:
    """The members that a table and a global index have in common."""
    kept: Settings = settings.get("ProvisionedThroughput") or {}
    provisioned = {name: kept[name] for name in ("LastIncreaseDateTime", "LastDecreaseDateTime") if name in kept}
    provisioned["NumberOfDecreasesToday"] = decreases_today(kept, now)
    for member in ("ReadCapacityUnits", "WriteCapacityUnits"):
        provisioned[member] = kept.get(member, 0) if mode == PROVISIONED else 0
    described: dict[str, Any] = {"ProvisionedThroughput": provisioned}
    if mode == ON_DEMAND and "OnDemandThroughput" in settings:
        unlimited = {"MaxReadRequestUnits": UNLIMITED, "MaxWriteRequestUnits": UNLIMITED}
        described["OnDemandThroughput"] = {**unlimited, **settings["OnDemandThroughput"]}
    described["WarmThroughput"] = {**warm(settings, mode), "Status": "ACTIVE"}
    return described


def warm(settings: Settings, mode: str) -> dict[str, int]:
    """What a table or an index is warm for: what was asked, else what its billing mode gives."""
    base = WARM_BASE
    if mode == PROVISIONED:
        kept: Settings = settings.get("ProvisionedThroughput") or {}
        base = {
            "ReadUnitsPerSecond": kept.get("ReadCapacityUnits", 0),
            "WriteUnitsPerSecond": kept.get("WriteCapacityUnits", 0),
        }
    return {**base, **settings.get("WarmThroughput", {})}


def describe_billing(table: Table) -> dict[str, Any]:
    """BillingModeSummary; a table that was never on demand has none."""
    since = table.settings.get("OnDemandSince")
    if since is None:
        return {}
    mode = billing_mode(table.settings)
    return {"BillingModeSummary": {"BillingMode": mode, "LastUpdateToPayPerRequestDateTime": round(since, 3)}}


def new_settings(request: dict[str, Any], now: float) -> Settings:
    """What a new table or index keeps of its throughput."""
    kept: Settings = {name: request[name] for name in ("OnDemandThroughput", "WarmThroughput") if name in request}
    if request.get("ProvisionedThroughput"):
        kept["ProvisionedThroughput"] = dict(request["ProvisionedThroughput"])
    if "BillingMode" in request:
        kept["BillingMode"] = request["BillingMode"]
        if request["BillingMode"] == ON_DEMAND:
            kept["OnDemandSince"] = now
    return kept
