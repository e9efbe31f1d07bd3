"""DeleteTable: remove a table, its items, indexes and tags. Its streams stay readable for a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.describe import describe

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    table = engine.catalog.described(request["TableName"])
    description = {**describe(engine, table), "TableStatus": "DELETING"}
    engine.catalog.drop(table)
    return {"TableDescription": description}
