"""TransactWriteItems and TransactGetItems: order of reasons, duplicates, tokens, what is refused
beforehand.
"""

from typing import Any

from tests.oracle.cases import Arena, Case, N, S, cases, wrong_types

ONE = {"TableName": "@hash", "Key": {"pk": S("one")}}


def write(*actions: dict[str, Any], **members: Any) -> Case:
    return {"TransactItems": list(actions)} | members


def put(key: str, **members: Any) -> dict[str, Any]:
    return {"Put": {"TableName": "@hash", "Item": {"pk": S(key)}} | members}


def delete(key: str, **members: Any) -> dict[str, Any]:
    return {"Delete": {"TableName": "@hash", "Key": {"pk": S(key)}} | members}


def update(key: str, expression: str, **members: Any) -> dict[str, Any]:
    return {
        "Update": {"TableName": "@hash", "Key": {"pk": S(key)}, "UpdateExpression": expression}
        | members
    }


def check(key: str, condition: str, **members: Any) -> dict[str, Any]:
    return {
        "ConditionCheck": {
            "TableName": "@hash",
            "Key": {"pk": S(key)},
            "ConditionExpression": condition,
        }
        | members
    }


V = {"ExpressionAttributeValues": {":v": N(1)}}
OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
EXISTS, NOT_EXISTS = "attribute_exists(pk)", "attribute_not_exists(pk)"
WRITES: dict[str, Case] = {
    "nothing": {},
    "no actions": write(),
    "put": write(put("t1")),
    "one of each": write(
        put("t2"), update("t3", "SET a = :v", **V), delete("t4"), check("one", EXISTS)
    ),
    "capacity": write(put("t2"), update("t3", "SET a = :v", **V), ReturnConsumedCapacity="TOTAL"),
    "capacity indexes": write(put("t2"), delete("t3"), ReturnConsumedCapacity="INDEXES"),
    "capacity of a check": write(check("one", EXISTS), ReturnConsumedCapacity="TOTAL"),
    "metrics": write(
        {"Put": {"TableName": "@indexed", "Item": {"pk": S("t"), "sk": S("a")}}},
        ReturnItemCollectionMetrics="SIZE",
    ),
    "check fails": write(put("t5"), check("nobody", EXISTS)),
    "check fails first": write(check("nobody", EXISTS), put("t5")),
    "several fail": write(
        check("nobody", EXISTS), put("t5"), put("one", ConditionExpression=NOT_EXISTS)
    ),
    "fails with the old item": write(put("two", ConditionExpression=NOT_EXISTS, **OLD)),
    "fails with no old item": write(put("nobody", ConditionExpression=EXISTS, **OLD)),
    "delete fails with the old item": write(delete("two", ConditionExpression=NOT_EXISTS, **OLD)),
    "update fails with the old item": write(
        update("two", "SET a = :v", ConditionExpression=NOT_EXISTS, **OLD, **V)
    ),
    "check fails with the old item": write(check("two", NOT_EXISTS, **OLD)),
    "twice the same": write(put("t6"), put("t6")),
    "put and check the same": write(put("t6"), check("t6", NOT_EXISTS)),
    "two actions in one": write(put("t7") | delete("t8")),
    "empty action": write({}),
    "unknown action": write({"Get": ONE}),
    "table is not there": write({"Put": {"TableName": "@missing", "Item": {"pk": S("a")}}}),
    "one table there, one not": write(
        put("t8"), {"Put": {"TableName": "@missing", "Item": {"pk": S("a")}}}
    ),
    "table name short": write({"Put": {"TableName": "x", "Item": {"pk": S("a")}}}),
    "no table": write({"Put": {"Item": {"pk": S("a")}}}),
    "no item": write({"Put": {"TableName": "@hash"}}),
    "no key": write({"Delete": {"TableName": "@hash"}}),
    "no update expression": write({"Update": ONE}),
    "no condition": write({"ConditionCheck": ONE}),
    "item empty": write({"Put": {"TableName": "@hash", "Item": {}}}),
    "item without key": write({"Put": {"TableName": "@hash", "Item": {"a": N(1)}}}),
    "key wrong type": write({"Put": {"TableName": "@hash", "Item": {"pk": N(1)}}}),
    "key wrong type in the second": write(
        put("t9"), {"Delete": {"TableName": "@hash", "Key": {"pk": N(1)}}}
    ),
    "key too many": write({"Delete": {"TableName": "@hash", "Key": {"pk": S("a"), "b": S("b")}}}),
    "key empty value": write({"Delete": {"TableName": "@hash", "Key": {"pk": S("")}}}),
    "item wrong value": write(
        {"Put": {"TableName": "@hash", "Item": {"pk": S("a"), "b": {"SS": []}}}}
    ),
    "item number bad": write({"Put": {"TableName": "@hash", "Item": {"pk": S("a"), "b": N("x")}}}),
    "index key wrong type": write(
        {"Put": {"TableName": "@indexed", "Item": {"pk": S("a"), "sk": S("b"), "g": N(1)}}}
    ),
    "index key empty": write(
        {"Put": {"TableName": "@indexed", "Item": {"pk": S("a"), "sk": S("b"), "g": S("")}}}
    ),
    "update of the key": write(update("t1", "SET pk = :v", **V)),
    "update syntax": write(update("t1", "SET a =")),
    "update empty": write(update("t1", "")),
    "update undefined value": write(update("t1", "SET a = :v")),
    "update unused value": write(update("t1", "REMOVE a", **V)),
    "update to a wrong operand": write(update("one", "SET s = s + :v", **V)),
    "update of a path that is not there": write(update("one", "SET nothing.x = :v", **V)),
    "update index key to a wrong type": write(
        {
            "Update": {
                "TableName": "@indexed",
                "Key": {"pk": S("p"), "sk": S("s1")},
                "UpdateExpression": "SET g = :v",
                **V,
            }
        }
    ),
    "condition syntax": write(put("t1", ConditionExpression="a =")),
    "condition empty": write(put("t1", ConditionExpression="")),
    "condition undefined value": write(put("t1", ConditionExpression="a = :v")),
    "item too big": write(
        {"Put": {"TableName": "@hash", "Item": {"pk": S("a"), "b": S("x" * 410_000)}}}
    ),
    "update makes it too big": write(
        update("one", "SET big = :v", ExpressionAttributeValues={":v": S("x" * 409_500)})
    ),
    "100": write(*(put(f"h{n}") for n in range(100))),
    "101": write(*(put(f"h{n}") for n in range(101))),
    "token": write(put("k1"), ClientRequestToken="@new-1"),
    "token again": write(put("k1"), ClientRequestToken="@new-1"),
    "token again, capacity": write(
        put("k1"), ClientRequestToken="@new-1", ReturnConsumedCapacity="TOTAL"
    ),
    "token with other parameters": write(put("k2"), ClientRequestToken="@new-1"),
    "token of 36": write(put("k3"), ClientRequestToken="@new-" + "t" * 11),
    "token of 37": write(put("k3"), ClientRequestToken="t" * 37),
    "token empty": write(put("k3"), ClientRequestToken=""),
    "returns nonsense": write(
        put("one", ConditionExpression=NOT_EXISTS, ReturnValuesOnConditionCheckFailure="x")
    ),
    "capacity nonsense": write(put("t1"), ReturnConsumedCapacity="x"),
    "several enums wrong": write(
        put("t1"), ReturnConsumedCapacity="x", ReturnItemCollectionMetrics="y"
    ),
}


def get(*keys: dict[str, Any], **members: Any) -> Case:
    return {
        "TransactItems": [{"Get": {"TableName": "@hash", "Key": key}} for key in keys]
    } | members


def get_with(**members: Any) -> Case:
    return {"TransactItems": [{"Get": ONE | members}]}


GETS: dict[str, Case] = {
    "nothing": {},
    "no actions": {"TransactItems": []},
    "one": get({"pk": S("one")}),
    "there and not": get({"pk": S("one")}, {"pk": S("nobody")}),
    "twice the same": get({"pk": S("one")}, {"pk": S("one")}),
    "capacity": get({"pk": S("one")}, {"pk": S("nobody")}, ReturnConsumedCapacity="TOTAL"),
    "capacity indexes": get({"pk": S("one")}, ReturnConsumedCapacity="INDEXES"),
    "key wrong type": get({"pk": S("one")}, {"pk": N(1)}),
    "key too many": get({"pk": S("one"), "x": S("y")}),
    "key empty": get({}),
    "key empty value": get({"pk": S("")}),
    "table is not there": {
        "TransactItems": [{"Get": {"TableName": "@missing", "Key": {"pk": S("a")}}}]
    },
    "empty action": {"TransactItems": [{}]},
    "no key": {"TransactItems": [{"Get": {"TableName": "@hash"}}]},
    "no table": {"TransactItems": [{"Get": {"Key": {"pk": S("a")}}}]},
    "projection": get_with(ProjectionExpression="n, m.x"),
    "projection bad": get_with(ProjectionExpression="n,"),
    "projection empty": get_with(ProjectionExpression=""),
    "names unused": get_with(ProjectionExpression="n", ExpressionAttributeNames={"#a": "a"}),
    "names alone": get_with(ExpressionAttributeNames={"#a": "a"}),
    "100": get(*({"pk": S(f"k{n}")} for n in range(100))),
    "101": get(*({"pk": S(f"k{n}")} for n in range(101))),
    "capacity nonsense": get({"pk": S("one")}, ReturnConsumedCapacity="x"),
}


@cases(WRITES)
def test_transact_write_items_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # All or nothing, and the reasons in the order of the actions: programs index into them.
    arena.same("TransactWriteItems", case)
    arena.same_afterwards("Scan", {"TableName": "@hash"})


@cases(GETS)
def test_transact_get_items_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # One answer for each request, in their order.
    arena.same("TransactGetItems", case)


@cases(wrong_types({"TransactItems": [put("a")], "ClientRequestToken": "x"}))
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked.
    arena.same("TransactWriteItems", case)
