"""Statements that nest as deeply as 8 KB allow: bounded by the parser, so that nothing after it
runs out of stack.
"""

from __future__ import annotations

import pytest

from tests.engine.statements import Run, refusal

MANY_OPERATORS = "The expression contains too many operators; operator count: 301"
WHERE = " WHERE pk = 'u' AND sk = 1"


def too_deep(levels: int) -> str:
    return f"The document path has too many nesting levels; nesting levels: {levels}"


DEEP = {
    "negations": ("SELECT v FROM things WHERE " + "NOT " * 1900 + "n = 9", MANY_OPERATORS),
    "a sum": ("UPDATE things SET n = " + "n + " * 1900 + "1" + WHERE, MANY_OPERATORS),
    "sums of sums": (
        "UPDATE things SET n = " + "(" * 38 + "n" + ("+1" * 90 + ")") * 38 + WHERE,
        MANY_OPERATORS,
    ),
    "signs": ("UPDATE things SET n = " + "- " * 1900 + "n" + WHERE, MANY_OPERATORS),
    "a path to set": ("UPDATE things SET m" + ".b" * 3000 + " = 1" + WHERE, too_deep(3001)),
    "a path to remove": ("UPDATE things REMOVE m" + ".b" * 3000 + WHERE, too_deep(3001)),
    "a path to read": ("UPDATE things SET n = m" + ".b" * 3000 + WHERE, too_deep(3001)),
    "a path to select": ("SELECT m" + ".b" * 3000 + " FROM things" + WHERE, too_deep(3001)),
    "a path to compare": (
        "SELECT v FROM things" + WHERE + " AND m" + ".b" * 3000 + " = 1",
        too_deep(3001),
    ),
}


@pytest.mark.parametrize("case", DEEP)
def test_what_needs_no_parentheses_to_nest_is_counted(run: Run, case: str) -> None:
    # Operators and paths become deep trees; the engine answered 500 to some of these.
    statement, fault = DEEP[case]
    assert refusal(run, statement) == fault


def test_a_statement_has_as_many_operators_as_an_expression(run: Run) -> None:
    # 300 are AWS's limit, and must work: the deepest tree that is ever walked.
    run("UPDATE things SET n = " + "n + " * 300 + "0" + WHERE)
    assert run("SELECT n FROM things" + WHERE)["Items"] == [{"n": {"N": "1500"}}]
    assert run("SELECT n FROM things WHERE " + "NOT " * 298 + "n = 1500")["Items"] == [
        {"n": {"N": "1500"}}
    ]


def test_operators_bind_as_tightly_as_before_and_from_left_to_right(run: Run) -> None:
    # They are read by precedence in one rule; a mistake there would change what statements mean.
    run("UPDATE things SET n = n - 1 - 2 + 10" + WHERE)
    assert run("SELECT n FROM things" + WHERE)["Items"] == [{"n": {"N": "12"}}]
    run("UPDATE things SET n = n - (1 - 2)" + WHERE)
    assert run("SELECT n FROM things" + WHERE)["Items"] == [{"n": {"N": "13"}}]
    assert refusal(run, "UPDATE things SET n = n + 1 * 2" + WHERE) == (
        "Unsupported operator in Update Expression. Operator: *"
    )
    assert refusal(run, "UPDATE things SET n = n * 1 + 2 || 3" + WHERE) == (
        "Unsupported operator in Update Expression. Operator: ||"
    )
