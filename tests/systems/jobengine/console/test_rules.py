"""Rules in the words of the console: pure, so they can be read without a browser."""

from typing import Any, get_args

import pytest

from sortkey_systems.jobengine.console.rules import DOES, EXAMPLES, directive_texts, written
from sortkey_systems.jobengine.rules.directives import Kind, RuleNotUnderstood
from sortkey_systems.jobengine.sample import RULES


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("Drop 'reviews'. Keep 'audit_log'.", ["keeps audit_log", "leaves out reviews"]),
        ("Map 'products.sku' to 'productNumber'.", ["maps products.sku to productNumber"]),
        ({"jsonRule": {"thresholds": {"coverage": 0.9}}}, ["asks for coverage of at least 90%"]),
        ({"require": "Product.name"}, ["asks that Product.name is always there"]),
        ({"patterns": {"a.b": "^x$"}}, ["asks that a.b looks like ^x$"]),
        (
            {"recommendations": "Look twice."},
            ["puts a recommendation into the report: Look twice."],
        ),
        ("All is well.", []),
    ],
)
def test_a_rule_says_what_is_done_with_it(content: Any, lines: list[str]):
    # Who reads a rule wants to know whether the engine understood it as they did.
    assert directive_texts(content) == lines


def test_everything_that_a_rule_can_say_has_words():
    # A kind without words would take the whole tab down.
    assert set(DOES) == set(get_args(Kind))


@pytest.mark.parametrize(
    "content", [*(written(each) for each in EXAMPLES), *(each["content"] for each in RULES)]
)
def test_the_examples_and_the_sample_can_be_executed(content: Any):
    # An example that does nothing teaches nothing.
    assert directive_texts(content)


@pytest.mark.parametrize(
    "content",
    [
        {"action": "explode"},
        {"patterns": {"a": "("}},
        {"thresholds": {"coverage": "much"}},
        {"jsonRule": "{"},
    ],
)
def test_what_is_no_rule_is_refused_with_the_reason(content: dict[str, Any]):
    # The dialog shows the reason; a rule that is stored in this form must not break the page
    # either.
    with pytest.raises(RuleNotUnderstood, match="not"):
        directive_texts(content)


def test_json_is_taken_as_json_and_all_else_as_text():
    assert written(' {"require": "a"} ') == {"require": "a"}
    assert written(" Drop 'a'. ") == "Drop 'a'."
    assert written("[1]") == "[1]"
