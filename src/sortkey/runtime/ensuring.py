"""Makes the tables of a model that are missing, and tells what differs in the others. Never drops anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sortkey.errors import ResourceInUseException, ResourceNotFoundException, StoreError
from sortkey.model.tables import Table
from sortkey.runtime.steps import Call, Sleep, Steps

if TYPE_CHECKING:
    from sortkey.model.patterns import Model

POLL_SECONDS = 0.5
POLLS_MAX = 600


def ensure(of: Model | Table, *, kms: str | None = None) -> Steps[list[str]]:
    """Create what is missing; the answer lists what differs from the model, a line each."""
    tables = [of] if isinstance(of, Table) else of.tables
    differences: list[str] = []
    for table in tables:
        found = yield from _describe(table)
        if found is None:
            yield from _create(table, kms)
        else:
            differences += _compare(table, found)
            differences += yield from _compare_ttl(table)
    return differences


def _describe(table: Table) -> Steps[dict[str, Any] | None]:
    try:
        answer = yield Call("DescribeTable", {"TableName": table.name})
    except ResourceNotFoundException:
        return None
    return answer["Table"]


def _create(table: Table, kms: str | None) -> Steps[None]:
    try:
        yield Call("CreateTable", table.definition(kms))
        is_mine = True
    except ResourceInUseException:
        is_mine = False  # another process makes it in the same moment, and does the rest
    for _ in range(POLLS_MAX):
        found = yield from _describe(table)
        if found is not None and found["TableStatus"] == "ACTIVE":
            break
        yield Sleep(POLL_SECONDS)
    else:
        raise StoreError(f"the table {table.name} was not ready after {POLL_SECONDS * POLLS_MAX:.0f} seconds")
    if not is_mine:
        return
    if table.ttl is not None:
        specification = {"Enabled": True, "AttributeName": table.ttl}
        yield Call("UpdateTimeToLive", {"TableName": table.name, "TimeToLiveSpecification": specification})
    if table.pitr:
        wanted = {"PointInTimeRecoveryEnabled": True}
        try:
            yield Call("UpdateContinuousBackups", {"TableName": table.name, "PointInTimeRecoverySpecification": wanted})
        except Exception as error:
            if "UnknownOperation" not in type(error).__name__ + str(error):
                raise  # some servers that speak the protocol have no backups; the table is there all the same


def _compare(table: Table, found: dict[str, Any]) -> list[str]:
    wanted, differences = table.definition(), list[str]()

    def differ(what: str, model: Any, there: Any) -> None:
        if model != there:
            differences.append(f"{table.name}: {what} is {_shown(there)}; the model says {_shown(model)}")

    differ("key", _schema(wanted["KeySchema"]), _schema(found["KeySchema"]))
    types, there_types = _types(wanted), _types(found)
    common = [name for name in types if name in there_types]  # others belong to indexes that are told of below
    differ("types of key attributes", {n: types[n] for n in common}, {n: there_types[n] for n in common})
    billing = found.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
    differ("billing", wanted["BillingMode"], billing)
    stream = found.get("StreamSpecification", {})
    differ("stream", table.stream, stream.get("StreamViewType") if stream.get("StreamEnabled") else None)
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        model = {index["IndexName"]: index for index in wanted.get(kind, ())}
        there = {index["IndexName"]: index for index in found.get(kind, ())}
        for name in sorted(model.keys() | there.keys()):
            if name not in there:
                differences.append(f"{table.name}: the index {name} is missing")
            elif name not in model:
                differences.append(f"{table.name}: the index {name} is not in the model")
            else:
                differ(f"index {name}: key", _schema(model[name]["KeySchema"]), _schema(there[name]["KeySchema"]))
                differ(f"index {name}: projection", _projection(model[name]), _projection(there[name]))
    return differences


def _compare_ttl(table: Table) -> Steps[list[str]]:
    answer = yield Call("DescribeTimeToLive", {"TableName": table.name})
    described = answer["TimeToLiveDescription"]
    there = described.get("AttributeName") if described.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") else None
    return [] if there == table.ttl else [f"{table.name}: TTL is {_shown(there)}; the model says {_shown(table.ttl)}"]


def _schema(schema: list[dict[str, str]]) -> tuple[str, ...]:
    return tuple(each["AttributeName"] for each in sorted(schema, key=lambda each: each["KeyType"]))


def _types(described: dict[str, Any]) -> dict[str, str]:
    return {each["AttributeName"]: each["AttributeType"] for each in described["AttributeDefinitions"]}


def _projection(index: dict[str, Any]) -> Any:
    projection = index["Projection"]
    return projection["ProjectionType"], tuple(sorted(projection.get("NonKeyAttributes", ())))


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, cast(tuple[Any, ...], value)))
    return "none" if value is None else str(value)
