"""Key conditions fitted to key schemas: of one attribute on each side, and of several."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.errors import ValidationException
from sortkey.expressions import KeyRange, Placeholders, check_filter

from .sample import VALUES, used_in

S, N, B = VALUES[":s"], VALUES[":n"], VALUES[":b"]
NINE = VALUES[":nine"]
TABLE = (("p",), ("r",), {"p": "S", "r": "N"})
HASH_ONLY = (("p",), (), {"p": "S"})
NAMES_INDEX = (
    ("h1", "h2"),
    ("r1", "r2", "r3"),
    {"h1": "S", "h2": "S", "r1": "N", "r2": "S", "r3": "B"},
)
Schema = tuple[tuple[str, ...], tuple[str, ...], dict[str, str]]


def resolve(text: str, schema: Schema) -> KeyRange:
    return Placeholders(None, used_in(text)).key_condition(text).resolve(*schema)


RESOLVED: list[tuple[str, Schema, KeyRange]] = [
    ("p = :s", TABLE, KeyRange((S,))),
    (":s = p", HASH_ONLY, KeyRange((S,))),
    ("(r = :n) AND (p = :s)", TABLE, KeyRange((S,), (N,))),
    ("p = :s AND r >= :n", TABLE, KeyRange((S,), (), ">=", (N,))),
    ("p = :s AND :n < r", TABLE, KeyRange((S,), (), ">", (N,))),
    ("p = :s AND r BETWEEN :n AND :nine", TABLE, KeyRange((S,), (), "BETWEEN", (N, NINE))),
    ("h2 = :s AND h1 = :h", NAMES_INDEX, KeyRange((VALUES[":h"], S))),
    ("r2 = :s AND h1 = :s AND (h2 = :s AND r1 = :n)", NAMES_INDEX, KeyRange((S, S), (N, S))),
    (
        "h1 = :s AND h2 = :s AND r1 = :n AND begins_with(r2, :h)",
        NAMES_INDEX,
        KeyRange((S, S), (N,), "begins_with", (VALUES[":h"],)),
    ),
    (
        "h1 = :s AND h2 = :s AND r1 = :n AND r2 = :s AND r3 <= :b",
        NAMES_INDEX,
        KeyRange((S, S), (N, S), "<=", (B,)),
    ),
]


@pytest.mark.parametrize(("text", "schema", "expected"), RESOLVED)
def test_a_key_condition_becomes_a_range_in_the_order_of_the_schema(
    text: str, schema: Schema, expected: KeyRange
):
    assert resolve(text, schema) == expected


INVALID = "Invalid condition in KeyConditionExpression: "
TYPE = (
    "One or more parameter values were invalid: Condition parameter type does not match schema type"
)
SCALAR = (
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
    "Key: "
)

REFUSED: list[tuple[str, Schema, str]] = [
    ("", TABLE, "Invalid KeyConditionExpression: The expression can not be empty;"),
    (
        "((p = :s))",
        TABLE,
        "Invalid KeyConditionExpression: The expression has redundant parentheses;",
    ),
    ("r = :n", TABLE, "Query condition missed key schema element: p"),
    ("p = :s AND q = :n", TABLE, "Query condition missed key schema element: r"),
    ("p = :s AND q = :n", HASH_ONLY, "Query key condition not supported"),
    ("p > :s AND q = :n", TABLE, "Query key condition not supported"),
    ("begins_with(p, :s)", TABLE, "Query key condition not supported"),
    ("p = :s AND r = :n AND q = :n", TABLE, "Conditions can be of length 1 or 2 only"),
    ("p = :s AND p = :s", TABLE, "KeyConditionExpressions must only contain one condition per key"),
    ("p = :s OR r = :n", TABLE, "Invalid operator used in KeyConditionExpression: OR"),
    ("NOT p = :s", TABLE, "Invalid operator used in KeyConditionExpression: NOT"),
    ("p = :s AND r IN (:n)", TABLE, "Invalid operator used in KeyConditionExpression: IN"),
    ("p = :s AND r <> :n", TABLE, "Invalid operator used in KeyConditionExpression: <>"),
    (
        "p = :s AND contains(r, :s)",
        TABLE,
        "Invalid operator used in KeyConditionExpression: contains",
    ),
    ("p = :s AND size(r) = :n", TABLE, "KeyConditionExpressions cannot contain nested operations"),
    ("p = r", TABLE, INVALID + "Multiple attribute names used in one condition"),
    ("p = :s AND :n = :n", TABLE, INVALID + "No key attribute specified"),
    (
        "p = :s AND :n BETWEEN r AND r",
        TABLE,
        INVALID + "BETWEEN operator must have the key attribute as its first operand",
    ),
    ("p.x = :s OR r = :n", TABLE, SCALAR + "p"),
    (
        "p = :s AND q.x = :s",
        TABLE,
        "KeyConditionExpressions cannot have conditions on nested attributes",
    ),
    # Of several faults the leftmost is reported.
    ("q.x = r", TABLE, "KeyConditionExpressions cannot have conditions on nested attributes"),
    ("size(r) = q.x", TABLE, "KeyConditionExpressions cannot contain nested operations"),
    (
        ":n BETWEEN size(r) AND :n",
        TABLE,
        INVALID + "BETWEEN operator must have the key attribute as its first operand",
    ),
    (
        "p = :s AND p = :s AND q.x = :s",
        TABLE,
        "KeyConditionExpressions must only contain one condition per key",
    ),
    ("p = :n", TABLE, TYPE),
    ("p < :n", TABLE, TYPE),
    ("p = :s AND begins_with(r, :h)", TABLE, TYPE),
    (
        "p = :empty",
        TABLE,
        "One or more parameter values are not valid. "
        "The AttributeValue for a key attribute cannot contain an empty string value. Key: p",
    ),
    (
        "h1 = :s AND q = :s",
        NAMES_INDEX,
        "HASH key attributes h2 must have equality conditions specified in the query",
    ),
    (
        "h1 = :s AND h2 > :s",
        NAMES_INDEX,
        "HASH key attributes h2 must have equality conditions specified in the query",
    ),
    (
        "h1 = :s AND h2 = :s AND r3 = :b",
        NAMES_INDEX,
        "RANGE key attributes r1, r2 must have equality conditions specified in the query "
        "because a condition is present on key attribute r3",
    ),
    (
        "h1 = :s AND h2 = :s AND r1 > :n AND r2 = :s",
        NAMES_INDEX,
        "RANGE key attributes r1 must have equality conditions specified in the query "
        "because a condition is present on key attribute r2",
    ),
    (
        "h1 = :s AND h2 = :s AND q = :s",
        NAMES_INDEX,
        "Query condition missed key schema element: r1",
    ),
]


@pytest.mark.parametrize(("text", "schema", "message"), REFUSED)
def test_a_key_condition_is_refused_in_the_words_of_aws(text: str, schema: Schema, message: str):
    with pytest.raises(ValidationException) as refused:
        resolve(text, schema)
    assert refused.value.message == message


def test_the_range_attributes_of_a_query_are_limited_together():
    # 1024 bytes is the limit of a sort key; an index with several range attributes shares it among
    # them.
    values: dict[str, Any] = {":s": S, ":n": N, ":r": {"S": "x" * 1030}}
    condition = Placeholders(None, values).key_condition(
        "h1 = :s AND h2 = :s AND r1 = :n AND r2 = :r"
    )
    with pytest.raises(
        ValidationException, match="Aggregated size of all range keys has exceeded the size limit"
    ):
        condition.resolve(*NAMES_INDEX)


def test_a_filter_may_not_look_at_key_attributes():
    # AWS reports the hash attribute first, whatever the order in the filter.
    condition = Placeholders().condition("attribute_exists(r) OR p = a", "FilterExpression")
    with pytest.raises(
        ValidationException,
        match=r"can only contain non-primary key attributes: Primary key .*: p$",
    ):
        check_filter(condition, ("p", "r"))
    check_filter(condition, ("q",))
