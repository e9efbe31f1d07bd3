"""Projection expressions: the selected part of an item, rebuilt."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.errors import ValidationException
from sortkey.expressions import Placeholders

from .sample import ITEM

SELECTED: list[tuple[str, dict[str, Any]]] = [
    ("p, a", {"p": {"S": "k"}, "a": {"S": "hello"}}),
    ("absent", {}),
    ("l[2], l[0], l[9]", {"l": {"L": [{"N": "0"}, {"N": "2"}]}}),
    ("m.y.z", {"m": {"M": {"y": {"M": {"z": {"S": "q"}}}}}}),
    ("m.l[1], m.x", {"m": {"M": {"l": {"L": [{"S": "b"}]}, "x": {"N": "1"}}}}),
    ("m.y.absent, l[9], a.b, n[0], ss[0], b.x", {}),
    ("l[0].x, a", {"a": {"S": "hello"}}),
]


@pytest.mark.parametrize(("text", "selected"), SELECTED)
def test_a_projection_selects_paths_and_compacts_lists(text: str, selected: dict[str, Any]):
    assert Placeholders().projection(text)(ITEM) == selected


def test_aliases_stand_for_names_as_they_are():
    # An alias may stand for a name with a dot in it, which is then no path.
    item = {"a.b": {"S": "dotted"}, "a": {"M": {"b": {"S": "nested"}}}}
    assert Placeholders({"#x": "a.b"}).projection("#x")(item) == {"a.b": {"S": "dotted"}}
    projection = Placeholders({"#x": "a", "#y": "b"}).projection("#x.#y")
    assert projection(item) == {"a": {"M": {"b": {"S": "nested"}}}}
    assert projection.top_level == {"a"}


REFUSED = [
    ("", "The expression can not be empty;"),
    ("a,", 'Syntax error; token: "<EOF>", near: ","'),
    ("a,,b", 'Syntax error; token: ",", near: ",,b"'),
    ("(a)", 'Syntax error; token: "(", near: "(a"'),
    (":v", 'Syntax error; token: ":v", near: ":v"'),
    ("size(a)", 'Syntax error; token: "(", near: "size(a"'),
    ("a, a, name", "Attribute name is a reserved keyword; reserved keyword: name"),
    (
        "#a.x, m.x",
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        "path one: [m, x], path two: [m, x]",
    ),
    (
        "a[0], a.b",
        "Two document paths conflict with each other; must remove or rewrite one of these paths; "
        "path one: [a, [0]], path two: [a, b]",
    ),
    (
        "#q, b",
        "An expression attribute name used in the document path is not defined; attribute name: #q",
    ),
    ("a[2147483648]", "List index is not within the allowable range; index: [2147483648]"),
]


@pytest.mark.parametrize(("text", "fault"), REFUSED)
def test_a_projection_is_refused_in_the_words_of_aws(text: str, fault: str):
    with pytest.raises(ValidationException) as refused:
        Placeholders({"#a": "m"} if "#a" in text else None).projection(text)
    assert refused.value.message == "Invalid ProjectionExpression: " + fault
