"""DeleteItem: keys, conditions old and new, what comes back."""

from tests.oracle.cases import Arena, Case, N, S, cases, wrong_types

GOOD = {"TableName": "@hash", "Key": {"pk": S("gone")}}


def delete(**members: object) -> Case:
    return GOOD | members


CASES: dict[str, Case] = {
    "nothing": {},
    "no key": {"TableName": "@hash"},
    "not there": GOOD,
    "not there, all old": delete(ReturnValues="ALL_OLD"),
    "there, all old": delete(Key={"pk": S("two")}, ReturnValues="ALL_OLD"),
    "returns all new": delete(ReturnValues="ALL_NEW"),
    "returns updated new": delete(ReturnValues="UPDATED_NEW"),
    "returns nonsense": delete(ReturnValues="x"),
    "table is not there": delete(TableName="@missing"),
    "key empty": delete(Key={}),
    "key too many": delete(Key={"pk": S("a"), "b": S("b")}),
    "key wrong type": delete(Key={"pk": N(1)}),
    "key empty value": delete(Key={"pk": S("")}),
    "capacity of nothing": delete(ReturnConsumedCapacity="TOTAL"),
    "capacity of something": {
        "TableName": "@range",
        "Key": {"pk": S("p"), "sk": N(7)},
        "ReturnConsumedCapacity": "INDEXES",
    },
    "capacity with indexes": {
        "TableName": "@indexed",
        "Key": {"pk": S("p"), "sk": S("s5")},
        "ReturnConsumedCapacity": "INDEXES",
        "ReturnItemCollectionMetrics": "SIZE",
    },
    "condition on nothing holds": delete(ConditionExpression="attribute_not_exists(pk)"),
    "condition on nothing fails": delete(ConditionExpression="attribute_exists(pk)"),
    "condition fails and gives the item": delete(
        Key={"pk": S("one")},
        ConditionExpression="n > :n",
        ExpressionAttributeValues={":n": N(100)},
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    ),
    "condition with an undefined value": delete(ConditionExpression="n > :n"),
    "condition syntax": delete(ConditionExpression="n >"),
    "expected fails": delete(Expected={"n": {"Value": N(100)}}),
    "expected and condition": delete(
        Expected={"n": {"Value": N(1)}}, ConditionExpression="attribute_exists(pk)"
    ),
    "expected exists without value": delete(Expected={"n": {"Exists": True}}),
    "expected not exists with value": delete(Expected={"n": {"Exists": False, "Value": N(1)}}),
    "expected empty": delete(Expected={"n": {}}),
    "expected value and operator": delete(
        Expected={"n": {"Value": N(1), "ComparisonOperator": "EQ"}}
    ),
    "expected value and list": delete(
        Expected={"n": {"Value": N(1), "AttributeValueList": [N(1)]}}
    ),
    "expected exists and operator": delete(
        Expected={"n": {"Exists": True, "ComparisonOperator": "NULL"}}
    ),
    "expected list without operator": delete(Expected={"n": {"AttributeValueList": [N(1)]}}),
    "expected operator without list": delete(Expected={"n": {"ComparisonOperator": "EQ"}}),
    "expected operator nonsense": delete(
        Expected={"n": {"ComparisonOperator": "LIKE", "AttributeValueList": [N(1)]}}
    ),
    "expected null with a value": delete(
        Expected={"n": {"ComparisonOperator": "NULL", "AttributeValueList": [N(1)]}}
    ),
    "expected between of one": delete(
        Expected={"n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [N(1)]}}
    ),
    "expected between reversed": delete(
        Expected={"n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [N(3), N(1)]}}
    ),
    "expected between of two types": delete(
        Expected={"n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [N(3), S("1")]}}
    ),
    "expected less than a set": delete(
        Expected={"n": {"ComparisonOperator": "LT", "AttributeValueList": [{"NS": ["1"]}]}}
    ),
    "expected begins with a number": delete(
        Expected={"n": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [N(1)]}}
    ),
    "expected in of nothing": delete(
        Expected={"n": {"ComparisonOperator": "IN", "AttributeValueList": []}}
    ),
    "expected in of sets": delete(
        Expected={"n": {"ComparisonOperator": "IN", "AttributeValueList": [{"SS": ["a"]}]}}
    ),
    "expected contains a list": delete(
        Expected={"n": {"ComparisonOperator": "CONTAINS", "AttributeValueList": [{"L": []}]}}
    ),
    "conditional operator with one": delete(
        Key={"pk": S("one")}, Expected={"n": {"Value": N(7)}}, ConditionalOperator="OR"
    ),
    "conditional operator nonsense": delete(
        Expected={"n": {"Value": N(7)}}, ConditionalOperator="XOR"
    ),
    "conditional operator alone": delete(ConditionalOperator="AND"),
    "conditional operator with condition": delete(
        ConditionExpression="attribute_exists(pk)", ConditionalOperator="OR"
    ),
}


@cases(CASES)
def test_delete_item_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # A delete that happens where AWS would refuse it cannot be taken back.
    arena.same("DeleteItem", case)
    arena.same_afterwards("GetItem", {"TableName": "@hash", "Key": {"pk": S("one")}})


@cases(wrong_types({**GOOD, "Expected": {}, "ConditionalOperator": "AND"}))
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked.
    arena.same("DeleteItem", case)
