"""Billing modes and throughput: what a request may set, and how a table or an index describes it.

Nothing is ever throttled here. The figures are stored and described because tools read and compare
them.
"""

from __future__ import annotations

from typing import Any, Literal

from sortkey.engine.tables import Table
from sortkey.errors import ValidationException
from sortkey.values.attributes import INVALID

UNITS_MAX = 10**12
UNLIMITED = -1  # an on-demand maximum that means no limit

WARM_BASE = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000}
"""The warm throughput of every on-demand table, and the minimum of a request."""

ON_DEMAND: Literal["PAY_PER_REQUEST"] = "PAY_PER_REQUEST"
PROVISIONED: Literal["PROVISIONED"] = "PROVISIONED"

NO_UNITS_ON_DEMAND = (
    INVALID
    + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"
)
UNITS_NEEDED = (
    INVALID
    + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
)
ON_DEMAND_FIRST = (
    "initial throughput for OnDemand. See: "
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
)

Settings = dict[str, Any]


def billing_mode(settings: Settings) -> str:
    """A table without a billing mode is provisioned."""
    return settings.get("BillingMode", PROVISIONED)


def check_table(request: dict[str, Any]) -> None:
    """Check the billing mode and throughput of a new table."""
    requested = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == ON_DEMAND:
        if requested is not None:
            raise ValidationException(NO_UNITS_ON_DEMAND)
    elif requested is None:
        raise ValidationException(UNITS_NEEDED)
    else:
        check_bounds(requested)
    check_new_maximum(request.get("OnDemandThroughput"), billing_mode(request), None)
    check_new_warm(request, billing_mode(request), "table")


def check_index(index: dict[str, Any], mode: str) -> None:
    """Check the throughput of a global index of a new table."""
    name, requested = index["IndexName"], index.get("ProvisionedThroughput")
    if mode == ON_DEMAND:
        if requested is not None:
            raise ValidationException(
                f"{INVALID}ProvisionedThroughput should not be specified for index: {name} "
                "when BillingMode is PAY_PER_REQUEST"
            )
    elif requested is None:
        raise ValidationException(
            f"{INVALID}ProvisionedThroughput is not specified for index: {name}"
        )
    else:
        check_bounds(requested, f" for index {name}")
    _check_limits(index, mode)


def check_added_index(index: dict[str, Any], mode: str) -> None:
    """The same for a global index that is added later, with other messages."""
    name, requested = index["IndexName"], index.get("ProvisionedThroughput")
    if mode == ON_DEMAND:
        if requested is not None:
            raise ValidationException(
                f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for "
                f"index: {name} "
                "when BillingMode is PAY_PER_REQUEST"
            )
    elif requested is None:
        raise ValidationException(
            f"{INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: "
            f"{name}"
        )
    else:
        check_bounds(requested, f" for index {name}")
    _check_limits(index, mode)


def _check_limits(index: dict[str, Any], mode: str) -> None:
    check_new_maximum(index.get("OnDemandThroughput"), mode, index["IndexName"])
    check_new_warm(index, mode, f"index {index['IndexName']}")


def check_bounds(requested: dict[str, int], where: str = "") -> None:
    for member in ("ReadCapacityUnits", "WriteCapacityUnits"):
        if requested[member] > UNITS_MAX:
            raise ValidationException(
                f"Given value {requested[member]} for {member} is out of bounds{where}"
            )


def check_new_maximum(requested: dict[str, int] | None, mode: str, index: str | None) -> None:
    """OnDemandThroughput of a new table or index is at least 1. Only a change may use -1, which
    removes a maximum.
    """
    for member in _members_in(requested, ("MaxReadRequestUnits", "MaxWriteRequestUnits")):
        if mode != ON_DEMAND:
            what = "" if index is None else f" for index: {index}"
            raise ValidationException(
                f"{INVALID}{member} for OnDemandThroughput{what} cannot be specified when table "
                "BillingMode is "
                "PROVISIONED."
            )
    _check_maximum_range(requested, index, least=1)


def check_maximum(requested: dict[str, int] | None, mode: str, index: str | None) -> None:
    """OnDemandThroughput of an existing table or index."""
    for member in _members_in(requested, ("MaxReadRequestUnits", "MaxWriteRequestUnits")):
        if mode != ON_DEMAND:
            what = "" if index is None else f" for index : {index}"
            raise ValidationException(
                f"{INVALID}{member} for OnDemandThroughput{what} cannot be specified when the "
                "table BillingMode is "
                "PROVISIONED"
            )
    _check_maximum_range(requested, index, least=UNLIMITED)


def _check_maximum_range(requested: dict[str, int] | None, index: str | None, least: int) -> None:
    for member in _members_in(requested, ("MaxReadRequestUnits", "MaxWriteRequestUnits")):
        units = (requested or {})[member]
        if units < least or units == 0:
            what = "table" if index is None else f"index : {index}"
            raise ValidationException(
                f"{INVALID}Requested {member} for OnDemandThroughput for {what} is outside of "
                "valid range"
            )


def check_new_warm(request: dict[str, Any], mode: str, what: str) -> None:
    """WarmThroughput of a new table or index is at least that of its billing mode."""
    requested = request.get("WarmThroughput")
    least = warm({name: request[name] for name in request if name == "ProvisionedThroughput"}, mode)
    for member in _members_in(requested, tuple(WARM_BASE)):
        if (requested or {})[member] < least[member]:
            why = ON_DEMAND_FIRST
            if mode == PROVISIONED:
                why = (
                    f"{member.replace('UnitsPerSecond', 'CapacityUnits')} of ProvisionedThroughput"
                )
            raise ValidationException(
                f"{INVALID}Requested {member} for WarmThroughput for {what} is lower than {why}"
            )


def check_warm(requested: dict[str, int] | None, current: dict[str, int], what: str) -> None:
    """WarmThroughput can only increase."""
    for member in _members_in(requested, tuple(WARM_BASE)):
        if (requested or {})[member] < current[member]:
            raise ValidationException(
                f"{INVALID}Requested {member} for WarmThroughput for {what} is lower than current "
                "WarmThroughput, "
                "decreasing WarmThroughput is not supported"
            )


def _members_in(requested: dict[str, int] | None, members: tuple[str, ...]) -> list[str]:
    """The members of a request, in the order in which AWS checks them."""
    return [member for member in members if member in (requested or {})]


def check_changes(
    current: dict[str, Any] | None, requested: dict[str, int], index: str | None
) -> None:
    """AWS refuses to set the current throughput again."""
    what = "the table" if index is None else f"index {index}"
    now = {
        member: (current or {}).get(member, 0)
        for member in ("ReadCapacityUnits", "WriteCapacityUnits")
    }
    if now != {member: requested[member] for member in now}:
        return
    figures = " ".join(
        f"Current {member} provisioned for {what}: {now[member]}. Requested {member}: "
        f"{requested[member]}."
        for member in now
    )
    raise ValidationException(
        f"The provisioned throughput for the {'table' if index is None else what} will not change. "
        "The requested value "
        f"equals the current value. {figures} Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how "
        "to request higher limits."
    )


def with_units(
    settings: Settings, requested: dict[str, int], now: float, index: str | None, *, switching: bool
) -> Settings:
    """The settings of a table or an index with other units. With a new mode, they count neither as
    an increase nor as a decrease.
    """
    current = settings.get("ProvisionedThroughput")
    if switching:
        return {**settings, "ProvisionedThroughput": {**(current or {}), **requested}}
    check_changes(current, requested, index)
    stored = {**settings, "WarmThroughput": warm(settings, PROVISIONED)}
    return {**stored, "ProvisionedThroughput": changed(current, requested, now)}


def with_limits(settings: Settings, request: dict[str, Any]) -> Settings:
    """The settings with a request's OnDemandThroughput and WarmThroughput. Missing sides stay."""
    for name in ("OnDemandThroughput", "WarmThroughput"):
        if request.get(name):
            settings[name] = {**settings.get(name, {}), **request[name]}
    return _without_cleared(settings)


def switched(settings: Settings, old_mode: str, mode: str) -> Settings:
    """The settings after a change of the billing mode: on-demand maxima are removed, and warm
    throughput stays.
    """
    stored = {**settings, "WarmThroughput": warm(settings, old_mode)}
    if mode == PROVISIONED:
        stored.pop("OnDemandThroughput", None)
    return stored


def _without_cleared(settings: Settings) -> Settings:
    """A maximum of -1 means none, and is not described."""
    maxima = {
        name: units
        for name, units in settings.get("OnDemandThroughput", {}).items()
        if units != UNLIMITED
    }
    if maxima:
        settings["OnDemandThroughput"] = maxima
    else:
        settings.pop("OnDemandThroughput", None)
    return settings


def changed(old: dict[str, Any] | None, requested: dict[str, int], now: float) -> dict[str, Any]:
    """The throughput after a change, with the times of the last increase and decrease."""
    old = old or {}
    stored = {**old, **requested}
    rises = [
        requested[member] - old.get(member, 0)
        for member in ("ReadCapacityUnits", "WriteCapacityUnits")
    ]
    if max(rises) > 0:
        stored["LastIncreaseDateTime"] = round(now, 3)
    if min(rises) < 0:
        stored["LastDecreaseDateTime"] = round(now, 3)
        stored["DecreasesToday"] = decreases_today(old, now) + 1
    return stored


def decreases_today(stored: dict[str, Any], now: float) -> int:
    """Counted per day in UTC."""
    last = stored.get("LastDecreaseDateTime", 0.0)
    return stored.get("DecreasesToday", 0) if last // 86400 == now // 86400 else 0


def describe(settings: Settings, mode: str, now: float) -> dict[str, Any]:
    """The members that tables and global indexes share."""
    stored: Settings = settings.get("ProvisionedThroughput") or {}
    provisioned = {
        name: stored[name]
        for name in ("LastIncreaseDateTime", "LastDecreaseDateTime")
        if name in stored
    }
    provisioned["NumberOfDecreasesToday"] = decreases_today(stored, now)
    for member in ("ReadCapacityUnits", "WriteCapacityUnits"):
        provisioned[member] = stored.get(member, 0) if mode == PROVISIONED else 0
    described: dict[str, Any] = {"ProvisionedThroughput": provisioned}
    if mode == ON_DEMAND and "OnDemandThroughput" in settings:
        described["OnDemandThroughput"] = settings["OnDemandThroughput"]
    described["WarmThroughput"] = {**warm(settings, mode), "Status": "ACTIVE"}
    return described


def warm(settings: Settings, mode: str) -> dict[str, int]:
    """The warm throughput of a table or index: requested, from earlier, or of its billing mode."""
    base = WARM_BASE
    if mode == PROVISIONED:
        stored: Settings = settings.get("ProvisionedThroughput") or {}
        base = {
            "ReadUnitsPerSecond": stored.get("ReadCapacityUnits", 0),
            "WriteUnitsPerSecond": stored.get("WriteCapacityUnits", 0),
        }
    kept_warm: dict[str, int] = settings.get("WarmThroughput", {})
    return {member: max(units, kept_warm.get(member, 0)) for member, units in base.items()}


def describe_billing(table: Table) -> dict[str, Any]:
    """BillingModeSummary. A table that was never on demand has none."""
    since = table.settings.get("OnDemandSince")
    if since is None:
        return {}
    mode = billing_mode(table.settings)
    return {
        "BillingModeSummary": {
            "BillingMode": mode,
            "LastUpdateToPayPerRequestDateTime": round(since, 3),
        }
    }


def new_settings(request: dict[str, Any], now: float) -> Settings:
    """The throughput settings of a new table or index."""
    stored: Settings = {
        name: request[name]
        for name in ("OnDemandThroughput", "WarmThroughput")
        if request.get(name)
    }
    if request.get("ProvisionedThroughput"):
        stored["ProvisionedThroughput"] = dict(request["ProvisionedThroughput"])
    if "BillingMode" in request:
        stored["BillingMode"] = request["BillingMode"]
        if request["BillingMode"] == ON_DEMAND:
            stored["OnDemandSince"] = now
    return stored
