"""Operations about tables, time to live and streams: definitions that come back, and what is
refused.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.oracle.cases import Arena, Case, cases, index, wrong_types

KEYS = [{"AttributeName": "pk", "KeyType": "HASH"}]
BOTH = [*KEYS, {"AttributeName": "sk", "KeyType": "RANGE"}]
UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}


def types(**kinds: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in kinds.items()]


GOOD: dict[str, Any] = {
    "TableName": "@new",
    "AttributeDefinitions": types(pk="S"),
    "KeySchema": KEYS,
    "BillingMode": "PAY_PER_REQUEST",
}


def create(**members: Any) -> Case:
    made = GOOD | members
    return {name: value for name, value in made.items() if value is not None}


def indexed(
    *global_indexes: dict[str, Any], local: list[dict[str, Any]] | None = None, **more: Any
) -> Case:
    members: dict[str, Any] = {
        "AttributeDefinitions": types(pk="S", sk="S", a="S", b="N"),
        "KeySchema": BOTH,
    }
    if global_indexes:
        members["GlobalSecondaryIndexes"] = list(global_indexes)
    if local is not None:
        members["LocalSecondaryIndexes"] = local
    return create(**members | more)


def without(definition: dict[str, Any], name: str) -> dict[str, Any]:
    return {other: value for other, value in definition.items() if other != name}


AB = index("by_ab", "a", "b", "ALL")
LOCAL_A = index("local_a", "pk", "a", "ALL")
USED = types(pk="S", sk="S", a="S", b="N")
CREATES: dict[str, Case] = {
    "nothing": {},
    "good": create(),
    "sort key": create(AttributeDefinitions=types(pk="S", sk="N"), KeySchema=BOTH),
    "name short": create(TableName="ab"),
    "name long": create(TableName="a" * 256),
    "name bad": create(TableName="a b c"),
    "name left out": create(TableName=None),
    "taken": create(TableName="@hash"),
    "no keys": create(KeySchema=None),
    "keys empty": create(KeySchema=[]),
    "no definitions": create(AttributeDefinitions=None),
    "definitions empty": create(AttributeDefinitions=[]),
    "key not defined": create(AttributeDefinitions=types(x="S")),
    "definition not used": create(AttributeDefinitions=types(pk="S", x="S")),
    "definition twice": create(AttributeDefinitions=types(pk="S") * 2),
    "type nonsense": create(AttributeDefinitions=types(pk="X")),
    "type lower": create(AttributeDefinitions=types(pk="s")),
    "type set": create(AttributeDefinitions=types(pk="SS")),
    "type left out": create(AttributeDefinitions=[{"AttributeName": "pk"}]),
    "name of definition empty": create(AttributeDefinitions=types(**{"": "S"})),
    "key type nonsense": create(KeySchema=[{"AttributeName": "pk", "KeyType": "MAIN"}]),
    "key type left out": create(KeySchema=[{"AttributeName": "pk"}]),
    "range first": create(AttributeDefinitions=types(pk="S", sk="S"), KeySchema=BOTH[::-1]),
    "range only": create(KeySchema=[{"AttributeName": "pk", "KeyType": "RANGE"}]),
    "two hashes": create(
        AttributeDefinitions=types(pk="S", sk="S"),
        KeySchema=[*KEYS, {"AttributeName": "sk", "KeyType": "HASH"}],
    ),
    "same twice": create(KeySchema=[*KEYS, {"AttributeName": "pk", "KeyType": "RANGE"}]),
    "three keys": create(
        AttributeDefinitions=types(pk="S", sk="S", x="S"),
        KeySchema=[*BOTH, {"AttributeName": "x", "KeyType": "RANGE"}],
    ),
    "billing nonsense": create(BillingMode="FREE"),
    "on demand with units": create(ProvisionedThroughput=UNITS),
    "provisioned": create(BillingMode="PROVISIONED", ProvisionedThroughput=UNITS),
    "provisioned by default": create(BillingMode=None, ProvisionedThroughput=UNITS),
    "provisioned without units": create(BillingMode="PROVISIONED"),
    "no billing, no units": create(BillingMode=None),
    "units zero": create(
        BillingMode=None, ProvisionedThroughput={"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}
    ),
    "units negative": create(
        BillingMode=None, ProvisionedThroughput={"ReadCapacityUnits": -1, "WriteCapacityUnits": -1}
    ),
    "units too many": create(
        BillingMode=None,
        ProvisionedThroughput={"ReadCapacityUnits": 10**13, "WriteCapacityUnits": 1},
    ),
    "units left out": create(BillingMode=None, ProvisionedThroughput={"ReadCapacityUnits": 1}),
    "global index": indexed(AB),
    "global index provisioned": indexed(
        AB | {"ProvisionedThroughput": UNITS}, BillingMode=None, ProvisionedThroughput=UNITS
    ),
    "global index without units": indexed(AB, BillingMode=None, ProvisionedThroughput=UNITS),
    "global index with units, on demand": indexed(AB | {"ProvisionedThroughput": UNITS}),
    "global indexes empty": indexed(
        GlobalSecondaryIndexes=[], AttributeDefinitions=types(pk="S", sk="S")
    ),
    "global index twice": indexed(AB, AB),
    "global index name short": indexed(index("ab", "a", "b", "ALL")),
    "global index name bad": indexed(index("a b c", "a", "b", "ALL")),
    "global index key not defined": indexed(index("by_x", "x", None, "ALL")),
    "global index definitions left over": indexed(index("by_a", "a", None, "ALL")),
    "global index same keys": indexed(
        index("by_aa", "a", "a", "ALL"), AttributeDefinitions=types(pk="S", sk="S", a="S")
    ),
    "global index same key twice": indexed(
        AB | {"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}] * 2},
        AttributeDefinitions=types(pk="S", sk="S", a="S"),
    ),
    "global index without keys": indexed(without(AB, "KeySchema")),
    "global index without projection": indexed(without(AB, "Projection")),
    "global index projection empty": indexed(AB | {"Projection": {}}),
    "global index projection nonsense": indexed(index("by_ab", "a", "b", "SOME")),
    "global index include": indexed(index("by_ab", "a", "b", "INCLUDE", "c", "d")),
    "global index include nothing": indexed(index("by_ab", "a", "b", "INCLUDE")),
    "global index include empty": indexed(
        AB | {"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": []}}
    ),
    "global index all with attributes": indexed(index("by_ab", "a", "b", "ALL", "c")),
    "global index keys only with attributes": indexed(index("by_ab", "a", "b", "KEYS_ONLY", "c")),
    "global index include a key": indexed(index("by_ab", "a", "b", "INCLUDE", "pk")),
    "global index include twice": indexed(index("by_ab", "a", "b", "INCLUDE", "c", "c")),
    "global index include 21": indexed(
        index("by_ab", "a", "b", "INCLUDE", *(f"c{n}" for n in range(21)))
    ),
    "global indexes 20": indexed(*(index(f"by_ab{n}", "a", "b", "ALL") for n in range(20))),
    "global indexes 21": indexed(*(index(f"by_ab{n}", "a", "b", "ALL") for n in range(21))),
    "local index": indexed(local=[LOCAL_A], AttributeDefinitions=types(pk="S", sk="S", a="S")),
    "local and global": indexed(AB, local=[LOCAL_A]),
    "local and global of one name": indexed(AB, local=[index("by_ab", "pk", "a", "ALL")]),
    "local other hash": indexed(
        local=[index("local_a", "sk", "a", "ALL")],
        AttributeDefinitions=types(pk="S", sk="S", a="S"),
    ),
    "local hash only": indexed(
        local=[index("local_a", "pk", None, "ALL")], AttributeDefinitions=types(pk="S", sk="S")
    ),
    "local without a sort key of the table": create(
        AttributeDefinitions=types(pk="S", a="S"), LocalSecondaryIndexes=[LOCAL_A]
    ),
    "local indexes 6": indexed(
        local=[index(f"local_{n}", "pk", "a", "ALL") for n in range(6)],
        AttributeDefinitions=types(pk="S", sk="S", a="S"),
    ),
    "local indexes empty": indexed(local=[], AttributeDefinitions=types(pk="S", sk="S")),
    "stream": create(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}),
    "stream without view": create(StreamSpecification={"StreamEnabled": True}),
    "stream off with view": create(
        StreamSpecification={"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}
    ),
    "stream off": create(StreamSpecification={"StreamEnabled": False}),
    "stream nonsense": create(StreamSpecification={"StreamEnabled": True, "StreamViewType": "ALL"}),
    "protected": create(DeletionProtectionEnabled=False),
    "class": create(TableClass="STANDARD"),
    "class nonsense": create(TableClass="CHEAP"),
}

UPDATES: dict[str, Case] = {
    "nothing": {},
    "no change": {"TableName": "@indexed"},
    "table is not there": {"TableName": "@missing", "BillingMode": "PAY_PER_REQUEST"},
    "billing the same": {"TableName": "@indexed", "BillingMode": "PAY_PER_REQUEST"},
    "billing nonsense": {"TableName": "@indexed", "BillingMode": "x"},
    "provisioned without units": {"TableName": "@hash", "BillingMode": "PROVISIONED"},
    "units on demand": {"TableName": "@hash", "ProvisionedThroughput": UNITS},
    "units zero": {
        "TableName": "@hash",
        "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
    },
    "index updates empty": {"TableName": "@indexed", "GlobalSecondaryIndexUpdates": []},
    "index update empty": {"TableName": "@indexed", "GlobalSecondaryIndexUpdates": [{}]},
    "index delete unknown": {
        "TableName": "@indexed",
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "nope"}}],
    },
    "index delete local": {
        "TableName": "@indexed",
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by_l"}}],
    },
    "index create taken": {
        "TableName": "@indexed",
        "AttributeDefinitions": types(g="S"),
        "GlobalSecondaryIndexUpdates": [{"Create": index("by_g", "g", None, "ALL")}],
    },
    "index create without definitions": {
        "TableName": "@indexed",
        "GlobalSecondaryIndexUpdates": [{"Create": index("fresh", "x", None, "ALL")}],
    },
    "index create without projection": {
        "TableName": "@indexed",
        "AttributeDefinitions": types(x="S"),
        "GlobalSecondaryIndexUpdates": [
            {"Create": without(index("fresh", "x", None, "ALL"), "Projection")}
        ],
    },
    "index two at once": {
        "TableName": "@indexed",
        "GlobalSecondaryIndexUpdates": [
            {"Delete": {"IndexName": "by_g"}},
            {"Delete": {"IndexName": "some"}},
        ],
    },
    "index two actions in one": {
        "TableName": "@indexed",
        "GlobalSecondaryIndexUpdates": [
            {
                "Delete": {"IndexName": "by_g"},
                "Update": {"IndexName": "some", "ProvisionedThroughput": UNITS},
            }
        ],
    },
    "index units of unknown": {
        "TableName": "@indexed",
        "GlobalSecondaryIndexUpdates": [
            {"Update": {"IndexName": "nope", "ProvisionedThroughput": UNITS}}
        ],
    },
    "index name short": {
        "TableName": "@indexed",
        "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "x"}}],
    },
    "stream without view": {"TableName": "@hash", "StreamSpecification": {"StreamEnabled": True}},
    "stream off when off": {"TableName": "@hash", "StreamSpecification": {"StreamEnabled": False}},
}

OTHERS: dict[str, tuple[str, Case]] = {
    "describe nothing": ("DescribeTable", {}),
    "describe": ("DescribeTable", {"TableName": "@hash"}),
    "describe indexed": ("DescribeTable", {"TableName": "@indexed"}),
    "describe missing": ("DescribeTable", {"TableName": "@missing"}),
    "describe short": ("DescribeTable", {"TableName": "x"}),
    "describe bad": ("DescribeTable", {"TableName": "x y z"}),
    "delete nothing": ("DeleteTable", {}),
    "delete missing": ("DeleteTable", {"TableName": "@missing"}),
    "delete short": ("DeleteTable", {"TableName": "x"}),
    "list limit zero": ("ListTables", {"Limit": 0}),
    "list limit 101": ("ListTables", {"Limit": 101}),
    "list start short": ("ListTables", {"ExclusiveStartTableName": "x"}),
    "list start bad": ("ListTables", {"ExclusiveStartTableName": "x y z"}),
    "list limit text": ("ListTables", {"Limit": "1"}),
    "ttl": ("DescribeTimeToLive", {"TableName": "@hash"}),
    "ttl nothing": ("DescribeTimeToLive", {}),
    "ttl missing": ("DescribeTimeToLive", {"TableName": "@missing"}),
    "ttl update nothing": ("UpdateTimeToLive", {}),
    "ttl update without specification": ("UpdateTimeToLive", {"TableName": "@hash"}),
    "ttl update missing": (
        "UpdateTimeToLive",
        {
            "TableName": "@missing",
            "TimeToLiveSpecification": {"AttributeName": "x", "Enabled": True},
        },
    ),
    "ttl update empty name": (
        "UpdateTimeToLive",
        {"TableName": "@hash", "TimeToLiveSpecification": {"AttributeName": "", "Enabled": True}},
    ),
    "ttl update without name": (
        "UpdateTimeToLive",
        {"TableName": "@hash", "TimeToLiveSpecification": {"Enabled": True}},
    ),
    "ttl off when off": (
        "UpdateTimeToLive",
        {
            "TableName": "@range",
            "TimeToLiveSpecification": {"AttributeName": "x", "Enabled": False},
        },
    ),
    "streams of a missing table": ("ListStreams", {"TableName": "@missing"}),
    "streams limit zero": ("ListStreams", {"Limit": 0}),
    "stream bad ARN": ("DescribeStream", {"StreamArn": "not an arn"}),
    "stream nothing": ("DescribeStream", {}),
    "iterator nothing": ("GetShardIterator", {}),
    "records nothing": ("GetRecords", {}),
    "records bad iterator": ("GetRecords", {"ShardIterator": "x"}),
    "records limit": ("GetRecords", {"ShardIterator": "x", "Limit": 1001}),
}


@pytest.fixture
def clean(arena: Arena) -> Iterator[Arena]:
    """The new table's name was never used: DynamoDB Local remembers the streams of tables that are
    gone.
    """
    arena.news += 1
    yield arena
    arena.pair.settle(arena.name("@new"))
    arena.pair.call("DeleteTable", {"TableName": arena.name("@new")})
    for side in (arena.pair.ours, arena.pair.oracle):
        side.work()


@cases(CREATES)
def test_create_table_answers_as_the_oracle(clean: Arena, case: Case) -> None:
    # Infrastructure tools compare these answers with what they asked for.
    clean.same("CreateTable", case)


def test_a_table_stays_when_a_second_definition_breaks_dynamodb_local(arena: Arena) -> None:
    # What half a table leaves behind is swept away before the next try; a whole one must not be.
    arena.same("CreateTable", create(TableName="@hash", BillingMode="FREE"))
    arena.same("DescribeTable", {"TableName": "@hash"})


@cases(
    {
        name: case
        for name, case in CREATES.items()
        if name in {"good", "provisioned", "global index", "local index"}
    }
)
def test_describe_and_delete_give_the_definition_back(clean: Arena, case: Case) -> None:
    # A definition must survive the round trip, or every plan shows a change.
    clean.same("CreateTable", case)
    clean.pair.settle(clean.name("@new"))
    clean.same("DescribeTable", {"TableName": "@new"})
    clean.same("DeleteTable", {"TableName": "@new"})


@cases(UPDATES)
def test_update_table_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # A refused change must say why; an accepted one must be the one asked for.
    arena.same("UpdateTable", case)
    arena.pair.settle(arena.name("@indexed"))


@pytest.mark.parametrize("other", list(OTHERS.values()), ids=list(OTHERS))
def test_operations_about_tables_answer_as_the_oracle(
    arena: Arena, other: tuple[str, Case]
) -> None:
    # Names and limits are checked before anything is looked up.
    arena.same(*other)


@cases(wrong_types({**GOOD, "ProvisionedThroughput": UNITS, "DeletionProtectionEnabled": False}))
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(clean: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked.
    clean.same("CreateTable", case)
