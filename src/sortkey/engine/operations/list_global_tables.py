"""ListGlobalTables: none, as this engine is one region."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    return {"GlobalTables": []}
