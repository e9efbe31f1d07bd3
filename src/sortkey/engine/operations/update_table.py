"""UpdateTable: change a table's billing, throughput, indexes, stream, encryption, class or protection.

The answer says UPDATING and shows the throughput of before, as AWS does; the change is done when it arrives.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortkey.engine import encryption, index_updates, not_offered, streams, throughput
from sortkey.engine.describe import describe
from sortkey.engine.index_updates import IndexUpdates
from sortkey.engine.operations.create_table import check_stream
from sortkey.engine.tables import Table
from sortkey.errors import ResourceInUseException, ValidationException
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
    "SSESpecification or ReplicaUpdates is required"
)
STREAM_WITH_THROUGHPUT = INVALID + "You cannot modify stream status while updating table IOPS"
UNITS_NEEDED = INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED"

CHANGES = (
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "SSESpecification",
    "TableClass",
    "OnDemandThroughput",
    "WarmThroughput",
)
"""What makes a table UPDATING."""


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    check(request)
    table = engine.catalog.described(request["TableName"])
    if table.status != "ACTIVE":
        raise ResourceInUseException(
            f"Attempt to change a resource which is still in use: Table is being {_doing(table)}: {table.name}"
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
        table = streams.enable(engine, table, stream["StreamViewType"]) if enabled else streams.disable(engine, table)
    return {"TableDescription": _updating(before, describe(engine, table), request, updates)}


def check(request: dict[str, Any]) -> None:
    """What can be said without the table."""
    for name, why in not_offered.PARAMETERS.items():
        if name in request:
            raise ValidationException(f"{INVALID}{name} cannot be specified: {why}")
    indexes = request.get("GlobalSecondaryIndexUpdates")
    if not indexes and not any(name in request for name in (*CHANGES, "DeletionProtectionEnabled")):
        raise ValidationException(NOTHING)
    wanted = request.get("ProvisionedThroughput")
    if request.get("BillingMode") == throughput.PROVISIONED and wanted is None:
        raise ValidationException(UNITS_NEEDED)
    if wanted is not None:
        throughput.check_bounds(wanted)
    if "StreamSpecification" in request and ("BillingMode" in request or wanted is not None):
        raise ValidationException(STREAM_WITH_THROUGHPUT)
    check_stream(request.get("StreamSpecification"))
    index_updates.check_shape(indexes or [])


def _settings(engine: Engine, table: Table, request: dict[str, Any], mode: str) -> dict[str, Any]:
    settings, now = dict(table.settings), engine.clock()
    wanted, old_mode = request.get("ProvisionedThroughput"), throughput.billing_mode(table.settings)
    if wanted is not None:
        if mode == throughput.ON_DEMAND:
            raise ValidationException(throughput.NO_UNITS_ON_DEMAND)
        current = settings.get("ProvisionedThroughput")
        if mode == old_mode:
            throughput.check_changes(current, wanted, "table", "table")
        settings["ProvisionedThroughput"] = throughput.changed(current, wanted, now)
    throughput.check_maximum(request.get("OnDemandThroughput"), mode)
    throughput.check_warm(request.get("WarmThroughput"), throughput.warm(settings, mode), "table")
    settings = throughput.with_limits(settings, request)
    if mode != old_mode:
        settings["BillingMode"] = mode
        if mode == throughput.ON_DEMAND:
            settings["OnDemandSince"] = now
    if "SSESpecification" in request:
        settings.pop("EncryptionKey", None)
        settings.update(encryption.read(request["SSESpecification"], engine.region))
    if "TableClass" in request and request["TableClass"] != settings.get("TableClass", "STANDARD"):
        settings["TableClass"], settings["TableClassSince"] = request["TableClass"], now
    if "DeletionProtectionEnabled" in request:
        settings["DeletionProtection"] = request["DeletionProtectionEnabled"]
    return settings


def _check_stream_changes(table: Table, wanted: dict[str, Any]) -> None:
    if wanted["StreamEnabled"] and table.streams:
        raise ValidationException(f"Table already has an enabled stream: TableName: {table.name}")
    if not wanted["StreamEnabled"] and not table.streams:
        raise ValidationException(f"Table has no stream to disable: TableName: {table.name}")


def _updating(
    before: dict[str, Any], after: dict[str, Any], request: dict[str, Any], updates: IndexUpdates
) -> dict[str, Any]:
    """The description in the answer: new settings, old throughput, and what is under way."""
    statuses = updates.statuses()
    if statuses or any(name in request for name in CHANGES):
        after["TableStatus"] = "UPDATING"
    billing_changes = before.get("BillingModeSummary", {}).get("BillingMode") != after.get(
        "BillingModeSummary", {}
    ).get("BillingMode")
    if not billing_changes:
        _keep_units(before, after)
    old = {index["IndexName"]: index for index in before.get("GlobalSecondaryIndexes", ())}
    indexes = [*after.get("GlobalSecondaryIndexes", ())]
    indexes += [old[name] for name, status in statuses.items() if status == "DELETING"]
    for index in indexes:
        name = index["IndexName"]
        index["IndexStatus"] = "UPDATING" if billing_changes else statuses.get(name, index["IndexStatus"])
        if index["IndexStatus"] == "CREATING":
            index["Backfilling"] = False  # its place is being made; filling it comes after the answer
        if name in old and not billing_changes:
            _keep_units(old[name], index)
    return {**after, **({"GlobalSecondaryIndexes": indexes} if indexes else {})}


def _keep_units(before: dict[str, Any], after: dict[str, Any]) -> None:
    for member in ("ReadCapacityUnits", "WriteCapacityUnits"):
        after["ProvisionedThroughput"][member] = before["ProvisionedThroughput"][member]


def _doing(table: Table) -> str:
    return {"CREATING": "created", "DELETING": "deleted"}.get(table.status, "updated")
