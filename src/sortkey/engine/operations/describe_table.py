"""DescribeTable: the definition and state of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine.describe import describe

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    return {"Table": describe(engine, engine.catalog.described(request["TableName"]))}
