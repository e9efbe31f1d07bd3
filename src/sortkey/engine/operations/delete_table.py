"""DeleteTable: remove a table, its items, indexes, tags and policy. Its streams stay for a day,
with their own tags and policies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import recovery, resource_policies, streams
from sortkey.engine.describe import describe
from sortkey.errors import ResourceInUseException, ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

PROTECTED = (
    "Resource cannot be deleted as it is currently protected against deletion. Disable deletion "
    "protection first."
)

NOT_SHOWN = frozenset(
    (
        "AttributeDefinitions",
        "KeySchema",
        "CreationDateTime",
        "WarmThroughput",
        "GlobalSecondaryIndexes",
    )
)
"""Members that AWS omits from the description of a table that is being deleted."""


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    table = engine.catalog.described(request["TableName"])
    if table.settings.get("DeletionProtection"):
        raise ValidationException(PROTECTED)
    if table.status == "CREATING":
        raise ResourceInUseException(
            "Attempt to change a resource which is still in use: Table is being created: "
            f"{table.name}"
        )
    description = {
        name: value for name, value in describe(engine, table).items() if name not in NOT_SHOWN
    }
    streams.drop(engine, table)
    resource_policies.forget(engine, engine.catalog.arn(table.name))
    recovery.drop(engine, table)
    engine.catalog.drop(table)
    return {"TableDescription": {**description, "TableStatus": "DELETING"}}
