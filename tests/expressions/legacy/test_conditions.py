"""Expected, AttributeUpdates and their kin: what they mean, and what AWS refuses of them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sortkey.errors import ValidationException
from sortkey.expressions import KeyRange
from sortkey.expressions.legacy import (
    attribute_updates,
    attributes_to_get,
    check_mixing,
    expected,
    key_conditions,
    legacy_filter,
)
from tests.expressions.sample import ITEM

S, N, B = {"S": "hello"}, {"N": "5"}, {"B": "aGU="}
SS, NS, L, M, T, NULL = (
    {"SS": ["a"]},
    {"NS": ["1"]},
    {"L": [N]},
    {"M": {}},
    {"BOOL": True},
    {"NULL": True},
)
INVALID = "One or more parameter values were invalid: "
SAME_TYPE = INVALID + "AttributeValues inside AttributeValueList must be of same type"


def comparing(operator: str, *values: dict[str, Any]) -> dict[str, Any]:
    return {"ComparisonOperator": operator, "AttributeValueList": list(values)}


COMPARED: list[tuple[str, str, list[dict[str, Any]], bool]] = [
    ("a", "EQ", [S], True),
    ("n", "EQ", [{"N": "5.0"}], True),
    ("nu", "EQ", [NULL], True),
    ("absent", "EQ", [S], False),
    ("absent", "NE", [S], True),
    ("n", "NE", [N], False),
    ("n", "LE", [N], True),
    ("n", "LT", [S], False),
    ("a", "GE", [{"S": "a"}], True),
    ("a", "GT", [S], False),
    ("a", "NOT_NULL", [], True),
    ("a", "NULL", [], False),
    ("nu", "NULL", [], False),
    ("a", "CONTAINS", [{"S": "ell"}], True),
    ("ss", "CONTAINS", [{"S": "a"}], True),
    ("l", "CONTAINS", [{"N": "1"}], True),
    ("n", "CONTAINS", [N], False),
    ("n", "NOT_CONTAINS", [N], True),
    ("absent", "NOT_CONTAINS", [N], False),
    ("a", "BEGINS_WITH", [{"S": "he"}], True),
    ("b", "BEGINS_WITH", [B], True),
    ("a", "IN", [S, {"S": "x"}], True),
    ("absent", "IN", [S], False),
    ("n", "BETWEEN", [{"N": "1"}, N], True),
]


@pytest.mark.parametrize(("name", "operator", "values", "holds"), COMPARED)
def test_a_filter_compares_as_dynamodb_does(
    name: str, operator: str, values: list[dict[str, Any]], holds: bool
):
    condition = legacy_filter({name: comparing(operator, *values)})
    assert condition is not None
    assert condition(ITEM) is holds
    assert condition.top_level == {name}


def wrong_count(operator: str) -> str:
    return INVALID + f"Invalid number of argument(s) for the {operator} ComparisonOperator"


def wrong_type(operator: str, kind: str) -> str:
    return INVALID + f"ComparisonOperator {operator} is not valid for {kind} AttributeValue type"


REFUSED_COMPARISONS: list[tuple[str, list[dict[str, Any]], str]] = [
    ("EQ", [], wrong_count("EQ")),
    ("NE", [S, S], wrong_count("NE")),
    ("NULL", [S], wrong_count("NULL")),
    ("IN", [], wrong_count("IN")),
    ("BETWEEN", [S], wrong_count("BETWEEN")),
    ("LT", [SS], wrong_type("LT", "SS")),
    ("GE", [T], wrong_type("GE", "BOOL")),
    ("IN", [NULL], wrong_type("IN", "NULL")),
    ("IN", [S, SS], wrong_type("IN", "SS")),
    ("CONTAINS", [L], wrong_type("CONTAINS", "L")),
    ("NOT_CONTAINS", [NS], wrong_type("NOT_CONTAINS", "NS")),
    ("BEGINS_WITH", [N], wrong_type("BEGINS_WITH", "N")),
    ("BETWEEN", [M, M], wrong_type("BETWEEN", "M")),
    ("BETWEEN", [S, N], SAME_TYPE),
    (
        "BETWEEN",
        [N, {"N": "1"}],
        "The BETWEEN condition was provided a range where the lower bound is greater than the "
        "upper bound",
    ),
]


@pytest.mark.parametrize(("operator", "values", "message"), REFUSED_COMPARISONS)
def test_the_arguments_of_a_comparison_are_checked(
    operator: str, values: list[dict[str, Any]], message: str
):
    with pytest.raises(ValidationException) as refused:
        legacy_filter({"a": comparing(operator, *values)})
    assert refused.value.message == message


EXPECTED: list[tuple[dict[str, Any], str | None, bool]] = [
    ({"a": {"Value": S}}, None, True),
    ({"a": {"Value": S, "Exists": True}}, None, True),
    ({"a": {"Exists": False}}, None, False),
    ({"absent": {"Exists": False}}, None, True),
    ({"a": {"ComparisonOperator": "EQ", "Value": S}}, None, True),
    ({"a": {"Value": S}, "n": {"Exists": False}}, "AND", False),
    ({"a": {"Value": S}, "n": {"Exists": False}}, None, False),
    ({"a": {"Value": S}, "n": {"Exists": False}}, "OR", True),
]


@pytest.mark.parametrize(("conditions", "operator", "holds"), EXPECTED)
def test_expected_joins_its_conditions(
    conditions: dict[str, Any], operator: str | None, holds: bool
):
    condition = expected(conditions, operator)
    assert condition is not None
    assert condition(ITEM) is holds


MISUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "Value must be provided when Exists is null"),
    ({"Exists": True}, "Value must be provided when Exists is true"),
    ({"Exists": False, "Value": S}, "Value cannot be used when Exists is false"),
    ({"AttributeValueList": [S]}, "AttributeValueList can only be used with a ComparisonOperator"),
    (
        {"AttributeValueList": [S], "Value": S},
        "Value and AttributeValueList cannot be used together",
    ),
    (
        {"ComparisonOperator": "NULL", "Exists": False},
        "Exists and ComparisonOperator cannot be used together",
    ),
    (
        {"ComparisonOperator": "EQ"},
        "Value or AttributeValueList must be used with ComparisonOperator: EQ",
    ),
]


@pytest.mark.parametrize(("condition", "fault"), MISUSED)
def test_expected_is_refused_in_the_words_of_aws(condition: dict[str, Any], fault: str):
    with pytest.raises(ValidationException) as refused:
        expected({"a": condition})
    assert refused.value.message == INVALID + f"{fault} for Attribute: a"


def test_entries_that_are_null_are_refused_by_name():
    # A client that leaves a value out by writing null learns which one.
    null: Any = {"a": None}
    for read, message in (
        (expected, INVALID + "ExpectedAttributeValue must not be null for Attribute: a"),
        (legacy_filter, "The filter condition for an attribute cannot be null: a"),
        (key_conditions, "The filter condition for an attribute cannot be null: a"),
        (
            attribute_updates,
            INVALID + "Only DELETE action is allowed when no attribute value is specified",
        ),
    ):
        with pytest.raises(ValidationException) as refused:
            read(null)
        assert refused.value.message == message


def test_a_conditional_operator_needs_two_conditions():
    # It would join nothing; AWS says which of the two ways it is wrong.
    with pytest.raises(
        ValidationException,
        match=r"^ConditionalOperator cannot be used without Filter or Expected$",
    ):
        legacy_filter({}, "AND")
    with pytest.raises(
        ValidationException,
        match="can only be used when Filter or Expected has two or more elements",
    ):
        expected({"a": {"Value": S}}, "OR")


UPDATED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"a": {"Value": N}}, {"a": N}),
    ({"a": {"Action": "PUT", "Value": N}, "n": {"Action": "DELETE"}}, {"a": N, "n": None}),
    ({"n": {"Action": "ADD", "Value": N}}, {"n": {"N": "10"}}),
    ({"q": {"Action": "ADD", "Value": N}}, {"q": N}),
    ({"l": {"Action": "ADD", "Value": L}}, {"l": {"L": [*ITEM["l"]["L"], N]}}),
    ({"ss": {"Action": "DELETE", "Value": {"SS": ["a", "z"]}}}, {"ss": {"SS": ["b", "c"]}}),
    ({"ss": {"Action": "DELETE", "Value": {"SS": ["a", "b", "c"]}}}, {"ss": None}),
    ({"q": {"Action": "DELETE", "Value": SS}}, {}),
    ({"m.x": {"Value": N}}, {"m.x": N}),
]


@pytest.mark.parametrize(("updates", "changed"), UPDATED)
def test_attribute_updates_change_whole_attributes(
    updates: dict[str, Any], changed: dict[str, Any]
):
    item = copy.deepcopy(ITEM)
    new = attribute_updates(updates)(item)
    wanted = {**ITEM, **changed}
    assert new == {name: value for name, value in wanted.items() if value is not None}
    assert item == ITEM


def test_only_deletes_create_no_item():
    # An empty AttributeUpdates does create one: it is how a bare key is written.
    assert attribute_updates({"a": {"Action": "DELETE"}}).only_removes
    assert not attribute_updates({"a": {"Value": S}}).only_removes
    assert not attribute_updates({}).only_removes


REFUSED_UPDATES: list[tuple[dict[str, Any], str]] = [
    (
        {"Action": "PUT"},
        INVALID + "Only DELETE action is allowed when no attribute value is specified",
    ),
    ({"Action": "ADD", "Value": S}, INVALID + "ADD action is not supported for the type STRING"),
    ({"Action": "ADD", "Value": M}, INVALID + "ADD action is not supported for the type MAP"),
    (
        {"Action": "DELETE", "Value": N},
        INVALID + "DELETE action with value is not supported for the type NUMBER",
    ),
    (
        {"Action": "DELETE", "Value": L},
        INVALID + "DELETE action with value is not supported for the type LIST",
    ),
    ({"Action": "ADD", "Value": N}, "Type mismatch for attribute to update"),
    ({"Action": "DELETE", "Value": SS}, "Type mismatch for attribute to update"),
]


@pytest.mark.parametrize(("update", "message"), REFUSED_UPDATES)
def test_attribute_updates_are_refused_in_the_words_of_aws(update: dict[str, Any], message: str):
    with pytest.raises(ValidationException) as refused:
        attribute_updates({"a": update})(ITEM)
    assert refused.value.message == message


TABLE = (("p",), ("r",), {"p": "S", "r": "N"})


def test_key_conditions_resolve_like_key_condition_expressions():
    # The engine has one way to read a range, whichever parameter it came in.
    conditions = {"r": comparing("BETWEEN", {"N": "1"}, N), "p": comparing("EQ", S)}
    assert key_conditions(conditions).resolve(*TABLE) == KeyRange(
        (S,), (), "BETWEEN", ({"N": "1"}, N)
    )


REFUSED_KEYS: list[tuple[dict[str, Any], str]] = [
    ({}, "Conditions must be at least length 1"),
    ({"r": comparing("EQ", N)}, "Query condition missed key schema element: p"),
    ({"p": comparing("NE", S)}, "Query key condition not supported"),
    (
        {"p": comparing("EQ", S), "r": comparing("CONTAINS", N)},
        "Attempted conditional constraint is not an indexable operation",
    ),
    ({"p": comparing("EQ", N)}, INVALID + "Condition parameter type does not match schema type"),
]


@pytest.mark.parametrize(("conditions", "message"), REFUSED_KEYS)
def test_key_conditions_are_refused_in_the_words_of_aws(conditions: dict[str, Any], message: str):
    with pytest.raises(ValidationException) as refused:
        key_conditions(conditions).resolve(*TABLE)
    assert refused.value.message == message


def test_attributes_to_get_have_names_that_an_attribute_can_have():
    # The limit of names is that of expressions and items.
    attributes_to_get(["x" * 65535])
    with pytest.raises(
        ValidationException, match="Attribute name is too large, must be less than 65536 bytes"
    ):
        attributes_to_get(["x" * 65536])


def test_attributes_to_get_are_names_and_named_once():
    # "m.x" is an attribute of that name here, not a path.
    assert attributes_to_get(["a", "m.x", "absent"])(ITEM) == {"a": S}
    with pytest.raises(ValidationException, match=r"Duplicate value in attribute name: a$"):
        attributes_to_get(["a", "b", "a"])


def test_expressions_and_older_parameters_do_not_mix():
    # Both lists are named in AWS's order; KeyConditions alone may stand beside a filter expression.
    legacy = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")
    modern = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
    check_mixing({"KeyConditions": {}, "FilterExpression": "a = b"}, legacy, modern)
    check_mixing({"QueryFilter": {}, "KeyConditions": {}}, legacy, modern)
    request = {
        "KeyConditions": {},
        "AttributesToGet": ["a"],
        "KeyConditionExpression": "",
        "FilterExpression": "",
    }
    with pytest.raises(ValidationException) as refused:
        check_mixing(request, legacy, modern)
    assert refused.value.message == (
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet, KeyConditions} "
        "Expression parameters: {FilterExpression, KeyConditionExpression}"
    )
