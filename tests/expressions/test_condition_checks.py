"""Conditions that AWS refuses, in its words: each row has an expression, and the fault that the
message ends with.
"""

from __future__ import annotations

import pytest

from sortkey.errors import ValidationException
from sortkey.expressions import Placeholders

from .sample import used_in

OPERAND = "Incorrect operand type for operator or function; operator or function: "
COUNT = "Incorrect number of operands for operator or function; operator or function: "
DISTINCT = (
    "The first operand must be distinct from the remaining operands for this operator or function; "
    "operator: "
)
MISUSED = "The function is not allowed to be used this way in an expression; function: "
REDUNDANT = "The expression has redundant parentheses;"
RESERVED = "Attribute name is a reserved keyword; reserved keyword: "
UNDEFINED_NAME = (
    "An expression attribute name used in the document path is not defined; attribute name: "
)
UNDEFINED_VALUE = (
    "An expression attribute value used in expression is not defined; attribute value: "
)
MANY_OPERATORS = "The expression contains too many operators; operator count: 301"
BOUNDS = "The BETWEEN operator requires "


def syntax(token: str, near: str) -> str:
    return f'Syntax error; token: "{token}", near: "{near}"'


REFUSED = [
    ("", "The expression can not be empty;"),
    (" ", syntax("<EOF>", " ")),
    ("a", syntax("<EOF>", "a")),
    ("a = ", syntax("<EOF>", "= ")),
    ("= :n", syntax("=", "= :n")),
    ("a == :n", syntax("=", "== :n")),
    ("a = :n b", syntax("b", ":n b")),
    ("a # :n", syntax("#", "a # :n")),
    ("a = 'x'", syntax("'", "= 'x")),
    ("a = :n; ", syntax(";", ":n; ")),
    ("a != :n", syntax("!", "a !=")),
    ("a[01] = :n", syntax("1", "01]")),
    ("a[-1] = :n", syntax("-", "[-1")),
    ("a..b = :n", syntax(".", "..b")),
    (" = :n", syntax("=", " = :n")),
    ("(a) AND b = :n", syntax("AND", ") AND b")),
    ("(a)", syntax("<EOF>", ")")),
    ("(a = :n AND b) AND a = :n", syntax(")", "b) AND")),
    ("a NOT IN (:n)", syntax("NOT", "a NOT IN")),
    ("a IN ()", syntax(")", "()")),
    ("a + :n = :n", syntax("+", "a + :n")),
    ("set = :n", syntax("set", "set =")),
    ("a.b(c)", syntax("(", "b(c")),
    ("_a = :n", syntax("_", "_a")),
    ("((a = :n))", REDUNDANT),
    ("((a)) = :n", REDUNDANT),
    ("NOT ((name = :n))", REDUNDANT),
    ("name = :undefined", RESERVED + "name"),
    ("a.b.Status = #undefined", RESERVED + "Status"),
    ("#undefined = Count", RESERVED + "Count"),
    ("size = :n", RESERVED + "size"),
    ("a[2147483648] = :n", "List index is not within the allowable range; index: [2147483648]"),
    ("foo(name)", "Invalid function name; function: foo"),
    ("SIZE(a) = :n", "Invalid function name; function: SIZE"),
    ("size(a)", MISUSED + "size"),
    ("attribute_exists(a) = :n", MISUSED + "attribute_exists"),
    ("size(attribute_exists(a)) = :n", MISUSED + "attribute_exists"),
    (
        "if_not_exists(a, :n) = :n",
        "The function is not allowed in a condition expression; function: if_not_exists",
    ),
    ("#q = :q", UNDEFINED_NAME + "#q"),
    (":q = #q", UNDEFINED_VALUE + ":q"),
    (
        ".".join("a" * 33) + " = b",
        "The document path has too many nesting levels; nesting levels: 33",
    ),
    ("attribute_exists(a, b)", COUNT + "attribute_exists, number of operands: 2"),
    ("begins_with(:n, :n, :n)", COUNT + "begins_with, number of operands: 3"),
    ("size(a, b) = :n", COUNT + "size, number of operands: 2"),
    (
        "attribute_exists(:n)",
        "Operator or function requires a document path; operator or function: attribute_exists",
    ),
    ("a = a", DISTINCT + "=, first operand: [a]"),
    ("a.b[0] <> a.b[0]", DISTINCT + "<>, first operand: [a, b, [0]]"),
    ("a IN (b, a)", DISTINCT + "IN, first operand: [a]"),
    ("attribute_type(a, a)", DISTINCT + "attribute_type, first operand: [a]"),
    ("contains(a, a)", DISTINCT + "contains, first operand: [a]"),
    ("a < :ss", OPERAND + "<, operand type: SS"),
    (":t >= a", OPERAND + ">=, operand type: BOOL"),
    ("a BETWEEN a AND :m", OPERAND + "BETWEEN, operand type: M"),
    ("begins_with(a, :n)", OPERAND + "begins_with, operand type: N"),
    ("begins_with(a, size(b))", OPERAND + "begins_with, operand type: N"),
    ("size(:n) = :n", OPERAND + "size, operand type: N"),
    ("attribute_type(a, :n)", OPERAND + "attribute_type, operand type: N"),
    (
        "attribute_type(a, :s)",
        "Invalid attribute type name found; type: hello, valid types: "
        "{N,BS,L,B,NULL,M,S,SS,NS,BOOL}",
    ),
    (
        "a BETWEEN :nine AND :n",
        BOUNDS + "upper bound to be greater than or equal to lower bound; "
        "lower bound operand: AttributeValue: {N:9}, upper bound operand: AttributeValue: {N:5}",
    ),
    (
        "a BETWEEN :s AND :n",
        BOUNDS + "same data type for lower and upper bounds; "
        "lower bound operand: AttributeValue: {S:hello}, upper bound operand: AttributeValue: "
        "{N:5}",
    ),
    (
        f"a IN ({', '.join([':n'] * 101)})",
        "The IN operator is provided with too many operands; number of operands: 101",
    ),
    ("a = a AND b < :ss", DISTINCT + "=, first operand: [a]"),
    ("b < :ss AND a = a", OPERAND + "<, operand type: SS"),
    ("a < :ss AND #q = b", OPERAND + "<, operand type: SS"),
    (" OR ".join(["a=b"] * 151), MANY_OPERATORS),
    ("a=b OR (" * 320 + "a=b" + ")" * 320, MANY_OPERATORS),
    ("(" * 2000 + "a = :n" + ")" * 2000, REDUNDANT),
    (
        "a = :n" + " " * 4091,
        "Expression size has exceeded the maximum allowed size; expression size: 4097",
    ),
]


@pytest.mark.parametrize(("text", "fault"), REFUSED, ids=lambda value: value[:40])
def test_a_condition_is_refused_in_the_words_of_aws(text: str, fault: str):
    with pytest.raises(ValidationException) as refused:
        Placeholders(None, used_in(text)).condition(text, "ConditionExpression")
    assert refused.value.message == "Invalid ConditionExpression: " + fault


def test_the_message_names_the_parameter():
    # The same grammar serves several parameters of one request.
    with pytest.raises(
        ValidationException, match=r"^Invalid FilterExpression: The expression can not be empty;$"
    ):
        Placeholders().condition("", "FilterExpression")


def test_300_operators_and_150_nested_groups_are_allowed():
    # The limit itself must pass, also where it makes the deepest recursion.
    assert not Placeholders().condition(" OR ".join(["a=b"] * 150))({})
    assert not Placeholders().condition("a=b OR (" * 149 + "a=b" + ")" * 149)({})
    assert Placeholders().condition("NOT (" * 299 + "a=b" + ")" * 299)({})


def test_bounds_are_checked_for_each_request_although_the_expression_is_cached():
    # Only the types of the values are part of the cache's key.
    text = "n BETWEEN :low AND :high"
    Placeholders(None, {":low": {"N": "1"}, ":high": {"N": "2"}}).condition(text)
    with pytest.raises(ValidationException, match="requires upper bound to be greater"):
        Placeholders(None, {":low": {"N": "3"}, ":high": {"N": "2"}}).condition(text)
