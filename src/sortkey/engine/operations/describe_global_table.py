"""DescribeGlobalTable: there is none, as this engine is one region."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.errors import GlobalTableNotFoundException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    name = request["GlobalTableName"]
    raise GlobalTableNotFoundException(
        f"Global table not found: Global table with name: '{name}' does not exist."
    )
