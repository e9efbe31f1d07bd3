"""Constraints of requests, in AWS's words and order. Messages from published answers of AWS, or by
their rules.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sortkey.engine import shapes
from sortkey.engine.shapes import java
from sortkey.errors import SerializationException, ValidationException

NAME_PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
RETURN_VALUES = (
    "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
)
CAPACITY = "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
METRICS = "Member must satisfy enum value set: [SIZE, NONE]"
NOT_NULL = "Member must not be null"
KEY = {"pk": {"S": "a"}}
DEFINITION = {"AttributeName": "pk", "AttributeType": "S"}
HASH = {"AttributeName": "pk", "KeyType": "HASH"}


def failed(value: str, path: str, constraint: str) -> str:
    return f"Value {value} at '{path}' failed to satisfy constraint: {constraint}"


def at_least(count: int) -> str:
    return f"Member must have length greater than or equal to {count}"


def at_most(count: int) -> str:
    return f"Member must have length less than or equal to {count}"


def from_value(count: int) -> str:
    return f"Member must have value greater than or equal to {count}"


def to_value(count: int) -> str:
    return f"Member must have value less than or equal to {count}"


def table(**members: Any) -> dict[str, Any]:
    return {"TableName": "abc", "AttributeDefinitions": [DEFINITION], "KeySchema": [HASH]} | members


CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    # required members
    ("PutItem", {"Item": KEY}, [failed("null", "tableName", NOT_NULL)]),
    ("PutItem", {"TableName": None, "Item": KEY}, [failed("null", "tableName", NOT_NULL)]),
    ("GetItem", {"TableName": "abc"}, [failed("null", "key", NOT_NULL)]),
    ("BatchGetItem", {}, [failed("null", "requestItems", NOT_NULL)]),
    (
        "BatchGetItem",
        {"RequestItems": {"abc": {}}},
        [failed("null", "requestItems.abc.member.keys", NOT_NULL)],
    ),
    ("TransactWriteItems", {}, [failed("null", "transactItems", NOT_NULL)]),
    (
        "TransactWriteItems",
        {"TransactItems": [None]},
        [failed("null", "transactItems.1.member", NOT_NULL)],
    ),
    (
        "TransactGetItems",
        {"TransactItems": [{}]},
        [failed("null", "transactItems.1.member.get", NOT_NULL)],
    ),
    ("TagResource", {"ResourceArn": "x"}, [failed("null", "tags", NOT_NULL)]),
    (
        "CreateTable",
        table(AttributeDefinitions=None),
        [failed("null", "attributeDefinitions", NOT_NULL)],
    ),
    (
        "CreateTable",
        table(AttributeDefinitions=[{}]),
        [
            failed("null", "attributeDefinitions.1.member.attributeType", NOT_NULL),
            failed("null", "attributeDefinitions.1.member.attributeName", NOT_NULL),
        ],
    ),
    (
        "CreateTable",
        table(KeySchema=[HASH, {}]),
        [
            failed("null", "keySchema.2.member.attributeName", NOT_NULL),
            failed("null", "keySchema.2.member.keyType", NOT_NULL),
        ],
    ),
    (
        "CreateTable",
        table(ProvisionedThroughput={}),
        [
            failed("null", "provisionedThroughput.writeCapacityUnits", NOT_NULL),
            failed("null", "provisionedThroughput.readCapacityUnits", NOT_NULL),
        ],
    ),
    (
        "UpdateTimeToLive",
        {"TableName": "abc", "TimeToLiveSpecification": {}},
        [
            failed("null", "timeToLiveSpecification.attributeName", NOT_NULL),
            failed("null", "timeToLiveSpecification.enabled", NOT_NULL),
        ],
    ),
    (
        "RestoreTableFromBackup",
        {
            "TargetTableName": "abc",
            "BackupArn": "x",
            "GlobalSecondaryIndexOverride": [{"IndexName": "x"}],
        },
        [
            failed("'x'", "globalSecondaryIndexOverride.1.member.indexName", at_least(3)),
            failed("null", "globalSecondaryIndexOverride.1.member.keySchema", NOT_NULL),
            failed("null", "globalSecondaryIndexOverride.1.member.projection", NOT_NULL),
        ],
    ),
    # lengths of strings
    (
        "CreateTable",
        table(AttributeDefinitions=[DEFINITION | {"AttributeName": ""}]),
        [failed("''", "attributeDefinitions.1.member.attributeName", at_least(1))],
    ),
    (
        "CreateTable",
        table(SSESpecification={"KMSMasterKeyId": ""}),
        [failed("''", "sSESpecification.kMSMasterKeyId", at_least(1))],
    ),
    (
        "TransactWriteItems",
        {"TransactItems": [{}], "ClientRequestToken": "x" * 37},
        [failed(f"'{'x' * 37}'", "clientRequestToken", at_most(36))],
    ),
    (
        # AWS counts UTF-16 units: each of these is two.
        "TransactWriteItems",
        {"TransactItems": [{}], "ClientRequestToken": "😀" * 19},
        [failed(f"'{'😀' * 19}'", "clientRequestToken", at_most(36))],
    ),
    (
        "EnableKinesisStreamingDestination",
        {"TableName": "abc", "StreamArn": ""},
        [failed("''", "streamArn", at_least(37))],
    ),
    (
        "DeleteResourcePolicy",
        {"ResourceArn": "x", "ExpectedRevisionId": ""},
        [failed("''", "expectedRevisionId", at_least(1))],
    ),
    ("ExecuteStatement", {"Statement": ""}, [failed("''", "statement", at_least(1))]),
    # lengths of lists and maps
    ("TransactWriteItems", {"TransactItems": []}, [failed("'[]'", "transactItems", at_least(1))]),
    (
        "GetItem",
        {"TableName": "abc", "Key": KEY, "AttributesToGet": []},
        [failed("'[]'", "attributesToGet", at_least(1))],
    ),
    ("CreateTable", table(KeySchema=[]), [failed("'[]'", "keySchema", at_least(1))]),
    (
        "CreateTable",
        table(
            KeySchema=[
                HASH,
                {"AttributeName": "sk", "KeyType": "RANGE"},
                {"AttributeName": "x", "KeyType": "RANGE"},
            ]
        ),
        [
            failed(
                "'[KeySchemaElement(attributeName=pk, keyType=HASH), "
                "KeySchemaElement(attributeName=sk, "
                "keyType=RANGE), KeySchemaElement(attributeName=x, keyType=RANGE)]'",
                "keySchema",
                at_most(2),
            )
        ],
    ),
    (
        "BatchGetItem",
        {"RequestItems": {"abc": {"Keys": []}}},
        [failed("'[]'", "requestItems.abc.member.keys", at_least(1))],
    ),
    (
        "BatchWriteItem",
        {"RequestItems": {"abc": []}},
        [
            failed(
                "'{abc=[]}'",
                "requestItems",
                f"Map value must satisfy constraint: [{at_most(25)}, {at_least(1)}]",
            )
        ],
    ),
    # numbers
    ("Scan", {"TableName": "abc", "Limit": 0}, [failed("'0'", "limit", from_value(1))]),
    ("Query", {"TableName": "abc", "Limit": -1}, [failed("'-1'", "limit", from_value(1))]),
    ("ListTables", {"Limit": 101}, [failed("'101'", "limit", to_value(100))]),
    (
        "Scan",
        {"TableName": "abc", "Segment": -1, "TotalSegments": 1000001},
        [
            failed("'1000001'", "totalSegments", to_value(1000000)),
            failed("'-1'", "segment", from_value(0)),
        ],
    ),
    (
        "UpdateContinuousBackups",
        {
            "TableName": "abc",
            "PointInTimeRecoverySpecification": {
                "PointInTimeRecoveryEnabled": True,
                "RecoveryPeriodInDays": 0,
            },
        },
        [failed("'0'", "pointInTimeRecoverySpecification.recoveryPeriodInDays", from_value(1))],
    ),
    # enums, in AWS's order of values
    (
        "PutItem",
        {
            "TableName": "abc",
            "Item": KEY,
            "ReturnValues": "X",
            "ReturnConsumedCapacity": "X",
            "ReturnItemCollectionMetrics": "X",
        },
        [
            failed("'X'", "returnValues", RETURN_VALUES),
            failed("'X'", "returnConsumedCapacity", CAPACITY),
            failed("'X'", "returnItemCollectionMetrics", METRICS),
        ],
    ),
    (
        "UpdateItem",
        {"TableName": "abc", "Key": KEY, "ReturnValues": "X", "ReturnConsumedCapacity": "X"},
        [
            failed("'X'", "returnConsumedCapacity", CAPACITY),
            failed("'X'", "returnValues", RETURN_VALUES),
        ],
    ),
    (
        "PutItem",
        {"TableName": "", "Item": {}, "ReturnValues": "X"},
        [failed("'X'", "returnValues", RETURN_VALUES), failed("''", "tableName", at_least(1))],
    ),
    (
        "CreateTable",
        table(KeySchema=[HASH | {"KeyType": "Woop"}]),
        [
            failed(
                "'Woop'",
                "keySchema.1.member.keyType",
                "Member must satisfy enum value set: [HASH, RANGE]",
            )
        ],
    ),
    (
        "CreateTable",
        table(AttributeDefinitions=[DEFINITION | {"AttributeType": "SS"}]),
        [
            failed(
                "'SS'",
                "attributeDefinitions.1.member.attributeType",
                "Member must satisfy enum value set: [B, N, S]",
            )
        ],
    ),
    (
        "UpdateTable",
        {"TableName": "abc", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": ""}},
        [
            failed(
                "''",
                "streamSpecification.streamViewType",
                "Member must satisfy enum value set: [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, "
                "NEW_IMAGE]",
            )
        ],
    ),
    (
        "Query",
        {"TableName": "abc", "KeyConditions": {"pk": {"ComparisonOperator": "X"}}},
        [
            failed(
                "'X'",
                "keyConditions.pk.member.comparisonOperator",
                "Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, "
                "NOT_NULL, NE, LE, "
                "BEGINS_WITH, GE, CONTAINS]",
            )
        ],
    ),
    # patterns
    (
        "ExportTableToPointInTime",
        {"TableArn": "", "S3Bucket": ""},
        [
            failed(
                "''",
                "s3Bucket",
                r"Member must satisfy regular expression pattern: "
                r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$",
            )
        ],
    ),
    (
        "UpdateTable",
        {"TableName": "abc", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": ""}}]},
        [
            failed("''", "globalSecondaryIndexUpdates.1.member.delete.indexName", at_least(3)),
            failed("''", "globalSecondaryIndexUpdates.1.member.delete.indexName", NAME_PATTERN),
        ],
    ),
    # elements of a list: AWS names the list
    (
        "CreateTable",
        table(
            LocalSecondaryIndexes=[
                {
                    "IndexName": "lsi",
                    "KeySchema": [HASH],
                    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": [""]},
                }
            ]
        ),
        [
            failed(
                "'[]'",
                "localSecondaryIndexes.1.member.projection.nonKeyAttributes",
                f"Member must satisfy constraint: [{at_most(255)}, {at_least(1)}]",
            )
        ],
    ),
    # streams
    (
        "GetShardIterator",
        {
            "StreamArn": "x" * 37,
            "ShardId": "x" * 28,
            "ShardIteratorType": "LATEST",
            "SequenceNumber": "1",
        },
        [failed("'1'", "sequenceNumber", at_least(21))],
    ),
]


@pytest.mark.parametrize(("operation", "request_", "errors"), CASES)
def test_a_broken_constraint_is_reported_as_aws_reports_it(
    operation: str, request_: dict[str, Any], errors: list[str]
):
    # Clients and their tests match on these texts; one word off and an emulator has taught them
    # something false.
    plural = "" if len(errors) == 1 else "s"
    with pytest.raises(ValidationException) as caught:
        shapes.check(operation, copy.deepcopy(request_))
    assert caught.value.message == f"{len(errors)} validation error{plural} detected: " + "; ".join(
        errors
    )


INDEX = {"IndexName": "by-sk", "KeySchema": [HASH], "Projection": {"ProjectionType": "ALL"}}
VALID: list[tuple[str, dict[str, Any]]] = [
    (
        "PutItem",
        {
            "TableName": "abc",
            "Item": KEY,
            "ReturnValues": "ALL_OLD",
            "ExpressionAttributeNames": {"#a": "b"},
        },
    ),
    ("GetItem", {"TableName": "abc", "Key": KEY, "ConsistentRead": True}),
    ("GetItem", {"TableName": "arn:aws:dynamodb:eu-west-1:000000000000:table/abc", "Key": KEY}),
    (
        "Scan",
        {"TableName": "abc", "Segment": 0, "TotalSegments": 1, "Limit": 1, "IndexName": "by-sk"},
    ),
    (
        "Query",
        {
            "TableName": "abc",
            "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": []}},
        },
    ),
    ("BatchGetItem", {"RequestItems": {"abc": {"Keys": [KEY] * 100}}}),
    ("BatchWriteItem", {"RequestItems": {"abc": [{"PutRequest": {"Item": KEY}}] * 25}}),
    ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "abc", "Item": KEY}}] * 100}),
    ("CreateTable", table(GlobalSecondaryIndexes=[INDEX], BillingMode="PAY_PER_REQUEST")),
    ("CreateTable", table(GlobalSecondaryIndexes=[INDEX | {"KeySchema": [HASH] * 8}])),
    ("ListBackups", {"TimeRangeLowerBound": 1.5}),
    ("ListTables", {}),
    ("ListTables", {"Unknown": ["AWS", {"skips": "this"}]}),
    ("DescribeStream", {"StreamArn": "x" * 37}),
]


@pytest.mark.parametrize(("operation", "request_"), VALID)
def test_the_compiled_test_and_the_full_check_both_let_a_valid_request_pass(
    operation: str, request_: dict[str, Any]
):
    # The compiled test is there for speed alone; where it says no to good requests, the speed is
    # gone silently.
    assert shapes.compile_test(shapes.input_shape(operation))(request_)
    shapes._examine(operation, request_)


def test_at_most_ten_errors_are_reported():
    # AWS stops at ten; a request of a thousand bad elements must not make a message of a thousand
    # parts.
    with pytest.raises(ValidationException, match=r"^10 validation errors detected"):
        shapes.check("CreateTable", table(KeySchema=[{}] * 2, AttributeDefinitions=[{}] * 1000))


def test_a_batch_of_too_many_writes_is_echoed_as_java_prints_it():
    # The echo is what makes the message recognisable; its members are those of the public model.
    with pytest.raises(ValidationException) as caught:
        shapes.check(
            "BatchWriteItem",
            {"RequestItems": {"abc": [{"PutRequest": {"Item": {"pk": {"S": "a"}}}}] * 26}},
        )
    one = (
        "WriteRequest(putRequest=PutRequest(item={pk=AttributeValue(s=a, n=null, b=null, sS=null, "
        "nS=null, bS=null, "
        "m=null, l=null, nULL=null, bOOL=null)}), deleteRequest=null)"
    )
    constraint = f"Map value must satisfy constraint: [{at_most(25)}, {at_least(1)}]"
    echo = "'{abc=[" + ", ".join([one] * 26) + "]}'"
    assert caught.value.message == "1 validation error detected: " + failed(
        echo, "requestItems", constraint
    )


def test_a_very_deep_value_can_be_echoed():
    # The echo is recursive; a client must not be able to exhaust the stack with it.
    value: dict[str, Any] = {"S": "a"}
    for _ in range(300):
        value = {"L": [value]}
    with pytest.raises(ValidationException):
        shapes.check(
            "BatchWriteItem",
            {"RequestItems": {"abc": [{"PutRequest": {"Item": {"pk": value}}}] * 26}},
        )


def test_types_are_looked_at_before_constraints():
    # AWS deserialises the whole request first, so a wrong type anywhere wins over a missing member.
    with pytest.raises(SerializationException):
        shapes.check("PutItem", {"Item": {"pk": {"S": 1}}})


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (("AttributeName", "AttributeType"), ("AttributeType", "AttributeName")),
        (("AttributeName", "KeyType"), ("AttributeName", "KeyType")),
        (("ReadCapacityUnits", "WriteCapacityUnits"), ("WriteCapacityUnits", "ReadCapacityUnits")),
        (("Enabled", "AttributeName"), ("AttributeName", "Enabled")),
    ],
)
def test_members_are_listed_in_the_order_of_a_java_hash_map(
    names: tuple[str, ...], ordered: tuple[str, ...]
):
    # The rule stands for all shapes; these are the orders in which AWS has answered.
    assert java.member_order(names) == ordered
