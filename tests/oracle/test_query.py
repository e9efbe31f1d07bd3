"""Query: key conditions in both spellings, indexes, order, limits, pages, Select, and what is
refused.
"""

from typing import Any

from tests.oracle.cases import Arena, B, Case, N, S, cases, wrong_types

VALUES = {
    ":p": S("p"),
    ":one": N(1),
    ":three": N(3),
    ":s": S("s"),
    ":s1": S("s1"),
    ":s3": S("s3"),
    ":g": S("g"),
    ":b": B("YQ=="),
    ":ab": B("YWI="),
    ":t": {"BOOL": True},
    ":l": {"L": []},
    ":empty": S(""),
    ":bad": N("x"),
    ":max": N("9.9999999999999999999999999999999999999E+125"),
}


def query(condition: str, table: str = "@range", **members: Any) -> dict[str, Any]:
    """A query with the values above that its texts name."""
    texts = " ".join(str(text) for text in (condition, members.get("FilterExpression", "")))
    for sign in "(),=<>":
        texts = texts.replace(sign, " ")
    values = {name: value for name, value in VALUES.items() if name in texts.split()}
    request: dict[str, Any] = {"TableName": table, "KeyConditionExpression": condition}
    return request | ({"ExpressionAttributeValues": values} if values else {}) | members


CONDITIONS = """
pk = :p
:p = pk
(pk = :p)
((pk = :p))
pk = :p AND sk = :one
pk = :p and sk = :one
sk = :one AND pk = :p
(pk = :p) AND (sk = :one)
(pk = :p AND sk = :one)
pk = :p AND sk < :three
pk = :p AND sk <= :three
pk = :p AND sk > :three
pk = :p AND sk >= :three
pk = :p AND :three < sk
pk = :p AND sk BETWEEN :one AND :three
pk = :p AND sk between :one and :three
pk = :p AND sk BETWEEN :three AND :one
pk = :p AND sk BETWEEN :one AND :s
pk = :p AND (sk BETWEEN :one AND :three)
pk = :p AND begins_with(sk, :one)
pk = :p AND begins_with(sk, :s)
pk = :p AND sk <> :one
pk = :p AND sk IN (:one)
pk = :p AND contains(sk, :one)
pk = :p AND attribute_exists(sk)
pk = :p AND NOT sk = :one
pk = :p OR sk = :one
NOT pk = :p
pk = :p AND sk = :one AND sk = :three
pk = :p AND sk > :one AND sk < :three
pk = :p AND pk = :p
pk > :p
pk BETWEEN :p AND :s
begins_with(pk, :p)
pk IN (:p)
sk = :one
a = :one
pk = :p AND a = :one
pk = :one
pk = :p AND sk = :s
pk = :l
pk = :t
pk = :empty
pk = :bad
pk = :p AND sk < :max
pk = :p AND size(sk) = :one
pk = pk
pk = :p AND sk = a
pk.x = :p
pk[0] = :p
pk = :p AND
pk =
= :p
pk :p
pk = :p sk = :one
pk == :p
pk = :undefined
#undefined = :p
pk = :p AND sk BETWEEN :one
pk = :p AND begins_with(sk)
pk = :p AND begins_with(:s, sk)
pk = :p AND unknown(sk, :s)
:p = :p
pk = :p AND :one BETWEEN sk AND sk
"""

MEMBERS: dict[str, Case] = {
    "nothing": {},
    "no condition": {"TableName": "@range"},
    "condition empty": query(""),
    "condition blank": query(" "),
    "condition deep": query("NOT " * 1000 + "pk = :p"),
    "condition of deep groups": query("(" * 2000 + "pk = :p" + ")" * 2000),
    "partition key too long": query("pk = :p", ExpressionAttributeValues={":p": S("x" * 70_000)}),
    "table is not there": query("pk = :p", "@missing"),
    "table name short": query("pk = :p", "x"),
    "backwards": query("pk = :p", ScanIndexForward=False),
    "limit": query("pk = :p", Limit=3),
    "limit backwards": query("pk = :p", Limit=3, ScanIndexForward=False),
    "limit exactly all": query("pk = :p", Limit=10),
    "limit more than all": query("pk = :p", Limit=11),
    "limit zero": query("pk = :p", Limit=0),
    "limit negative": query("pk = :p", Limit=-1),
    "limit huge": query("pk = :p", Limit=2**31 - 1),
    "limit with filter": query("pk = :p", Limit=3, FilterExpression="a > :three"),
    "filter": query("pk = :p", FilterExpression="a > :three"),
    "filter none pass": query("pk = :p", FilterExpression="a = :s"),
    "filter on the hash key": query("pk = :p", FilterExpression="pk = :p"),
    "filter on the sort key": query("pk = :p", FilterExpression="sk > :one"),
    "filter on a missing attribute": query("pk = :p", FilterExpression="attribute_not_exists(q)"),
    "filter empty": query("pk = :p", FilterExpression=""),
    "filter syntax": query("pk = :p", FilterExpression="a >"),
    "filter undefined value": query("pk = :p", FilterExpression="a > :nope"),
    "no items": query("pk = :g"),
    "no items, capacity": query("pk = :g", ReturnConsumedCapacity="TOTAL"),
    "capacity": query("pk = :p", ReturnConsumedCapacity="TOTAL"),
    "capacity consistent": query("pk = :p", ReturnConsumedCapacity="TOTAL", ConsistentRead=True),
    "capacity indexes": query("pk = :p", ReturnConsumedCapacity="INDEXES"),
    "capacity nonsense": query("pk = :p", ReturnConsumedCapacity="x"),
    "count": query("pk = :p", Select="COUNT"),
    "count with filter": query("pk = :p", Select="COUNT", FilterExpression="a > :three"),
    "select all": query("pk = :p", Select="ALL_ATTRIBUTES"),
    "select projected on a table": query("pk = :p", Select="ALL_PROJECTED_ATTRIBUTES"),
    "select specific without projection": query("pk = :p", Select="SPECIFIC_ATTRIBUTES"),
    "select specific": query("pk = :p", Select="SPECIFIC_ATTRIBUTES", ProjectionExpression="a"),
    "select count with projection": query("pk = :p", Select="COUNT", ProjectionExpression="a"),
    "select all with projection": query(
        "pk = :p", Select="ALL_ATTRIBUTES", ProjectionExpression="a"
    ),
    "select nonsense": query("pk = :p", Select="SOME"),
    "projection": query("pk = :p", ProjectionExpression="a, sk"),
    "projection overlaps": query("pk = :p", ProjectionExpression="a, a"),
    "attributes to get with expression": query("pk = :p", AttributesToGet=["a"]),
    "key conditions and expression": query("pk = :p", KeyConditions={}),
    "query filter and expression": query(
        "pk = :p", QueryFilter={"a": {"ComparisonOperator": "NULL"}}
    ),
    "conditional operator and expression": query("pk = :p", ConditionalOperator="AND"),
    "start": query("pk = :p", ExclusiveStartKey={"pk": S("p"), "sk": N(3)}),
    "start backwards": query(
        "pk = :p", ExclusiveStartKey={"pk": S("p"), "sk": N(3)}, ScanIndexForward=False
    ),
    "start at an item that is not there": query(
        "pk = :p", ExclusiveStartKey={"pk": S("p"), "sk": N("3.5")}
    ),
    "start at the end": query("pk = :p", ExclusiveStartKey={"pk": S("p"), "sk": N(7)}),
    "start in another partition": query("pk = :p", ExclusiveStartKey={"pk": S("q"), "sk": N(3)}),
    "start outside the condition": query(
        "pk = :p AND sk > :three", ExclusiveStartKey={"pk": S("p"), "sk": N(1)}
    ),
    "start outside the condition, equal": query(
        "pk = :p AND sk = :three", ExclusiveStartKey={"pk": S("p"), "sk": N(1)}
    ),
    "start without sort": query("pk = :p", ExclusiveStartKey={"pk": S("p")}),
    "start with too much": query(
        "pk = :p", ExclusiveStartKey={"pk": S("p"), "sk": N(1), "a": N(1)}
    ),
    "start wrong type": query("pk = :p", ExclusiveStartKey={"pk": S("p"), "sk": S("1")}),
    "start empty": query("pk = :p", ExclusiveStartKey={}),
    "start bad number": query("pk = :p", ExclusiveStartKey={"pk": S("p"), "sk": N("x")}),
    "unknown index": query("pk = :p", IndexName="nope"),
    "index name short": query("pk = :p", IndexName="no"),
    "index name bad": query("pk = :p", IndexName="n o p e"),
    "index name empty": query("pk = :p", IndexName=""),
    "hash only table with sort condition": query("pk = :p AND sk = :one", "@hash"),
    "hash only table": query("pk = :p", "@hash"),
    "binary": query("pk = :b", "@binary"),
    "binary begins with": query("pk = :b AND begins_with(sk, :b)", "@binary"),
    "binary less": query("pk = :b AND sk < :ab", "@binary"),
    "binary between": query("pk = :b AND sk BETWEEN :b AND :ab", "@binary"),
    "local index": query("pk = :p", "@indexed", IndexName="by_l"),
    "local index condition": query("pk = :p AND l > :three", "@indexed", IndexName="by_l"),
    "local index consistent": query(
        "pk = :p",
        "@indexed",
        IndexName="by_l",
        ConsistentRead=True,
        ReturnConsumedCapacity="INDEXES",
    ),
    "local index, sort key of the table": query(
        "pk = :p AND sk = :s1", "@indexed", IndexName="by_l"
    ),
    "local index limit": query("pk = :p", "@indexed", IndexName="by_l", Limit=2),
    "local index start": query(
        "pk = :p",
        "@indexed",
        IndexName="by_l",
        ExclusiveStartKey={"pk": S("p"), "sk": S("s5"), "l": N(4)},
    ),
    "local index start without its key": query(
        "pk = :p", "@indexed", IndexName="by_l", ExclusiveStartKey={"pk": S("p"), "sk": S("s5")}
    ),
    "global index": query("g = :g", "@indexed", IndexName="by_g"),
    "global index backwards": query("g = :g", "@indexed", IndexName="by_g", ScanIndexForward=False),
    "global index condition": query("g = :g AND h > :one", "@indexed", IndexName="by_g"),
    "global index capacity": query(
        "g = :g", "@indexed", IndexName="by_g", ReturnConsumedCapacity="INDEXES"
    ),
    "global index consistent": query("g = :g", "@indexed", IndexName="by_g", ConsistentRead=True),
    "global index by the table's key": query("pk = :p", "@indexed", IndexName="by_g"),
    "global index limit": query("g = :g", "@indexed", IndexName="by_g", Limit=2),
    "global index filter on its key": query(
        "g = :g", "@indexed", IndexName="by_g", FilterExpression="h > :one"
    ),
    "global index filter on the table's key": query(
        "g = :g", "@indexed", IndexName="by_g", FilterExpression="pk = :p"
    ),
    "keys only": query("g = :g AND pk = :p", "@indexed", IndexName="keys_only"),
    "keys only, all attributes": query(
        "h = :one", "@indexed", IndexName="some", Select="ALL_ATTRIBUTES"
    ),
    "include": query("h = :one", "@indexed", IndexName="some"),
    "include, projected attributes": query(
        "h = :one", "@indexed", IndexName="some", Select="ALL_PROJECTED_ATTRIBUTES"
    ),
    "include, projection of what is not there": query(
        "h = :one", "@indexed", IndexName="some", ProjectionExpression="b"
    ),
    "include, filter on what is not there": query(
        "h = :one", "@indexed", IndexName="some", FilterExpression="attribute_exists(b)"
    ),
    "global index start": query(
        "g = :g",
        "@indexed",
        IndexName="by_g",
        ExclusiveStartKey={"pk": S("p"), "sk": S("s1"), "g": S("g"), "h": N(1)},
    ),
    "global index start with the table's key only": query(
        "g = :g", "@indexed", IndexName="by_g", ExclusiveStartKey={"pk": S("p"), "sk": S("s1")}
    ),
    "unused value": query("pk = :p") | {"ExpressionAttributeValues": {":p": S("p"), ":u": S("p")}},
    "unused name": query("pk = :p", ExpressionAttributeNames={"#u": "p"}),
}


def condition(operator: str, *values: dict[str, Any]) -> dict[str, Any]:
    return {"ComparisonOperator": operator} | (
        {"AttributeValueList": list(values)} if values else {}
    )


def old(conditions: dict[str, Any], **members: Any) -> Case:
    return {"TableName": "@range", "KeyConditions": conditions} | members


PK = condition("EQ", S("p"))
LEGACY: dict[str, Case] = {
    "hash": old({"pk": PK}),
    "hash and sort": old({"pk": PK, "sk": condition("GT", N(3))}),
    "between": old({"pk": PK, "sk": condition("BETWEEN", N(1), N(3))}),
    "between reversed": old({"pk": PK, "sk": condition("BETWEEN", N(3), N(1))}),
    "between of one": old({"pk": PK, "sk": condition("BETWEEN", N(3))}),
    "begins with number": old({"pk": PK, "sk": condition("BEGINS_WITH", N(3))}),
    "not equal": old({"pk": PK, "sk": condition("NE", N(3))}),
    "in": old({"pk": PK, "sk": condition("IN", N(3))}),
    "null": old({"pk": PK, "sk": condition("NULL")}),
    "hash less": old({"pk": condition("LT", S("p"))}),
    "no hash": old({"sk": condition("EQ", N(1))}),
    "other attribute": old({"pk": PK, "a": condition("EQ", N(1))}),
    "three": old({"pk": PK, "sk": condition("EQ", N(1)), "a": condition("EQ", N(1))}),
    "empty": old({}),
    "no operator": old({"pk": {"AttributeValueList": [S("p")]}}),
    "no values": old({"pk": condition("EQ")}),
    "two values": old({"pk": condition("EQ", S("p"), S("q"))}),
    "wrong type": old({"pk": condition("EQ", N(1))}),
    "nonsense": old({"pk": condition("LIKE", S("p"))}),
    "filter": old({"pk": PK}, QueryFilter={"a": condition("GT", N(3))}),
    "filters": old(
        {"pk": PK}, QueryFilter={"a": condition("GT", N(3)), "b": condition("NOT_NULL")}
    ),
    "filters or": old(
        {"pk": PK},
        QueryFilter={"a": condition("GT", N(30)), "b": condition("EQ", S("x"))},
        ConditionalOperator="OR",
    ),
    "filter on a key": old({"pk": PK}, QueryFilter={"sk": condition("GT", N(3))}),
    "filter contains": old({"pk": PK}, QueryFilter={"b": condition("CONTAINS", S("x"))}),
    "filter not contains": old({"pk": PK}, QueryFilter={"b": condition("NOT_CONTAINS", S("x"))}),
    "filter begins": old({"pk": PK}, QueryFilter={"b": condition("BEGINS_WITH", S("x"))}),
    "filter in": old({"pk": PK}, QueryFilter={"a": condition("IN", N(1), N(4))}),
    "filter not equal": old({"pk": PK}, QueryFilter={"a": condition("NE", N(1))}),
    "filter and filter expression": old({"pk": PK}, FilterExpression="attribute_exists(a)"),
    "operator alone": old({"pk": PK}, ConditionalOperator="OR"),
    "attributes to get": old({"pk": PK}, AttributesToGet=["a"]),
    "attributes to get, twice": old({"pk": PK}, AttributesToGet=["a", "a"]),
    "attributes to get with projection": old(
        {"pk": PK}, AttributesToGet=["a"], ProjectionExpression="a"
    ),
    "with values": old({"pk": PK}, ExpressionAttributeValues={":a": N(1)}),
}


@cases({line: query(line) for line in CONDITIONS.strip().splitlines()})
def test_key_conditions_mean_what_they_mean_to_the_oracle(arena: Arena, case: Case) -> None:
    # A key condition taken wrongly reads the wrong items, or far too many.
    arena.same("Query", case)


@cases(MEMBERS)
def test_query_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # Everything else that a query takes.
    arena.same("Query", case)


@cases(LEGACY)
def test_old_key_conditions_and_filters_answer_as_the_oracle(arena: Arena, case: Case) -> None:
    # Old programs still send these; AWS keeps them working.
    arena.same("Query", case)


@cases(wrong_types({**query("pk = :p"), "Limit": 1, "ScanIndexForward": True, "Select": "COUNT"}))
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked.
    arena.same("Query", case)
