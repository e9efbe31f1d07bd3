"""Sizes: the expectations are DynamoDB Local's, found at the edge of its 400 KB limit."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.errors import ValidationException
from sortkey.values import numbers, sizes
from sortkey.values.attributes import read_value

NUMBERS = {
    "0": 1, "1": 2, "-1": 3, "10": 2, "100": 2, "12": 2, "99": 2, "123": 3, "1234": 3, "12345": 4, "-12": 3, "-123": 4,
    "0.1": 2, "0.01": 2, "0.001": 2, "0.12": 2, "0.0012": 2, "1.2": 3, "1.23": 3, "12.3": 3, "120": 3, "1200": 2,
    "12000": 3, "1e10": 2, "1e11": 2, "1e125": 2, "1e-130": 2, "9" * 38: 20, "9" * 37: 20, "-" + "9" * 38: 21,
    "1" * 38 + "e3": 21, "10.5": 3, "101": 3, "1010": 3, "10100": 3, "-0.5": 3, "-100": 3, "-10": 3, "1000000": 2,
    "1000001": 5, "100.01": 4, "-" + "1" * 38 + "e3": 21,
}  # fmt: skip

VALUES: list[tuple[dict[str, Any], int]] = [
    ({"S": ""}, 0),
    ({"S": "é"}, 2),
    ({"B": "YWI="}, 2),
    ({"B": ""}, 0),
    ({"B": "YQ=="}, 1),
    ({"BOOL": True}, 1),
    ({"NULL": True}, 1),
    ({"SS": ["a", "bc"]}, 3),
    ({"NS": ["-3", "1", "12"]}, 7),
    ({"BS": ["YQ==", "YWI="]}, 3),
    ({"L": []}, 3),
    ({"M": {}}, 3),
    ({"L": [{"S": "a"}]}, 5),
    ({"L": [{"S": "a"}, {"S": "b"}]}, 7),
    ({"M": {"a": {"S": "b"}}}, 6),
    ({"M": {"ab": {"S": "b"}, "c": {"N": "1"}}}, 11),
    ({"L": [{"L": []}]}, 7),
    ({"M": {"a": {"M": {}}}}, 8),
    ({"L": [{"N": "1"}, {"NULL": True}, {"BOOL": False}]}, 10),
    ({"M": {"a": {"L": [{"M": {"b": {"SS": ["x", "y"]}}}]}}}, 16),
]


@pytest.mark.parametrize(("text", "size"), NUMBERS.items())
def test_a_number_takes_a_byte_for_each_pair_of_digits(text: str, size: int) -> None:
    # Capacity is billed by size; the rule must be exact at the boundaries, on the fast path too.
    assert sizes.number_size(numbers.canonical(text)) == size
    assert read_value({"N": text})[1] == size


@pytest.mark.parametrize(("value", "size"), VALUES)
def test_a_value_has_the_documented_size(value: dict[str, Any], size: int) -> None:
    # The walk that validates and the walk over stored items must agree, or a read would cost other
    # than its write.
    assert sizes.value_size(value) == size
    assert read_value(value) == (value, size)


def test_an_item_counts_its_names_in_utf8() -> None:
    # Long names cost storage and capacity; é is two bytes.
    assert sizes.item_size({"k": {"S": "a"}, "é": {"N": "1"}}) == 1 + 1 + 2 + 2


def test_an_item_of_exactly_400_kb_is_allowed() -> None:
    # Off by one here and the largest items of an application fail on AWS only, or here only.
    sizes.check_item_size(409600)
    with pytest.raises(
        ValidationException, match=r"^Item size has exceeded the maximum allowed size$"
    ):
        sizes.check_item_size(409601)
    with pytest.raises(
        ValidationException, match=r"^Item size to update has exceeded the maximum allowed size$"
    ):
        sizes.check_item_size(409601, updating=True)
