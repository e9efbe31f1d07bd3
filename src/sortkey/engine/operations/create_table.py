"""CreateTable: a new, empty table with its indexes. The answer says CREATING, but the table can be
used at once.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortkey.engine import (
    encryption,
    key_schemas,
    not_offered,
    policy_grammar,
    resource_policies,
    streams,
    tags,
    throughput,
)
from sortkey.engine.describe import describe
from sortkey.engine.tables import Index, IndexKind, KeySchema, Table
from sortkey.errors import ResourceInUseException, ValidationException
from sortkey.values.attributes import INVALID

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

NO_VIEW = INVALID + "Table is being created with a stream enabled, UpdateViewType is required"
VIEW_WITHOUT_STREAM = (
    INVALID
    + "Table is being created with a stream disabled, UpdateViewType should not be specified"
)
TABLE_CLASSES = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    definition = parse(engine, request)
    if engine.catalog.find(definition.name):
        raise ResourceInUseException(f"Table already exists: {definition.name}")
    table = create(engine, definition)
    stream: dict[str, Any] = request.get("StreamSpecification") or {}
    if stream.get("StreamEnabled"):
        table = streams.enable(engine, table, stream["StreamViewType"])
    if "ResourcePolicy" in request:
        resource_policies.put(engine, engine.catalog.arn(table.name), request["ResourcePolicy"])
    return {"TableDescription": creating(describe(engine, table), request)}


def parse(engine: Engine, request: dict[str, Any]) -> Table:
    """The requested table, without its number. Finds every error. ImportTable uses it too."""
    _check_name(request["TableName"])
    for name, why in not_offered.PARAMETERS.items():
        if name in request:
            raise ValidationException(f"{INVALID}{name} cannot be specified: {why}")
    throughput.check_table(request)
    types = key_schemas.check_table(request)
    mode = throughput.billing_mode(request)
    for index in request.get("GlobalSecondaryIndexes") or ():
        throughput.check_index(index, mode)
    check_stream(request.get("StreamSpecification"), NO_VIEW, VIEW_WITHOUT_STREAM)
    check_class(request.get("TableClass"))
    if "ResourcePolicy" in request:
        policy_grammar.check(request["ResourcePolicy"])
    indexes = _read_indexes(engine, request)
    return Table(
        name=request["TableName"],
        number=0,
        id=str(uuid.UUID(bytes=engine.entropy(16), version=4)),
        created=engine.clock(),
        key=KeySchema.read(request["KeySchema"]),
        types=types,
        indexes=indexes,
        columns_used=len(indexes),
        settings=_read_settings(engine, request),
    )


def create(engine: Engine, definition: Table) -> Table:
    """Assign the table's number and create its rows."""
    engine.database.begin()
    return engine.catalog.create(replace(definition, number=engine.catalog.next_number()))


def creating(description: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """The description of a table that is being created, without members of an active one."""
    description["TableStatus"] = "CREATING"
    description.get("BillingModeSummary", {}).pop("LastUpdateToPayPerRequestDateTime", None)
    if request.get("WarmThroughput"):
        description["WarmThroughput"]["Status"] = "UPDATING"
    else:
        del description["WarmThroughput"]
    for index in description.get("GlobalSecondaryIndexes", ()):
        index["IndexStatus"] = "CREATING"
        del index["WarmThroughput"]
    return description


def check_stream(
    specification: dict[str, Any] | None, no_view: str, view_without_stream: str
) -> None:
    """A stream needs its view type, and only a stream has one."""
    if specification is None:
        return
    if specification["StreamEnabled"] and not specification.get("StreamViewType"):
        raise ValidationException(no_view)
    if not specification["StreamEnabled"] and specification.get("StreamViewType"):
        raise ValidationException(view_without_stream)


def check_class(name: str | None) -> None:
    if name is not None and name not in TABLE_CLASSES:
        raise ValidationException(
            "Invalid table-class parameter provided. Please try again with a valid table-class "
            "value: "
            f"[{', '.join(TABLE_CLASSES)}]."
        )


def _check_name(name: str) -> None:
    if name.startswith("arn:"):
        raise ValidationException(
            f"1 validation error detected: Value '{name}' at 'tableName' failed to satisfy "
            "constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
        )


def _read_indexes(engine: Engine, request: dict[str, Any]) -> tuple[Index, ...]:
    specifications: list[tuple[IndexKind, dict[str, Any]]] = [
        *(("LSI", specification) for specification in request.get("LocalSecondaryIndexes") or ()),
        *(("GSI", specification) for specification in request.get("GlobalSecondaryIndexes") or ()),
    ]
    return tuple(
        Index(
            specification["IndexName"],
            kind,
            KeySchema.read(specification["KeySchema"]),
            specification["Projection"],
            f"x{number}",
            settings=throughput.new_settings(specification, engine.clock())
            if kind == "GSI"
            else {},
        )
        for number, (kind, specification) in enumerate(specifications, 1)
    )


def _read_settings(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    settings = throughput.new_settings(request, engine.clock())
    settings.update(encryption.read(request.get("SSESpecification"), engine.region))
    if "TableClass" in request:
        settings["TableClass"] = request["TableClass"]
    if request.get("DeletionProtectionEnabled"):
        settings["DeletionProtection"] = True
    if request.get("Tags"):
        settings["Tags"] = tags.merge({}, tags.read(request["Tags"]))
    return settings
