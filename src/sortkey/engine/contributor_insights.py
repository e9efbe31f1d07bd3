"""Contributor insights: whether they are on for a table or an index. The state is stored, but
nothing is measured.
"""

from __future__ import annotations

from typing import Any

from sortkey.engine.tables import Table
from sortkey.errors import ResourceNotFoundException

SETTING = "ContributorInsights"
ALL_KEYS = "ACCESSED_AND_THROTTLED_KEYS"
_RULES = {ALL_KEYS: ("PKC", "SKC", "PKT", "SKT"), "THROTTLED_KEYS": ("PKT", "SKT")}

State = dict[str, Any]


def states(table: Table) -> dict[str, State]:
    """By the name of the index. The table's own state has the empty name."""
    return table.settings.get(SETTING, {})


def check_index(table: Table, index: str | None) -> None:
    named_index = table.index(index) if index is not None else None
    if index is not None and (named_index is None or named_index.kind != "GSI"):
        raise ResourceNotFoundException(
            f"Requested resource not found: Index: {index} not found for table: {table.name}"
        )


def subject(table: Table, index: str | None) -> dict[str, str]:
    return {"TableName": table.name, **({"IndexName": index} if index else {})}


def describe(table: Table, index: str | None) -> dict[str, Any]:
    state = states(table).get(index or "")
    if state is None:
        return {**subject(table, index), "ContributorInsightsStatus": "DISABLED"}
    answer = {
        **subject(table, index),
        "ContributorInsightsStatus": state["Status"],
        "ContributorInsightsMode": state["Mode"],
        "LastUpdateDateTime": round(state["Since"], 3),
    }
    if state["Status"] == "ENABLED":
        answer["ContributorInsightsRuleList"] = _rules(table, index, state)
    return answer


def _rules(table: Table, index: str | None, state: State) -> list[str]:
    """Partition keys and, if there are any, sort keys: consumed and throttled."""
    named_index = table.index(index) if index else None
    has_range = bool((named_index.key if named_index else table.key).range)
    name = f"{table.name}-{index}" if index else table.name
    return [
        f"DynamoDBContributorInsights-{rule}-{name}-{int(state['Since'] * 1000)}"
        for rule in _RULES[state["Mode"]]
        if has_range or rule[0] == "P"
    ]
