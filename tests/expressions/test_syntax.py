"""Any expression that was printed parses to the tree it was printed from."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sortkey.expressions.grammar import parse_condition, parse_projection, parse_update
from sortkey.expressions.syntax import (
    Action,
    And,
    Arithmetic,
    Between,
    Call,
    Comparison,
    Membership,
    Not,
    Or,
    Path,
    Projection,
    Section,
    Update,
    Value,
)
from tests.expressions.printing import print_expression

names = st.sampled_from(["a", "Name", "size", "x_1", "#a", "#1"])
paths = st.builds(
    lambda top, rest: Path((top, *rest)),
    names,
    st.lists(st.one_of(names, st.integers(min_value=0, max_value=10**12)), max_size=3),
)
values = st.builds(Value, st.sampled_from([":v", ":1", ":_x"]))
functions = st.sampled_from(["size", "contains", "if_not_exists", "whatever"])
operands = st.recursive(
    st.one_of(paths, values),
    lambda inner: st.builds(Call, functions, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=4,
)
tests = st.one_of(
    st.builds(Comparison, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), operands, operands),
    st.builds(Between, operands, operands, operands),
    st.builds(Membership, operands, st.lists(operands, min_size=1, max_size=3).map(tuple)),
    st.builds(Call, functions, st.lists(operands, min_size=1, max_size=2).map(tuple)),
)
conditions = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)
sums = st.one_of(operands, st.builds(Arithmetic, st.sampled_from("+-"), operands, operands))
actions = {
    "SET": st.builds(Action, st.just("SET"), paths, sums),
    "REMOVE": st.builds(Action, st.just("REMOVE"), paths),
    "ADD": st.builds(Action, st.just("ADD"), paths, values),
    "DELETE": st.builds(Action, st.just("DELETE"), paths, values),
}
sections = st.sampled_from(sorted(actions)).flatmap(
    lambda keyword: st.builds(
        Section, st.just(keyword), st.lists(actions[keyword], min_size=1, max_size=3).map(tuple)
    )
)


@given(conditions)
def test_a_printed_condition_parses_to_the_same_tree(tree):
    # Precedence and parentheses: the printer knows the same rules as the grammar.
    assert parse_condition(print_expression(tree)) == tree


@given(st.builds(Update, st.lists(sections, min_size=1, max_size=3).map(tuple)))
def test_a_printed_update_parses_to_the_same_tree(tree):
    assert parse_update(print_expression(tree)) == tree


@given(st.builds(Projection, st.lists(paths, min_size=1, max_size=4).map(tuple)))
def test_a_printed_projection_parses_to_the_same_tree(tree):
    assert parse_projection(print_expression(tree)) == tree


def test_redundant_spelling_is_printed_canonically():
    # Keywords in capitals, one space, and only the parentheses that are needed.
    text = "not(a=:v)  and (b between :v and c  or(d) in(:v,:v))"
    assert (
        print_expression(parse_condition(text))
        == "NOT a = :v AND (b BETWEEN :v AND c OR d IN (:v, :v))"
    )
