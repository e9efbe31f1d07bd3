"""UpdateContributorInsights: turn them on or off for a table or an index."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sortkey.engine import contributor_insights as insights

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    table, index = engine.catalog.described(request["TableName"]), request.get("IndexName")
    insights.check_index(table, index)
    action, mode = (
        request["ContributorInsightsAction"],
        request.get("ContributorInsightsMode", insights.ALL_KEYS),
    )
    now = insights.describe(table, index)
    same = action == "DISABLE" or now.get("ContributorInsightsMode") == mode
    if same and now["ContributorInsightsStatus"] == f"{action}D":
        members = ("TableName", "IndexName", "ContributorInsightsStatus", "ContributorInsightsMode")
        return {name: now[name] for name in members if name in now}
    state = {"Status": f"{action}D", "Mode": mode, "Since": engine.clock()}
    states = {**insights.states(table), index or "": state}
    engine.catalog.save(replace(table, settings={**table.settings, insights.SETTING: states}))
    return {
        **insights.subject(table, index),
        "ContributorInsightsStatus": f"{action[:-1]}ING",
        "ContributorInsightsMode": mode,
    }
