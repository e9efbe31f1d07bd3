"""Makes plans: compares a model with the deployed tables and with the records about stored
items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.errors import TableMissing
from sortkey.model.layout import Layout
from sortkey.model.missing_attributes import has_derived
from sortkey.model.tables import GSI, Table
from sortkey.runtime import pages
from sortkey.runtime.context import Context
from sortkey.runtime.differences import Difference, compare, compare_recovery, compare_ttl, describe
from sortkey.runtime.evolution.plans import AddIndex, ByHand, Change, CreateTable, Fill, Plan, Step
from sortkey.runtime.evolution.state import Stored, keys_of, name_of
from sortkey.runtime.steps import Call, Steps
from sortkey.runtime.table_creation import tables_of

if TYPE_CHECKING:
    from sortkey.model.patterns import Model

AT_WORK = ("CREATING", "UPDATING")


def plan(context: Context, of: Model | Table) -> Steps[Plan]:
    """The steps that make the deployed tables match a model. Changes nothing."""
    steps, fills, by_hand = list[Step](), list[Fill](), list[ByHand]()
    for table in tables_of(of):
        deployed = yield from describe(table)
        if deployed is None:
            steps.append(CreateTable(table))
            continue
        steps += _unfinished_indexes(table, deployed)
        differences = compare(table, deployed)
        differences += yield from compare_ttl(table)
        differences += yield from compare_recovery(table)
        for difference in differences:
            step = _step(difference)
            if step is None:
                by_hand.append(ByHand(difference))
            else:
                steps.append(step)
        fills += yield from _fills(context, table)
    return Plan(of.name, tuple(steps), tuple(fills), tuple(by_hand))


def _unfinished_indexes(table: Table, deployed: dict[str, Any]) -> list[Step]:
    """Indexes of the model that are being created."""
    names = {index.name for index in table.indexes}
    return [
        AddIndex(table, index["IndexName"], is_started=True)
        for index in deployed.get("GlobalSecondaryIndexes", ())
        if index["IndexName"] in names and index.get("IndexStatus") in AT_WORK
    ]


def _step(difference: Difference) -> Step | None:
    """The step that resolves a difference without losing anything, or None if it must be done by
    hand.
    """
    match difference.kind:
        case "index missing" if isinstance(difference.table.index(difference.index), GSI):
            return AddIndex(difference.table, difference.index)
        case "TTL" | "deletion protection":
            return Change(difference)
        case "stream":
            return Change(difference) if difference.deployed is None else None
        case "point-in-time recovery":
            return Change(difference) if difference.model == "on" else None
        case "billing":
            return Change(difference) if difference.model == "PAY_PER_REQUEST" else None
        case _:
            return None


def _fills(context: Context, table: Table) -> Steps[list[Fill]]:
    layouts = [entity.__layout__ for entity in table.entities if has_derived(entity.__layout__)]
    if not layouts or (yield from _is_empty(table)):
        return []
    known = yield from stored_of(context, table)
    reasons = [(layout, reasons_to_fill(layout, known.get(name_of(layout)))) for layout in layouts]
    return [Fill(layout.entity, why) for layout, why in reasons if why]


def stored_of(context: Context, table: Table) -> Steps[dict[str, Stored]]:
    """The records about the entities of a table, by name."""
    try:
        records = yield from pages.query_all(
            context, Stored.of_table(table=table.name).consistent()
        )
    except TableMissing:
        return {}
    return {stored.entity: stored for stored in records}


def reasons_to_fill(layout: Layout, stored: Stored | None) -> tuple[str, ...]:
    """Why stored items of an entity may lack something."""
    keys = keys_of(layout)
    if stored is None:
        needs = [f"version {layout.schema_version}"] if layout.schema_version > 1 else []
        needs += [", ".join(keys)] if keys else []
        if not needs:
            return ()
        return (
            f"it needs {' and '.join(needs)}, and it is not known whether all stored items have "
            "that: "
            "a backfill finds out, and writes only those that lack it",
        )
    reasons: list[str] = []
    if stored.version < layout.schema_version:
        reasons.append(
            f"it is of version {layout.schema_version}, and stored items may be of version "
            f"{stored.version}"
        )
    new = [name for name in keys if name not in stored.keys]
    other = [name for name in keys if name in stored.keys and stored.keys[name] != keys[name]]
    if new:
        reasons.append(f"stored items lack {', '.join(new)}")
    if other:
        reasons.append(f"stored items have {', '.join(other)} of another template")
    return tuple(reasons)


def _is_empty(table: Table) -> Steps[bool]:
    """Reads one item: the count of DescribeTable is hours old."""
    answer = yield Call(
        "Scan", {"TableName": table.name, "Limit": 1, "ConsistentRead": True}, "plan"
    )
    return not answer["Items"]
