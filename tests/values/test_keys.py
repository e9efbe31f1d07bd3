"""Keys as bytes: order, injectivity, partitions, bounds of key conditions, scan segments."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable
from typing import Any, cast
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.values import keys, numbers
from sortkey.values.compare import order
from sortkey.values.keys import KeySchema, KeyType, Operator

# Few and awkward letters, so that prefixes, zero bytes and 0xFF are met often.
texts = st.text(st.sampled_from("\x00\x01ab\u00ff\uffff\U0010ffff"), max_size=5).map(
    lambda text: {"S": text}
)
blobs = st.lists(st.sampled_from([0, 1, 0x61, 0xFE, 0xFF]), max_size=5).map(
    lambda raw: {"B": base64.b64encode(bytes(raw)).decode()}
)
number_values = st.one_of(
    st.integers(-1000, 1000).map(lambda n: {"N": str(n)}),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-100, max_value=100).map(
        lambda d: {"N": numbers.canonical(str(d))}
    ),
)
OF_TYPE: dict[str, st.SearchStrategy[dict[str, str]]] = {"S": texts, "N": number_values, "B": blobs}
types = st.sampled_from(["S", "N", "B"])

Row = tuple[dict[str, Any], ...]

MATCHES: dict[Operator, Callable[[dict[str, Any], list[dict[str, Any]]], bool]] = {
    "=": lambda value, operands: value == operands[0],
    "<": lambda value, operands: order(value, operands[0]) == -1,
    "<=": lambda value, operands: order(value, operands[0]) in (-1, 0),
    ">": lambda value, operands: order(value, operands[0]) == 1,
    ">=": lambda value, operands: order(value, operands[0]) in (0, 1),
    "BETWEEN": lambda value, operands: (
        order(value, operands[0]) in (0, 1) and order(value, operands[1]) in (-1, 0)
    ),
    "begins_with": lambda value, operands: keys.plain(value).startswith(keys.plain(operands[0])),
}


def within(key: bytes, bounds: keys.Bounds) -> bool:
    lower, upper = bounds
    return lower <= key and (upper is None or key < upper)


def row_order(a: Row, b: Row) -> int:
    return next((c for c in (order(x, y) for x, y in zip(a, b, strict=True)) if c), 0)


@given(st.data(), st.lists(types, min_size=1, max_size=4))
def test_range_parts_sort_as_their_values_and_differ_where_they_differ(
    data: st.DataObject, kinds: list[str]
) -> None:
    # The order of a query's answer is the order of these bytes; two items with one key would
    # overwrite each other.
    row = st.tuples(*(OF_TYPE[kind] for kind in kinds))
    a, b = data.draw(row), data.draw(row)
    left, right = keys.range_part(a), keys.range_part(b)
    assert (left > right) - (left < right) == row_order(a, b)
    if len(kinds) > 1 and left != right:
        assert not left.startswith(right)


@given(st.data(), st.lists(types, min_size=1, max_size=4))
def test_partitions_never_overlap(data: st.DataObject, kinds: list[str]) -> None:
    # A partition is read as a prefix: were one a prefix of another, a query would show strangers.
    row = st.tuples(*(OF_TYPE[kind] for kind in kinds))
    a, b = data.draw(row), data.draw(row)
    left, right = (keys.partition_prefix(keys.hash_part(values)) for values in (a, b))
    assert (left == right) == (a == b)
    if a != b:
        assert not left.startswith(right)


@given(st.data(), st.lists(types, min_size=1, max_size=4))
def test_bounds_hold_exactly_the_keys_that_match(data: st.DataObject, kinds: list[str]) -> None:
    # Query trusts the bounds and looks at nothing else: one row too many or too few is a wrong
    # answer.
    schema = KeySchema(
        (("p", "S"),), tuple((f"r{i}", cast("KeyType", kind)) for i, kind in enumerate(kinds))
    )
    position = data.draw(st.integers(0, len(kinds) - 1))
    kind = kinds[position]
    operators = [operator for operator in MATCHES if kind != "N" or operator != "begins_with"]
    operator = data.draw(st.sampled_from([None, *operators]))
    row = st.tuples(*(OF_TYPE[kind] for kind in kinds))
    pattern = data.draw(row)
    operands = [
        data.draw(OF_TYPE[kind])
        for _ in range(0 if operator is None else 2 if operator == "BETWEEN" else 1)
    ]
    partition = schema.partition([{"S": "x"}])
    bounds = schema.bounds(partition, pattern[:position], operator, operands)
    for candidate in [*data.draw(st.lists(row, max_size=6)), pattern]:
        shared = pattern[:position] + candidate[position:]
        for values in (candidate, shared):
            matches = values[:position] == pattern[:position] and (
                operator is None or MATCHES[operator](values[position], operands)
            )
            assert within(partition + keys.range_part(values), bounds) == matches
    assert not within(schema.partition([{"S": "y"}]) + keys.range_part(pattern), bounds)


def test_an_equality_alone_may_be_given_as_a_leading_value() -> None:
    # A caller that sorts conditions into equalities and the rest need not know how many range
    # attributes there are.
    schema = KeySchema((("p", "S"),), (("r", "S"),))
    partition = schema.partition([{"S": "x"}])
    assert schema.bounds(partition, [{"S": "a"}]) == schema.bounds(partition, (), "=", [{"S": "a"}])


@pytest.mark.parametrize(
    ("hash_type", "range_type"),
    [("S", None), ("S", "S"), ("S", "N"), ("S", "B"), ("N", None), ("B", "N"), ("N", "S")],
)
def test_an_item_is_encoded_by_its_schema(hash_type: KeyType, range_type: KeyType | None) -> None:
    # The compiled fast encoders must give the very bytes of the general one, or an item is written
    # where none looks.
    samples = {"S": {"S": "é\x00"}, "N": {"N": "-12.5"}, "B": {"B": "AP8="}}
    schema = KeySchema((("h", hash_type),), (("r", range_type),) if range_type else ())
    hash_value = samples[hash_type]
    range_values = [samples[range_type]] if range_type else []
    item = {"h": hash_value, "other": {"S": "x"}} | ({"r": range_values[0]} if range_type else {})
    expected = keys.encode_key([hash_value], range_values)
    assert schema.encode(item) == expected
    plain = keys.plain(hash_value)
    hashed = len(plain).to_bytes(2, "big") + plain
    assert expected.startswith(crc32(hashed).to_bytes(4, "big") + hashed)
    assert expected.startswith(schema.partition([hash_value]))


@pytest.mark.parametrize(
    "range_attributes", [(), (("r", "S"),), (("r", "N"),), (("r", "B"),), (("r", "S"), ("q", "N"))]
)
def test_an_item_without_a_key_attribute_is_not_in_the_index(
    range_attributes: keys.KeyAttributes,
) -> None:
    # Sparse indexes rest on this; an attribute of another type counts as missing.
    schema = KeySchema((("h", "S"),), range_attributes)
    whole: dict[str, Any] = {"h": {"S": "a"}} | {
        name: {kind: {"S": "a", "N": "1", "B": "YQ=="}[kind]} for name, kind in range_attributes
    }
    assert schema.encode(whole) is not None
    for name in schema.names:
        assert (
            schema.encode({other: value for other, value in whole.items() if other != name}) is None
        )
        assert schema.encode(whole | {name: {"BOOL": True}}) is None


@given(st.binary(max_size=4), st.binary(max_size=4))
def test_the_successor_is_above_every_string_with_the_prefix_and_no_other(
    prefix: bytes, other: bytes
) -> None:
    # begins_with reads up to it: too low hides rows that start with 0xFF bytes, too high shows
    # others.
    end = keys.successor(prefix)
    assert (prefix <= other and (end is None or other < end)) == other.startswith(prefix)


@pytest.mark.parametrize("total", [1, 2, 3, 7, 1000])
def test_segments_cover_the_hash_space_once(total: int) -> None:
    # Parallel workers must see each item exactly once.
    bounds = [keys.segment_bounds(segment, total) for segment in range(total)]
    assert bounds[0][0] == b""
    assert bounds[-1][1] is None
    assert all(before[1] == after[0] for before, after in itertools.pairwise(bounds))
