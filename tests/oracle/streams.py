"""Reads a table's whole stream from one side: every shard from its beginning."""

import json
from typing import Any

from tests.oracle.endpoints import Endpoint

_COMPARED = ("eventName", "eventVersion", "eventSource", "userIdentity")
_CHANGE = ("Keys", "NewImage", "OldImage", "SizeBytes", "StreamViewType")
_EMPTY_PAGES_MAX = 3


def stream_records(side: Endpoint, table: str) -> list[dict[str, Any]]:
    """Every record in shard order, with the members that must be equal on both sides."""
    description = _call(side, "DescribeTable", {"TableName": table})["Table"]
    arn = description["LatestStreamArn"]
    records: list[dict[str, Any]] = []
    for shard in _shards(side, arn):
        where = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = _call(side, "GetShardIterator", where)["ShardIterator"]
        records += _drain(side, iterator)
    return [_comparable(record) for record in records]


def _shards(side: Endpoint, arn: str) -> list[dict[str, Any]]:
    shards: list[dict[str, Any]] = []
    request: dict[str, Any] = {"StreamArn": arn}
    while True:
        description = _call(side, "DescribeStream", request)["StreamDescription"]
        shards += description["Shards"]
        if not (last := description.get("LastEvaluatedShardId")):
            return shards
        request["ExclusiveStartShardId"] = last


def _drain(side: Endpoint, iterator: str | None) -> list[dict[str, Any]]:
    # An open shard always gives a next iterator: its end is where nothing comes any more.
    records: list[dict[str, Any]] = []
    empty = 0
    while iterator and empty < _EMPTY_PAGES_MAX:
        answer = _call(side, "GetRecords", {"ShardIterator": iterator})
        records += answer["Records"]
        empty = 0 if answer["Records"] else empty + 1
        iterator = answer.get("NextShardIterator")
    return records


def _comparable(record: dict[str, Any]) -> dict[str, Any]:
    kept = {name: record[name] for name in _COMPARED if name in record}
    change = record["dynamodb"]
    return kept | {
        "dynamodb": {name: _empty_maps(change[name]) for name in _CHANGE if name in change}
    }


def _empty_maps(value: Any) -> Any:
    """DynamoDB Local loses the type of an empty map in a stream: let both sides lose it."""
    if isinstance(value, list):
        return [_empty_maps(each) for each in value]
    if not isinstance(value, dict) or value == {"M": {}}:
        return {} if isinstance(value, dict) else value
    return {name: _empty_maps(each) for name, each in value.items()}


def _call(side: Endpoint, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    answer = side.call(operation, json.dumps(request))
    assert answer.ok, f"{side.name}: {operation} {answer}"
    return answer.body
