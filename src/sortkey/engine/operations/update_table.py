"""UpdateTable: change a table's billing, throughput, indexes, stream, encryption, class or
protection.

Where AWS takes its time, the answer says UPDATING and shows the old values. Here the change is
already done.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortkey.engine import encryption, index_updates, not_offered, streams, throughput, update_pairs
from sortkey.engine.describe import describe
from sortkey.engine.index_updates import IndexUpdates
from sortkey.engine.operations.create_table import check_class, check_stream
from sortkey.engine.tables import Table
from sortkey.errors import ResourceInUseException, ValidationException
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

UNITS_NEEDED = INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
NO_UNITS = INVALID + "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST"
NO_VIEW = INVALID + "If stream is being enabled then UpdateViewType is required"
VIEW_WITHOUT_STREAM = (
    INVALID + "If stream is being disabled, then UpdateViewType must not be specified"
)

SLOW = ("ProvisionedThroughput", "BillingMode", "StreamSpecification", "TableClass")
"""The changes that make a table UPDATING on AWS. Others are immediate or have their own status."""


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    check(request)
    table = engine.catalog.described(request["TableName"])
    if table.status != "ACTIVE":
        raise ResourceInUseException(
            f"Attempt to change a resource which is still in use: Table is being {_doing(table)}: "
            f"{table.name}"
        )
    mode = request.get("BillingMode") or throughput.billing_mode(table.settings)
    settings = _settings(engine, table, request, mode)
    updates = index_updates.parse(engine, table, request, mode)
    stream = request.get("StreamSpecification")
    if stream is not None:
        _check_stream_changes(table, stream)
    before = describe(engine, table)
    table = updates.apply(engine, engine.catalog.save(replace(table, settings=settings)))
    if stream is not None:
        enabled = stream["StreamEnabled"]
        table = (
            streams.enable(engine, table, stream["StreamViewType"])
            if enabled
            else streams.disable(engine, table)
        )
    return {"TableDescription": _updating(before, describe(engine, table), request, updates)}


def check(request: dict[str, Any]) -> None:
    """The checks that do not need the table. An empty list of indexes, WarmThroughput or
    OnDemandThroughput counts as missing.
    """
    for name, why in not_offered.PARAMETERS.items():
        if name in request:
            raise ValidationException(f"{INVALID}{name} cannot be specified: {why}")
    update_pairs.check(request)
    units, mode = request.get("ProvisionedThroughput"), request.get("BillingMode")
    if mode == throughput.PROVISIONED and units is None:
        raise ValidationException(UNITS_NEEDED)
    if mode == throughput.ON_DEMAND and units is not None:
        raise ValidationException(NO_UNITS)
    if units is not None:
        throughput.check_bounds(units)
    check_stream(request.get("StreamSpecification"), NO_VIEW, VIEW_WITHOUT_STREAM)
    check_class(request.get("TableClass"))
    index_updates.check_shape(request.get("GlobalSecondaryIndexUpdates") or [])


def _settings(engine: Engine, table: Table, request: dict[str, Any], mode: str) -> dict[str, Any]:
    settings, now = dict(table.settings), engine.clock()
    units, old_mode = request.get("ProvisionedThroughput"), throughput.billing_mode(table.settings)
    if mode != old_mode:
        settings = throughput.switched(settings, old_mode, mode)
        settings["BillingMode"] = mode
        if mode == throughput.ON_DEMAND:
            settings["OnDemandSince"] = now
    if units is not None:
        if mode == throughput.ON_DEMAND:
            raise ValidationException(throughput.NO_UNITS_ON_DEMAND)
        settings = throughput.with_units(settings, units, now, None, switching=mode != old_mode)
    throughput.check_maximum(request.get("OnDemandThroughput"), mode, None)
    throughput.check_warm(request.get("WarmThroughput"), throughput.warm(settings, mode), "table")
    settings = throughput.with_limits(settings, request)
    if "SSESpecification" in request:
        settings = encryption.change(settings, request["SSESpecification"], engine.region)
    if "TableClass" in request and request["TableClass"] != settings.get("TableClass", "STANDARD"):
        settings["TableClass"], settings["TableClassSince"] = request["TableClass"], now
    if "DeletionProtectionEnabled" in request:
        settings["DeletionProtection"] = request["DeletionProtectionEnabled"]
    return settings


def _check_stream_changes(table: Table, specification: dict[str, Any]) -> None:
    if specification["StreamEnabled"] and table.streams:
        raise ValidationException(f"Table already has an enabled stream: TableName: {table.name}")
    if not specification["StreamEnabled"] and not table.streams:
        raise ValidationException(f"Table has no stream to disable: TableName: {table.name}")


def _updating(
    before: dict[str, Any], after: dict[str, Any], request: dict[str, Any], updates: IndexUpdates
) -> dict[str, Any]:
    """The description in the answer: ongoing changes show the old value and an UPDATING status."""
    if any(name in request for name in SLOW) or updates.create or updates.delete:
        after["TableStatus"] = "UPDATING"
    switches = before.get("BillingModeSummary", {}).get("BillingMode") != after.get(
        "BillingModeSummary", {}
    ).get("BillingMode")
    if switches and request.get("BillingMode") == throughput.ON_DEMAND:
        del after["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"]
    if request.get("SSESpecification") is not None:
        after["SSEDescription"] = {
            **(before.get("SSEDescription") or after["SSEDescription"]),
            "Status": "UPDATING",
        }
    if "TableClass" in request:
        _show_old(before, after, "TableClassSummary")
    _show_old_throughput(before, after, request, switches=switches)
    indexes = _indexes(before, after, request, updates, switches=switches)
    return {**after, **({"GlobalSecondaryIndexes": indexes} if indexes else {})}


def _indexes(
    before: dict[str, Any],
    after: dict[str, Any],
    request: dict[str, Any],
    updates: IndexUpdates,
    *,
    switches: bool,
) -> list[dict[str, Any]]:
    statuses = updates.statuses()
    old = {index["IndexName"]: index for index in before.get("GlobalSecondaryIndexes", ())}
    changes = {
        update["Update"]["IndexName"]: update["Update"]
        for update in request.get("GlobalSecondaryIndexUpdates") or ()
        if update.get("Update")
    }
    indexes = [*after.get("GlobalSecondaryIndexes", ())]
    indexes += [old[name] for name, status in statuses.items() if status == "DELETING"]
    for index in indexes:
        name = index["IndexName"]
        if switches or changes.get(name, {}).keys() != {
            "IndexName",
            "WarmThroughput",
        }:  # it stays active while it warms up
            index["IndexStatus"] = (
                "UPDATING" if switches else statuses.get(name, index["IndexStatus"])
            )
        if index["IndexStatus"] == "CREATING":
            index["Backfilling"] = False  # it is being created; it is filled after the answer
        if name in old:
            _show_old_throughput(old[name], index, changes.get(name, {}), switches=switches)
    return indexes


def _show_old_throughput(
    before: dict[str, Any], after: dict[str, Any], request: dict[str, Any], *, switches: bool
) -> None:
    """Units and warm throughput of a table or an index show the old values until AWS is done."""
    if not switches:
        for member in ("ReadCapacityUnits", "WriteCapacityUnits", "NumberOfDecreasesToday"):
            after["ProvisionedThroughput"][member] = before["ProvisionedThroughput"][member]
    if request.get("WarmThroughput"):
        after["WarmThroughput"] = {**before["WarmThroughput"], "Status": "UPDATING"}
    if request.get("OnDemandThroughput"):  # -1 is shown here, and nowhere else
        after["OnDemandThroughput"] = {
            **before.get("OnDemandThroughput", {}),
            **request["OnDemandThroughput"],
        }


def _show_old(before: dict[str, Any], after: dict[str, Any], member: str) -> None:
    after.pop(member, None)
    if member in before:
        after[member] = before[member]


def _doing(table: Table) -> str:
    return {"CREATING": "created", "DELETING": "deleted"}.get(table.status, "updated")
