"""Names of tables: a rule that AWS tells in different words, at different times, by operation."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import shapes
from sortkey.errors import ValidationException

KEY = {"pk": {"S": "a"}}
TOO_SHORT = (
    "Value '{}' at '{}' failed to satisfy constraint: Member must have length greater than or "
    "equal to 3"
)
TOO_LONG = (
    "Value '{}' at '{}' failed to satisfy constraint: Member must have length less than or equal "
    "to 255"
)
PATTERN = (
    "Value '{}' at '{}' failed to satisfy constraint: Member must satisfy regular expression "
    "pattern: [a-zA-Z0-9_.-]+"
)
ONE, TWO = "1 validation error detected: ", "2 validation errors detected: "
REQUIRED = "The parameter 'TableName' is required but was not present in the request"
KEYS = (
    "Value '{a=[]}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy "
    "constraint: [Member must "
    "have length less than or equal to 255, Member must have length greater than or equal to 3, "
    "Member must satisfy "
    "regular expression pattern: [a-zA-Z0-9_.-]+]"
)

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("PutItem", {"TableName": "ab", "Item": KEY}, ONE + TOO_SHORT.format("ab", "tableName")),
    (
        "PutItem",
        {"TableName": "a" * 256, "Item": KEY},
        ONE + TOO_LONG.format("a" * 256, "tableName"),
    ),
    (
        "GetItem",
        {"TableName": "bad table!", "Key": KEY},
        ONE + PATTERN.format("bad table!", "tableName"),
    ),
    # On tables the name comes first and alone…
    ("CreateTable", {}, REQUIRED),
    ("DescribeTable", {"TableName": None}, REQUIRED),
    ("CreateTable", {"TableName": "ab"}, ONE + TOO_SHORT.format("ab", "tableName")),
    (
        "DescribeTable",
        {"TableName": ""},
        TWO + TOO_SHORT.format("", "tableName") + "; " + PATTERN.format("", "tableName"),
    ),
    # A few shapes have their pattern first.
    (
        "ListTables",
        {"ExclusiveStartTableName": ""},
        TWO
        + PATTERN.format("", "exclusiveStartTableName")
        + "; "
        + TOO_SHORT.format("", "exclusiveStartTableName"),
    ),
    (
        "CreateBackup",
        {"TableName": "abc", "BackupName": ""},
        TWO + PATTERN.format("", "backupName") + "; " + TOO_SHORT.format("", "backupName"),
    ),
    ("ListBackups", {"TableName": "ab", "Limit": 0}, ONE + TOO_SHORT.format("ab", "tableName")),
    # …on items it comes after all else.
    (
        "Scan",
        {"TableName": "ab", "Limit": 0},
        ONE
        + "Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
    ),
    (
        "TransactGetItems",
        {
            "TransactItems": [
                {"Get": {"TableName": "abc", "Key": KEY}},
                {"Get": {"TableName": "ab", "Key": KEY}},
            ]
        },
        ONE + TOO_SHORT.format("ab", "transactItems.2.member.get.tableName"),
    ),
    (
        "BatchWriteItem",
        {"RequestItems": {"a": []}},
        TWO
        + KEYS
        + "; Value '{a=[]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
        + "[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]",
    ),
    (
        "BatchGetItem",
        {"RequestItems": {}},
        "The requestItems parameter is required for BatchGetItem",
    ),
    (
        "BatchWriteItem",
        {"RequestItems": {}},
        "The requestItems parameter is required for BatchWriteItem",
    ),
    (
        "RestoreTableFromBackup",
        {"TargetTableName": "", "BackupArn": "x"},
        "TableName must be at least 3 characters long and at most 255 characters long",
    ),
    (
        "DescribeContributorInsights",
        {"TableName": "abc", "IndexName": ""},
        "IndexName must be at least 3 characters long and at most 255 characters long",
    ),
]


@pytest.mark.parametrize(("operation", "request_", "message"), CASES)
def test_a_bad_table_name_is_reported_as_the_operation_reports_it(
    operation: str, request_: dict[str, Any], message: str
):
    # Which of two errors a client sees depends on when AWS looks at the name.
    with pytest.raises(ValidationException) as caught:
        shapes.check(operation, request_)
    assert caught.value.message == message


@pytest.mark.parametrize(
    "name", ["abc", "a-b_c.d", "x" * 255, "arn:aws:dynamodb:us-east-1:000000000000:table/abc"]
)
def test_names_and_arns_are_let_through(name: str):
    # An ARN stands wherever a name does; which table it means is for the engine to say.
    shapes.check_table_name(name)
    shapes.check("DescribeTable", {"TableName": name})


def test_the_path_of_a_name_can_be_given():
    # Names come from other places too, PartiQL and imports among them.
    with pytest.raises(
        ValidationException, match=r"^1 validation error detected: Value 'ab' at 'sourceTableName'"
    ):
        shapes.check_table_name("ab", "sourceTableName")
