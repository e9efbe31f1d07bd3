"""BatchGetItem and BatchWriteItem: counts, duplicates, several tables, what is refused."""

from typing import Any

from tests.oracle.cases import Arena, Case, N, S, cases, wrong_types


def gets(*keys: dict[str, Any], table: str = "@hash", **members: Any) -> Case:
    return {"RequestItems": {table: {"Keys": list(keys)} | members}}


def writes(*requests: dict[str, Any], table: str = "@hash", **members: Any) -> Case:
    return {"RequestItems": {table: list(requests)}} | members


def put(key: str, **attributes: Any) -> dict[str, Any]:
    return {"PutRequest": {"Item": {"pk": S(key)} | attributes}}


def delete(key: str) -> dict[str, Any]:
    return {"DeleteRequest": {"Key": {"pk": S(key)}}}


ONE, TWO = {"pk": S("one")}, {"pk": S("two")}
GETS: dict[str, Case] = {
    "nothing": {},
    "no tables": {"RequestItems": {}},
    "one": gets(ONE),
    "two": gets(ONE, TWO),
    "one there, one not": gets(ONE, {"pk": S("nobody")}),
    "twice the same": gets(ONE, ONE),
    "the same number in two spellings": gets(
        {"pk": S("p"), "sk": N(1)}, {"pk": S("p"), "sk": N("1.0")}, table="@range"
    ),
    "no keys": gets(),
    "keys left out": {"RequestItems": {"@hash": {}}},
    "table is not there": gets(ONE, table="@missing"),
    "one table there, one not": {
        "RequestItems": {"@hash": {"Keys": [ONE]}, "@missing": {"Keys": [ONE]}}
    },
    "two tables": {
        "RequestItems": {"@hash": {"Keys": [ONE]}, "@range": {"Keys": [{"pk": S("p"), "sk": N(1)}]}}
    },
    "two tables, capacity": {
        "RequestItems": {
            "@hash": {"Keys": [ONE]},
            "@range": {"Keys": [{"pk": S("p"), "sk": N(1)}]},
        },
        "ReturnConsumedCapacity": "TOTAL",
    },
    "capacity of a miss": gets({"pk": S("nobody")}) | {"ReturnConsumedCapacity": "INDEXES"},
    "consistent, capacity": gets(ONE, TWO, ConsistentRead=True)
    | {"ReturnConsumedCapacity": "TOTAL"},
    "table name short": gets(ONE, table="x"),
    "table name bad": gets(ONE, table="a b c"),
    "key wrong": gets({"x": S("one")}),
    "key wrong type": gets({"pk": N(1)}),
    "key too many": gets(ONE | {"x": S("1")}),
    "key empty": gets({}),
    "key empty value": gets({"pk": S("")}),
    "key no type": gets({"pk": {}}),
    "100 keys": gets(*({"pk": S(f"k{n}")} for n in range(100))),
    "101 keys": gets(*({"pk": S(f"k{n}")} for n in range(101))),
    "projection": gets(ONE, TWO, ProjectionExpression="n"),
    "projection bad": gets(ONE, ProjectionExpression="n,"),
    "projection empty": gets(ONE, ProjectionExpression=""),
    "projection reserved": gets(ONE, ProjectionExpression="name"),
    "projection with names": gets(
        ONE, ProjectionExpression="#n", ExpressionAttributeNames={"#n": "n"}
    ),
    "names unused": gets(ONE, ProjectionExpression="n", ExpressionAttributeNames={"#n": "n"}),
    "names alone": gets(ONE, ExpressionAttributeNames={"#n": "n"}),
    "attributes to get": gets(ONE, AttributesToGet=["n"]),
    "attributes to get twice": gets(ONE, AttributesToGet=["n", "n"]),
    "attributes to get with projection": gets(ONE, AttributesToGet=["n"], ProjectionExpression="n"),
    "capacity nonsense": gets(ONE) | {"ReturnConsumedCapacity": "x"},
}
WRITES: dict[str, Case] = {
    "nothing": {},
    "no tables": {"RequestItems": {}},
    "no requests": writes(),
    "put": writes(put("w1", a=N(1))),
    "put and delete": writes(put("w2"), delete("w1")),
    "delete of nothing": writes(delete("nobody")),
    "put twice": writes(put("w3"), put("w3", a=N(1))),
    "put and delete the same": writes(put("w3"), delete("w3")),
    "delete twice": writes(delete("w3"), delete("w3")),
    "both in one": writes({"PutRequest": {"Item": ONE}, "DeleteRequest": {"Key": TWO}}),
    "neither": writes({}),
    "put without item": writes({"PutRequest": {}}),
    "delete without key": writes({"DeleteRequest": {}}),
    "item empty": writes({"PutRequest": {"Item": {}}}),
    "item without key": writes({"PutRequest": {"Item": {"a": N(1)}}}),
    "item key wrong type": writes({"PutRequest": {"Item": {"pk": N(1)}}}),
    "item wrong value": writes(put("w4", a={"SS": []})),
    "item no type": writes(put("w4", a={})),
    "key too many": writes({"DeleteRequest": {"Key": ONE | {"x": S("y")}}}),
    "key wrong type": writes({"DeleteRequest": {"Key": {"pk": N(1)}}}),
    "key empty value": writes({"DeleteRequest": {"Key": {"pk": S("")}}}),
    "25": writes(*(put(f"w{n}") for n in range(25))),
    "26": writes(*(put(f"w{n}") for n in range(26))),
    "26 in two tables": {
        "RequestItems": {
            "@hash": [put(f"w{n}") for n in range(13)],
            "@range": [{"PutRequest": {"Item": {"pk": S("w"), "sk": N(n)}}} for n in range(13)],
        }
    },
    "table is not there": writes(put("a"), table="@missing"),
    "one table there, one not": {
        "RequestItems": {"@hash": [put("half")], "@missing": [put("half")]}
    },
    "table name short": writes(put("a"), table="x"),
    "capacity": writes(put("w5"), put("w6", big=S("x" * 3000)), ReturnConsumedCapacity="TOTAL"),
    "capacity indexes": writes(
        {"PutRequest": {"Item": {"pk": S("b"), "sk": S("1"), "g": S("z"), "h": N(1)}}},
        {"PutRequest": {"Item": {"pk": S("b"), "sk": S("2"), "l": N(1)}}},
        table="@indexed",
        ReturnConsumedCapacity="INDEXES",
    ),
    "metrics": writes(
        {"PutRequest": {"Item": {"pk": S("b"), "sk": S("3")}}},
        table="@indexed",
        ReturnItemCollectionMetrics="SIZE",
    ),
    "item too big": writes(put("w7", big=S("x" * 410_000))),
    "index key wrong type": writes(
        {"PutRequest": {"Item": {"pk": S("b"), "sk": S("3"), "g": N(1)}}}, table="@indexed"
    ),
    "capacity nonsense": writes(put("w8"), ReturnConsumedCapacity="x"),
    "metrics nonsense": writes(put("w8"), ReturnItemCollectionMetrics="x"),
}


@cases(GETS)
def test_batch_get_item_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # One bad key refuses the whole batch; one missing item does not.
    arena.same("BatchGetItem", case)


@cases(WRITES)
def test_batch_write_item_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # A batch that is refused must have written nothing.
    arena.same("BatchWriteItem", case)
    arena.same_afterwards("Scan", {"TableName": "@hash"})


@cases(wrong_types({"RequestItems": {"@hash": {"Keys": [ONE]}}, "ReturnConsumedCapacity": "NONE"}))
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked.
    arena.same("BatchGetItem", case)
    arena.same("BatchWriteItem", case)
