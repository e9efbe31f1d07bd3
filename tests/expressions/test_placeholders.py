"""ExpressionAttributeNames and ExpressionAttributeValues: their own rules, and the cache of what is
compiled.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.errors import ValidationException
from sortkey.expressions import Placeholders
from sortkey.expressions.compiled import Cache, Compiled

S = {"S": "x"}
BAD_NAME = "ExpressionAttributeNames contains invalid "
BAD_VALUE = "ExpressionAttributeValues contains invalid "

REFUSED: list[tuple[dict[str, Any] | None, dict[str, Any] | None, str]] = [
    ({}, None, "ExpressionAttributeNames must not be empty"),
    (None, {}, "ExpressionAttributeValues must not be empty"),
    ({"a": "b"}, None, BAD_NAME + 'key: Syntax error; key: "a"'),
    ({"#a-b": "b"}, {"v": S}, BAD_NAME + 'key: Syntax error; key: "#a-b"'),
    ({"": "b"}, None, BAD_NAME + "key: The expression attribute map contains an empty key;"),
    (
        {"#" + "x" * 255: "b"},
        None,
        BAD_NAME
        + "key: The expression attribute map contains a key that is too long; size of key: 256",
    ),
    ({"#a": ""}, None, BAD_NAME + "value: Empty attribute name for key #a"),
    (
        {"#a": "x" * 65536},
        None,
        BAD_NAME + "value: Attribute name is too large, must be less than 65536 bytes for key #a",
    ),
    (None, {"v": S}, BAD_VALUE + 'key: Syntax error; key: "v"'),
    (None, {":é": S}, BAD_VALUE + 'key: Syntax error; key: ":é"'),
    (
        None,
        {":v": {}},
        BAD_VALUE + "value: Supplied AttributeValue is empty, "
        "must contain exactly one of the supported datatypes for key :v",
    ),
    (
        None,
        {":v": {"S": "x" * (2 * 1024 * 1024 + 1)}},
        "ExpressionAttributeValues exceeds max size",
    ),
    ({f"#{n}": "x" * 65_000 for n in range(33)}, None, "ExpressionAttributeNames exceeds max size"),
]


@pytest.mark.parametrize(("names", "values", "message"), REFUSED, ids=lambda value: str(value)[:30])
def test_placeholders_are_refused_in_the_words_of_aws(
    names: dict[str, Any] | None, values: dict[str, Any] | None, message: str
):
    with pytest.raises(ValidationException) as refused:
        Placeholders(names, values)
    assert refused.value.message == message


def test_what_no_expression_uses_is_refused_names_first():
    # A typo in a placeholder would else be found only in production data. The order is that of a
    # Java hash map.
    placeholders = Placeholders({"#a": "a", "#b": "b", "#c": "c"}, {":x": S, ":y": S, ":z": S})
    placeholders.condition("#a = d")
    with pytest.raises(ValidationException) as refused:
        placeholders.finish()
    assert (
        refused.value.message
        == "Value provided in ExpressionAttributeNames unused in expressions: keys: {#c, #b}"
    )
    placeholders.projection("#b, #c")
    with pytest.raises(ValidationException) as refused:
        placeholders.finish()
    expected = (
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:z, :x, :y}"
    )
    assert refused.value.message == expected


def test_what_a_cached_expression_uses_counts_as_used():
    # The second request finds the expression compiled, and must not look unused.
    for _ in range(2):
        placeholders = Placeholders({"#n": "a"}, {":x": S})
        placeholders.condition("#n = :x")
        placeholders.finish()


WITHOUT: list[tuple[dict[str, Any], tuple[str, ...], str]] = [
    (
        {"ExpressionAttributeNames": {"#a": "b"}, "ExpressionAttributeValues": {":v": S}},
        ("ConditionExpression",),
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    (
        {"ExpressionAttributeValues": {":v": S}},
        ("ConditionExpression",),
        "ExpressionAttributeValues can only be specified when using expressions: "
        "ConditionExpression is null",
    ),
    (
        {"ExpressionAttributeValues": {":v": S}},
        ("UpdateExpression", "ConditionExpression"),
        "ExpressionAttributeValues can only be specified when using expressions: "
        "UpdateExpression and ConditionExpression are null",
    ),
]


@pytest.mark.parametrize(("request_", "valued", "message"), WITHOUT)
def test_placeholders_without_an_expression_are_refused(
    request_: dict[str, Any], valued: tuple[str, ...], message: str
):
    with pytest.raises(ValidationException) as refused:
        Placeholders.of(request_, ("ProjectionExpression", *valued), valued)
    assert refused.value.message == message


def test_the_cache_keeps_what_was_used_last():
    # It is bounded: expressions with literals pasted in must not fill the memory.
    cache = Cache(entries_max=2)
    entry: Compiled[None] = Compiled(frozenset(), frozenset(), lambda values: None)
    cache.put("first", entry)
    cache.put("second", entry)
    assert cache.get("first") is entry
    cache.put("third", entry)
    assert len(cache) == 2
    assert cache.get("second") is None
    assert cache.get("first") is entry
