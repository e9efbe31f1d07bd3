"""Reading attribute values of a request: what is refused, in which words, and what comes out."""

from __future__ import annotations

import base64
import copy
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.errors import SerializationException, ValidationException
from sortkey.values import sizes
from sortkey.values.attributes import check_nesting, read_expression_values, read_item, read_value
from sortkey.values.json_types import check_item, check_value

EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
MANY = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
    "supported datatypes"
)
INVALID = "One or more parameter values were invalid: "
NESTED = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
    "beyond supported limit"
)

# What AWS finds wrong with a value whose JSON types are right.
MEANINGLESS: list[tuple[Any, str]] = [
    ({}, EMPTY),
    ({"X": "a"}, EMPTY),
    ({"s": "a"}, EMPTY),
    ({"S": None}, EMPTY),
    ({"L": None}, EMPTY),
    ({"S": "a", "N": "1"}, MANY),
    ({"M": {}, "L": []}, MANY),
    ({"N": "x", "S": "a"}, "The parameter cannot be converted to a numeric value: x"),
    ({"SS": [], "S": "a"}, INVALID + "An string set  may not be empty"),
    ({"N": ""}, "The parameter cannot be converted to a numeric value"),
    ({"N": "\u0661\u0661"}, "The parameter cannot be converted to a numeric value: \u0661\u0661"),
    ({"N": "1" * 39}, "Attempting to store more than 38 significant digits in a Number"),
    ({"NULL": False}, INVALID + "Null attribute value types must have the value of true"),
    ({"NULL": "no"}, INVALID + "Null attribute value types must have the value of true"),
    ({"SS": []}, INVALID + "An string set  may not be empty"),
    ({"NS": []}, INVALID + "An number set  may not be empty"),
    ({"BS": []}, INVALID + "Binary sets should not be empty"),
    ({"SS": ["a", "a"]}, INVALID + "Input collection [a, a] contains duplicates."),
    ({"SS": ["b", "a", "a", "b"]}, INVALID + "Input collection [b, a, a, b] contains duplicates."),
    ({"SS": ["a", None, "a"]}, INVALID + "Input collection [a, null, a] contains duplicates."),
    ({"SS": [None]}, INVALID + "An string set may not have a null string as a member"),
    ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
    ({"NS": ["0", "-0"]}, "Input collection contains duplicates"),
    ({"NS": ["x", "1", "1"]}, "The parameter cannot be converted to a numeric value: x"),
    ({"NS": [None]}, "The parameter cannot be converted to a numeric value"),
    (
        {"BS": ["Yg==", "Yg=="]},
        INVALID + "Input collection [Yg==, Yg==]of type BS contains duplicates.",
    ),
    ({"BS": [None]}, INVALID + "Binary sets may not contain null or empty values"),
    ({"L": [None]}, "The supplied Item contains a null AttributeValue"),
    ({"L": [{}]}, EMPTY),
    ({"L": [{"NULL": False}]}, INVALID + "Null attribute value types must have the value of true"),
    ({"M": {"a": None}}, "The supplied Item contains a null AttributeValue: a is null"),
    ({"M": {"a": {"X": "1"}}}, EMPTY),
    ({"M": {"": {"S": "a"}}}, "Empty attribute name"),
    (
        {"M": {"n" * 65536: {"S": "a"}}},
        "Attribute name is too large, must be less than 65536 bytes",
    ),
]

ATTRIBUTE_VALUE = "com.amazonaws.dynamodb.v20120810.AttributeValue"
STRUCTURE = "Start of structure or map found where not expected"
BASE64 = "only base-64-encoded strings are convertible to bytes"

# What AWS cannot even deserialise.
ILL_TYPED: list[tuple[Any, str]] = [
    (5, "Unexpected value type in payload"),
    ("x", "Unexpected value type in payload"),
    (True, "Unexpected value type in payload"),
    ([], f"Unrecognized collection type class {ATTRIBUTE_VALUE}"),
    ({"S": 5}, "NUMBER_VALUE cannot be converted to String"),
    ({"S": 5.5}, "DECIMAL_VALUE cannot be converted to String"),
    ({"S": True}, "TRUE_VALUE cannot be converted to String"),
    ({"S": False}, "FALSE_VALUE cannot be converted to String"),
    ({"S": []}, "Unrecognized collection type class java.lang.String"),
    ({"S": {}}, STRUCTURE),
    ({"N": 5}, "NUMBER_VALUE cannot be converted to String"),
    ({"B": 5}, BASE64),
    ({"B": True}, BASE64),
    ({"B": []}, "Unrecognized collection type class java.nio.ByteBuffer"),
    ({"B": {}}, STRUCTURE),
    ({"B": "23456"}, "Base64 encoded length is expected a multiple of 4 bytes but found: 5"),
    ({"B": "=+/="}, "Invalid last non-pad Base64 character dectected"),
    ({"B": "+/+="}, "Invalid last non-pad Base64 character dectected"),
    ({"B": "YQ==YQ=="}, "Invalid last non-pad Base64 character dectected"),
    ({"B": "Y!=="}, "Invalid Base64 character: '!'"),
    ({"B": "\u00e9AAA"}, "Invalid Base64 character: '\u00e9'"),
    ({"BOOL": "23"}, "Unexpected token received from parser"),
    ({"BOOL": 23}, "NUMBER_VALUE cannot be converted to Boolean"),
    ({"BOOL": 2.5}, "DECIMAL_VALUE cannot be converted to Boolean"),
    ({"BOOL": []}, "Unrecognized collection type class java.lang.Boolean"),
    ({"NULL": {}}, STRUCTURE),
    ({"SS": "a"}, "Unexpected field type"),
    ({"SS": {}}, STRUCTURE),
    ({"SS": [1]}, "NUMBER_VALUE cannot be converted to String"),
    ({"SS": [[]]}, "Unrecognized collection type class java.lang.String"),
    ({"NS": [1]}, "NUMBER_VALUE cannot be converted to String"),
    ({"BS": [1]}, BASE64),
    ({"BS": ["A"]}, "Base64 encoded length is expected a multiple of 4 bytes but found: 1"),
    ({"L": "a"}, "Unexpected field type"),
    ({"L": {}}, STRUCTURE),
    ({"L": ["a"]}, "Unexpected value type in payload"),
    ({"L": [[]]}, f"Unrecognized collection type class {ATTRIBUTE_VALUE}"),
    ({"M": "a"}, "Unexpected field type"),
    ({"M": []}, f"Unrecognized collection type java.util.Map<java.lang.String, {ATTRIBUTE_VALUE}>"),
    ({"M": {"a": 5}}, "Unexpected value type in payload"),
    ({"M": {"a": {"N": 5}}}, "NUMBER_VALUE cannot be converted to String"),
]


@pytest.mark.parametrize(("raw", "message"), MEANINGLESS)
def test_a_value_without_meaning_is_refused_in_the_words_of_aws(raw: Any, message: str) -> None:
    # Clients match on these messages; and nothing of the kind may ever reach the disk.
    with pytest.raises(ValidationException) as error:
        read_value(raw)
    assert error.value.message == message
    with pytest.raises(ValidationException) as error:
        read_item({"k": {"S": "a"}, "v": raw})
    assert error.value.message == message
    check_value(raw)  # its JSON types are right


@pytest.mark.parametrize(("raw", "message"), ILL_TYPED)
def test_a_value_of_wrong_json_type_is_a_serialization_error(raw: Any, message: str) -> None:
    # SDKs in untyped languages send {"N": 5}; the message is how their users find out.
    for read in (
        read_value,
        check_value,
        lambda r: read_item({"v": r}),
        lambda r: check_item({"v": r}),
    ):
        with pytest.raises(SerializationException) as error:
            read(raw)
        assert error.value.message == message


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("x", "Unexpected field type"),
        ([], f"Unrecognized collection type java.util.Map<java.lang.String, {ATTRIBUTE_VALUE}>"),
        ({"a": 1}, "Unexpected value type in payload"),
    ],
)
def test_an_item_must_be_a_map_of_values(raw: Any, message: str) -> None:
    # The item itself is deserialised like everything in it.
    for read in (read_item, check_item):
        with pytest.raises(SerializationException) as error:
            read(raw)
        assert error.value.message == message


def test_a_value_that_is_a_field_of_a_structure_is_refused_in_other_words() -> None:
    # AWS tells an element of a list or map from a member, as in Expected.a.Value.
    with pytest.raises(SerializationException, match=r"^Unexpected field type$"):
        check_value("x", field=True)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"S": "a", "X": "a"}, {"S": "a"}),
        ({"S": None, "N": "1"}, {"N": "1"}),
        ({"N": "1.0"}, {"N": "1"}),
        ({"NS": ["10", "9", "-1", "1e2", "0.5"]}, {"NS": ["-1", "0.5", "9", "10", "100"]}),
        ({"SS": ["b", "a", "é", "z", "Z", ""]}, {"SS": ["", "Z", "a", "b", "z", "é"]}),
        ({"SS": ["\uffff", "\U00010000"]}, {"SS": ["\U00010000", "\uffff"]}),
        (
            {"BS": ["fw==", "AQA=", "AQ==", "/w==", "gA==", ""]},
            {"BS": ["", "gA==", "/w==", "AQ==", "AQA=", "fw=="]},
        ),
        ({"BOOL": "true"}, {"BOOL": True}),
        ({"NULL": "yes"}, {"NULL": True}),
        ({"L": [{"N": "01"}, {"S": "a"}]}, {"L": [{"N": "1"}, {"S": "a"}]}),
        ({"M": {"a": {"N": "+1"}, "b": {"M": {}}}}, {"M": {"a": {"N": "1"}, "b": {"M": {}}}}),
        ({"S": ""}, {"S": ""}),
        ({"B": ""}, {"B": ""}),
        ({"SS": [""]}, {"SS": [""]}),
    ],
)
def test_a_value_comes_out_as_dynamodb_answers_it(raw: Any, expected: Any) -> None:
    # Stored bytes are spliced into answers, so the canonical form is made on the way in; the
    # request stays as it was.
    before = copy.deepcopy(raw)
    assert read_value(raw) == (expected, sizes.value_size(expected))
    assert read_item({"v": raw})[0] == {"v": expected}
    assert raw == before


def test_a_canonical_item_is_handed_back_without_a_copy() -> None:
    # Every write walks here; copying what is right already would cost more than the walk.
    item = {
        "k": {"S": "a"},
        "n": {"N": "12.5"},
        "m": {"M": {"l": {"L": [{"BOOL": False}]}}},
        "s": {"SS": ["a", "b"]},
    }
    assert read_item(item)[0] is item


@pytest.mark.parametrize(
    ("name", "message"),
    [("", "Empty attribute name"), ("é" * 32768, "Attribute name is too large")],
)
def test_attribute_names_are_between_1_and_65535_bytes(name: str, message: str) -> None:
    # The documentation says 64 KB; 65536 bytes is already refused by AWS.
    with pytest.raises(ValidationException, match=f"^{message}"):
        read_item({name: {"S": "a"}})
    assert read_item({"n" * 65535: {"S": "a"}})[1] == 65536


def nested(levels: int, leaf: dict[str, Any], kind: str) -> dict[str, Any]:
    for _ in range(levels):
        leaf = {"L": [leaf]} if kind == "L" else {"M": {"a": leaf}}
    return leaf


@pytest.mark.parametrize("kind", ["L", "M"])
def test_an_item_is_nested_32_levels_at_most_and_is_the_first_itself(kind: str) -> None:
    # The stack of every reader is bounded by this; the edge is where DynamoDB Local has it.
    empty: dict[str, Any] = {"L": []}
    read_item({"v": nested(31, {"S": "x"}, kind)})
    read_item({"v": nested(30, empty, kind)})
    read_value(nested(32, {"S": "x"}, kind))
    for refused in (
        lambda: read_item({"v": nested(32, {"N": "x"}, kind)}),
        lambda: read_item({"v": nested(31, empty, kind)}),
        lambda: read_value(nested(33, {"S": "x"}, kind)),
        lambda: read_value(nested(500, {"S": "x"}, kind)),
    ):
        with pytest.raises(ValidationException) as error:
            refused()
        assert error.value.message == NESTED
    check_value(nested(500, {"S": "x"}, kind))


def test_an_update_cannot_nest_deeper_than_a_put() -> None:
    # Two valid halves can make a whole that no client could have put; AWS has a shorter message for
    # it.
    check_nesting({"v": nested(31, {"S": "x"}, "M")}, "v")
    for kind in ("L", "M"):
        with pytest.raises(
            ValidationException, match=r"^Nesting Levels have exceeded supported limits$"
        ):
            check_nesting({"v": nested(32, {"S": "x"}, kind)}, "v")


def test_an_expression_value_at_fault_is_named() -> None:
    # A request may hold dozens of values; AWS says which.
    assert read_expression_values({":a": {"N": "1.0"}}) == {":a": {"N": "1"}}
    with pytest.raises(ValidationException) as error:
        read_expression_values({":a": {"S": "x"}, ":v": {"SS": []}})
    assert error.value.message == (
        f"ExpressionAttributeValues contains invalid value: {INVALID}An string set  may not be "
        "empty for key :v"
    )
    with pytest.raises(
        SerializationException, match=r"^NUMBER_VALUE cannot be converted to String$"
    ):
        read_expression_values({":v": {"S": 1}})


def test_a_lone_surrogate_is_refused() -> None:
    # It has no UTF-8 form: it could be neither stored nor answered. Only an embedded caller can
    # send one.
    for raw in ({"S": "\ud800"}, {"SS": ["\ud800"]}, {"M": {"\ud800": {"S": "a"}}}):
        with pytest.raises(SerializationException):
            read_value(raw)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
number_texts = st.decimals(
    allow_nan=False, allow_infinity=False, places=3, min_value=-(10**20), max_value=10**20
).map(str)
blobs = st.binary(max_size=8).map(lambda raw: base64.b64encode(raw).decode())
leaves = st.one_of(
    st.fixed_dictionaries({"S": texts}),
    st.fixed_dictionaries({"N": number_texts}),
    st.fixed_dictionaries({"B": blobs}),
    st.fixed_dictionaries({"BOOL": st.booleans()}),
    st.just({"NULL": True}),
    st.fixed_dictionaries({"SS": st.lists(texts, min_size=1, max_size=4, unique=True)}),
    st.fixed_dictionaries({"BS": st.lists(blobs, min_size=1, max_size=4, unique=True)}),
    st.fixed_dictionaries(
        {"NS": st.lists(st.integers(-999, 999).map(str), min_size=1, max_size=4, unique=True)}
    ),
)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"L": st.lists(inner, max_size=3)}),
        st.fixed_dictionaries({"M": st.dictionaries(names, inner, max_size=3)}),
    ),
    max_leaves=8,
)


@given(st.dictionaries(names, values, max_size=5))
def test_what_was_read_survives_the_disk_and_a_second_reading(raw: dict[str, Any]) -> None:
    # Items live as JSON bytes: bytes and back must be the same item, canonical, of the same size.
    item, size = read_item(raw)
    assert size == sizes.item_size(item)
    stored = orjson.loads(orjson.dumps(item))
    assert stored == item
    again, size_again = read_item(stored)
    assert again is stored
    assert size_again == size
    check_item(raw)
