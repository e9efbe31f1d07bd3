"""A stream whose shards split and merge as AWS's do, which neither the engine's nor DynamoDB
Local's ever does.

Everything else goes to the real backend behind it: the worker's own table is real.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sortkey.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    TrimmedDataAccessException,
)
from sortkey.model.tables import Table
from sortkey.runtime.backend import Backend, Capabilities

ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders/stream/2026-01-01T00:00:00.000"
PAGE = 2


@dataclass
class ScriptedShard:
    """A shard and its records. Closed ones end. What is `trimmed` is no longer returned."""

    id: str
    parent: str | None = None
    records: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    is_closed: bool = False
    trimmed: int = 0


class ScriptedStreams:
    """A backend. Iterators are `shard:position:age`; `expire` makes all that were given out too
    old.
    """

    capabilities = Capabilities()

    def __init__(self, behind: Backend, table: Table) -> None:
        self._behind = behind
        self._table = table
        self.shards: list[ScriptedShard] = []
        self.age = 0
        self.next_number = 1
        self.calls: list[str] = []

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        self.calls.append(operation)
        match operation:
            case "DescribeTable" if request["TableName"] == self._table.name:
                return {"Table": {"LatestStreamArn": ARN, "TableStatus": "ACTIVE"}}
            case "DescribeStream":
                return self._describe(request.get("ExclusiveStartShardId"))
            case "GetShardIterator":
                return {"ShardIterator": self._iterator(request)}
            case "GetRecords":
                return self._records(request["ShardIterator"])
            case _:
                return self._behind.call(operation, request)

    def close(self) -> None:
        self._behind.close()

    # -- the script

    def add(self, shard: str, parent: str | None = None) -> None:
        self.shards.append(ScriptedShard(shard, parent))

    def close_shard(self, shard: str) -> None:
        self._shard(shard).is_closed = True

    def forget(self, shard: str) -> None:
        self.shards = [each for each in self.shards if each.id != shard]

    def put(self, shard: str, number: int, status: str = "new") -> None:
        item = {
            "PK": {"S": "CUSTOMER#ada"},
            "SK": {"S": f"ORDER#{number:06d}"},
            "EntityType": {"S": "Order"},
            "customer": {"S": "ada"},
            "number": {"N": str(number)},
            "status": {"S": status},
        }
        content = {
            "ApproximateCreationDateTime": 1_800_000_000,
            "Keys": {"PK": item["PK"], "SK": item["SK"]},
            "NewImage": item,
            "SequenceNumber": str(10**20 + self.next_number),
            "SizeBytes": 100,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        }
        id = f"event-{self.next_number}"
        self._shard(shard).records.append(
            {"eventID": id, "eventName": "INSERT", "dynamodb": content}
        )
        self.next_number += 1

    def trim(self, shard: str, count: int) -> None:
        self._shard(shard).trimmed = count

    def expire(self) -> None:
        self.age += 1

    # -- the service

    def _shard(self, id: str) -> ScriptedShard:
        for shard in self.shards:
            if shard.id == id:
                return shard
        raise ResourceNotFoundException("Shard does not exist")

    def _describe(self, after: str | None) -> dict[str, Any]:
        ids = [shard.id for shard in self.shards]
        start = ids.index(after) + 1 if after else 0
        page = self.shards[start : start + PAGE]
        described: dict[str, Any] = {"Shards": [_described(shard) for shard in page]}
        if start + PAGE < len(ids):
            described["LastEvaluatedShardId"] = page[-1].id
        return {"StreamDescription": described}

    def _iterator(self, request: dict[str, Any]) -> str:
        shard = self._shard(request["ShardId"])
        match request["ShardIteratorType"]:
            case "TRIM_HORIZON":
                position = shard.trimmed
            case "LATEST":
                position = len(shard.records)
            case _:
                known = [record["dynamodb"]["SequenceNumber"] for record in shard.records]
                position = known.index(request["SequenceNumber"]) + 1
        if position < shard.trimmed:
            raise TrimmedDataAccessException("trimmed")
        return f"{shard.id}:{position}:{self.age}"

    def _records(self, iterator: str) -> dict[str, Any]:
        id, position, age = iterator.split(":")
        if int(age) < self.age:
            raise ExpiredIteratorException("expired")
        shard = self._shard(id)
        if int(position) < shard.trimmed:
            raise TrimmedDataAccessException("trimmed")
        end = min(int(position) + PAGE, len(shard.records))
        answer: dict[str, Any] = {"Records": shard.records[int(position) : end]}
        if not (shard.is_closed and end == len(shard.records)):
            answer["NextShardIterator"] = f"{id}:{end}:{self.age}"
        return answer


def _described(shard: ScriptedShard) -> dict[str, Any]:
    known = [record["dynamodb"]["SequenceNumber"] for record in shard.records]
    numbers = {"StartingSequenceNumber": known[0] if known else "1"}
    if shard.is_closed:
        numbers["EndingSequenceNumber"] = known[-1] if known else "1"
    parent = {"ParentShardId": shard.parent} if shard.parent else {}
    return {"ShardId": shard.id, "SequenceNumberRange": numbers, **parent}
