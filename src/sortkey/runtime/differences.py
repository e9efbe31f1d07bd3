"""Differences between a deployed table and its declaration, for `ensure` and for plans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

from sortkey.errors import ResourceNotFoundException
from sortkey.model.tables import Table
from sortkey.runtime.steps import Call, Steps

DifferenceKind = Literal[
    "key",
    "types of key attributes",
    "billing",
    "stream",
    "deletion protection",
    "TTL",
    "point-in-time recovery",
    "index key",
    "index projection",
    "index missing",
    "index extra",
]


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting in which a deployed table differs from the model. `index` names the index,
    if any.
    """

    table: Table
    kind: DifferenceKind
    deployed: Any = None
    model: Any = None
    index: str = ""

    def __str__(self) -> str:
        if self.kind == "index missing":
            return f"{self.table.name}: the index {self.index} is missing"
        if self.kind == "index extra":
            return f"{self.table.name}: the index {self.index} is not in the model"
        what = (
            f"index {self.index}: {self.kind.removeprefix('index ')}" if self.index else self.kind
        )
        return f"{self.table.name}: {what} is {value_text(self.deployed)}; the model says {value_text(self.model)}"


def describe(table: Table) -> Steps[dict[str, Any] | None]:
    """The description of a deployed table, or None."""
    try:
        answer = yield Call("DescribeTable", {"TableName": table.name})
    except ResourceNotFoundException:
        return None
    return answer["Table"]


def compare(table: Table, description: dict[str, Any]) -> list[Difference]:
    """The differences between a table and its description by the service."""
    definition, differences = table.definition(), list[Difference]()

    def differ(kind: DifferenceKind, model: Any, deployed: Any) -> None:
        if model != deployed:
            differences.append(Difference(table, kind, deployed, model))

    differ("key", _schema(definition["KeySchema"]), _schema(description["KeySchema"]))
    types, deployed_types = _types(definition), _types(description)
    common = [
        name for name in types if name in deployed_types
    ]  # others belong to indexes, which are compared below
    differ(
        "types of key attributes",
        {n: types[n] for n in common},
        {n: deployed_types[n] for n in common},
    )
    differ(
        "billing",
        definition["BillingMode"],
        description.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
    )
    stream = description.get("StreamSpecification", {})
    differ(
        "stream",
        table.stream,
        stream.get("StreamViewType") if stream.get("StreamEnabled") else None,
    )
    if table.deletion_protection:  # protection that was enabled by hand is fine
        differ(
            "deletion protection",
            "on",
            _on_or_off(description.get("DeletionProtectionEnabled", False)),
        )
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        differences += _compare_indexes(table, definition.get(kind, ()), description.get(kind, ()))
    return differences


def compare_ttl(table: Table) -> Steps[list[Difference]]:
    answer = yield Call("DescribeTimeToLive", {"TableName": table.name})
    described = answer["TimeToLiveDescription"]
    deployed = (
        described.get("AttributeName")
        if described.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
        else None
    )
    return [] if deployed == table.ttl else [Difference(table, "TTL", deployed, table.ttl)]


def compare_recovery(table: Table) -> Steps[list[Difference]]:
    """Empty if the server does not support backups."""
    try:
        answer = yield Call("DescribeContinuousBackups", {"TableName": table.name})
    except Exception as error:
        if is_unknown_operation(error):
            return []
        raise
    described = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    is_on = described.get("PointInTimeRecoveryStatus") == "ENABLED"
    if is_on == table.pitr:
        return []
    return [Difference(table, "point-in-time recovery", _on_or_off(is_on), _on_or_off(table.pitr))]


def is_unknown_operation(error: Exception) -> bool:
    return "UnknownOperation" in type(error).__name__ + str(error)


def value_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, cast(tuple[Any, ...], value)))
    return "none" if value is None else str(value)


def _compare_indexes(table: Table, wanted_indexes: Any, deployed_indexes: Any) -> list[Difference]:
    model = {index["IndexName"]: index for index in wanted_indexes}
    deployed = {index["IndexName"]: index for index in deployed_indexes}
    differences: list[Difference] = []
    for name in sorted(model.keys() | deployed.keys()):
        if name not in deployed or name not in model:
            differences.append(
                Difference(
                    table, "index missing" if name not in deployed else "index extra", index=name
                )
            )
            continue
        for kind, of in (("index key", _index_schema), ("index projection", _projection)):
            if (have := of(deployed[name])) != (want := of(model[name])):
                differences.append(Difference(table, cast(DifferenceKind, kind), have, want, name))
    return differences


def _on_or_off(is_on: bool) -> str:
    return "on" if is_on else "off"


def _schema(schema: list[dict[str, str]]) -> tuple[str, ...]:
    return tuple(
        element["AttributeName"]
        for element in sorted(schema, key=lambda element: element["KeyType"])
    )


def _index_schema(index: dict[str, Any]) -> tuple[str, ...]:
    return _schema(index["KeySchema"])


def _types(described: dict[str, Any]) -> dict[str, str]:
    return {
        definition["AttributeName"]: definition["AttributeType"]
        for definition in described["AttributeDefinitions"]
    }


def _projection(index: dict[str, Any]) -> Any:
    projection = index["Projection"]
    return projection["ProjectionType"], tuple(sorted(projection.get("NonKeyAttributes", ())))
