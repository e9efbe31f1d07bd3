"""Tables as commands handle them: found by name or by model, described, made again, and waited for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from time import sleep
from typing import TYPE_CHECKING, Any

from sortkey.cli.failure import FAILED, USAGE, CommandFailed
from sortkey.cli.loading import SYSTEMS, load_model

if TYPE_CHECKING:
    from sortkey.runtime.backend import Backend

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 5.0
GONE_SECONDS_MAX = 600
"""AWS deletes a table within some seconds, seldom minutes."""
KEPT = ("AttributeDefinitions", "KeySchema")


NAME = re.compile(r"[A-Za-z0-9_.-]{3,255}")
"""What tables and backups may be called, on AWS too."""


def check_name(option: str, name: str | None) -> None:
    """Refuse a name that no table and no backup can have, by the option that gave it."""
    if name is not None and not NAME.fullmatch(name):
        raise CommandFailed(f"{option} {name}: a name has 3 to 255 letters, digits, and . _ -", USAGE)


def all_tables(backend: Backend) -> list[str]:
    names: list[str] = []
    request: dict[str, Any] = {}
    while True:
        answer = backend.call("ListTables", request)
        names += answer["TableNames"]
        if "LastEvaluatedTableName" not in answer:
            return names
        request = {"ExclusiveStartTableName": answer["LastEvaluatedTableName"]}


def named_tables(backend: Backend, names: Sequence[str]) -> list[str]:
    """The tables of names: of tables, or of models, whose tables are then all meant. No name means every table."""
    there = all_tables(backend)
    if not there:
        raise CommandFailed("there is no table yet: `sortkey apply MODEL` makes those of a model", USAGE)
    if not names:
        return there
    found: list[str] = []
    for name in names:
        found += [name] if name in there else _of_model(name, there)
    return list(dict.fromkeys(found))


def _of_model(name: str, there: Sequence[str]) -> list[str]:
    if name not in SYSTEMS and ":" not in name:
        raise CommandFailed(f"there is no table {name}; there are: {', '.join(there)}", USAGE)
    wanted = [table.name for table in load_model(name).tables]
    found = [each for each in wanted if each in there]
    if not found:
        raise CommandFailed(f"none of the tables of {name} is there: {', '.join(wanted)}", USAGE)
    return found


def describe(backend: Backend, name: str) -> dict[str, Any] | None:
    """What DescribeTable tells, or None for a table that is not there."""
    from sortkey.errors import ResourceNotFoundException

    try:
        return backend.call("DescribeTable", {"TableName": name})["Table"]
    except ResourceNotFoundException:
        return None


def check_tables(backend: Backend, names: Sequence[str], model: str) -> None:
    """Refuse to begin where tables of a model are missing: before anything is made in vain."""
    if missing := [name for name in names if describe(backend, name) is None]:
        raise CommandFailed(
            f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not there: check --data, or make the tables"
            f" with `sortkey apply {model}`"
        )


def definition_of(described: dict[str, Any]) -> dict[str, Any]:
    """The request that makes such a table again."""
    billing = described.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")
    made: dict[str, Any] = {name: described[name] for name in KEPT} | {"BillingMode": billing}
    if billing == "PROVISIONED":
        made["ProvisionedThroughput"] = _units(described)
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if indexes := [_index(index, billing, member) for index in described.get(member, ())]:
            made[member] = indexes
    stream = described.get("StreamSpecification", {})
    return made | ({"StreamSpecification": stream} if stream.get("StreamEnabled") else {})


def _index(index: dict[str, Any], billing: str, member: str) -> dict[str, Any]:
    made = {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
    is_provisioned = billing == "PROVISIONED" and member.startswith("Global")
    return made | ({"ProvisionedThroughput": _units(index)} if is_provisioned else {})


def _units(described: dict[str, Any]) -> dict[str, int]:
    units = described.get("ProvisionedThroughput", {})
    return {name: units.get(name) or 1 for name in ("ReadCapacityUnits", "WriteCapacityUnits")}


def ttl_of(backend: Backend, name: str) -> str | None:
    told = backend.call("DescribeTimeToLive", {"TableName": name})["TimeToLiveDescription"]
    return told.get("AttributeName") if told.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") else None


def has_recovery(backend: Backend, name: str) -> bool:
    """Whether the table can be restored to a point in time; False where a server has no such thing."""
    from sortkey.errors import UnknownOperationException

    try:
        told = backend.call("DescribeContinuousBackups", {"TableName": name})["ContinuousBackupsDescription"]
    except UnknownOperationException:
        return False
    return told.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED"


def make_table(backend: Backend, name: str, definition: dict[str, Any], ttl: str | None, recovery: bool) -> None:
    """Create a table and wait until it is there, with what CreateTable does not take."""
    backend.call("CreateTable", {**definition, "TableName": name})
    for _ in waiting(backend, name):
        pass
    if ttl is not None:
        wanted = {"Enabled": True, "AttributeName": ttl}
        backend.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": wanted})
    if recovery:
        on = {"PointInTimeRecoveryEnabled": True}
        backend.call("UpdateContinuousBackups", {"TableName": name, "PointInTimeRecoverySpecification": on})


def waiting(backend: Backend, name: str) -> Iterator[dict[str, Any]]:
    """What a table is like, again and again, until it can be used. It has no limit: a restore on AWS may take hours."""
    for _ in pauses():
        described = describe(backend, name)
        if described is None:
            raise CommandFailed(f"the table {name} went away", FAILED)
        yield described
        if described["TableStatus"] == "ACTIVE":
            return


def going(backend: Backend, name: str) -> Iterator[dict[str, Any]]:
    """What a table that was dropped is like, again and again, until it is gone. AWS keeps its name that long."""
    for waited_seconds in pauses():
        described = describe(backend, name)
        if described is None:
            return
        if waited_seconds >= GONE_SECONDS_MAX:
            raise CommandFailed(
                f"the table {name} is still being deleted after {GONE_SECONDS_MAX // 60} minutes:"
                " give the command again later",
                FAILED,
            )
        yield described


def pauses() -> Iterator[float]:
    """At once, then after longer and longer pauses; gives how long they were together."""
    waited_seconds, pause = 0.0, FIRST_PAUSE_SECONDS
    while True:
        yield waited_seconds
        sleep(pause)
        waited_seconds += pause
        pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)


def key_types(definition: dict[str, Any]) -> dict[str, str]:
    """The types of the attributes that keys are made of."""
    return {each["AttributeName"]: each["AttributeType"] for each in definition["AttributeDefinitions"]}


def key_names(definition: dict[str, Any]) -> list[str]:
    return [each["AttributeName"] for each in definition["KeySchema"]]
