"""DescribeContributorInsights: whether they are on for a table or an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import contributor_insights

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    table, index = engine.catalog.described(request["TableName"]), request.get("IndexName")
    contributor_insights.check_index(table, index)
    return contributor_insights.describe(table, index)
