"""Short ways to read a stream."""

from __future__ import annotations

from typing import Any

from sortkey.engine import Engine
from tests.engine.tables import described, table

VIEWS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")


def streamed(name: str = "tbl", key: str = "a", view: str = "NEW_AND_OLD_IMAGES") -> dict[str, Any]:
    """A CreateTable request of a table with a stream."""
    return table(name, key, StreamSpecification={"StreamEnabled": True, "StreamViewType": view})


def stream_arn(engine: Engine, name: str = "tbl") -> str:
    return described(engine, name)["LatestStreamArn"]


def shards(engine: Engine, arn: str, **members: Any) -> list[dict[str, Any]]:
    return engine.call("DescribeStream", {"StreamArn": arn, **members})["StreamDescription"][
        "Shards"
    ]


def iterator(
    engine: Engine,
    arn: str,
    shard_id: str | None = None,
    kind: str = "TRIM_HORIZON",
    **members: Any,
) -> str:
    shard_id = shard_id or shards(engine, arn)[-1]["ShardId"]
    request = {"StreamArn": arn, "ShardId": shard_id, "ShardIteratorType": kind, **members}
    return engine.call("GetShardIterator", request)["ShardIterator"]


def read(engine: Engine, place: str, **members: Any) -> dict[str, Any]:
    return engine.call("GetRecords", {"ShardIterator": place, **members})


def records(engine: Engine, arn: str, shard_id: str | None = None) -> list[dict[str, Any]]:
    return read(engine, iterator(engine, arn, shard_id))["Records"]


def numbers(found: list[dict[str, Any]]) -> list[str]:
    return [record["dynamodb"]["SequenceNumber"] for record in found]
