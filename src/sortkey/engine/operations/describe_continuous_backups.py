"""DescribeContinuousBackups: whether a table can be restored to an earlier instant, and to which
ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import recovery

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    return recovery.describe(engine, recovery.find_table(engine, request["TableName"]))
