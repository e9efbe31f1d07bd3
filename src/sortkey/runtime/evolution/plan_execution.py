"""Applies plans step by step. Each step checks what is already done, so an interrupted plan can be
applied again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sortkey.errors import LimitExceededException, ResourceInUseException, StoreError
from sortkey.model.tables import Table
from sortkey.runtime import writes
from sortkey.runtime.context import Context
from sortkey.runtime.differences import compare, compare_ttl, describe
from sortkey.runtime.evolution.plans import AddIndex, Change, CreateTable, Plan, Step
from sortkey.runtime.evolution.state import Stored, evolution_table, keys_of, name_of
from sortkey.runtime.steps import Call, Sleep, Steps
from sortkey.runtime.table_creation import create, ensure, set_ttl, turn_on_recovery

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 20.0


def apply(
    context: Context,
    plan: Plan,
    *,
    kms: str | None,
    wait_seconds: float,
    on_progress: Callable[[Step], object] | None,
) -> Steps[tuple[Step, ...]]:
    """Apply the steps of a plan, and return them. Backfills and manual changes are left to the
    caller.
    """
    for step in plan.steps:
        if on_progress is not None:
            on_progress(step)
        if isinstance(step, CreateTable):
            if (yield from create(step.table, kms)):
                yield from note_new(context, step.table)
        elif isinstance(step, AddIndex):
            yield from _add_index(step, wait_seconds)
        else:
            yield from _change(step, wait_seconds)
    return plan.steps


def note_new(context: Context, table: Table) -> Steps[None]:
    """Record that a new table has no older items."""
    yield from ensure(evolution_table)
    for entity in table.entities:
        yield from note(context, table, entity)


def note(context: Context, table: Table, entity: Any) -> Steps[None]:
    """Record that all stored items of an entity are up to date."""
    layout = entity.__layout__
    record = Stored(
        table=table.name,
        entity=name_of(layout),
        version=layout.schema_version,
        keys=keys_of(layout),
    )
    yield from writes.put(context, record, "put")


def _add_index(step: AddIndex, wait_seconds: float) -> Steps[None]:
    table, waited = step.table, _Waited(wait_seconds, f"{step.table.name}: the index {step.index}")
    while True:
        deployed = yield from _settled(table, waited)
        status = _status(deployed, step.index)
        if status == "ACTIVE":
            return
        if status is None:
            try:
                yield Call("UpdateTable", _index_request(step, deployed))
                continue
            except (ResourceInUseException, LimitExceededException):
                pass  # another change of the table, or another index, is not done yet
        yield waited.pause()


def _index_request(step: AddIndex, deployed: dict[str, Any]) -> dict[str, Any]:
    table = step.table
    definition = table.index_definition(table.index(step.index))
    if deployed.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED") == "PROVISIONED":
        definition.setdefault(
            "ProvisionedThroughput", {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
        )
    else:
        definition.pop(
            "ProvisionedThroughput", None
        )  # the billing of the table, whatever the model says
    names = [element["AttributeName"] for element in definition["KeySchema"]]
    return {
        "TableName": table.name,
        "AttributeDefinitions": [
            {"AttributeName": n, "AttributeType": table.type_of(n)} for n in names
        ],
        "GlobalSecondaryIndexUpdates": [{"Create": definition}],
    }


def _change(step: Change, wait_seconds: float) -> Steps[None]:
    table, what = step.table, step.difference.kind
    waited = _Waited(wait_seconds, f"{table.name}: {what}")
    deployed = yield from _settled(table, waited)
    if what == "TTL":
        for difference in (yield from compare_ttl(table)):
            if difference.deployed is not None:
                yield set_ttl(table, difference.deployed, enabled=False)
            if difference.model is not None:
                yield set_ttl(table, difference.model, enabled=True)
    elif what == "point-in-time recovery":
        yield from turn_on_recovery(table)
    elif any(difference.kind == what for difference in compare(table, deployed)):
        yield Call("UpdateTable", {"TableName": table.name, **_member(what, step.difference.model)})
        yield from _settled(table, waited)


def _member(what: str, model: Any) -> dict[str, Any]:
    match what:
        case "stream":
            return {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": model}}
        case "billing":
            return {"BillingMode": model}
        case _:
            return {"DeletionProtectionEnabled": True}


def _settled(table: Table, waited: _Waited) -> Steps[dict[str, Any]]:
    """The description of the table once no change is in progress."""
    while True:
        deployed = yield from describe(table)
        if deployed is None:
            raise StoreError(f"the table {table.name} no longer exists: make a new plan")
        if deployed["TableStatus"] == "ACTIVE":
            return deployed
        yield waited.pause()


def _status(deployed: dict[str, Any], name: str) -> str | None:
    return next(
        (
            i["IndexStatus"]
            for i in deployed.get("GlobalSecondaryIndexes", ())
            if i["IndexName"] == name
        ),
        None,
    )


class _Waited:
    """Waits of a step, with growing pauses, up to a limit."""

    def __init__(self, seconds_max: float, what: str) -> None:
        self._left, self._what, self._pause = seconds_max, what, FIRST_PAUSE_SECONDS

    def pause(self) -> Sleep:
        if self._left <= 0:
            raise StoreError(
                f"{self._what} was not ready in time: apply the plan again to go on waiting"
            )
        seconds, self._pause = self._pause, min(self._pause * 1.5, LONGEST_PAUSE_SECONDS)
        self._left -= seconds
        return Sleep(seconds)
