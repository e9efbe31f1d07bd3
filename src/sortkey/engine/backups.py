"""Backups of tables: copies of the rows in the same database, with the table's definition."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sortkey.engine import encryption, jobs, snapshots, throughput
from sortkey.engine.describe import projection
from sortkey.engine.tables import Index, Table
from sortkey.errors import BackupInUseException, BackupNotFoundException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

KIND = "backup"
SYSTEM_SECONDS = 35 * 24 * 3600
"""How long the backup of a deleted table is kept."""
COUNTED_MAX = 50_000


@dataclass(frozen=True)
class Backup:
    """`rows` is the id of its rows, `table` the record of the table's definition."""

    id: str
    arn: str
    name: str
    type: str
    created: float
    rows: int
    table: dict[str, Any]
    status: str = "CREATING"
    items: int = 0
    size: int = 0
    expires: float | None = None

    @property
    def source(self) -> Table:
        return Table.from_record(self.table)


def create(engine: Engine, table: Table, name: str) -> Backup:
    """Start a backup of the table as it is now."""
    snapshot = snapshots.begin(engine, table, engine.journal.last)
    backup = _new(engine, table, name, "USER", snapshot.rows)
    save(engine, backup)
    holding = jobs.holding(snapshot.source, snapshot.cut)
    jobs.start(engine, "backup", {"id": backup.id, "snapshot": snapshot.to_state(), **holding})
    return backup


def step(engine: Engine, state: jobs.State) -> bool:
    """Do a slice of a running backup."""
    snapshot = snapshots.Snapshot(**state["snapshot"])
    is_done = snapshots.advance(engine, snapshot)
    state["snapshot"] = snapshot.to_state()
    if is_done:
        backup = _read(engine.records.get(KIND, state["id"]))
        save(engine, replace(_with_figures(engine, backup), status="AVAILABLE"))
    return is_done


def keep_deleted(engine: Engine, table: Table) -> None:
    """Turn the rows of a deleted table into a backup, as AWS does if recovery was on. Nothing is
    copied.
    """
    number = engine.catalog.next_number()
    backup = _new(engine, table, f"{table.name}$DeletedTableBackup", "SYSTEM", number)
    table.rows.rename(number)
    save(engine, replace(backup, status="AVAILABLE", expires=engine.clock() + SYSTEM_SECONDS))


def find(engine: Engine, arn: str) -> Backup:
    """The backup with an ARN."""
    if not arn.startswith("arn:") or "/backup/" not in arn:
        raise ValidationException("Invalid Backup ARN")
    record = engine.records.get(KIND, arn.rsplit("/backup/", 1)[-1])
    if record is None or record["arn"] != arn:
        raise BackupNotFoundException(f"Backup not found: {arn}")
    backup = _read(record)
    engine.catalog.check_not_own(backup.source.name)
    return backup


def all_of(engine: Engine) -> list[Backup]:
    """All backups, the oldest first."""
    return [_read(record) for _, record in engine.records.all(KIND)]


def delete(engine: Engine, backup: Backup) -> None:
    if backup.type == "SYSTEM":
        expiry = datetime.fromtimestamp(int(backup.expires or 0), UTC)
        raise ValidationException(
            "Invalid Request: User is not allowed to delete the system backup with arn "
            f"{backup.arn}. It will "
            f"automatically expire on {expiry:%Y-%m-%dT%H:%M:%SZ}"
        )
    _check_free(engine, backup)
    _forget(engine, backup)


def expire(engine: Engine) -> None:
    """Delete expired backups of deleted tables."""
    for backup in all_of(engine):
        if (
            backup.expires is not None
            and backup.expires < engine.clock()
            and not in_use(engine, backup)
        ):
            _forget(engine, backup)


def save(engine: Engine, backup: Backup) -> None:
    engine.database.begin()
    engine.records.put(
        KIND, backup.id, {name: getattr(backup, name) for name in backup.__dataclass_fields__}
    )


def _read(record: Any) -> Backup:
    return Backup(**record)


def _with_figures(engine: Engine, backup: Backup) -> Backup:
    """The backup with exact figures. If counting would take long, with the table's figures at its
    start.
    """
    if backup.items > COUNTED_MAX:
        return backup
    items, size = snapshots.rows_of(engine, backup.rows).totals()
    return replace(backup, items=items, size=size)


def _new(engine: Engine, table: Table, name: str, type: str, rows: int) -> Backup:
    now = engine.clock()
    figures = engine.counts.of(engine, table)
    id = f"{int(now * 1000):014d}-{engine.entropy(4).hex() if type == 'USER' else '00000000'}"
    arn = f"{engine.catalog.arn(table.name)}/backup/{id}"
    return Backup(
        id,
        arn,
        name,
        type,
        round(now, 3),
        rows,
        table.to_record(),
        items=figures.count,
        size=figures.size,
    )


def _check_free(engine: Engine, backup: Backup) -> None:
    if backup.status == "CREATING":
        raise BackupInUseException(f"Backup is being created: {backup.arn}")
    if in_use(engine, backup):
        raise BackupInUseException(f"Backup is being used to restore table: {backup.arn}")


def in_use(engine: Engine, backup: Backup) -> bool:
    """Whether a table is being restored from it."""
    return any(state["rows"] == backup.rows for state in jobs.running(engine, "restore"))


def _forget(engine: Engine, backup: Backup) -> None:
    engine.database.begin()
    engine.records.delete(KIND, backup.id)
    snapshots.rows_of(engine, backup.rows).drop()


# -- as the API describes them


def details(backup: Backup) -> dict[str, Any]:
    expiry = {} if backup.expires is None else {"BackupExpiryDateTime": round(backup.expires, 3)}
    return {
        "BackupArn": backup.arn,
        "BackupName": backup.name,
        "BackupSizeBytes": backup.size,
        "BackupStatus": backup.status,
        "BackupType": backup.type,
        "BackupCreationDateTime": backup.created,
        **expiry,
    }


def summary(engine: Engine, backup: Backup) -> dict[str, Any]:
    table = backup.source
    return {
        "TableName": table.name,
        "TableId": table.id,
        "TableArn": engine.catalog.arn(table.name),
        **details(backup),
    }


def describe(engine: Engine, backup: Backup) -> dict[str, Any]:
    table = backup.source
    source: dict[str, Any] = {
        "TableName": table.name,
        "TableId": table.id,
        "TableArn": engine.catalog.arn(table.name),
        "TableSizeBytes": backup.size,
        "KeySchema": table.key.describe(),
        "TableCreationDateTime": round(table.created, 3),
        "ProvisionedThroughput": _units(table, table.settings),
        "ItemCount": backup.items,
        "BillingMode": throughput.billing_mode(table.settings),
    }
    if "OnDemandThroughput" in table.settings:
        source["OnDemandThroughput"] = table.settings["OnDemandThroughput"]
    return {
        "BackupDetails": details(backup),
        "SourceTableDetails": source,
        "SourceTableFeatureDetails": _features(table) if backup.type == "USER" else {},
    }


def _features(table: Table) -> dict[str, Any]:
    """Only the features that the table had."""
    features: dict[str, Any] = {}
    for kind, member in (("LSI", "LocalSecondaryIndexes"), ("GSI", "GlobalSecondaryIndexes")):
        indexes = [_index(table, index) for index in table.indexes if index.kind == kind]
        if indexes:
            features[member] = indexes
    if table.stream is not None and table.stream.enabled:
        features["StreamDescription"] = {"StreamEnabled": True, "StreamViewType": table.stream.view}
    if table.ttl_attribute is not None:
        features["TimeToLiveDescription"] = {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": table.ttl_attribute,
        }
    return {**features, **encryption.describe(table.settings)}


def _index(table: Table, index: Index) -> dict[str, Any]:
    described: dict[str, Any] = {
        "IndexName": index.name,
        "KeySchema": index.key.describe(),
        "Projection": projection(index),
    }
    if index.kind == "GSI":
        described["ProvisionedThroughput"] = _units(table, index.settings)
    return described


def _units(table: Table, settings: dict[str, Any]) -> dict[str, int]:
    """Zero on demand, whatever there was before."""
    units: dict[str, int] = settings.get("ProvisionedThroughput") or {}
    if throughput.billing_mode(table.settings) == throughput.ON_DEMAND:
        units = {}
    return {member: units.get(member, 0) for member in ("ReadCapacityUnits", "WriteCapacityUnits")}
