"""DescribeEndpoints: this engine's own address, so that clients stay here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

CACHE_MINUTES = 1440


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    address = engine.address or f"dynamodb.{engine.region}.amazonaws.com"
    return {
        "Endpoints": [
            {"Address": address.split("://", 1)[-1], "CachePeriodInMinutes": CACHE_MINUTES}
        ]
    }
