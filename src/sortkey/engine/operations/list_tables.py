"""ListTables: the names of all tables, in order, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

PAGE = 100


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    start = request.get("ExclusiveStartTableName") or ""
    limit = request.get("Limit") or PAGE
    names = [table.name for table in engine.catalog.tables() if table.name > start]
    answer: dict[str, Any] = {"TableNames": names[:limit]}
    if len(names) > limit:
        answer["LastEvaluatedTableName"] = names[limit - 1]
    return answer
