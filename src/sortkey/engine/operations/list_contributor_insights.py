"""ListContributorInsights: where they are on, for one table or all, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import contributor_insights
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    name_or_arn = request.get("TableName")
    tables = (
        engine.catalog.tables() if name_or_arn is None else [engine.catalog.described(name_or_arn)]
    )
    start = _read_token(request.get("NextToken"))
    summaries = [
        {
            **contributor_insights.subject(table, index),
            "ContributorInsightsStatus": state["Status"],
            "ContributorInsightsMode": state["Mode"],
        }
        for table in tables
        for index, state in contributor_insights.states(table).items()
        if state["Status"] != "DISABLED"
    ]
    limit = request.get("MaxResults") or 100
    answer: dict[str, Any] = {"ContributorInsightsSummaries": summaries[start : start + limit]}
    if len(summaries) > start + limit:
        answer["NextToken"] = str(start + limit)
    return answer


def _read_token(token: str | None) -> int:
    if token is None:
        return 0
    if not token.isdigit() or len(token) > 9:
        raise ValidationException("Invalid NextToken")
    return int(token)
