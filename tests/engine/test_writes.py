"""After any sequence of operations: indexes equal a rebuild, the journal tells the table's history,
pages add up.

A seeded random machine on tables with every kind of key, index and projection; few keys, so that
writes meet.
"""

from __future__ import annotations

import base64
import random
from contextlib import suppress
from typing import Any

import pytest

from sortkey import errors
from sortkey.engine import Engine, own
from sortkey.testing import FrozenClock
from tests.engine import invariants
from tests.engine.invariants import contents, key_text, pages, rebuild, replay, undo

Item = dict[str, Any]

EXPECTED = (errors.ConditionalCheckFailedException, errors.TransactionCanceledException)


def schema(*names: str, many_hash: int = 1) -> list[dict[str, str]]:
    return [
        {"AttributeName": n, "KeyType": "HASH" if i < many_hash else "RANGE"}
        for i, n in enumerate(names)
    ]


def index(
    name: str,
    *names: str,
    projection: str = "ALL",
    carried: tuple[str, ...] = (),
    many_hash: int = 1,
) -> Item:
    shown: Item = {"ProjectionType": projection} | (
        {"NonKeyAttributes": list(carried)} if carried else {}
    )
    return {
        "IndexName": name,
        "KeySchema": schema(*names, many_hash=many_hash),
        "Projection": shown,
    }


TYPES = {
    "p": "S",
    "r": "N",
    "s": "S",
    "n": "N",
    "b": "B",
    "pb": "B",
    "rs": "S",
    "pn": "N",
    "rb": "B",
}

TABLES: list[Item] = [
    {
        "TableName": "strings",
        "KeySchema": schema("p", "r"),
        "LocalSecondaryIndexes": [
            index("by_s", "p", "s"),
            index("by_n", "p", "n", projection="KEYS_ONLY"),
            index("by_b", "p", "b", projection="INCLUDE", carried=("x", "y")),
        ],
        "GlobalSecondaryIndexes": [
            index("of_s", "s", "r"),
            index("of_n", "n", projection="KEYS_ONLY"),
            index("of_b", "b", "n", projection="INCLUDE", carried=("x",)),
            index("of_many", "s", "n", "b", "r", projection="INCLUDE", carried=("y",), many_hash=2),
        ],
    },
    {
        "TableName": "binaries",
        "KeySchema": schema("pb", "rs"),
        "LocalSecondaryIndexes": [index("by_n", "pb", "n")],
        "GlobalSecondaryIndexes": [
            index("of_many", "n", "s", "b"),
            index("turned", "rs", "pb", projection="KEYS_ONLY"),
        ],
    },
    {
        "TableName": "numbers",
        "KeySchema": schema("pn", "rb"),
        "GlobalSecondaryIndexes": [index("of_x", "s", "b"), index("turned", "rb", "pn")],
    },
    {
        "TableName": "hash_only",
        "KeySchema": schema("p"),
        "GlobalSecondaryIndexes": [index("of_n", "n", "p")],
    },
]


class Machine:
    """Random requests on the tables, all from one seed."""

    def __init__(self, engine: Engine, clock: FrozenClock, seed: int) -> None:
        self.engine, self.clock, self.random = engine, clock, random.Random(seed)
        for table in TABLES:
            self.create(table)

    def create(self, table: Item) -> None:
        indexes = [
            *table.get("LocalSecondaryIndexes", ()),
            *table.get("GlobalSecondaryIndexes", ()),
        ]
        used = {each["AttributeName"] for part in [table, *indexes] for each in part["KeySchema"]}
        self.engine.call(
            "CreateTable",
            {
                **table,
                "AttributeDefinitions": [
                    {"AttributeName": n, "AttributeType": TYPES[n]} for n in sorted(used)
                ],
                "BillingMode": "PAY_PER_REQUEST",
                "StreamSpecification": {
                    "StreamEnabled": True,
                    "StreamViewType": "NEW_AND_OLD_IMAGES",
                },
            },
        )

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.clock.advance(self.random.choice((0, 0.001, 1.5)))
            one = self.random.choices(
                (self.put, self.update, self.delete, self.batch, self.transact), (4, 5, 2, 1, 2)
            )
            with suppress(*EXPECTED):  # refused, and so without a trace: the invariants say so
                self.engine.call(*one[0]())

    def put(self) -> tuple[str, Item]:
        table = self.random.choice(TABLES)
        return "PutItem", {
            "TableName": table["TableName"],
            "Item": self.item(table),
            **self.condition(table),
        }

    def delete(self) -> tuple[str, Item]:
        table = self.random.choice(TABLES)
        return "DeleteItem", {
            "TableName": table["TableName"],
            "Key": self.key(table),
            **self.condition(table),
        }

    def update(self) -> tuple[str, Item]:
        table = self.random.choice(TABLES)
        keys = [each["AttributeName"] for each in table["KeySchema"]]
        free = [name for name in ("s", "n", "b", "x", "y") if name not in keys]
        sets = self.random.sample(free, self.random.randint(0, 3))
        removes = [name for name in free if name not in sets and self.random.random() < 0.3]
        if not sets and not removes:
            sets = ["x"]
        text = " ".join(
            ([f"SET {', '.join(f'{n} = :{n}' for n in sets)}"] if sets else [])
            + ([f"REMOVE {', '.join(removes)}"] if removes else [])
        )
        request: Item = {
            "TableName": table["TableName"],
            "Key": self.key(table),
            "UpdateExpression": text,
        }
        if sets:
            request["ExpressionAttributeValues"] = {f":{name}": self.value(name) for name in sets}
        return "UpdateItem", {**request, **self.condition(table)}

    def batch(self) -> tuple[str, Item]:
        requests: dict[str, list[Item]] = {}
        for table, key in self.distinct(self.random.randint(1, 12)):
            if self.random.random() < 0.7:
                each: Item = {"PutRequest": {"Item": {**self.item(table), **key}}}
            else:
                each = {"DeleteRequest": {"Key": key}}
            requests.setdefault(table["TableName"], []).append(each)
        return "BatchWriteItem", {"RequestItems": requests}

    def transact(self) -> tuple[str, Item]:
        items: list[Item] = []
        for table, key in self.distinct(self.random.randint(1, 8)):
            name, request = self.random.choice((self.put, self.update, self.delete))()
            request = {**request, "TableName": table["TableName"]}
            if "Item" in request:
                request["Item"] = {**self.item(table), **key}
            else:
                request["Key"] = key
            if "ConditionExpression" in request:
                request["ConditionExpression"] = (
                    f"attribute_exists({table['KeySchema'][0]['AttributeName']})"
                )
            items.append({name.removesuffix("Item"): request})
        return "TransactWriteItems", {"TransactItems": items}

    def distinct(self, count: int) -> list[tuple[Item, Item]]:
        found: dict[str, tuple[Item, Item]] = {}
        for _ in range(count):
            table = self.random.choice(TABLES)
            key = self.key(table)
            found[f"{table['TableName']} {key}"] = (table, key)
        return list(found.values())

    def condition(self, table: Item) -> Item:
        if self.random.random() < 0.8:
            return {}
        function = self.random.choice(("attribute_exists", "attribute_not_exists"))
        return {"ConditionExpression": f"{function}({table['KeySchema'][0]['AttributeName']})"}

    def key(self, table: Item) -> Item:
        return {
            each["AttributeName"]: self.value(each["AttributeName"]) for each in table["KeySchema"]
        }

    def item(self, table: Item) -> Item:
        others = [name for name in ("s", "n", "b", "x", "y") if self.random.random() < 0.6]
        return {name: self.value(name) for name in others} | self.key(table)

    def value(self, name: str) -> Item:
        kind = TYPES.get(name) or self.random.choice(("S", "N", "L"))
        if kind == "S":
            return {"S": self.random.choice(("a", "b", "ab", "a\x00b", "a\x00", "é", "z" * 300))}
        if kind == "N":
            return {
                "N": self.random.choice(
                    ("0", "1", "-1", "10", "2.5", "-2.5", "1e20", "-1e-20", "100", "99")
                )
            }
        if kind == "B":
            raw = self.random.choice(
                (b"\x00", b"\x00\x01", b"\xff", b"\xff\xff", b"a", b"\x00\xff")
            )
            return {"B": base64.b64encode(raw).decode()}
        return {"L": [{"N": "1"}] * self.random.randint(0, 3)}


@pytest.fixture(params=range(6))
def machine(request: pytest.FixtureRequest, sortkey_clock: FrozenClock) -> Any:
    with own(clock=sortkey_clock) as engine:
        yield Machine(engine, sortkey_clock, request.param)


def test_indexes_and_sizes_equal_a_rebuild_from_the_items(machine: Machine) -> None:
    # An index that disagrees with its table is the one fault that no client can see or repair.
    for _ in range(8):
        machine.run(50)
        invariants.check(machine.engine)


def test_the_journal_read_forwards_and_backwards_is_the_tables_history(machine: Machine) -> None:
    # Streams read it forwards; recovery to an instant undoes it.
    engine, names = machine.engine, [table["TableName"] for table in TABLES]
    moments: list[tuple[int, dict[str, Any]]] = []
    for _ in range(8):
        moments.append((engine.journal.last, {name: contents(engine, name) for name in names}))
        machine.run(40)
    for name in names:
        replayed: dict[str, Item] = {}
        replay(engine, name, replayed)
        assert replayed == contents(engine, name)
        for number, then in moments:
            state = contents(engine, name)
            undo(engine, name, state, number)
            assert state == then[name]


def test_a_table_restored_to_an_instant_is_what_it_was_then(machine: Machine) -> None:
    engine, clock = machine.engine, machine.clock
    for table in TABLES:
        engine.call(
            "UpdateContinuousBackups",
            {
                "TableName": table["TableName"],
                "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
            },
        )
    moments: list[tuple[float, dict[str, Any]]] = []
    for _ in range(3):
        machine.run(60)
        moments.append(
            (
                clock(),
                {table["TableName"]: contents(engine, table["TableName"]) for table in TABLES},
            )
        )
        clock.advance(2)
    for number, (instant, then) in enumerate(moments):
        for name, items in then.items():
            target = f"{name}_{number}"
            request = {
                "SourceTableName": name,
                "TargetTableName": target,
                "RestoreDateTime": instant,
            }
            engine.call("RestoreTableToPointInTime", request)
            while (
                engine.call("DescribeTable", {"TableName": target})["Table"]["TableStatus"]
                != "ACTIVE"
            ):
                engine.work()
            assert contents(engine, target) == items
    invariants.check(engine)


def test_an_index_added_to_a_filled_table_equals_one_that_was_always_there(
    machine: Machine,
) -> None:
    # Writes go on while it is filled; none may be missed, none be there twice.
    engine = machine.engine
    machine.run(100)
    for number in range(1500):
        item = {
            "p": {"S": f"p{number}"},
            "n": {"N": str(number % 7)},
            "x": {"S": "x" * (number % 9)},
        }
        engine.call("PutItem", {"TableName": "hash_only", "Item": item})
    wanted = index("late", "n", "x", projection="KEYS_ONLY")
    engine.call(
        "UpdateTable",
        {
            "TableName": "hash_only",
            "AttributeDefinitions": [
                {"AttributeName": "n", "AttributeType": "N"},
                {"AttributeName": "x", "AttributeType": "S"},
            ],
            "GlobalSecondaryIndexUpdates": [{"Create": wanted}],
        },
    )
    assert engine.catalog.table("hash_only").index("late").backfilling  # type: ignore[union-attr]
    for number in range(0, 1500, 3):
        key = {"p": {"S": f"p{number}"}}
        if number % 2:
            engine.call("DeleteItem", {"TableName": "hash_only", "Key": key})
        else:
            engine.call(
                "PutItem",
                {"TableName": "hash_only", "Item": {**key, "n": {"N": "8"}, "x": {"S": "new"}}},
            )
        if number % 400 == 0:
            engine.work()
    while engine.catalog.table("hash_only").index("late").backfilling:  # type: ignore[union-attr]
        engine.work()
    items = contents(engine, "hash_only")
    table = engine.catalog.table("hash_only")
    sparse = {
        k: v for k, v in items.items() if v.get("x", {}).get("S")
    }  # an empty text cannot be a key
    late = table.index("late")
    assert late is not None
    invariants.check_index(engine, table, late, sparse)
    invariants.check_rows(engine, table)


def test_pages_of_any_size_add_up_to_the_whole_in_both_directions(machine: Machine) -> None:
    # A client that pages must see every item once, whatever its limit.
    engine = machine.engine
    machine.run(400)
    for table in engine.catalog.tables():
        for each in (None, *table.indexes):
            for request in queries(machine, table.name, each):
                whole = list(pages(engine, "Query", request))
                assert whole == list(
                    reversed(list(pages(engine, "Query", {**request, "ScanIndexForward": False})))
                )
                for limit in (1, 2, 3, 7):
                    for forward in (True, False):
                        paged = list(
                            pages(
                                engine,
                                "Query",
                                {**request, "Limit": limit, "ScanIndexForward": forward},
                            )
                        )
                        assert paged == (whole if forward else whole[::-1])


def queries(machine: Machine, name: str, index: Any) -> list[Item]:
    """A query for every partition of a table or an index; together they must give all of it."""
    engine, table = machine.engine, machine.engine.catalog.table(name)
    items = contents(engine, name)
    hash_names = (index.key if index else table.key).hash
    held = rebuild(table, index, items) if index else list(items.values())
    partitions = {key_text(item, hash_names): [item[n] for n in hash_names] for item in held}
    named = {"IndexName": index.name} if index else {}
    requests = [
        {
            "TableName": name,
            **named,
            "KeyConditionExpression": " AND ".join(f"#k{i} = :v{i}" for i in range(len(values))),
            "ExpressionAttributeNames": {f"#k{i}": n for i, n in enumerate(hash_names)},
            "ExpressionAttributeValues": {f":v{i}": value for i, value in enumerate(values)},
        }
        for values in partitions.values()
    ]
    assert sum(len(list(pages(engine, "Query", request))) for request in requests) == len(held)
    return requests


@pytest.mark.parametrize("total", [1, 2, 3, 7, 64, 1000])
def test_the_segments_of_a_scan_part_the_table(machine: Machine, total: int) -> None:
    # Workers of a parallel scan must neither miss an item nor share one.
    machine.run(150)
    engine = machine.engine
    for table in engine.catalog.tables():
        for named in ({}, *({"IndexName": index.name} for index in table.indexes)):
            request = {"TableName": table.name, **named}
            segments = [
                item
                for segment in range(total)
                for item in pages(
                    engine,
                    "Scan",
                    {**request, "Segment": segment, "TotalSegments": total, "Limit": 5},
                )
            ]
            assert segments == list(pages(engine, "Scan", request))
