"""Question marks, and literals of all types."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine.partiql.statements import parse
from sortkey.engine.partiql.syntax import Insert, Struct
from sortkey.engine.partiql.values import Parameters
from sortkey.errors import ValidationException
from sortkey.values.attributes import read_item
from tests.engine.statements import Run, refusal

_SCALARS = st.one_of(
    st.builds(lambda text: {"S": text}, st.text(max_size=5)),
    st.builds(lambda number: {"N": str(number)}, st.integers(-(10**37), 10**37)),
    st.builds(lambda truth: {"BOOL": truth}, st.booleans()),
    st.just({"NULL": True}),
    st.builds(
        lambda texts: {"SS": sorted(texts)}, st.sets(st.text(max_size=3), min_size=1, max_size=3)
    ),
    st.builds(
        lambda numbers: {"NS": [str(n) for n in sorted(numbers)]},
        st.sets(st.integers(-99, 99), min_size=1, max_size=3),
    ),
)
_NAMES = st.text(min_size=1, max_size=4)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.builds(lambda values: {"L": values}, st.lists(inner, max_size=3)),
        st.builds(lambda fields: {"M": fields}, st.dictionaries(_NAMES, inner, max_size=3)),
    ),
    max_leaves=8,
)


def _text(content: str) -> str:
    return "'" + content.replace("'", "''") + "'"


def _literal(value: dict[str, Any]) -> str:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return _text(content)
        case "N":
            return content
        case "BOOL":
            return str(content).lower()
        case "NULL":
            return "null"
        case "SS":
            return f"<<{', '.join(map(_text, content))}>>"
        case "NS":
            return f"<<{', '.join(content)}>>"
        case "L":
            return f"[{', '.join(map(_literal, content))}]"
        case _:
            return _struct(content)


def _struct(fields: dict[str, dict[str, Any]]) -> str:
    return (
        "{" + ", ".join(f"{_text(name)}: {_literal(value)}" for name, value in fields.items()) + "}"
    )


@given(st.dictionaries(_NAMES, _VALUES, max_size=4))
def test_an_item_written_as_a_literal_is_read_as_that_item(item: dict[str, Any]) -> None:
    # Values must survive quoting: an INSERT is how people copy items around.
    statement = parse(f"INSERT INTO things VALUE {_struct(item)}")
    assert isinstance(statement, Insert)
    assert isinstance(statement.value, Struct)
    assert Parameters(None).item(statement.value) == read_item(item)[0]


@given(st.text(alphabet="SELECTFROMWHERE 'abc\"*?=<>[]{}(),.:;-+/`\n01", max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    # A statement comes from outside: nothing but a ValidationException may come of it.
    with suppress(ValidationException):
        parse(text)


@pytest.mark.parametrize("repeated", ["(", "[", "{'a':", "NOT ", "- ", "EXISTS(", "f(", "1+", "v["])
def test_a_deeply_nested_statement_is_refused_not_recursed_into(run: Run, repeated: str) -> None:
    # 8 KB of parentheses must not exhaust the stack.
    statement = "SELECT v FROM things WHERE " + repeated * (8000 // len(repeated))
    assert (
        refusal(run, statement) == f"Statement wasn't well formed, can't be processed: {statement}"
    )


def test_a_long_condition_has_no_more_operators_than_aws_takes(run: Run) -> None:
    # A chain of ANDs is wide, not deep: it reaches the limit on operators, not that of the stack.
    assert run("SELECT v FROM things WHERE " + " AND ".join(["n=9"] * 150))["Items"] == [{}]
    assert refusal(run, "SELECT v FROM things WHERE " + " AND ".join(["n=9"] * 900)) == (
        "The expression contains too many operators; operator count: 301"
    )


def test_parameters_stand_for_values_in_the_order_of_the_question_marks(run: Run) -> None:
    # Binary values have no literal; a parameter is the only way.
    run("INSERT INTO things VALUE {'pk':?,'sk':?,'b':?}", {"S": "p"}, {"N": "1"}, {"B": "AAE="})
    found = run(
        "SELECT b FROM things WHERE pk=? AND sk=? AND b=?", {"S": "p"}, {"N": "1"}, {"B": "AAE="}
    )
    assert found["Items"] == [{"b": {"B": "AAE="}}]
    assert run(
        "SELECT sk FROM things WHERE pk=? AND v IN [?,?]", {"S": "a"}, {"S": "x1"}, {"S": "x9"}
    )["Items"] == [{"sk": {"N": "1"}}]


def test_parameters_are_refused_in_awss_words(run: Run) -> None:
    # Each fault of a parameter has words of its own.
    statement = "SELECT v FROM things WHERE pk=? AND sk=?"
    assert (
        refusal(run, statement, {"S": "a"})
        == "Number of parameters in request and statement don't match."
    )
    assert (
        refusal(run, statement, {"S": "a"}, {"N": "x"})
        == "A value provided cannot be converted into a number"
    )
    assert refusal(run, "SELECT v FROM things WHERE v=[?]", {"S": "a"}) == (
        "Unsupported data type: Parameter under key root.0 at 1:31:1"
    )
    assert (
        refusal(run, "SELECT v FROM things WHERE m.n[?]=1", {"N": "1"})
        == "Unexpected path component at 1:32:1"
    )
    assert refusal(run, "SELECT v FROM ?", {"S": "things"}) == "Unexpected from source"
