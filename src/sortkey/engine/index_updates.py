"""GlobalSecondaryIndexUpdates of UpdateTable: one index made or deleted at a time, throughput of
any number changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sortkey.engine import index_builds, key_schemas, throughput
from sortkey.engine.tables import Index, KeySchema, Table
from sortkey.errors import LimitExceededException, ResourceNotFoundException, ValidationException
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

ACTIONS = ("Update", "Create", "Delete")
NO_ACTION = (
    INVALID + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
    "GlobalSecondaryIndexUpdate.Delete must not be null"
)
MANY_ACTIONS = (
    INVALID
    + "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object"
)
TOO_MANY = (
    "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20"
)
ONE_AT_A_TIME = (
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per "
    "table"
)
BLOCKED = (
    "This operation cannot be performed with given input values. Please contact DynamoDB service "
    "team for more info: "
    "Action Blocked: IndexUpdate"
)


@dataclass(frozen=True, slots=True)
class IndexUpdates:
    """The checked changes of a request to a table's global indexes."""

    create: Index | None
    types: dict[str, str]
    delete: Index | None
    settings: dict[str, dict[str, Any]]
    """The new settings of indexes by name."""

    def apply(self, engine: Engine, table: Table) -> Table:
        if self.settings:
            table = replace(
                table, indexes=tuple(self._with_settings(index) for index in table.indexes)
            )
            table = engine.catalog.save(table)
        if self.delete is not None:
            table = index_builds.remove(engine, table, self.delete)
        if self.create is not None:
            table = index_builds.add(
                engine, replace(table, types={**table.types, **self.types}), self.create
            )
        return table

    def statuses(self) -> dict[str, str]:
        """The description of the changing indexes in the answer."""
        return {
            **dict.fromkeys(self.settings, "UPDATING"),
            **({self.create.name: "CREATING"} if self.create else {}),
            **({self.delete.name: "DELETING"} if self.delete else {}),
        }

    def _with_settings(self, index: Index) -> Index:
        return replace(index, settings=self.settings.get(index.name, index.settings))


def check_shape(updates: list[dict[str, Any]]) -> None:
    """The checks that do not need the table: one action per entry, one per index."""
    names: set[str] = set()
    for update in updates:
        actions = [update[action] for action in ACTIONS if update.get(action) is not None]
        if not actions:
            raise ValidationException(NO_ACTION)
        if len(actions) > 1:
            raise ValidationException(MANY_ACTIONS)
        name = actions[0]["IndexName"]
        if name in names:
            raise ValidationException(
                f"{INVALID}Only one global secondary index update per index is allowed "
                f"simultaneously. Index: {name}"
            )
        names.add(name)
        if actions[0] is update.get("Update") and actions[0].get("WarmThroughput") == {}:
            raise ValidationException(
                f"{INVALID}WarmThroughput must have at least one of ReadUnitsPerSecond or "
                "WriteUnitsPerSecond "
                f"specified for index: {name}"
            )


def parse(engine: Engine, table: Table, request: dict[str, Any], mode: str) -> IndexUpdates:
    """The updates of a request on this table under its new billing mode."""
    updates: list[dict[str, Any]] = request.get("GlobalSecondaryIndexUpdates") or []
    creates = [update["Create"] for update in updates if update.get("Create")]
    deletes = [update["Delete"]["IndexName"] for update in updates if update.get("Delete")]
    building = any(index.backfilling and index.name not in deletes for index in table.indexes)
    if len(creates) + len(deletes) > 1 or (building and (creates or deletes)):
        raise LimitExceededException(ONE_AT_A_TIME)
    changes = {
        update["Update"]["IndexName"]: update["Update"]
        for update in updates
        if update.get("Update")
    }
    delete = _find(table, deletes[0], "delete") if deletes else None
    settings = {name: _changed(engine, table, update, mode) for name, update in changes.items()}
    _check_all_provisioned(table, mode, {*settings, *deletes})
    if mode != throughput.billing_mode(table.settings):
        for index in table.of_kind("GSI"):
            settings.setdefault(index.name, _switched(table, index, mode))
    create, types = _new(engine, table, creates[0], request, mode) if creates else (None, {})
    return IndexUpdates(create, types, delete, settings)


def _find(table: Table, name: str, action: str) -> Index:
    index = table.index(name)
    if index is None:
        raise ResourceNotFoundException(
            f"Requested resource not found: Index {name} for table {table.name}"
        )
    if index.kind != "GSI":
        raise ValidationException(
            f"Cannot {action} an index that is not a GlobalSecondaryIndex: {name}"
        )
    return index


def _new(
    engine: Engine, table: Table, specification: dict[str, Any], request: dict[str, Any], mode: str
) -> tuple[Index, dict[str, str]]:
    name = specification["IndexName"]
    if not request.get("AttributeDefinitions"):
        raise ValidationException(
            f"{INVALID}AttributeDefinitions is not specified for index: {name}"
        )
    definitions = key_schemas.read_definitions(request["AttributeDefinitions"])
    key_schemas.check_index("GSI", specification, definitions)
    key_schemas.check_projection(specification["Projection"])
    throughput.check_added_index(specification, mode)
    if table.index(name) is not None:
        raise ValidationException("Attempting to create an index which already exists")
    if len(table.of_kind("GSI")) >= key_schemas.GSI_MAX:
        raise LimitExceededException(TOO_MANY)
    key_schemas.check_non_key_total(
        [*(index.projection for index in table.indexes), specification["Projection"]]
    )
    key = KeySchema.read(specification["KeySchema"])
    key_schemas.check_not_redefined(table, key, definitions)
    settings = throughput.new_settings(specification, engine.clock())
    index = Index(name, "GSI", key, specification["Projection"], column="", settings=settings)
    return index, {name: definitions[name] for name in key.names}


def _changed(engine: Engine, table: Table, update: dict[str, Any], mode: str) -> dict[str, Any]:
    units, name = update.get("ProvisionedThroughput"), update["IndexName"]
    if (
        units is not None
        and max(units["ReadCapacityUnits"], units["WriteCapacityUnits"]) > throughput.UNITS_MAX
    ):
        raise ValidationException(BLOCKED)
    index = _find(table, name, "update")
    old_mode = throughput.billing_mode(table.settings)
    _check_change(update, mode)
    settings = _switched(table, index, mode) if mode != old_mode else dict(index.settings)
    if units is not None:
        settings = throughput.with_units(
            settings, units, engine.clock(), name, switching=mode != old_mode
        )
    throughput.check_maximum(update.get("OnDemandThroughput"), mode, name)
    throughput.check_warm(
        update.get("WarmThroughput"), throughput.warm(settings, mode), f"index {name}"
    )
    return throughput.with_limits(settings, update)


def _check_change(update: dict[str, Any], mode: str) -> None:
    """Which parts of an index can change depends on the billing mode."""
    name, limits = (
        update["IndexName"],
        update.get("OnDemandThroughput") or update.get("WarmThroughput"),
    )
    if mode == throughput.ON_DEMAND and (
        update.get("ProvisionedThroughput") is not None or not limits
    ):
        raise ValidationException(
            f"{INVALID}The only Updates for index: {name} when TableThroughputMode is "
            "PAY_PER_REQUEST can be to "
            "OnDemandThroughput, WarmThroughput"
        )
    if (
        mode == throughput.PROVISIONED
        and update.get("ProvisionedThroughput") is None
        and not limits
    ):
        raise ValidationException(
            f"{INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: "
            f"{name}"
        )


def _switched(table: Table, index: Index, mode: str) -> dict[str, Any]:
    return throughput.switched(index.settings, throughput.billing_mode(table.settings), mode)


def _check_all_provisioned(table: Table, mode: str, updated: set[str]) -> None:
    """A table that leaves on-demand billing must set the throughput of every index."""
    if mode != throughput.PROVISIONED or throughput.billing_mode(table.settings) == mode:
        return
    missing = [index.name for index in table.of_kind("GSI") if index.name not in updated]
    if missing:
        raise ValidationException(
            f"{INVALID}ProvisionedThroughput must be specified for index: {','.join(missing)}"
        )
