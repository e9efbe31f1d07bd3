"""Writers that remember their acknowledged writes, and the one write without an answer
when all ended.

Every writer has items of its own, which it alone knows; all share a counter that is raised by
compare and set, and one that is raised by adding.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.faults.served import Client, Gone, Refused, Served

Item = dict[str, Any]
Place = tuple[str, str]
"""A table and the partition key of an item in it."""

MAIN, LEFT, RIGHT = "main", "left", "right"
SHARED = "shared"


def tables() -> list[Item]:
    """`main` has indexes of both kinds; `left` and `right` are only written together and must stay
    equal.
    """
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    plain = {"BillingMode": "PAY_PER_REQUEST", "StreamSpecification": stream}

    def index(name: str, projection: Item, *keys: str) -> Item:
        return {"IndexName": name, "KeySchema": schema(*keys), "Projection": projection}

    def schema(*keys: str) -> list[Item]:
        return [
            {"AttributeName": key, "KeyType": kind}
            for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
        ]

    main = {
        "TableName": MAIN,
        "KeySchema": schema("p", "r"),
        "AttributeDefinitions": [
            {"AttributeName": n, "AttributeType": t} for n, t in zip("prgn", "SNSN", strict=True)
        ],
        "LocalSecondaryIndexes": [index("local", {"ProjectionType": "KEYS_ONLY"}, "p", "n")],
        "GlobalSecondaryIndexes": [
            index("all", {"ProjectionType": "ALL"}, "g", "n"),
            index("some", {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}, "n"),
        ],
        **plain,
    }
    small = {
        "KeySchema": schema("p", "r"),
        "AttributeDefinitions": [
            {"AttributeName": n, "AttributeType": t} for n, t in (("p", "S"), ("r", "N"))
        ],
        **plain,
    }
    return [main, {"TableName": LEFT, **small}, {"TableName": RIGHT, **small}]


def key(name: str) -> Item:
    return {"p": {"S": name}, "r": {"N": "1"}}


@dataclass
class Doubt:
    """A write that was sent and not answered: every item in it is as before, or as after."""

    request: tuple[str, Item]
    after: dict[Place, Item | None]
    atomic: bool


@dataclass
class Writer:
    """One connection's load. `known` are its acknowledged writes."""

    number: int
    random: random.Random
    known: dict[Place, Item | None] = field(default_factory=dict[Place, Item | None])
    doubt: Doubt | None = None
    last_transaction: Item | None = None
    set_counter: int = 0
    """The highest value of the shared counter that this writer set with an acknowledgement."""
    added: int = 0
    adding: int = 0
    """Its acknowledged additions to the shared counter, and whether one more is in doubt.
    """

    def run(self, client: Client, acknowledged: Callable[[], None]) -> None:
        """Write until the server is gone."""
        steps = (
            self.put,
            self.update,
            self.delete,
            self.transact,
            self.batch,
            self.add,
            self.compare_and_set,
        )
        try:
            while True:
                self.random.choices(steps, (4, 4, 2, 4, 1, 1, 1))[0](client)
                acknowledged()
        except Gone:
            client.close()

    # -- items of its own

    def put(self, client: Client) -> None:
        place = self.place(MAIN)
        item = self.item(place[1])
        self.write(client, ("PutItem", {"TableName": MAIN, "Item": item}), {place: item})

    def update(self, client: Client) -> None:
        """Count up under the condition that the item is what this writer knows."""
        place = self.place(MAIN)
        old = self.known.get(place)
        count = int(old["c"]["N"]) if old and "c" in old else 0
        new = {
            **(old or key(place[1])),
            "c": {"N": str(count + 1)},
            "g": {"S": self.random.choice("abc")},
        }
        request = {
            "TableName": MAIN,
            "Key": key(place[1]),
            "UpdateExpression": "SET c = :new, g = :g",
            "ConditionExpression": "c = :old" if old and "c" in old else "attribute_not_exists(c)",
            "ExpressionAttributeValues": {":new": new["c"], ":g": new["g"]}
            | ({":old": old["c"]} if old and "c" in old else {}),
        }
        self.write(client, ("UpdateItem", request), {place: new})

    def delete(self, client: Client) -> None:
        place = self.place(MAIN)
        self.write(client, ("DeleteItem", {"TableName": MAIN, "Key": key(place[1])}), {place: None})

    def batch(self, client: Client) -> None:
        after: dict[Place, Item | None] = {}
        requests: list[Item] = []
        for place in {self.place(MAIN) for _ in range(8)}:
            item = self.item(place[1]) if self.random.random() < 0.7 else None
            after[place] = item
            one = (
                {"PutRequest": {"Item": item}}
                if item
                else {"DeleteRequest": {"Key": key(place[1])}}
            )
            requests.append(one)
        self.write(
            client, ("BatchWriteItem", {"RequestItems": {MAIN: requests}}), after, atomic=False
        )

    def transact(self, client: Client) -> None:
        """The same items into two tables, and a count of transactions that would show one done
        twice.
        """
        counter = (MAIN, f"{self.number}-transactions")
        old = self.known.get(counter)
        after: dict[Place, Item | None] = {
            counter: {
                **(old or key(counter[1])),
                "c": {"N": str(int(old["c"]["N"]) + 1 if old else 1)},
            }
        }
        items: list[Item] = [
            {
                "Update": {
                    "TableName": MAIN,
                    "Key": key(counter[1]),
                    "UpdateExpression": "ADD c :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            }
        ]
        for name in {self.place(LEFT)[1] for _ in range(3)}:
            item = self.item(name) if self.random.random() < 0.8 else None
            for table in (LEFT, RIGHT):
                after[table, name] = item
                one = {"Put": {"Item": item}} if item else {"Delete": {"Key": key(name)}}
                items.append({action: {"TableName": table, **body} for action, body in one.items()})
        request = {
            "TransactItems": items,
            "ClientRequestToken": f"{self.number}-{self.random.getrandbits(64):x}",
        }
        self.write(client, ("TransactWriteItems", request), after)
        self.last_transaction = request

    def write(
        self,
        client: Client,
        request: tuple[str, Item],
        after: dict[Place, Item | None],
        atomic: bool = True,
    ) -> None:
        self.doubt = Doubt(request, after, atomic)
        client.call(*request)
        self.known.update(after)
        self.doubt = None

    # -- shared counters

    def add(self, client: Client) -> None:
        self.adding = 1
        client.call("UpdateItem", _raise(f"{SHARED}-added", "ADD c :one", {":one": {"N": "1"}}))
        self.added, self.adding = self.added + 1, 0

    def compare_and_set(self, client: Client) -> None:
        name = f"{SHARED}-set"
        item = client.call("GetItem", {"TableName": MAIN, "Key": key(name)}).get("Item")
        now = int(item["c"]["N"]) if item else 0
        request = _raise(name, "SET c = :new", {":new": {"N": str(now + 1)}})
        if item:
            request["ExpressionAttributeValues"][":old"] = {"N": str(now)}
        condition = "c = :old" if item else "attribute_not_exists(c)"
        try:
            client.call("UpdateItem", {**request, "ConditionExpression": condition})
        except Refused as refused:
            if refused.name != "ConditionalCheckFailedException":
                raise
        else:
            self.set_counter = now + 1

    # -- values

    def place(self, table: str) -> Place:
        return table, f"{self.number}-{self.random.randrange(20)}"

    def item(self, name: str) -> Item:
        item = {**key(name), "x": {"S": "x" * self.random.choice((1, 100, 3000))}}
        for attribute, value in (
            ("g", {"S": self.random.choice("abc")}),
            ("n", {"N": str(self.random.randrange(9))}),
        ):
            if self.random.random() < 0.7:
                item[attribute] = value
        return item


def _raise(name: str, expression: str, values: Item) -> Item:
    return {
        "TableName": MAIN,
        "Key": key(name),
        "UpdateExpression": expression,
        "ExpressionAttributeValues": values,
    }


def write_until_killed(server: Served, writers: list[Writer], kill_after: int) -> None:
    """Let all write at once; whoever has the given acknowledgement kills the server, in the middle
    of the others.
    """
    lock = threading.Lock()
    total = 0

    def acknowledged() -> None:
        nonlocal total
        with lock:
            total += 1
            if total == kill_after:
                server.kill()

    failures: list[BaseException] = []

    def run(writer: Writer, client: Client) -> None:
        try:
            writer.run(client, acknowledged)
        except BaseException as error:
            failures.append(error)
            server.kill()

    threads = [threading.Thread(target=run, args=(writer, server.client())) for writer in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
