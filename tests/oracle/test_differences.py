"""The table of known differences itself: it is on the page for readers, and it excuses nothing but
what it names.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.differences import KNOWN, as_markdown, explained
from tests.oracle.endpoints import Answer
from tests.oracle.stages import earlier, stage
from tests.oracle.wording import same_meaning

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
KEY = {"pk": {"S": "a"}}


def refused(message: str, error: str = "ValidationException", **body: Any) -> Answer:
    return Answer(400, body, error, message)


def test_the_page_shows_the_table_as_it_is() -> None:
    # `python -m tests.oracle.differences` prints what belongs between the two marks.
    block = PAGE.read_text().split("<!-- differences -->\n")[1].split("\n<!-- /differences -->")[0]
    assert block == as_markdown()


def test_names_are_distinct_and_reasons_are_sentences() -> None:
    # The machine counts by name; a reader needs the reason.
    assert len({known.name for known in KNOWN}) == len(KNOWN)
    assert all(known.reason.endswith(".") and len(known.reason) > 40 for known in KNOWN)


@pytest.mark.parametrize(
    ("ours", "oracle"),
    [
        ("Requested resource not found", "The provided key element does not match the schema"),
        ("The provided key element does not match the schema", "Requested resource not found"),
        (
            "The provided key element does not match the schema",
            "Query condition missed key schema element",
        ),
        ("Invalid FilterExpression: Syntax error", "Invalid ConditionExpression: Syntax error"),
        (
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted "
            "to a numeric value: x "
            "for key :a",
            "ExpressionAttributeValues contains invalid value: A value provided cannot be "
            "converted into a number "
            "for key :b",
        ),
        (
            "Invalid FilterExpression: Two document paths overlap with each other",
            "Invalid FilterExpression: Two document paths conflict with each other",
        ),
        (
            "The conditional request failed",
            "The document path provided in the update expression is invalid for update",
        ),
    ],
)
def test_messages_of_different_meaning_are_never_the_same(ours: str, oracle: str) -> None:
    # A table of words that excuses everything would hide every wrong refusal.
    assert not same_meaning(ours, oracle)


@pytest.mark.parametrize(
    ("operation", "request_", "ours", "oracle"),
    [
        # The same type of error with another message.
        (
            "PutItem",
            {"Item": KEY},
            refused("Item size has exceeded"),
            refused("Nesting Levels have exceeded"),
        ),
        # We accept what DynamoDB Local refuses.
        ("PutItem", {"Item": KEY}, Answer(200, {}), refused("Invalid attribute value type")),
        # We refuse what it accepts.
        (
            "PutItem",
            {"Item": KEY},
            refused("One or more parameter values were invalid: x"),
            Answer(200, {}),
        ),
        # A type that is right, refused.
        (
            "PutItem",
            {"TableName": "abc", "Item": KEY},
            refused("x", "SerializationException"),
            Answer(200, {}),
        ),
        # A constraint that is kept, refused.
        (
            "PutItem",
            {"TableName": "abc", "Item": KEY},
            refused("1 validation error detected: x"),
            Answer(200, {}),
        ),
        # Other items.
        ("GetItem", {"Key": KEY}, Answer(200, {"Item": KEY}), Answer(200, {})),
        # Other figures.
        (
            "GetItem",
            {"Key": KEY, "ReturnConsumedCapacity": "TOTAL"},
            Answer(200, {"ConsumedCapacity": {"TableName": "abc", "CapacityUnits": 2}}),
            Answer(200, {"ConsumedCapacity": {"TableName": "abc", "CapacityUnits": 1}}),
        ),
        # An update of an item that is there, with another result.
        (
            "UpdateItem",
            {"Key": KEY, "UpdateExpression": "REMOVE a", "ReturnValues": "ALL_NEW"},
            Answer(200, {"Attributes": KEY | {"a": {"S": "x"}}}),
            Answer(200, {"Attributes": KEY}),
        ),
        # Paths with other values.
        (
            "UpdateItem",
            {"Key": KEY, "UpdateExpression": "SET m.a = :x", "ReturnValues": "UPDATED_NEW"},
            Answer(200, {"Attributes": {"m": {"M": {"a": {"S": "x"}}}}}),
            Answer(200, {"Attributes": {"m": {"M": {"a": {"S": "y"}, "b": {"S": "y"}}}}}),
        ),
        # A filter that is not empty, said to be.
        (
            "Scan",
            {"FilterExpression": "a = :a", "ExpressionAttributeValues": {":a": {"S": "x"}}},
            refused("Invalid FilterExpression: The expression can not be empty;"),
            refused(
                "ExpressionAttributeValues can only be specified when using expressions: "
                "FilterExpression is null"
            ),
        ),
        # Another of the faults of an update.
        (
            "UpdateItem",
            {"Key": KEY, "UpdateExpression": "SET a = b, c = d + :n"},
            refused("An operand in the update expression has an incorrect data type"),
            refused(
                "The provided expression refers to an attribute that does not exist in the item"
            ),
        ),
        # A later fault than DynamoDB Local's.
        (
            "UpdateItem",
            {"Key": KEY, "UpdateExpression": "SET a = :x"},
            refused("The provided key element does not match the schema"),
            refused("Invalid UpdateExpression: Syntax error"),
        ),
    ],
)
def test_a_wrong_answer_is_not_excused(
    operation: str, request_: Any, ours: Answer, oracle: Answer
) -> None:
    # Each is what a bug of ours would look like.
    assert explained(operation, request_, ours, oracle) is None


def test_stages_follow_the_order_in_which_aws_looks() -> None:
    # Parameters, values, expressions, the table, its keys, the condition, the update.
    faults = [
        "ExpressionAttributeNames can only be specified when using expressions",
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        "Invalid ConditionExpression: Syntax error",
        "Requested resource not found",
        "The provided key element does not match the schema",
        "One or more parameter values were invalid: Type mismatch for Index Key a Expected: S "
        "Actual: N IndexName: i",
        "The conditional request failed",
        "An operand in the update expression has an incorrect data type",
    ]
    assert [stage(fault) for fault in faults] == sorted({stage(fault) for fault in faults} - {None})  # type: ignore[type-var]
    assert all(earlier(first, second) for first, second in pairwise(faults))
