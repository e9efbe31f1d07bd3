"""Stored items, page by page: of a table, an index, a partition or a PartiQL statement."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sortkey.errors import ModelError
from sortkey.runtime.audit import audit
from sortkey.values.attributes import Item
from sortkey.web.console.workspace import CONSOLE, PAGE, Workspace


@dataclass(frozen=True, slots=True)
class ItemPage:
    """A page of stored items, and where the next one starts."""

    items: list[Item]
    next: Item | None
    units: float
    milliseconds: float


def browse(
    workspace: Workspace,
    table: str,
    index: str | None = None,
    partition: str = "",
    sort_prefix: str = "",
    start: Item | None = None,
    limit: int = PAGE,
) -> ItemPage:
    """The items of a partition whose sort key begins with a prefix. Without a partition, all items,
    unsorted.

    Raises ModelError for a prefix without a partition, or if there is no sort key.
    """
    if sort_prefix:
        _check_sort(workspace.key_names(table, index), index or table, partition)
    request: dict[str, Any] = {
        "TableName": table,
        "Limit": limit,
        "ReturnConsumedCapacity": "TOTAL",
    }
    if index:
        request["IndexName"] = index
    if start is not None:
        request["ExclusiveStartKey"] = start
    operation = "Query" if partition else "Scan"
    if partition:
        request |= _condition(workspace, table, index, partition, sort_prefix)
    began = time.perf_counter()
    answer = workspace.call(operation, request)
    milliseconds = (time.perf_counter() - began) * 1000
    units = float(answer["ConsumedCapacity"]["CapacityUnits"])
    return ItemPage(answer["Items"], answer.get("LastEvaluatedKey"), units, milliseconds)


def _check_sort(names: Sequence[str], of: str, partition: str) -> None:
    if len(names) == 1:
        raise ModelError(f"{of} has no sort key: leave that field empty")
    if not partition:
        raise ModelError(
            f"{names[1]} can only be searched within a partition: enter {names[0]} too, or leave "
            f"{names[1]} empty"
        )


def _condition(
    workspace: Workspace, table: str, index: str | None, partition: str, sort_prefix: str
) -> dict[str, Any]:
    names = workspace.key_names(table, index)
    condition, values = "#p = :p", {":p": _key_value(workspace, table, names[0], partition)}
    if sort_prefix:
        is_number = _type_of(workspace, table, names[1]) == "N"
        condition += " AND #s = :s" if is_number else " AND begins_with(#s, :s)"
        values[":s"] = _key_value(workspace, table, names[1], sort_prefix)
    used = dict(zip(("#p", "#s"), names, strict=False))
    return {
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": {
            short: name for short, name in used.items() if short in condition
        },
        "ExpressionAttributeValues": values,
    }


def _type_of(workspace: Workspace, table: str, attribute: str) -> str:
    description = workspace.call("DescribeTable", {"TableName": table})["Table"]
    kinds = {
        attribute["AttributeName"]: attribute["AttributeType"]
        for attribute in description["AttributeDefinitions"]
    }
    return kinds[attribute]


def _key_value(workspace: Workspace, table: str, attribute: str, text: str) -> dict[str, str]:
    return {_type_of(workspace, table, attribute): text}


def statement(
    workspace: Workspace, text: str, next_token: str | None = None
) -> tuple[list[Item], str | None, float]:
    """Run PartiQL. Returns the items, the token of the next page, and the consumed capacity."""
    request: dict[str, Any] = {"Statement": text, "ReturnConsumedCapacity": "TOTAL"}
    if next_token:
        request["NextToken"] = next_token
    answer = workspace.call("ExecuteStatement", request)
    if not text.lstrip().lower().startswith("select"):
        audit(workspace.store, CONSOLE, "statement", text[:200])
    units = (
        float(answer["ConsumedCapacity"]["CapacityUnits"]) if "ConsumedCapacity" in answer else 0.0
    )
    return answer.get("Items", []), answer.get("NextToken"), units
