"""Tables for transfers: list, describe, create again, and wait for them."""

from __future__ import annotations

from collections.abc import Iterator
from time import sleep
from typing import Any

from sortkey.errors import ResourceNotFoundException, TransferFailed, UnknownOperationException
from sortkey.runtime.backend import Backend

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 5.0
GONE_SECONDS_MAX = 600
"""AWS deletes a table within seconds, rarely minutes."""
COPIED = ("AttributeDefinitions", "KeySchema")


def all_tables(backend: Backend) -> list[str]:
    names: list[str] = []
    request: dict[str, Any] = {}
    while True:
        answer = backend.call("ListTables", request)
        names += answer["TableNames"]
        if "LastEvaluatedTableName" not in answer:
            return names
        request = {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}


def describe(backend: Backend, name: str) -> dict[str, Any] | None:
    """The description of a table, or None if it does not exist."""
    try:
        return backend.call("DescribeTable", {"TableName": name})["Table"]
    except ResourceNotFoundException:
        return None


def definition_of(described: dict[str, Any]) -> dict[str, Any]:
    """The CreateTable request for an equal table."""
    billing = described.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
    definition: dict[str, Any] = {name: described[name] for name in COPIED} | {
        "BillingMode": billing
    }
    if billing == "PROVISIONED":
        definition["ProvisionedThroughput"] = _units(described)
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if indexes := [_index(index, billing, member) for index in described.get(member, ())]:
            definition[member] = indexes
    stream = described.get("StreamSpecification", {})
    return definition | ({"StreamSpecification": stream} if stream.get("StreamEnabled") else {})


def _index(index: dict[str, Any], billing: str, member: str) -> dict[str, Any]:
    definition = {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
    is_provisioned = billing == "PROVISIONED" and member.startswith("Global")
    return definition | ({"ProvisionedThroughput": _units(index)} if is_provisioned else {})


def _units(described: dict[str, Any]) -> dict[str, int]:
    units = described.get("ProvisionedThroughput", {})
    return {name: units.get(name) or 1 for name in ("ReadCapacityUnits", "WriteCapacityUnits")}


def ttl_of(backend: Backend, name: str) -> str | None:
    described = backend.call("DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]
    return (
        described.get("AttributeName")
        if described.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
        else None
    )


def has_recovery(backend: Backend, name: str) -> bool:
    """Whether the table has point-in-time recovery. False if the server does not support it."""
    try:
        described = backend.call("DescribeContinuousBackups", {"TableName": name})[
            "ContinuousBackupsDescription"
        ]
    except UnknownOperationException:
        return False
    return (
        described.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus")
        == "ENABLED"
    )


def make_table(
    backend: Backend, name: str, definition: dict[str, Any], ttl: str | None, recovery: bool
) -> None:
    """Create a table and wait for it, then set what CreateTable does not accept."""
    backend.call("CreateTable", {**definition, "TableName": name})
    for _ in waiting(backend, name):
        pass
    if ttl is not None:
        settings = {"Enabled": True, "AttributeName": ttl}
        backend.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": settings})
    if recovery:
        on = {"PointInTimeRecoveryEnabled": True}
        backend.call(
            "UpdateContinuousBackups", {"TableName": name, "PointInTimeRecoverySpecification": on}
        )


def waiting(backend: Backend, name: str) -> Iterator[dict[str, Any]]:
    """Yields the description of a table until it can be used. Without a limit: a restore on AWS may
    take hours.
    """
    for _ in pauses():
        described = describe(backend, name)
        if described is None:
            raise TransferFailed(f"the table {name} was deleted meanwhile")
        yield described
        if described["TableStatus"] == "ACTIVE":
            return


def going(backend: Backend, name: str) -> Iterator[dict[str, Any]]:
    """Yields the description of a table that is being deleted, until it is gone. AWS blocks its
    name that long.
    """
    for waited_seconds in pauses():
        described = describe(backend, name)
        if described is None:
            return
        if waited_seconds >= GONE_SECONDS_MAX:
            raise TransferFailed(
                f"the table {name} is still being deleted after {GONE_SECONDS_MAX // 60} minutes: "
                "try again later"
            )
        yield described


def pauses() -> Iterator[float]:
    """Yields at once, then after growing pauses, with their total in seconds."""
    waited_seconds, pause = 0.0, FIRST_PAUSE_SECONDS
    while True:
        yield waited_seconds
        sleep(pause)
        waited_seconds += pause
        pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)


def key_types(definition: dict[str, Any]) -> dict[str, str]:
    """The types of key attributes."""
    return {
        attribute["AttributeName"]: attribute["AttributeType"]
        for attribute in definition["AttributeDefinitions"]
    }


def key_names(definition: dict[str, Any]) -> list[str]:
    return [element["AttributeName"] for element in definition["KeySchema"]]
