"""UpdateItem: every clause and function of update expressions, AttributeUpdates, and the five kinds
of ReturnValues.
"""

import pytest

from tests.oracle.cases import Arena, Case, N, S, cases, wrong_types

GOOD = {"TableName": "@hash", "Key": {"pk": S("one")}}
VALUES = {
    ":n": N(2),
    ":s": S("new"),
    ":l": {"L": [S("x")]},
    ":m": {"M": {"q": N(1)}},
    ":ss": {"SS": ["c", "d"]},
    ":ns": {"NS": ["2", "3"]},
    ":bs": {"BS": ["YQ=="]},
    ":t": {"BOOL": False},
    ":z": {"NULL": True},
    ":e": {"L": []},
}


def update(expression: str, **members: object) -> Case:
    """An update with the values of the table above that the expression names."""
    words = {
        word.strip("(),+-= ") for word in expression.replace("(", " ").replace(",", " ").split()
    }
    values = {name: value for name, value in VALUES.items() if name in words}
    request = GOOD | {"UpdateExpression": expression} | members
    return request | ({"ExpressionAttributeValues": values} if values else {})


EXPRESSIONS = """
SET s = :s
SET fresh = :s
SET s = :s, n = :n
SET s=:s,n=:n
set s = :s
SET m.x = :s
SET m.fresh = :s
SET m.deep.er = :n
SET m.nothing.x = :s
SET s.x = :s
SET l[0] = :s
SET l[1] = :s, l[0] = :n
SET l[99] = :s
SET l[2][0] = :s
SET l[3].x = :s
SET m[0] = :s
SET l.x = :s
SET nothing[0] = :s
SET n = n + :n
SET n = n - :n
SET n = :n + n
SET n = :n - :n
SET n = n + n
SET n = s + :n
SET n = n + :s
SET n = nothing + :n
SET n = n + :n + :n
SET n = (n + :n)
SET n = if_not_exists(n, :n)
SET fresh2 = if_not_exists(fresh2, :n)
SET fresh3 = if_not_exists(fresh3, :n) + :n
SET fresh4 = if_not_exists(nothing, n)
SET n = if_not_exists(n)
SET n = if_not_exists(:n, :n)
SET n = if_not_exists(n, :n, :n)
SET l = list_append(l, :l)
SET l = list_append(:l, l)
SET l = list_append(:l, :e)
SET l = list_append(l, :s)
SET l = list_append(s, :l)
SET l = list_append(nothing, :l)
SET l = list_append(if_not_exists(nothing, :e), :l)
SET l = list_append(l)
SET l = list_append(l, :l, :l)
SET s = n
SET s = nothing
SET s = m.x
SET s = l[1]
SET s = size(s)
SET s = attribute_exists(s)
SET s = nosuch(s)
SET pk = :s
SET s = :s, s = :n
SET m = :m, m.x = :s
SET m.x = :s, m = :m
SET l[0] = :s, l = :l
SET s = :s REMOVE s
SET s = :s REMOVE n
SET s = :s REMOVE n ADD c :n DELETE ss :ss
SET s = :s SET n = :n
REMOVE s REMOVE n
REMOVE s
REMOVE nothing
REMOVE m.x
REMOVE m.nothing
REMOVE m.nothing.deeper
REMOVE l[0]
REMOVE l[0], l[1]
REMOVE l[99]
REMOVE pk
REMOVE s, s
REMOVE s = :s
REMOVE :s
REMOVE
SET
SET s
SET s =
SET = :s
SET s = :s,
SET s == :s
SET :s = s
SET s = s =
ADD n :n
ADD fresh5 :n
ADD n :s
ADD s :n
ADD ss :ss
ADD ns :ns
ADD bs :bs
ADD fresh6 :ss
ADD ss :ns
ADD n :ss
ADD l :l
ADD m :m
ADD m.n :n
ADD m.fresh :n
ADD n n
ADD n = :n
ADD pk :n
ADD n
ADD n :n, n :n
DELETE ss :ss
DELETE ns :ns
DELETE bs :bs
DELETE ss :ns
DELETE ss :s
DELETE s :ss
DELETE n :n
DELETE nothing :ss
DELETE m.x :ss
DELETE ss
DELETE ss, :ss
SET name = :s
SET #undefined = :s
SET s = :undefined
SET a.name = :s
FOO s = :s
s = :s
SET t = :t, z = :z
SET m.l[0] = :n
SET m.l[5] = :n
SET m.l[1] = m.l[0]
SET a1 = :s REMOVE a1
REMOVE m.l[0], m.l
SET m.deep = :m REMOVE m.deep.er
SET n = -:n
SET n = 5
SET s = "text"
SET s = :s;
SET s = :s WHERE n = :n
SET s = :s AND n = :n
SET s.s = :s, s = :s
SET l[-1] = :s
SET l[0 = :s
SET l[:n] = :s
"""

SEVERAL_FAULTS = """
SET one = nothing, two = s + :n
SET two = nothing, one = s + :n
SET one = s + :n, two = nothing
SET a = nothing, b = s + :n, c.x = :n
SET category = nothing, user_id = s + :n, created_at.x = :n
SET created_at = nothing, category = s + :n, user_id.x = :n
SET user_id = nothing, created_at = s + :n, category.x = :n
SET c = nothing ADD s :ss
ADD s :ss SET c = nothing
SET m.one = nothing, m.two = s + :n, m.deep.nothing.x = :n
SET m.two = nothing, m.one = s + :n, m.x.y = :n
SET l[0] = nothing, l[1] = s + :n
SET l[14] = nothing, l[15] = s + :n
SET l[0] = nothing, l[16] = s + :n
SET l[3].x = nothing, l[2][0] = s + :n REMOVE l[1].x
SET one = :s, two = :s, one.x = :s
SET one.a = :s, one.b = :s, two = :s, one = :s
SET one[0] = :s, two.x = :s, one.x = :s
SET one[0].a = :s, one[1].b = :s REMOVE one[0]
"""

MEMBERS: dict[str, Case] = {
    "nothing": {},
    "no key": {"TableName": "@hash", "UpdateExpression": "SET s = :s"},
    "no expression": GOOD,
    "no expression, new item": GOOD | {"Key": {"pk": S("made by an empty update")}},
    "expression empty": update(""),
    "expression blank": update("   "),
    "table is not there": update("SET s = :s", TableName="@missing"),
    "key wrong": update("SET s = :s", Key={"x": S("a")}),
    "key too many": update("SET s = :s", Key={"pk": S("a"), "x": S("a")}),
    "key wrong type": update("SET s = :s", Key={"pk": N(1)}),
    "returns nonsense": update("SET s = :s", ReturnValues="x"),
    "index key to a wrong type": update(
        "SET g = :n", TableName="@indexed", Key={"pk": S("p"), "sk": S("s1")}
    ),
    "index key to an empty string": update(
        "SET g = :empty",
        TableName="@indexed",
        Key={"pk": S("p"), "sk": S("s1")},
        ExpressionAttributeValues={":empty": S("")},
    ),
    "index key computed, empty": update(
        "SET g = if_not_exists(nothing, :empty)",
        TableName="@indexed",
        Key={"pk": S("p"), "sk": S("s1")},
        ExpressionAttributeValues={":empty": S("")},
    ),
    "index key computed, empty and of another type": update(
        "SET h = if_not_exists(nothing, :empty)",
        TableName="@indexed",
        Key={"pk": S("p"), "sk": S("s1")},
        ExpressionAttributeValues={":empty": S("")},
    ),
    "index key removed": update(
        "REMOVE g", TableName="@indexed", Key={"pk": S("p"), "sk": S("s1")}
    ),
    "index key changed, capacity": update(
        "SET g = :s",
        TableName="@indexed",
        Key={"pk": S("p"), "sk": S("s2")},
        ReturnConsumedCapacity="INDEXES",
    ),
    "other attribute changed, capacity": update(
        "SET b = :s",
        TableName="@indexed",
        Key={"pk": S("p"), "sk": S("s2")},
        ReturnConsumedCapacity="INDEXES",
    ),
    "nothing changed, capacity": update(
        "SET b = :s",
        TableName="@indexed",
        Key={"pk": S("p"), "sk": S("s2")},
        ReturnConsumedCapacity="INDEXES",
    ),
    "metrics": update(
        "SET b = :s",
        TableName="@indexed",
        Key={"pk": S("p"), "sk": S("s2")},
        ReturnItemCollectionMetrics="SIZE",
    ),
    "sort key in the expression": update(
        "SET sk = :n", TableName="@range", Key={"pk": S("p"), "sk": N(1)}
    ),
    "grows over 400 KB": update(
        "SET big = :big", ExpressionAttributeValues={":big": S("x" * 300_000)}, ReturnValues="NONE"
    ),
    "grows over 400 KB again": update(
        "SET big2 = :big", ExpressionAttributeValues={":big": S("x" * 200_000)}, ReturnValues="NONE"
    ),
    "shrinks": update("REMOVE big"),
    "condition fails, all old": update(
        "SET s = :s", ConditionExpression="s = :t", ReturnValuesOnConditionCheckFailure="ALL_OLD"
    )
    | {"ExpressionAttributeValues": {":s": S("a"), ":t": S("never")}},
    "condition on a missing item": update(
        "SET s = :s", Key={"pk": S("nobody")}, ConditionExpression="attribute_exists(pk)"
    ),
    "updates and expression": update("SET s = :s", AttributeUpdates={"n": {"Value": N(1)}}),
    "updates and condition": GOOD
    | {"AttributeUpdates": {"n": {"Value": N(1)}}, "ConditionExpression": "attribute_exists(pk)"},
    "expected and expression": update("SET s = :s", Expected={"n": {"Value": N(1)}}),
    "number overflows": update(
        "SET n = n + :big", ExpressionAttributeValues={":big": N("9.9E125")}
    ),
    "number overflows with too many digits": update(
        "SET n = :a + :b",
        ExpressionAttributeValues={
            ":a": N("9.9999999999999999999999999999999999999E+125"),
            ":b": N("1E125"),
        },
    ),
    "number of too many digits": update(
        "SET n = :a + :b", ExpressionAttributeValues={":a": N("1E37"), ":b": N("0.1")}
    ),
    "number of many digits": update(
        "SET n = :a + :b", ExpressionAttributeValues={":a": N("1E20"), ":b": N("0.01")}
    ),
    "decimal is exact": update(
        "SET n = :a + :b", ExpressionAttributeValues={":a": N("0.1"), ":b": N("0.2")}
    ),
    "expression too long": update("SET " + ", ".join(f"a{n} = :s" for n in range(400))),
    "condition of deep negations": update(
        "SET s = :s", ConditionExpression="NOT " * 1000 + "s = :s"
    ),
    "condition of deep groups": update(
        "SET s = :s", ConditionExpression="NOT (" * 400 + "s = :s" + ")" * 399
    ),
    "condition of deep sizes": update(
        "SET s = :s", ConditionExpression="s < " + "size(" * 650 + "s" + ")" * 650
    ),
    "condition of deep functions": update(
        "SET s = :s", ConditionExpression="s < " + "f(" * 1300 + "s" + ")" * 1300
    ),
    "deep defaults": update("SET d = " + "if_not_exists(nothing, " * 150 + "s" + ")" * 150),
    "deep functions": update("SET d = " + "f(" * 1300 + "s" + ")" * 1300),
    "deep groups": update("SET d = " + "(" * 2000),
    "value unused": update("SET s = :s", ExpressionAttributeValues={":s": S("a"), ":u": S("b")}),
    "name unused": update("SET s = :s", ExpressionAttributeNames={"#u": "s"}),
}

LEGACY: dict[str, dict[str, object]] = {
    "put": {"s": {"Value": S("p"), "Action": "PUT"}},
    "put by default": {"s": {"Value": S("d")}},
    "put without value": {"s": {"Action": "PUT"}},
    "add number": {"n": {"Value": N(3), "Action": "ADD"}},
    "add number to nothing": {"fresh": {"Value": N(3), "Action": "ADD"}},
    "add string": {"s": {"Value": S("x"), "Action": "ADD"}},
    "add set": {"ss": {"Value": {"SS": ["x"]}, "Action": "ADD"}},
    "add set to number": {"n": {"Value": {"SS": ["x"]}, "Action": "ADD"}},
    "add list": {"l": {"Value": {"L": [S("x")]}, "Action": "ADD"}},
    "add without value": {"n": {"Action": "ADD"}},
    "delete": {"s": {"Action": "DELETE"}},
    "delete nothing": {"nothing": {"Action": "DELETE"}},
    "delete from set": {"ss": {"Value": {"SS": ["a"]}, "Action": "DELETE"}},
    "delete all of a set": {"ns": {"Value": {"NS": ["1", "2"]}, "Action": "DELETE"}},
    "delete string": {"s": {"Value": S("text"), "Action": "DELETE"}},
    "delete from set of other type": {"ss": {"Value": {"NS": ["1"]}, "Action": "DELETE"}},
    "action nonsense": {"s": {"Value": S("x"), "Action": "MERGE"}},
    "key": {"pk": {"Value": S("x")}},
    "empty": {},
    "empty update": {"s": {}},
    "wrong value": {"s": {"Value": {"SS": []}}},
    "empty name": {"": {"Value": S("x")}},
}
RETURNS = ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")


@pytest.fixture(autouse=True)
def item_one(arena: Arena) -> None:
    """Every case starts from the same item."""
    nested = {"x": S("X"), "n": N(1), "l": {"L": [N(1), N(2)]}, "deep": {"M": {"er": S("D")}}}
    item = {
        "pk": S("one"),
        "s": S("text"),
        "n": N(5),
        "ss": {"SS": ["a", "b", "c"]},
        "ns": {"NS": ["1", "2"]},
        "bs": {"BS": ["YQ==", "Yg=="]},
        "l": {"L": [N(1), S("two"), {"L": [N(3)]}, {"M": {"x": N(4)}}]},
        "m": {"M": nested},
    }
    arena.same("PutItem", {"TableName": "@hash", "Item": item})


@cases({line: update(line, ReturnValues="ALL_NEW") for line in EXPRESSIONS.strip().splitlines()})
def test_update_expressions_do_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # Every clause, function and path, the well formed and the not: result and message.
    arena.same("UpdateItem", case)
    arena.same_afterwards("GetItem", GOOD)


@cases({line: update(line) for line in SEVERAL_FAULTS.strip().splitlines()})
def test_of_several_faults_the_same_is_named(arena: Arena, case: Case) -> None:
    # AWS goes through an update in the order of a hash map, which follows from the names.
    arena.same("UpdateItem", case)


@pytest.mark.parametrize("returns", RETURNS)
@cases(
    {
        line: update(line)
        for line in (
            "SET s = :s, m.x = :s, l[1] = :n",
            "REMOVE s, m.x, l[0]",
            "ADD n :n, fresh :ss",
            "DELETE ss :ss",
            "SET fresh = :n REMOVE nothing",
            "SET l[9] = :s",
            "SET l[0] = :s, l[2][0] = :n",
        )
    }
)
def test_the_five_kinds_of_return_values_hold_what_the_oracle_returns(
    arena: Arena, case: Case, returns: str
) -> None:
    # UPDATED_OLD and UPDATED_NEW return only the paths that were named, cut out of documents.
    assert isinstance(case, dict)
    arena.same("UpdateItem", case | {"ReturnValues": returns})
    arena.same(
        "UpdateItem", case | {"ReturnValues": returns, "Key": {"pk": S(f"new for {returns}")}}
    )


@cases(MEMBERS)
def test_update_item_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # Members of the request besides the expression.
    arena.same("UpdateItem", case)


@pytest.mark.parametrize("returns", RETURNS)
@cases({name: GOOD | {"AttributeUpdates": updates} for name, updates in LEGACY.items()})
def test_attribute_updates_do_as_the_oracle_does(arena: Arena, case: Case, returns: str) -> None:
    # Old programs still send these; AWS keeps them working.
    assert isinstance(case, dict)
    arena.same("UpdateItem", case | {"ReturnValues": returns})
    if all(
        "Action" in attributeupdate for attributeupdate in case["AttributeUpdates"].values()
    ):  # without one: a known difference
        arena.same_afterwards("GetItem", GOOD)


@cases(
    wrong_types(
        {
            **GOOD,
            "UpdateExpression": "REMOVE s",
            "AttributeUpdates": {},
            "ExpressionAttributeValues": {},
        }
    )
)
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked.
    arena.same("UpdateItem", case)
