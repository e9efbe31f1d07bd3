"""What conditions mean: of each row the answer is that of DynamoDB."""

from __future__ import annotations

import pytest

from sortkey.expressions import Placeholders

from .sample import ITEM, VALUES, used_in

HOLDS = [
    "a = :s",
    ":s = a",
    "a <> :n",
    "n <> :nine",
    "absent <> :n",
    "absent <> gone",
    "NOT absent < :n",
    "n >= :n AND n <= :n",
    "n < :nine",
    "l[1] < l[2]",
    "m.x = :one",
    "m.y.z <> :s",
    "m.l[1] > m.l[0]",
    "n BETWEEN :one AND :nine",
    ":n BETWEEN :one AND n",
    "n IN (:one, :n)",
    "NOT a IN (:n)",
    "size(a) = :n",
    "size(b) = size(a)",
    "size(ss) > :one",
    "size(l) BETWEEN :one AND :nine",
    "size(absent) <> :n",
    "attribute_exists(m.y.z)",
    "attribute_not_exists(l[4])",
    "attribute_type(a, :S)",
    "attribute_type(:s, :S)",
    "begins_with(a, :h)",
    "begins_with(a, :empty)",
    "begins_with(b, :b)",
    "contains(a, :h)",
    "contains(b, :b)",
    "contains(ss, :S) OR contains(l, :one)",
    "contains(ns, :one)",
    "contains(m.l, a) OR a = :s AND n = :n",
    "a = :n OR a = :n OR a = :s",
    "NOT (a = :n OR n = :s)",
    "NOT NOT a = :s",
    "(a) = (:s)",
    "a = :n AND n = :n OR b <> :n",
    "a = :s and not n = :one Or a = :n",
    "bo = :t AND nu = :null",
]

FAILS = [
    "a = :n",
    "absent = :n",
    "absent = gone",
    "absent IN (gone)",
    "a < :n",
    "l < m",
    "n BETWEEN absent AND :nine",
    "size(n) > :one",
    "size(absent) < :nine",
    "attribute_exists(a.b)",
    "attribute_exists(m[0])",
    "attribute_type(n, :S)",
    "begins_with(n, :h)",
    "begins_with(a, :b)",
    "contains(n, :n)",
    "contains(m, :h)",
    "contains(ss, :ss)",
    "contains(absent, :h)",
    "l[9] = :one",
    "a = :s AND (n = :one OR b = :s)",
]


@pytest.mark.parametrize("text", HOLDS)
def test_a_condition_that_holds(text: str):
    assert Placeholders(None, used_in(text)).condition(text)(ITEM) is True


@pytest.mark.parametrize("text", FAILS)
def test_a_condition_that_does_not_hold(text: str):
    assert Placeholders(None, used_in(text)).condition(text)(ITEM) is False


def test_without_an_item_all_attributes_are_missing():
    # A condition on a put of a new key is asked of no item at all.
    placeholders = Placeholders(None, {":s": VALUES[":s"]})
    assert placeholders.condition("attribute_not_exists(p)")(None)
    assert placeholders.condition("a <> :s")(None)
    assert not placeholders.condition("a = :s")(None)


def test_numbers_compare_by_value_and_sets_in_any_order():
    # Stored values are canonical; those of the request are made so first.
    values = {":n": {"N": "5.0"}, ":ns": {"NS": ["2.0", "1"]}}
    assert Placeholders(None, values).condition("n = :n AND ns = :ns")(ITEM)


def test_strings_order_by_code_point_and_size_counts_utf16_units():
    # The order is that of UTF-8, not of Java's strings, while size() is Java's length.
    values = {":low": {"S": "\ue000"}, ":high": {"S": "\U0001f600"}, ":two": {"N": "2"}}
    assert Placeholders(None, values).condition(":low < :high AND size(:high) = :two")({})


def test_the_names_a_condition_looks_at_are_known():
    # The engine refuses a filter on key attributes, and a path into one.
    condition = Placeholders({"#x": "p"}, None).condition("#x = m.y[0] OR size(l) = n")
    assert condition.top_level == {"p", "m", "l", "n"}
    assert ("m", "y", 0) in condition.paths


def test_a_compiled_condition_is_used_again_with_the_values_of_each_request():
    # The cache is keyed by types; a value that leaked into a compilation would answer for the next
    # request.
    for value, expected in (("5", True), ("6", False), ("5", True)):
        assert Placeholders(None, {":v": {"N": value}}).condition("n = :v")(ITEM) is expected
    assert Placeholders({"#n": "n"}, {":v": {"N": "5"}}).condition("#n = :v")(ITEM)
    assert not Placeholders({"#n": "a"}, {":v": {"N": "5"}}).condition("#n = :v")(ITEM)
