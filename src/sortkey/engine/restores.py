"""Restores: a new table filled from a backup, or from another table as of an instant."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from sortkey.engine import encryption, jobs, snapshots, throughput, writes
from sortkey.engine.tables import Index, IndexKind, KeySchema, Table
from sortkey.errors import TableAlreadyExistsException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

NO_UNITS = (
    "Invalid Request: Cannot override ProvisionedThroughput if BillingMode is overridden to "
    "PAY_PER_REQUEST"
)
SLICE_ROWS = 1000
SLICE_BYTES = 4 * 1024 * 1024

RESTORED_SETTINGS = (
    "BillingMode",
    "OnDemandSince",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
    "EncryptionKey",
)
"""Settings that a restored table keeps. Class, tags, protection, policies, TTL, streams and
recovery are not among them.
"""


def check_target(engine: Engine, name: str) -> None:
    if engine.catalog.find(name) is not None:
        raise TableAlreadyExistsException(f"Table already exists: {name}")


def create_target(
    engine: Engine, source: Table, request: dict[str, Any], summary: dict[str, Any]
) -> Table:
    """The table to fill: the source's definition with the request's overrides. It cannot be used
    until the end.
    """
    now = engine.clock()
    indexes = _indexes(source, request)
    settings = _settings(source, request, now)
    if "SSESpecificationOverride" in request:
        settings.pop("EncryptionKey", None)
        settings.update(encryption.read(request["SSESpecificationOverride"], engine.region))
    engine.database.begin()  # from here on nothing can be refused
    target = Table(
        name=request["TargetTableName"],
        number=engine.catalog.next_number(),
        id=str(uuid.UUID(bytes=engine.entropy(16), version=4)),
        created=now,
        key=source.key,
        types=source.types,
        indexes=indexes,
        columns_used=source.columns_used,
        status="CREATING",
        settings={**settings, "RestoreSummary": {**summary, "RestoreInProgress": True}},
    )
    return engine.catalog.create(_without_unused_types(target))


def fill(
    engine: Engine, target: Table, rows: int, snapshot: snapshots.Snapshot | None = None
) -> None:
    """Start to fill the target, from existing rows or from a copy that is made first and dropped
    afterwards.
    """
    state: jobs.State = {
        "target": target.name,
        "number": target.number,
        "rows": rows,
        "loaded": 0,
        "snapshot": snapshot.to_state() if snapshot else None,
    }
    if snapshot is not None:
        state.update(jobs.holding(snapshot.source, snapshot.cut))
    jobs.start(engine, "restore", state)


def step(engine: Engine, state: jobs.State) -> bool:
    """Do a slice of a running restore."""
    if state["snapshot"] is not None and not state["snapshot"]["done"]:
        snapshot = snapshots.Snapshot(**state["snapshot"])
        snapshots.advance(engine, snapshot)
        state["snapshot"] = snapshot.to_state()
        return False
    target = engine.catalog.find(state["target"])
    if target is not None and target.number == state["number"]:
        if not _load(engine, target, state):
            return False
        summary = {**target.settings["RestoreSummary"], "RestoreInProgress": False}
        engine.catalog.save(
            replace(
                target, status="ACTIVE", settings={**target.settings, "RestoreSummary": summary}
            )
        )
    if state["snapshot"] is not None:
        snapshots.rows_of(engine, state["rows"]).drop()
    return True


def _load(engine: Engine, target: Table, state: jobs.State) -> bool:
    count = total = 0
    for id, key, item, size in snapshots.rows_of(engine, state["rows"]).walk(state["loaded"]):
        writes.load(engine, target, key, orjson.loads(item), item, size)
        state["loaded"] = id
        count, total = count + 1, total + len(item)
        if count >= SLICE_ROWS or total >= SLICE_BYTES:
            return False
    return True


# -- overrides


def _settings(source: Table, request: dict[str, Any], now: float) -> dict[str, Any]:
    settings = {
        name: source.settings[name] for name in RESTORED_SETTINGS if name in source.settings
    }
    mode, old_mode = _mode(source, request), throughput.billing_mode(source.settings)
    units, maxima = (
        request.get("ProvisionedThroughputOverride"),
        request.get("OnDemandThroughputOverride"),
    )
    _check_units(request.get("BillingModeOverride"), mode, units)
    _check_maxima(mode, maxima)
    if mode != old_mode:
        settings = throughput.switched(settings, old_mode, mode)
        settings["BillingMode"] = mode
        if mode == throughput.ON_DEMAND:
            settings.pop("ProvisionedThroughput", None)
            settings["OnDemandSince"] = now
    if units is not None:
        throughput.check_bounds(units)
        settings["ProvisionedThroughput"] = dict(units)
    return throughput.with_limits(settings, {"OnDemandThroughput": maxima})


def _mode(source: Table, request: dict[str, Any]) -> str:
    return request.get("BillingModeOverride") or throughput.billing_mode(source.settings)


def _check_units(override: str | None, mode: str, units: dict[str, int] | None) -> None:
    if override == throughput.ON_DEMAND and units is not None:
        raise ValidationException(NO_UNITS)
    if override == throughput.PROVISIONED and units is None:
        raise ValidationException(
            "Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to "
            "PROVISIONED"
        )
    if units is not None and mode != throughput.PROVISIONED:
        raise ValidationException(
            "Invalid Request: Cannot override ProvisionedThroughput unless BillingMode is "
            "PROVISIONED"
        )


def _check_maxima(mode: str, maxima: dict[str, int] | None) -> None:
    for member, units in (maxima or {}).items():
        if mode != throughput.ON_DEMAND:
            raise ValidationException(
                f"Invalid Request: Cannot override {member} for OnDemandThroughput unless "
                "BillingModeOverride is "
                "PAY_PER_REQUEST"
            )
        if units < 1:
            raise ValidationException(
                f"Invalid Request: Requested {member} for OnDemandThroughput is outside of valid "
                "range"
            )


def _indexes(source: Table, request: dict[str, Any]) -> tuple[Index, ...]:
    """All indexes of the source, or those that the request lists, perhaps with other names."""
    mode, old_mode = _mode(source, request), throughput.billing_mode(source.settings)
    indexes: list[Index] = []
    for kind, member in _OVERRIDES.items():
        there = [index for index in source.of_kind(kind) if index.status != "DELETING"]
        overrides = request.get(member)
        if overrides is None:
            indexes += there
        else:
            indexes += [
                _overridden(there, requested, request.get("BillingModeOverride"), mode)
                for requested in overrides
            ]
    if mode != old_mode:
        indexes = [
            replace(index, settings=throughput.switched(index.settings, old_mode, mode))
            for index in indexes
        ]
    indexes.sort(key=lambda index: int(index.column[1:]))
    return tuple(replace(index, status="ACTIVE", backfilling=False) for index in indexes)


def _overridden(
    there: list[Index], requested: dict[str, Any], override: str | None, mode: str
) -> Index:
    """AWS accepts only indexes with the keys and projection of one of the source's."""
    name, units = requested["IndexName"], requested.get("ProvisionedThroughput")
    key = KeySchema.read(requested["KeySchema"])
    alike = [
        index for index in there if index.key == key and index.projection == requested["Projection"]
    ]
    if not alike:
        raise ValidationException(
            f"Invalid Request: Index {name} does not match a secondary index that existed in the "
            "source table and "
            "cannot be created during the restore operation"
        )
    index = next((index for index in alike if index.name == name), alike[0])
    if index.kind == "GSI" and mode == throughput.PROVISIONED and units is None:
        raise ValidationException(
            f"Invalid Request: Must specify provisioned throughput for index {name}"
        )
    if override == throughput.ON_DEMAND and units is not None:
        raise ValidationException(f"{NO_UNITS} for index {name}")
    return replace(
        index, name=name, settings={**index.settings, **throughput.new_settings(requested, 0.0)}
    )


_OVERRIDES: dict[IndexKind, str] = {
    "GSI": "GlobalSecondaryIndexOverride",
    "LSI": "LocalSecondaryIndexOverride",
}


def _without_unused_types(table: Table) -> Table:
    used = {
        name
        for schema in (table.key, *(index.key for index in table.indexes))
        for name in schema.names
    }
    return replace(table, types={name: kind for name, kind in table.types.items() if name in used})
