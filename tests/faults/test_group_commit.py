"""Many connections at once: every answer is in order and true, and every answered write survives a
kill.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import orjson
import pytest

from sortkey.engine import own
from tests.engine import invariants
from tests.engine.invariants import contents, replay
from tests.faults.served import Served
from tests.wire.harness import RawClient, http

Item = dict[str, Any]
CONNECTIONS = 16
ROUNDS = 6
AHEAD = 5
"""Requests that a connection sends without waiting."""

TABLE: Item = {
    "TableName": "counters",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [
        {"AttributeName": n, "AttributeType": t} for n, t in (("p", "S"), ("n", "N"))
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_count",
            "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}


def add(name: str) -> bytes:
    return http(
        "UpdateItem",
        orjson.dumps(
            {
                "TableName": "counters",
                "Key": {"p": {"S": name}},
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
                "ReturnValues": "UPDATED_NEW",
            }
        ),
    )


def get(name: str) -> bytes:
    return http("GetItem", orjson.dumps({"TableName": "counters", "Key": {"p": {"S": name}}}))


def refused(name: str) -> bytes:
    condition = {"ConditionExpression": "attribute_not_exists(p)"}
    request = {"TableName": "counters", "Item": {"p": {"S": name}}, **condition}
    return http("PutItem", orjson.dumps(request))


class Connection(threading.Thread):
    """Raises a counter of its own and one that all share, and reads both between; keeps what it was
    answered.
    """

    def __init__(self, port: int, number: int, start: threading.Barrier) -> None:
        super().__init__()
        self.own = f"own-{number}"
        self.client, self.start_line = RawClient(port), start
        self.mine: list[int] = []
        self.shared: list[int] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            self.start_line.wait(10)
            for _ in range(ROUNDS):
                self.client.send(
                    (add(self.own) + get(self.own) + add("shared") + refused(self.own)) * AHEAD
                )
                for _ in range(AHEAD):
                    self.read_four()
        except BaseException as error:
            self.failure = error
        finally:
            self.client.close()

    def read_four(self) -> None:
        self.mine.append(_count(self.client.read().json()["Attributes"]))
        assert _count(self.client.read().json()["Item"]) == self.mine[-1], (
            "a read outran the write before it"
        )
        self.shared.append(_count(self.client.read().json()["Attributes"]))
        assert self.client.read().error() == "ConditionalCheckFailedException"


def _count(item: Item) -> int:
    return int(item["n"]["N"])


@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_answers_come_in_order_and_all_that_was_answered_survives(
    tmp_path: Path, synchronous: str
) -> None:
    # Commits are shared, so one connection's answer depends on what the others wrote: none may be
    # lost or mixed up.
    folder = tmp_path / "data"
    with own(folder) as engine:
        engine.call("CreateTable", TABLE)
    with Served(folder, "--synchronous", synchronous) as server:
        barrier = threading.Barrier(CONNECTIONS)
        connections = [Connection(server.port, number, barrier) for number in range(CONNECTIONS)]
        for each in connections:
            each.start()
        for each in connections:
            each.join(60)
        assert server.end() == ""
    for each in connections:
        assert each.failure is None
        assert each.mine == list(range(1, ROUNDS * AHEAD + 1))
        assert each.shared == sorted(each.shared)
    total = CONNECTIONS * ROUNDS * AHEAD
    assert sorted(count for connection in connections for count in connection.shared) == list(
        range(1, total + 1)
    )
    with own(folder) as engine:
        held = {item["p"]["S"]: _count(item) for item in contents(engine, "counters").values()}
        assert held == {"shared": total} | {
            connection.own: ROUNDS * AHEAD for connection in connections
        }
        replayed: dict[str, Item] = {}
        replay(engine, "counters", replayed)
        assert replayed == contents(engine, "counters")
        assert (
            len(engine.journal.read(engine.catalog.table("counters").number, 0, limit=10**6))
            == 2 * total
        )
        invariants.check(engine)
