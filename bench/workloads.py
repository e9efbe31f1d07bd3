"""The six kinds of work, as ready-made request bodies, and the table that they run on."""

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.client import Client

TABLE = "Bench"
PARTITIONS = 400
ITEMS_PER_PARTITION = 25

DEFINITION = {
    "TableName": TABLE,
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "S"), ("owner", "S"), ("score", "N"))
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByOwner",
            "KeySchema": [
                {"AttributeName": "owner", "KeyType": "HASH"},
                {"AttributeName": "score", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


@dataclass(frozen=True, slots=True)
class Workload:
    """One column of the result: an operation, and how many different bodies of it the load
    generator cycles through.
    """

    name: str
    operation: str
    bodies: int
    body: Callable[[random.Random], dict[str, Any]]

    def write_bodies(self, path: str) -> None:
        source = random.Random(self.name)
        with open(path, "w", encoding="utf-8") as file:
            for _ in range(self.bodies):
                file.write(json.dumps(self.body(source), separators=(",", ":")) + "\n")


def item(partition: int, position: int, source: random.Random) -> dict[str, Any]:
    """1 KB in 8 attributes."""
    return {
        "pk": {"S": f"CUSTOMER#{partition:06d}"},
        "sk": {"S": f"ORDER#{position:06d}"},
        "owner": {"S": f"OWNER#{source.randrange(200):04d}"},
        "score": {"N": str(source.randrange(1_000_000))},
        "status": {"S": source.choice(("pending", "running", "completed"))},
        "version": {"N": "1"},
        "tags": {"SS": ["blue", "green", f"tag-{source.randrange(100)}"]},
        "payload": {"S": "".join(source.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=850))},
    }


def fill(client: Client) -> None:
    """Create the table and put 10,000 items into it, in batches of 25: one partition each."""
    client.call("CreateTable", DEFINITION)
    while client.call("DescribeTable", {"TableName": TABLE})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.1)
    source = random.Random("fill")
    for partition in range(PARTITIONS):
        puts = [
            {"PutRequest": {"Item": item(partition, n, source)}} for n in range(ITEMS_PER_PARTITION)
        ]
        client.call("BatchWriteItem", {"RequestItems": {TABLE: puts}})


def _existing_key(source: random.Random) -> dict[str, Any]:
    partition, position = source.randrange(PARTITIONS), source.randrange(ITEMS_PER_PARTITION)
    return {"pk": {"S": f"CUSTOMER#{partition:06d}"}, "sk": {"S": f"ORDER#{position:06d}"}}


def _get(source: random.Random) -> dict[str, Any]:
    return {"TableName": TABLE, "Key": _existing_key(source)}


def _query(source: random.Random) -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
        "ExpressionAttributeValues": {
            ":pk": _existing_key(source)["pk"],
            ":prefix": {"S": "ORDER#"},
        },
        "Limit": 25,
    }


def _put(source: random.Random) -> dict[str, Any]:
    return {"TableName": TABLE, "Item": _new_item(source)}


def _update(source: random.Random) -> dict[str, Any]:
    return {
        "TableName": TABLE,
        "Key": _existing_key(source),
        "UpdateExpression": "SET #status = :status, version = version + :one",
        "ConditionExpression": "attribute_exists(pk) AND version >= :one",
        "ExpressionAttributeNames": {"#status": "status"},
        "ExpressionAttributeValues": {
            ":status": {"S": source.choice(("pending", "running"))},
            ":one": {"N": "1"},
        },
    }


def _transact(source: random.Random) -> dict[str, Any]:
    return {
        "TransactItems": [
            {"Put": {"TableName": TABLE, "Item": item}} for item in _new_items(4, source)
        ]
    }


def _batch(source: random.Random) -> dict[str, Any]:
    return {
        "RequestItems": {TABLE: [{"PutRequest": {"Item": item}} for item in _new_items(25, source)]}
    }


def _new_item(source: random.Random) -> dict[str, Any]:
    # Partitions above those that queries read, so that a page of 25 stays a page of 25.
    return item(PARTITIONS + source.randrange(4 * PARTITIONS), source.randrange(100), source)


def _new_items(count: int, source: random.Random) -> Iterator[dict[str, Any]]:
    # A transaction and a batch refuse two writes to one key: one partition, different sort keys.
    partition = PARTITIONS + source.randrange(4 * PARTITIONS)
    return (item(partition, position, source) for position in source.sample(range(100), count))


WORKLOADS = (
    Workload("Get", "GetItem", 5000, _get),
    Workload("Query", "Query", 2000, _query),
    Workload("Update", "UpdateItem", 5000, _update),
    Workload("Put", "PutItem", 5000, _put),
    Workload("Transact", "TransactWriteItems", 2000, _transact),
    Workload("Batch", "BatchWriteItem", 500, _batch),
)
