"""Makes the oracle's items equal to ours after a known difference in what a write did."""

import json
import re
from typing import Any

from tests.oracle.endpoints import Answer, Endpoint

WRITES = {
    *("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"),
    *("ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"),
}
READS = {
    "GetItem",
    "Query",
    "Scan",
    "BatchGetItem",
    "TransactGetItems",
    "DescribeTable",
    "DescribeTimeToLive",
}
_TRIES = 100
_IN_STATEMENT = re.compile(r'(?:FROM|INTO|UPDATE) +"([^"]+)"')


def tables_of(request: Any) -> set[str]:
    """The tables that a request names, wherever it names them."""
    if isinstance(request, list):
        return set().union(*map(tables_of, request))
    if not isinstance(request, dict):
        return set()
    named = {request["TableName"]} if isinstance(request.get("TableName"), str) else set[str]()
    named.update(_IN_STATEMENT.findall(str(request.get("Statement", ""))))
    batch = request.get("RequestItems")
    return named.union(batch if isinstance(batch, dict) else (), *map(tables_of, request.values()))


def make_equal(ours: Endpoint, oracle: Endpoint, table: str) -> bool:
    """Whether the oracle's table now holds what ours does. A table that one of them does not know
    is left alone.
    """
    description = ours.call("DescribeTable", json.dumps({"TableName": table}))
    if not description.ok:
        return True
    keys = [each["AttributeName"] for each in description.body["Table"]["KeySchema"]]
    wanted, found = _items(ours, table, keys), _items(oracle, table, keys)
    answers = [
        _delete(oracle, table, item, keys) for key, item in found.items() if key not in wanted
    ]
    answers += [_put(oracle, table, item) for key, item in wanted.items() if found.get(key) != item]
    return all(answer.ok for answer in answers)


def _items(side: Endpoint, table: str, keys: list[str]) -> dict[str, Any]:
    items: dict[str, Any] = {}
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True}
    for _ in range(_TRIES):
        body = side.call("Scan", json.dumps(request)).body
        items |= {json.dumps([item[name] for name in keys]): item for item in body["Items"]}
        if "LastEvaluatedKey" not in body:
            break
        request["ExclusiveStartKey"] = body["LastEvaluatedKey"]
    return items


def _put(side: Endpoint, table: str, item: Any) -> Answer:
    return side.call("PutItem", json.dumps({"TableName": table, "Item": item}))


def _delete(side: Endpoint, table: str, item: Any, keys: list[str]) -> Answer:
    return side.call(
        "DeleteItem", json.dumps({"TableName": table, "Key": {name: item[name] for name in keys}})
    )
