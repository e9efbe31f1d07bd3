"""A new table filled from a backup, or from another table as it was at an instant."""

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

SLICE_ROWS = 1000
SLICE_BYTES = 4 * 1024 * 1024

KEPT = (
    "BillingMode",
    "OnDemandSince",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "WarmThroughput",
    "EncryptionKey",
    "TableClass",
)
"""Settings that go over to a restored table. Tags, protection, policies, TTL, streams and recovery do not."""


def check_target(engine: Engine, name: str) -> None:
    if engine.catalog.find(name) is not None:
        raise TableAlreadyExistsException(f"Table already exists: {name}")


def create_target(engine: Engine, source: Table, request: dict[str, Any], summary: dict[str, Any]) -> Table:
    """The table to be filled: the source's definition with what the request overrides. Closed until it is full."""
    now = engine.clock()
    indexes = _indexes(source, request)
    settings = _settings(source, request, now)
    settings.update(encryption.read(request.get("SSESpecificationOverride"), engine.region))
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


def fill(engine: Engine, target: Table, rows: int, snapshot: snapshots.Snapshot | None = None) -> None:
    """Begin to fill the target: from rows that are there, or from a copy that is still to be made and then dropped."""
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
    """A slice of a restore under way."""
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
        settings = {**target.settings, "RestoreSummary": summary}
        engine.catalog.save(replace(target, status="ACTIVE", settings=settings))
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
    settings = {name: source.settings[name] for name in KEPT if name in source.settings}
    overrides = {
        "BillingMode": request.get("BillingModeOverride"),
        "ProvisionedThroughput": request.get("ProvisionedThroughputOverride"),
        "OnDemandThroughput": request.get("OnDemandThroughputOverride"),
    }
    given = {name: value for name, value in overrides.items() if value is not None}
    if not given:
        return settings
    mode = given.get("BillingMode") or throughput.billing_mode(settings)
    if mode == throughput.ON_DEMAND:
        settings.pop("ProvisionedThroughput", None)
    elif "ProvisionedThroughput" in settings:
        given.setdefault("ProvisionedThroughput", settings["ProvisionedThroughput"])
    throughput.check_table({**given, "BillingMode": mode})
    return {**settings, **throughput.new_settings({**given, "BillingMode": mode}, now)}


def _indexes(source: Table, request: dict[str, Any]) -> tuple[Index, ...]:
    """All of the source's, unless the request lists the ones that it wants."""
    kept: list[Index] = []
    wanted = {
        kind: _wanted(source, kind, request[member])
        for kind, member in _OVERRIDES.items()
        if request.get(member) is not None
    }
    for index in source.indexes:
        if index.status == "DELETING":
            continue
        names = wanted.get(index.kind)
        if names is None:
            kept.append(replace(index, status="ACTIVE", backfilling=False))
        elif index.name in names:
            given = throughput.new_settings(names[index.name], 0.0)
            kept.append(replace(index, status="ACTIVE", backfilling=False, settings={**index.settings, **given}))
    return tuple(kept)


_OVERRIDES: dict[IndexKind, str] = {"GSI": "GlobalSecondaryIndexOverride", "LSI": "LocalSecondaryIndexOverride"}


def _wanted(source: Table, kind: IndexKind, listed: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """AWS takes only indexes that the source has, as they are there."""
    for each in listed:
        index = source.index(each["IndexName"])
        if (
            index is None
            or index.kind != kind
            or index.key != KeySchema.read(each["KeySchema"])
            or index.projection != each["Projection"]
        ):
            raise ValidationException(
                "One or more parameter values were invalid: "
                f"{_OVERRIDES[kind]} contains an index that the source table does not have: {each['IndexName']}"
            )
    return {each["IndexName"]: each for each in listed}


def _without_unused_types(table: Table) -> Table:
    used = {name for schema in (table.key, *(index.key for index in table.indexes)) for name in schema.names}
    return replace(table, types={name: kind for name, kind in table.types.items() if name in used})
