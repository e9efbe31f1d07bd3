"""Expressions that nest as deeply as 4 KB allow: refused in AWS's words, without a frame of Python
for each level.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from sortkey.errors import ValidationException
from sortkey.expressions import Placeholders

MANY_OPERATORS = "The expression contains too many operators; operator count: 301"
REDUNDANT = "The expression has redundant parentheses;"
SIZE_OF_SIZE = (
    "Incorrect operand type for operator or function; operator or function: size, operand type: N"
)
UNKNOWN = "Invalid function name; function: f"


def nested(opening: str, inner: str, levels: int, closing: str = ")") -> str:
    return opening * levels + inner + closing * levels


CONDITIONS = {
    "negations": ("not " * 1000 + "a < :v", MANY_OPERATORS),
    "negated groups": (nested("not (", "a < :v", 600), MANY_OPERATORS),
    "negations and groups in turn": (nested("not not (", "a = :v", 380), MANY_OPERATORS),
    "conjunctions": (nested("a=:v AND (", "a=:v", 340), MANY_OPERATORS),
    "unknown functions": ("a < " + nested("f(", "b", 1300), UNKNOWN),
    "unknown functions as a test": (nested("f(", "b", 1300), UNKNOWN),
    "sizes of sizes": ("a < " + nested("size(", "b", 650), SIZE_OF_SIZE),
    "sizes of sizes in a list": ("a IN (" + nested("size(", "b", 650) + ")", SIZE_OF_SIZE),
    "sizes of sizes in a test": (
        "attribute_exists(" + nested("size(", "b", 650) + ")",
        SIZE_OF_SIZE,
    ),
    "groups of a condition": (nested("(", "a < :v", 2000), REDUNDANT),
    "groups of an operand": ("a < " + nested("(", ":v", 2000), REDUNDANT),
    "groups that stay open": ("(" * 4000, 'Syntax error; token: "<EOF>", near: "("'),
    "negated groups, one open": (
        "not (" * 400 + "a=:v" + ")" * 399,
        'Syntax error; token: "<EOF>", near: ")"',
    ),
    "a path": (
        "a" + ".b" * 2000 + " = :v",
        "The document path has too many nesting levels; nesting levels: 2001",
    ),
}
UPDATES = {
    "unknown functions": ("SET a = " + nested("f(", "b", 1300), UNKNOWN),
    "groups": ("SET a = " + nested("(", ":v", 2000), REDUNDANT),
    "groups that stay open": ("SET a = " + "(" * 4000, 'Syntax error; token: "<EOF>", near: "("'),
    "appended lists": (
        "SET a = " + nested("list_append(a,", ":v", 270),
        "The function is not allowed to be used this way in an expression; function: list_append",
    ),
    "defaults of a default": (
        "SET a = " + nested("if_not_exists(", "b", 200, ",:v)"),
        "Operator or function requires a document path; operator or function: if_not_exists",
    ),
    "a path": (
        "REMOVE a" + "[0]" * 1000,
        "The document path has too many nesting levels; nesting levels: 1001",
    ),
}


@contextmanager
def little_stack(frames: int = 100) -> Iterator[None]:
    """Room for so many calls and no more."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def refusal(compile_: Callable[[str], object], text: str) -> str:
    with pytest.raises(ValidationException) as refused, little_stack():
        compile_(text)
    return refused.value.message


@pytest.mark.parametrize("case", CONDITIONS)
def test_a_deep_condition_is_refused_as_a_flat_one_is(case: str) -> None:
    # Anybody can send one; a reader that runs out of stack answers 500, and a client retries that.
    text, fault = CONDITIONS[case]
    values = Placeholders(None, {":v": {"N": "1"}})
    assert refusal(values.condition, text) == f"Invalid ConditionExpression: {fault}"
    assert refusal(values.key_condition, text) == f"Invalid KeyConditionExpression: {fault}"


@pytest.mark.parametrize("case", UPDATES)
def test_a_deep_update_is_refused_as_a_flat_one_is(case: str) -> None:
    # Updates have functions and parentheses of their own.
    text, fault = UPDATES[case]
    values = Placeholders(None, {":v": {"N": "1"}})
    assert refusal(values.update, text) == f"Invalid UpdateExpression: {fault}"


def test_a_deep_projection_is_refused() -> None:
    # Its paths become a tree, which is walked by recursion.
    fault = (
        "Invalid ProjectionExpression: The document path has too many nesting levels; nesting "
        "levels: 2001"
    )
    assert refusal(Placeholders().projection, "a" + ".b" * 2000) == fault


def test_defaults_may_nest_as_deeply_as_an_expression_is_long() -> None:
    # AWS sets no limit but that of the length, and each default is looked for in the ones before
    # it.
    text = "SET z = " + nested("if_not_exists(a,", ":v", 240)
    assert Placeholders(None, {":v": {"N": "1"}}).update(text)({}) == {"z": {"N": "1"}}


def test_what_is_wrong_deep_inside_is_found_before_the_operators_are_counted() -> None:
    # AWS's order: words, then placeholders and types, then the number of operators.
    values = Placeholders(None, {":v": {"N": "1"}})
    for rest, fault in (
        ("f(x) = :v", UNKNOWN),
        ("name = :v", "Attribute name is a reserved keyword; reserved keyword: name"),
        (
            "a = :x",
            "An expression attribute value used in expression is not defined; attribute value: :x",
        ),
        ("((a = :v))", REDUNDANT),
    ):
        assert (
            refusal(values.condition, "not " * 900 + rest)
            == f"Invalid ConditionExpression: {fault}"
        )
