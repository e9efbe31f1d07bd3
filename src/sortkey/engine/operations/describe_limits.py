"""DescribeLimits: the account's default limits on AWS. Nothing here is limited by them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    return {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }
