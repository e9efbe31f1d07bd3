"""What a job keeps comes back as it was; what would not is refused."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sortkey.errors import ModelError
from sortkey.model.codec import decode, encode
from sortkey.runtime.jobs.values import DEPTH_MAX, plain, read, storable

FLOATS = some.floats(allow_nan=False, allow_infinity=False).filter(
    lambda x: x == 0 or 1e-130 < abs(x) < 1e125
)
SCALARS = some.none() | some.booleans() | some.integers(-(10**30), 10**30) | FLOATS | some.text()
VALUES = some.recursive(
    SCALARS, lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner), max_leaves=20
)


@given(VALUES)
def test_what_is_kept_comes_back_as_it_was(value: Any) -> None:
    # A step's result is the same in the attempt that made it and in the one that takes it up.
    assert plain(value) == value
    assert read(decode(encode(plain(value)))) == value


@pytest.mark.parametrize(
    "value", [(1, 2), {1, 2}, {1: "a"}, object(), b"bytes", 10**38, [[(1,)]], 1 + 2j]
)
def test_what_would_not_come_back_as_it_was_is_refused(value: Any) -> None:
    # A tuple that is a list after a restart is a bug that shows once a month.
    with pytest.raises(ModelError, match="cannot be stored with a job"):
        plain(value)


def test_what_is_kept_is_a_copy() -> None:
    # What the function does with its own list afterwards is not in the table either.
    mine = {"rows": [1]}
    copy = plain(mine)
    mine["rows"].append(2)
    assert copy == {"rows": [1]}


def test_numbers_are_of_one_type_before_and_after() -> None:
    # A function that asks for the type must not hear another answer after a restart.
    for value in (1.0, 0.1 + 0.2, 1e60, 2.0**70, -0.5, 7, 1e37):
        assert type(read(decode(encode(plain(value))))) is type(plain(value))
    assert type(read(Decimal("0.30000000000000004"))) is float


def test_too_deep_and_too_large_are_refused() -> None:
    deep: Any = 1
    for _ in range(DEPTH_MAX):
        deep = [deep]
    assert plain(deep) == deep
    with pytest.raises(ModelError, match="nested at most"):
        plain([deep])
    with pytest.raises(ModelError, match=r"the result of step 'a' has 350,\d+ bytes"):
        storable("x" * 350_500, "the result of step 'a'")


def test_numbers_that_dynamodb_has_not_are_refused() -> None:
    for value in (math.nan, math.inf, 1e200):
        with pytest.raises(ModelError):
            storable(value, "a number")
