"""Differences in descriptions of tables, and in what PartiQL returns beside items."""

from typing import Any

from tests.oracle.capacity_rules import equal_without
from tests.oracle.endpoints import Answer

_DESCRIBING = {"CreateTable", "UpdateTable", "DeleteTable", "DescribeTable"}
_ONLY_ONE_TELLS = {
    *(
        "TableStatus",
        "IndexStatus",
        "Backfilling",
        "TableId",
        "WarmThroughput",
        "NumberOfDecreasesToday",
    ),
    *(
        "LastIncreaseDateTime",
        "LastDecreaseDateTime",
        "LastUpdateToPayPerRequestDateTime",
        "IndexSizeBytes",
    ),
    *("TableClassSummary", "OnDemandThroughput"),
}


def same_description(operation: str, request: Any, ours: Answer, oracle: Answer) -> bool:
    """Equal but for what only one of the two tells, or tells at another moment."""
    if not (ours.ok and oracle.ok) or operation not in _DESCRIBING:
        return False
    left_out = set(_ONLY_ONE_TELLS)
    if operation == "DeleteTable":
        # The description of a table that goes has none of these on AWS.
        left_out |= {
            "GlobalSecondaryIndexes",
            "AttributeDefinitions",
            "KeySchema",
            "CreationDateTime",
        }
    if operation == "UpdateTable":
        left_out.add(
            "ItemCount"
        )  # an index on its way in or out has a count of 0, the true one, or none
    return _bare(ours.body, left_out) == _bare(oracle.body, left_out)


def empty_partiql_extras(ours: Answer, oracle: Answer) -> bool:
    """Equal but for ConsumedCapacity and LastEvaluatedKey, which DynamoDB Local does not return."""
    extras = [
        name
        for name in ("ConsumedCapacity", "LastEvaluatedKey")
        if name in ours.body and name not in oracle.body
    ]
    return bool(extras) and equal_without(ours, oracle, *extras)


def _bare(value: Any, left_out: set[str]) -> Any:
    if isinstance(value, list):
        return [_bare(each, left_out) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {name: _bare(each, left_out) for name, each in value.items() if name not in left_out}
    if kept.get("ProvisionedThroughput") in ({}, {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}):
        del kept[
            "ProvisionedThroughput"
        ]  # on demand: zeros on AWS, left out for indexes by DynamoDB Local
    return kept
