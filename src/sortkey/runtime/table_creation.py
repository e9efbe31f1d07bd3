"""Creates missing tables of a model, and lists how the others differ. Never drops anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sortkey.errors import ResourceInUseException, StoreError
from sortkey.model.tables import Table
from sortkey.runtime.differences import (
    Difference,
    compare,
    compare_ttl,
    describe,
    is_unknown_operation,
)
from sortkey.runtime.steps import Call, Sleep, Steps

if TYPE_CHECKING:
    from sortkey.model.patterns import Model

POLL_SECONDS = 0.5
POLLS_MAX = 600


def ensure(of: Model | Table, *, kms: str | None = None) -> Steps[list[str]]:
    """Create missing tables. Returns the differences of the others from the model, as lines."""
    differences: list[Difference] = []
    for table in tables_of(of):
        deployed = yield from describe(table)
        if deployed is None:
            yield from create(table, kms)
        else:
            differences += compare(table, deployed)
            differences += yield from compare_ttl(table)
    return [str(difference) for difference in differences]


def tables_of(of: Model | Table) -> list[Table]:
    return [of] if isinstance(of, Table) else of.tables


def create(table: Table, kms: str | None = None) -> Steps[bool]:
    """Create a table and wait for it. False if another process was faster and does the rest."""
    try:
        yield Call("CreateTable", table.definition(kms))
        is_mine = True
    except ResourceInUseException:
        is_mine = False
    for _ in range(POLLS_MAX):
        deployed = yield from describe(table)
        if deployed is not None and deployed["TableStatus"] == "ACTIVE":
            break
        yield Sleep(POLL_SECONDS)
    else:
        raise StoreError(
            f"the table {table.name} was not ready after {POLL_SECONDS * POLLS_MAX:.0f} seconds"
        )
    if is_mine and table.ttl is not None:
        yield set_ttl(table, table.ttl, enabled=True)
    if is_mine and table.pitr:
        yield from turn_on_recovery(table)
    return is_mine


def set_ttl(table: Table, attribute: str, *, enabled: bool) -> Call:
    specification = {"Enabled": enabled, "AttributeName": attribute}
    return Call(
        "UpdateTimeToLive", {"TableName": table.name, "TimeToLiveSpecification": specification}
    )


def turn_on_recovery(table: Table) -> Steps[None]:
    settings = {"PointInTimeRecoveryEnabled": True}
    try:
        yield Call(
            "UpdateContinuousBackups",
            {"TableName": table.name, "PointInTimeRecoverySpecification": settings},
        )
    except Exception as error:
        if not is_unknown_operation(error):
            raise  # some servers do not support backups; the table is created all the same
