"""Comparison of two attribute values."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.values.attributes import read_value
from sortkey.values.compare import equal, order


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"N": "1"}, {"N": "1.0"}),
        ({"SS": ["b", "a"]}, {"SS": ["a", "b"]}),
        ({"NS": ["10", "9"]}, {"NS": ["9.0", "1e1"]}),
        ({"BS": ["Yg==", "YQ=="]}, {"BS": ["YQ==", "Yg=="]}),
        ({"M": {"a": {"N": "1"}, "b": {"S": ""}}}, {"M": {"b": {"S": ""}, "a": {"N": "+1"}}}),
        ({"L": [{"NULL": True}]}, {"L": [{"NULL": True}]}),
    ],
)
def test_values_that_mean_the_same_are_equal(a: dict[str, Any], b: dict[str, Any]) -> None:
    # A condition must not fail because a client wrote 1.0, or listed a set in another order.
    assert equal(read_value(a)[0], read_value(b)[0])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({"S": "a"}, {"S": "b"}, -1),
        ({"S": "a"}, {"S": "a"}, 0),
        ({"S": "\U00010000"}, {"S": "\uffff"}, 1),
        ({"N": "9"}, {"N": "10"}, -1),
        ({"N": "-0.5"}, {"N": "-1"}, 1),
        ({"N": "2"}, {"N": "2"}, 0),
        ({"B": "/w=="}, {"B": "YQ=="}, 1),
        ({"B": ""}, {"B": "YQ=="}, -1),
        ({"S": "1"}, {"N": "1"}, None),
        ({"BOOL": True}, {"BOOL": False}, None),
        ({"SS": ["a"]}, {"SS": ["a"]}, None),
        ({"NULL": True}, {"NULL": True}, None),
        ({"L": []}, {"L": [{"S": "a"}]}, None),
    ],
)
def test_only_strings_numbers_and_binaries_have_an_order(
    a: dict[str, Any], b: dict[str, Any], expected: int | None
) -> None:
    # `<` on other types, or across types, is false in DynamoDB, never an error and never Python's
    # own order.
    assert order(a, b) == expected
