"""Doubles as whole numbers: in the same order, and back without a loss."""

from __future__ import annotations

import random
import struct
from math import inf, isfinite, nextafter

from sortkey.connect.tantivy_index.sortable import double_of, sortable_double

EDGES = [
    -1.7976931348623157e308,
    -1.5,
    -2.2250738585072014e-308,
    -5e-324,
    0.0,
    5e-324,
    1.0,
    1.7976931348623157e308,
]


def test_whole_numbers_are_in_the_order_of_the_doubles() -> None:
    # Ranges, sorts and cursors compare the whole numbers alone.
    chance = random.Random(1)
    anything = [struct.unpack(">d", chance.randbytes(8))[0] for _ in range(2000)]
    numbers = sorted({*EDGES, *(each for each in anything if isfinite(each))})
    coded = [sortable_double(number) for number in numbers]
    assert coded == sorted(coded)
    assert [double_of(each) for each in coded] == numbers
    assert all(-(2**63) < each < 2**63 for each in coded)


def test_the_next_double_is_the_next_whole_number() -> None:
    # So an open bound is a closed one beside it, as with whole numbers.
    for number in EDGES[1:-1]:
        assert sortable_double(nextafter(number, inf)) == sortable_double(number) + 1
