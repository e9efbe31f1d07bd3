"""A table as the API describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.tables import Table

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def describe(engine: Engine, table: Table) -> dict[str, Any]:
    count, size = table.rows.totals()
    return {
        "TableName": table.name,
        "TableArn": engine.catalog.arn(table.name),
        "TableId": table.id,
        "TableStatus": table.status,
        "CreationDateTime": table.created,
        "KeySchema": table.key.describe(),
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in table.types.items()],
        "ItemCount": count,
        "TableSizeBytes": size,
    }
