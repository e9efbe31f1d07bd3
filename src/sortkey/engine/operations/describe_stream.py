"""DescribeStream: a stream and its shards, a page at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortkey.engine import streams
from sortkey.errors import ValidationException

if TYPE_CHECKING:
    from sortkey.engine.engine import Engine

LIMIT_MAX = 100


def run(engine: Engine, request: dict[str, Any]) -> dict[str, Any]:
    limit = request.get("Limit") or LIMIT_MAX
    if limit > LIMIT_MAX:
        raise ValidationException(
            "One or more parameter values were invalid: Limit cannot be greater than the maximum: "
            f"{LIMIT_MAX}"
        )
    feed = streams.find(engine, request["StreamArn"])
    shards = _shards(feed, request)
    description: dict[str, Any] = {
        "StreamArn": feed.arn,
        "StreamLabel": feed.label,
        "StreamStatus": "ENABLED" if feed.disabled_ms is None else "DISABLED",
        "StreamViewType": feed.view,
        "CreationRequestDateTime": feed.created,
        "TableName": feed.table,
        "KeySchema": feed.key_schema,
        "Shards": [shard.describe() for shard in shards[:limit]],
    }
    if len(shards) > limit:
        description["LastEvaluatedShardId"] = shards[limit - 1].id
    return {"StreamDescription": description}


def _shards(feed: streams.Feed, request: dict[str, Any]) -> list[streams.Shard]:
    start = request.get("ExclusiveStartShardId") or ""
    shards = [shard for shard in feed.shards if shard.id > start]
    shard_filter = request.get("ShardFilter")
    if shard_filter is None:
        return shards
    if shard_filter.get("Type") != "CHILD_SHARDS":
        raise ValidationException(
            "1 validation error detected: Value 'null' at 'shardFilter.type' failed to satisfy "
            "constraint: "
            "Member must be CHILD_SHARDS"
        )
    return [
        shard
        for shard in shards
        if shard.parent is not None and shard.parent == shard_filter.get("ShardId")
    ]
