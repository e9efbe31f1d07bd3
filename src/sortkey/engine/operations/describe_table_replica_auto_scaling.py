"""DescribeTableReplicaAutoScaling: a table has no replicas here, and nothing is scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    table = engine.catalog.described(request["TableName"])
    return {
        "TableAutoScalingDescription": {
            "TableName": table.name,
            "TableStatus": table.status,
            "Replicas": [],
        }
    }
