"""Python values as DynamoDB stores them, and back."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.errors import ModelError
from sortkey.model.codec import decode, encode
from sortkey.values.attributes import read_value

Colour = StrEnum("Colour", {"RED": "red"})
Level = Enum("Level", {"HIGH": 3})

NUMBERS = (
    st.integers(min_value=-(10**30), max_value=10**30)
    | st.floats(min_value=-1e100, max_value=1e100).filter(
        lambda number: number == 0 or abs(number) > 1e-100
    )
    | st.decimals(min_value=-(10**15), max_value=10**15, places=9)
)
SCALARS = st.none() | st.booleans() | NUMBERS | st.text(max_size=8) | st.binary(max_size=8)
SETS = (
    st.sets(st.text(max_size=4), min_size=1, max_size=4)
    | st.sets(st.integers(min_value=-99, max_value=99), min_size=1, max_size=4)
    | st.sets(st.binary(max_size=4), min_size=1, max_size=4)
)
VALUES = st.recursive(
    SCALARS | SETS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(min_size=1, max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_any_value_is_stored_again_as_it_was_stored(value: Any) -> None:
    # Members that a program does not know are read and written back; a digit lost there is lost for
    # all programs.
    stored, _ = read_value(encode(value))
    again, _ = read_value(encode(decode(stored)))
    assert again == stored


@given(VALUES)
def test_any_value_without_numbers_comes_back_as_it_went_in(value: Any) -> None:
    # Free-form maps are stored without a type that could repair them. Numbers come back as the same
    # number, but as int, float or Decimal by their digits.
    assert _without_numbers(decode(encode(value))) == _without_numbers(value)


@given(NUMBERS)
def test_numbers_are_written_as_the_service_answers_them(number: int | float | Decimal) -> None:
    # Keys of a batch are matched with its answers by their text.
    stored, _ = read_value(encode(number))
    assert stored == encode(number)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (Colour.RED, {"S": "red"}),
        (Level.HIGH, {"N": "3"}),
        (UUID(int=7), {"S": "00000000-0000-0000-0000-000000000007"}),
        (date(2026, 1, 2), {"S": "2026-01-02"}),
        ((1, "a"), {"L": [{"N": "1"}, {"S": "a"}]}),
        ({1: "a", Colour.RED: "b"}, {"M": {"1": {"S": "a"}, "red": {"S": "b"}}}),
        (frozenset({2, 10}), {"NS": ["10", "2"]}),
        (bytearray(b"x"), {"B": "eA=="}),
        (-0.0, {"N": "0"}),
    ],
)
def test_values_of_other_types_are_stored_as_what_they_stand_for(
    value: Any, stored: dict[str, Any]
) -> None:
    # pydantic reads them back from it, because the field says what they are.
    assert encode(value) == stored


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (set(), "an empty set cannot be stored"),
        ({1, "a"}, "must be all text, all numbers or all bytes"),
        ({(1, 2)}, "must be all text, all numbers or all bytes"),
        (float("nan"), "has no such number"),
        (float("inf"), "has no such number"),
        (Decimal("NaN"), "cannot be stored"),
        (Decimal("1E+200"), "cannot be stored: Number overflow"),
        (1e300, "cannot be stored: Number overflow"),
        (datetime(2026, 1, 1, tzinfo=UTC), "Give the field Instant"),
        (object(), "a object cannot be stored"),
        ({True: 1}, "cannot name a member of a map"),
        ({None: 1}, "cannot name a member of a map"),
    ],
)
def test_what_dynamodb_cannot_hold_is_refused_here(value: Any, message: str) -> None:
    # The service would name the attribute value, not the field and not what to write instead.
    with pytest.raises(ModelError, match=message):
        encode(value)


def _without_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_numbers(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_without_numbers(element) for element in value]
    return None if type(value) in (int, float, Decimal) else value
