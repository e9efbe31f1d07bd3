"""Update expressions: what they make of an item, what they show of it, and what they refuse."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.errors import ValidationException
from sortkey.expressions import Placeholders

from .sample import ITEM, used_in

N = {"N": "5"}


def numbers(*values: int) -> dict[str, Any]:
    return {"L": [{"N": str(value)} for value in values]}


# Expression, and the attributes that changed: None for one that is gone.
CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("SET a = :n", {"a": N}),
    ("set new1 = :n remove a", {"new1": N, "a": None}),
    ("SET n = n + :n", {"n": {"N": "10"}}),
    ("SET n = (:one - n)", {"n": {"N": "-4"}}),
    ("SET a = n, n = a", {"a": N, "n": {"S": "hello"}}),
    (
        "SET a = if_not_exists(a, :n), q = if_not_exists(q, :n) + :one",
        {"a": {"S": "hello"}, "q": {"N": "6"}},
    ),
    ("SET l = list_append(l, :l)", {"l": numbers(0, 1, 2, 3, 7)}),
    ("SET l = list_append(:l, l)", {"l": numbers(7, 0, 1, 2, 3)}),
    ("SET q = list_append(if_not_exists(q, :l), :l)", {"q": numbers(7, 7)}),
    ("SET l[1] = :n", {"l": numbers(0, 5, 2, 3)}),
    ("SET l[9] = :n, l[7] = :one", {"l": numbers(0, 1, 2, 3, 1, 5)}),
    ("SET l[0] = l[1] REMOVE l[1]", {"l": numbers(1, 2, 3)}),
    ("REMOVE l[0], l[2]", {"l": numbers(1, 3)}),
    ("REMOVE l[1], l[3] SET l[7] = n", {"l": numbers(0, 2, 5)}),
    ("REMOVE l[9], absent", {}),
    ("REMOVE m.y.absent", {}),
    ("ADD n :n", {"n": {"N": "10"}}),
    ("ADD absent :n", {"absent": N}),
    ("ADD l[0] :n, l[9] :n", {"l": numbers(5, 1, 2, 3, 5)}),
    ("DELETE ss :ss", {"ss": {"SS": ["b", "c"]}}),
    ("DELETE absent :ss", {}),
    ("ADD ns :ns", {}),
]


@pytest.mark.parametrize(("text", "changed"), CHANGES)
def test_an_update_changes_what_it_says_and_nothing_else(text: str, changed: dict[str, Any]):
    item = copy.deepcopy(ITEM)
    new = Placeholders(None, used_in(text)).update(text)(item)
    expected = {**ITEM, **changed}
    assert new == {name: value for name, value in expected.items() if value is not None}
    assert item == ITEM


def test_nested_paths_are_written_and_their_siblings_kept():
    # Only the touched maps are copied: the rest of the item is shared with the old one.
    item = copy.deepcopy(ITEM)
    new = Placeholders(None, {":n": N}).update("SET m.y.w = :n REMOVE m.x, m.l[0]")(item)
    assert new["m"] == {"M": {"y": {"M": {"z": {"S": "q"}, "w": N}}, "l": {"L": [{"S": "b"}]}}}
    assert item == ITEM
    assert new["l"] is item["l"]


def test_the_last_element_of_a_set_takes_the_attribute_with_it():
    # DynamoDB has no empty sets.
    text = "DELETE ss :all"
    new = Placeholders(None, {":all": {"SS": ["c", "b", "a"]}}).update(text)(ITEM)
    assert "ss" not in new


def test_without_an_item_an_update_starts_from_nothing():
    # UpdateItem creates the item, unless it only removes.
    placeholders = Placeholders(None, {":n": N, ":ss": {"SS": ["a"]}})
    assert placeholders.update("SET a = :n ADD q :n")(None) == {"a": N, "q": N}
    assert not placeholders.update("SET a = :n REMOVE b").only_removes
    assert placeholders.update("REMOVE a DELETE s :ss").only_removes


# Expression, what UPDATED_OLD shows, and what UPDATED_NEW shows.
SHOWN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("SET a = :n, q = :n", {"a": {"S": "hello"}}, {"a": N, "q": N}),
    ("SET m.x = :n", {"m": {"M": {"x": {"N": "1"}}}}, {"m": {"M": {"x": N}}}),
    ("SET l[1] = :n", {"l": numbers(1)}, {"l": numbers(5)}),
    ("SET l[9] = :n", {}, {}),
    ("REMOVE a", {"a": {"S": "hello"}}, {}),
    ("REMOVE l[1], l[9]", {"l": numbers(1)}, {"l": numbers(2)}),
    (
        "SET m.l[1] = :n, m.x = :n",
        {"m": {"M": {"l": {"L": [{"S": "b"}]}, "x": {"N": "1"}}}},
        {"m": {"M": {"l": {"L": [N]}, "x": N}}},
    ),
]


@pytest.mark.parametrize(("text", "old", "new"), SHOWN)
def test_updated_old_and_new_show_the_written_paths_only(
    text: str, old: dict[str, Any], new: dict[str, Any]
):
    # AWS returns the nested path rebuilt, not the whole attribute as DynamoDB Local does.
    update = Placeholders(None, used_in(text)).update(text)
    assert update.updated_old(ITEM) == old
    assert update.updated_new(update(ITEM)) == new


OVERLAP = "Two document paths overlap with each other; must remove or rewrite one of these paths; "
CONFLICT = (
    "Two document paths conflict with each other; must remove or rewrite one of these paths; "
)
OPERAND = "Incorrect operand type for operator or function; "

REFUSED = [
    ("", "The expression can not be empty;"),
    ("SET", 'Syntax error; token: "<EOF>", near: "SET"'),
    ("a = :n", 'Syntax error; token: "a", near: "a ="'),
    ("SET a = :n, REMOVE b", 'Syntax error; token: "REMOVE", near: ", REMOVE b"'),
    ("SET a = :n + :n + :n", 'Syntax error; token: "+", near: ":n + :n"'),
    ("SET a = (b + :n) + :n", 'Syntax error; token: "+", near: ") + :n"'),
    ("SET (a) = :n", 'Syntax error; token: "(", near: "SET (a"'),
    ("ADD a b", 'Syntax error; token: "b", near: "a b"'),
    ("DELETE a (:n)", 'Syntax error; token: "(", near: "a (:n"'),
    ("SET a = ((:n))", "The expression has redundant parentheses;"),
    ("SET a = :n SET b = :q", 'The "SET" section can only be used once in an update expression;'),
    ("SET name = :n SET b = :n", "Attribute name is a reserved keyword; reserved keyword: name"),
    ("SET a = size(b)", "The function is not allowed in an update expression; function: size"),
    ("SET a = IF_NOT_EXISTS(a, :n)", "Invalid function name; function: IF_NOT_EXISTS"),
    (
        "SET a = list_append(list_append(l, l), l)",
        "The function is not allowed to be used this way in an expression; function: list_append",
    ),
    ("SET a = :n, a = :n", OVERLAP + "path one: [a], path two: [a]"),
    ("SET a.b = :n REMOVE a", OVERLAP + "path one: [a, b], path two: [a]"),
    ("SET a = :n, a.b = :n", OVERLAP + "path one: [a], path two: [a, b]"),
    ("SET m.b = :n, m.c = :n, m = :n", OVERLAP + "path one: [m, c], path two: [m]"),
    ("SET a.b = :n, a[0] = :n", CONFLICT + "path one: [a, b], path two: [a, [0]]"),
    ("SET b = :n, b = :q", OVERLAP + "path one: [b], path two: [b]"),
    ("SET foo = :n, bar = :n, foo.x = :n", OVERLAP + "path one: [foo], path two: [bar]"),
    (
        "SET a = :q, b = #q",
        "An expression attribute name used in the document path is not defined; attribute name: #q",
    ),
    (
        "SET a = if_not_exists(:n, :n)",
        "Operator or function requires a document path; operator or function: if_not_exists",
    ),
    (
        "SET a = if_not_exists(b, b)",
        "The first operand must be distinct from the remaining operands for this operator or "
        "function; "
        "operator: if_not_exists, first operand: [b]",
    ),
    (
        "SET a = if_not_exists(b)",
        "Incorrect number of operands for operator or function; "
        "operator or function: if_not_exists, number of operands: 1",
    ),
    ("SET a = list_append(l, :n)", OPERAND + "operator or function: list_append, operand type: N"),
    ("SET a = n + :s", OPERAND + "operator or function: +, operand type: S"),
    ("ADD a :s", OPERAND + "operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND"),
    (
        "DELETE a :n",
        OPERAND + "operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND",
    ),
    ("SET a[2147483648] = :n", "List index is not within the allowable range; index: [2147483648]"),
]


@pytest.mark.parametrize(("text", "fault"), REFUSED)
def test_an_update_is_refused_in_the_words_of_aws(text: str, fault: str):
    with pytest.raises(ValidationException) as refused:
        Placeholders(None, used_in(text)).update(text)
    assert refused.value.message == "Invalid UpdateExpression: " + fault


BAD_PATH = "The document path provided in the update expression is invalid for update"
NO_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"
BAD_TYPE = "An operand in the update expression has an incorrect data type"

FAILING = [
    ("SET a.b = :n", BAD_PATH),
    ("SET absent.b = absent", BAD_PATH),
    ("SET m[0] = :n", BAD_PATH),
    ("SET l.x = :n", BAD_PATH),
    ("SET l[9].x = :n", BAD_PATH),
    ("REMOVE absent.x", BAD_PATH),
    ("REMOVE ss[0]", BAD_PATH),
    ("DELETE a.y :ss", BAD_PATH),
    ("SET q = absent", NO_ATTRIBUTE),
    ("SET q = l[9]", NO_ATTRIBUTE),
    ("SET q = absent + :n", NO_ATTRIBUTE),
    ("SET q = list_append(:l, absent)", NO_ATTRIBUTE),
    ("SET q = if_not_exists(n, absent)", NO_ATTRIBUTE),
    ("SET q = a + absent", BAD_TYPE),
    ("SET q = list_append(a, l)", BAD_TYPE),
    ("ADD a :n", BAD_TYPE),
    ("ADD ns :ss", BAD_TYPE),
    ("DELETE m.y :ss", BAD_TYPE),
    # Of several: in the order of a hash map of the paths, and of one bucket the last.
    ("SET q = absent, foo = a + :n", BAD_TYPE),
    ("SET foo = a + :n, bar = absent", NO_ATTRIBUTE),
    ("SET bar = absent, foo.x = :n", NO_ATTRIBUTE),
    ("SET c = absent, s = a + :n", BAD_TYPE),
    ("SET s = a + :n, c = absent", NO_ATTRIBUTE),
    ("SET m.foo = a + :n, m.bar = absent", NO_ATTRIBUTE),
    ("SET l[0] = absent, l[1] = a + :n", BAD_TYPE),
    ("SET l[15] = absent, l[0] = a + :n", BAD_TYPE),
]


@pytest.mark.parametrize(("text", "message"), FAILING)
def test_an_update_that_does_not_fit_the_item_fails(text: str, message: str):
    item = copy.deepcopy(ITEM)
    with pytest.raises(ValidationException) as refused:
        Placeholders(None, used_in(text)).update(text)(item)
    assert refused.value.message == message
    assert item == ITEM


def test_an_update_names_what_it_writes_and_what_it_reads():
    # The engine refuses writes to key attributes, and indexes follow the top-level names.
    update = Placeholders({"#x": "x"}, {":n": N}).update("SET m.#x = a.b, q = :n REMOVE l[0]")
    assert update.paths == (("m", "x"), ("q",), ("l", 0))
    assert update.reads == (("a", "b"),)
    assert update.top_level == {"m", "q", "l"}


@given(
    st.lists(
        st.sampled_from(sorted({text for text, _ in CHANGES + FAILING})), min_size=1, max_size=6
    )
)
def test_no_sequence_of_updates_changes_an_item_in_place(texts: list[str]):
    # Old items are shown, journalled and compared after the update: they must stay what they were.
    item: dict[str, Any] = copy.deepcopy(ITEM)
    for text in texts:
        before = copy.deepcopy(item)
        try:
            new = Placeholders(None, used_in(text)).update(text)(item)
        except ValidationException:
            new = item
        assert item == before
        item = new
