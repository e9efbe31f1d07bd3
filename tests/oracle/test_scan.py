"""Scan: filters, every operator and function of conditions, segments, limits, indexes."""

from typing import Any

import pytest

from tests.oracle.cases import Arena, Case, N, S, cases, wrong_types

VALUES: dict[str, Any] = {
    ":n": N(5),
    ":m": N(-1),
    ":s": S("text"),
    ":t": S("te"),
    ":empty": S(""),
    ":true": {"BOOL": True},
    ":null": {"NULL": True},
    ":bin": {"B": "YWI="},
    ":ss": {"SS": ["a", "b", "c"]},
    ":ns": {"NS": ["2", "1"]},
    ":a": S("a"),
    ":one": N(1),
    ":list": {"L": [N(1)]},
    ":map": {"M": {"er": S("D")}},
    ":S": S("S"),
    ":N": S("N"),
    ":X": S("X"),
    ":SS": S("SS"),
}


def scan(text: str, **members: Any) -> Case:
    words = text
    for sign in "(),=<>":
        words = words.replace(sign, " ")
    values = {name: value for name, value in VALUES.items() if name in words.split()}
    request: dict[str, Any] = {"TableName": "@hash", "FilterExpression": text}
    return request | ({"ExpressionAttributeValues": values} if values else {}) | members


FILTERS = """
n = :n
n <> :n
n < :n
n <= :n
n > :m
n >= :m
:n = n
n = n
n = :s
s = :s
s < :s
s = :empty
t = :true
t < :true
z = :null
ss = :ss
ns = :ns
ss < :ss
l = :list
m.deep = :map
m = :map
bin > :bin
nothing = :n
nothing <> :n
n <> :s
n BETWEEN :m AND :n
n NOT BETWEEN :m AND :n
NOT n BETWEEN :m AND :n
n BETWEEN :n AND :m
n BETWEEN :n AND :s
:n BETWEEN :m AND n
n BETWEEN :list AND :list
n IN (:n)
n IN (:n, :m)
n IN (:s, :n)
n IN ()
n IN :n
n NOT IN (:n)
:n IN (n, :m)
attribute_exists(n)
attribute_exists(m.deep.er)
attribute_exists(l[0])
attribute_exists(l[9])
attribute_exists(:n)
attribute_exists(n, s)
attribute_exists()
attribute_not_exists(s)
attribute_type(s, :S)
attribute_type(n, :S)
attribute_type(ss, :SS)
attribute_type(n, :N)
attribute_type(n, :X)
attribute_type(n, :n)
attribute_type(n, s)
attribute_type(n)
begins_with(s, :t)
begins_with(s, :s)
begins_with(s, :n)
begins_with(n, :t)
begins_with(bin, :bin)
begins_with(:s, :t)
begins_with(s, s)
begins_with(s)
contains(s, :t)
contains(ss, :a)
contains(ns, :one)
contains(l, :one)
contains(l, :list)
contains(s, :n)
contains(ss, :ss)
contains(:ss, s)
contains(s, s)
contains(s)
size(s) = :n
size(s) > :one
size(ss) > :one
size(l) > :one
size(m) > :one
size(bin) > :one
size(n) > :one
size(t) = :one
size(nothing) = :one
size(s) = size(s)
size(:s) > :one
size(s)
size(s, n) = :one
size(size(s)) = :one
:one < size(l)
size(s) BETWEEN :one AND :n
size(s) IN (:n, :one)
contains(s, size(s))
n = :n AND s = :s
n = :n OR s = :empty
n = :n OR s = :empty AND n = :m
(n = :n OR s = :empty) AND n = :m
NOT n = :n
NOT (n = :n)
NOT NOT n = :n
NOT n = :n AND s = :s
NOT (n = :n AND s = :s)
n = :n and not s = :empty
n = :n AND
AND n = :n
n = :n n = :n
n
:n
(n = :n
n = :n)
((n = :n))
()
n == :n
n != :n
n = :undefined
#undefined = :n
name = :n
m.x = :s
l[0] = :one
l[2][0] = :one
l[3].x = :one
unknown(n)
SIZE(s) = :n
Begins_with(s, :t)
n = 5
s = 'text'
n + :one = :n
if_not_exists(n, :n) = :n
n BETWEEN :m
n BETWEEN :m OR :n
attribute_exists(n) = :true
attribute_exists(n) AND attribute_exists(s)
(attribute_exists(n)) OR (attribute_exists(s))
contains(m.l, :one)
n = :n = :n
n < :n < :n
pk = :s
begins_with(pk, :t)
n IN (:n, :n)
:n = :n
:n <> :m
size(s) <> :null
l[0].x = :one
m[0] = :one
n . x = :one
m.deep.er = :s
"""

MEMBERS: dict[str, Case] = {
    "nothing": {},
    "all": {"TableName": "@hash"},
    "table is not there": {"TableName": "@missing"},
    "count": {"TableName": "@range", "Select": "COUNT"},
    "capacity": {"TableName": "@range", "ReturnConsumedCapacity": "TOTAL"},
    "capacity consistent": {
        "TableName": "@range",
        "ReturnConsumedCapacity": "TOTAL",
        "ConsistentRead": True,
    },
    "projection": {"TableName": "@range", "ProjectionExpression": "a"},
    "select nonsense": {"TableName": "@range", "Select": "x"},
    "select projected": {"TableName": "@range", "Select": "ALL_PROJECTED_ATTRIBUTES"},
    "limit zero": {"TableName": "@range", "Limit": 0},
    "filter empty": {"TableName": "@range", "FilterExpression": ""},
    "filter empty, with values": {
        "TableName": "@range",
        "FilterExpression": "",
        "ExpressionAttributeValues": {":a": N(1)},
    },
    "values empty": scan("attribute_exists(n)", ExpressionAttributeValues={}),
    "index": {"TableName": "@indexed", "IndexName": "by_g"},
    "index capacity": {
        "TableName": "@indexed",
        "IndexName": "by_g",
        "ReturnConsumedCapacity": "INDEXES",
    },
    "local index": {"TableName": "@indexed", "IndexName": "by_l"},
    "index keys only": {"TableName": "@indexed", "IndexName": "keys_only"},
    "index include": {"TableName": "@indexed", "IndexName": "some"},
    "index include, all": {
        "TableName": "@indexed",
        "IndexName": "some",
        "Select": "ALL_ATTRIBUTES",
    },
    "index consistent": {"TableName": "@indexed", "IndexName": "by_g", "ConsistentRead": True},
    "local index consistent": {
        "TableName": "@indexed",
        "IndexName": "by_l",
        "ConsistentRead": True,
    },
    "index unknown": {"TableName": "@indexed", "IndexName": "nope"},
    "segment without total": {"TableName": "@range", "Segment": 0},
    "total without segment": {"TableName": "@range", "TotalSegments": 2},
    "segment too big": {"TableName": "@range", "Segment": 2, "TotalSegments": 2},
    "segment negative": {"TableName": "@range", "Segment": -1, "TotalSegments": 2},
    "segments zero": {"TableName": "@range", "Segment": 0, "TotalSegments": 0},
    "segments a million": {"TableName": "@range", "Segment": 0, "TotalSegments": 1_000_000},
    "segments over a million": {"TableName": "@range", "Segment": 0, "TotalSegments": 1_000_001},
    "segment one of one": {"TableName": "@range", "Segment": 0, "TotalSegments": 1},
    "start wrong": {"TableName": "@range", "ExclusiveStartKey": {"pk": S("p")}},
    "start empty": {"TableName": "@range", "ExclusiveStartKey": {}},
    "start wrong type": {"TableName": "@range", "ExclusiveStartKey": {"pk": S("p"), "sk": S("x")}},
    "scan filter": {
        "TableName": "@range",
        "ScanFilter": {"a": {"ComparisonOperator": "GT", "AttributeValueList": [N(3)]}},
    },
    "scan filter or": {
        "TableName": "@range",
        "ScanFilter": {
            "a": {"ComparisonOperator": "GT", "AttributeValueList": [N(30)]},
            "b": {"ComparisonOperator": "EQ", "AttributeValueList": [S("x")]},
        },
        "ConditionalOperator": "OR",
    },
    "scan filter and filter expression": {
        "TableName": "@range",
        "ScanFilter": {"a": {"ComparisonOperator": "NULL"}},
        "FilterExpression": "attribute_exists(a)",
    },
    "attributes to get and filter expression": scan("attribute_exists(n)", AttributesToGet=["n"]),
    "attributes to get": {"TableName": "@hash", "AttributesToGet": ["n", "s"]},
    "attributes to get with select all": {
        "TableName": "@hash",
        "AttributesToGet": ["n"],
        "Select": "ALL_ATTRIBUTES",
    },
    "attributes to get with count": {
        "TableName": "@hash",
        "AttributesToGet": ["n"],
        "Select": "COUNT",
    },
    "nested too deep": scan("NOT " * 300 + "n = :n"),
    "too long": scan("n = :n OR " * 500 + "n = :n"),
    "too many operators": scan(" OR ".join(["n = :n"] * 301)),
}

OPERATORS: dict[str, list[dict[str, Any]]] = {
    "EQ": [N(5)],
    "NE": [N(5)],
    "LT": [N(5)],
    "LE": [N(5)],
    "GT": [N(-5)],
    "GE": [N(-1)],
    "NULL": [],
    "NOT_NULL": [],
    "CONTAINS": [S("te")],
    "NOT_CONTAINS": [S("te")],
    "BEGINS_WITH": [S("te")],
    "IN": [N(5), N(1)],
    "BETWEEN": [N(0), N(9)],
}


@cases({line: scan(line) for line in FILTERS.strip().splitlines()})
def test_filters_mean_what_they_mean_to_the_oracle(arena: Arena, case: Case) -> None:
    # The same grammar serves ConditionExpression: a wrong truth here is a lost update there.
    arena.same("Scan", case)


@cases({line: scan(line) for line in FILTERS.strip().splitlines()})
def test_conditions_mean_what_they_mean_to_the_oracle(arena: Arena, case: Case) -> None:
    # As a condition a fault is named differently, and a missing item counts as empty.
    assert isinstance(case, dict)
    request = {name: value for name, value in case.items() if name != "FilterExpression"}
    request |= {"ConditionExpression": case["FilterExpression"]}
    for key in ("one", "nobody"):
        arena.same("DeleteItem", request | {"Key": {"pk": S(key)}, "ReturnValues": "NONE"})
    arena.same(
        "PutItem", {"TableName": "@hash", "Item": {"pk": S("one"), "n": N(5), "s": S("text")}}
    )


@cases(MEMBERS)
def test_scan_answers_as_the_oracle(arena: Arena, case: Case) -> None:
    # Everything else that a scan takes.
    arena.same("Scan", case)


@pytest.mark.parametrize("attribute", ["n", "s", "ss", "l", "nothing"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_old_comparisons_mean_what_they_mean_to_the_oracle(
    arena: Arena, operator: str, attribute: str
) -> None:
    # Old programs still send these; AWS keeps them working.
    comparison: dict[str, Any] = {"ComparisonOperator": operator}
    if OPERATORS[operator]:
        comparison["AttributeValueList"] = OPERATORS[operator]
    arena.same("Scan", {"TableName": "@hash", "ScanFilter": {attribute: comparison}})


@pytest.mark.parametrize("total", [1, 2, 3, 7])
def test_segments_together_hold_every_item_once(arena: Arena, total: int) -> None:
    # Which segment holds an item is the server's affair; that one does is not.
    def everything(side: Any) -> int:
        from tests.oracle.pair import drained

        name = arena.name("@range")
        parts = [
            drained(side, "Scan", {"TableName": name, "Segment": n, "TotalSegments": total})
            for n in range(total)
        ]
        return sum(part.body["Count"] for part in parts)

    assert everything(arena.pair.ours) == everything(arena.pair.oracle)


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_pages_together_hold_every_item_once(arena: Arena, limit: int) -> None:
    # Pages end after so many items; drained they are the table.
    arena.same_items("Scan", {"TableName": "@range", "Limit": limit})
    arena.same_items("Scan", {"TableName": "@indexed", "IndexName": "by_g", "Limit": limit})


@cases(
    wrong_types(
        {
            "TableName": "@hash",
            "Limit": 9,
            "Segment": 0,
            "TotalSegments": 1,
            "ConsistentRead": False,
        }
    )
)
def test_members_of_a_wrong_type_are_refused_as_the_oracle_does(arena: Arena, case: Case) -> None:
    # The body is read into a shape before anything is checked.
    arena.same("Scan", case)
