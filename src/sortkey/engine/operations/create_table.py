"""CreateTable: a new, empty table with its indexes."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sortkey.engine.describe import describe
from sortkey.engine.tables import Index, IndexKind, KeySchema, Table
from sortkey.errors import ResourceInUseException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    name = request["TableName"]
    if engine.catalog.find(name):
        raise ResourceInUseException(f"Table already exists: {name}")
    indexes = _indexes(request)
    engine.database.begin()
    table = engine.catalog.create(
        Table(
            name=name,
            number=engine.catalog.next_number(),
            id=str(uuid.UUID(bytes=engine.entropy(16), version=4)),
            created=engine.clock(),
            key=KeySchema.read(request["KeySchema"]),
            types={each["AttributeName"]: each["AttributeType"] for each in request["AttributeDefinitions"]},
            indexes=indexes,
            columns_used=len(indexes),
        )
    )
    return {"TableDescription": {**describe(engine, table), "TableStatus": "CREATING"}}


def _indexes(request: dict[str, Any]) -> tuple[Index, ...]:
    wanted: list[tuple[IndexKind, dict[str, Any]]] = [
        *(("LSI", each) for each in request.get("LocalSecondaryIndexes") or []),
        *(("GSI", each) for each in request.get("GlobalSecondaryIndexes") or []),
    ]
    return tuple(
        Index(each["IndexName"], kind, KeySchema.read(each["KeySchema"]), each["Projection"], f"x{number}")
        for number, (kind, each) in enumerate(wanted, 1)
    )
