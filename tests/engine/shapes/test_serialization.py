"""Types of requests: what AWS answers when the JSON is not of the operation's shape. Texts of
published answers.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import shapes
from sortkey.errors import SerializationException

STRUCTURE = "Start of structure or map found where not expected"
FIELD = "Unexpected field type"
PAYLOAD = "Unexpected value type in payload"
MODEL = "com.amazonaws.dynamodb.v20120810"
CAST = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class "
    "(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in "
    "module java.base of "
    "loader 'bootstrap')"
)
VALUES_MAP = f"Unrecognized collection type java.util.Map<java.lang.String, {MODEL}.AttributeValue>"


def item(value: Any) -> dict[str, Any]:
    return {"Item": {"a": value}}


CASES: list[tuple[str, dict[str, Any], str]] = [
    # strings
    ("GetItem", {"TableName": True}, "TRUE_VALUE cannot be converted to String"),
    ("GetItem", {"TableName": False}, "FALSE_VALUE cannot be converted to String"),
    ("GetItem", {"TableName": 23}, "NUMBER_VALUE cannot be converted to String"),
    ("GetItem", {"TableName": 34.56}, "DECIMAL_VALUE cannot be converted to String"),
    ("GetItem", {"TableName": []}, "Unrecognized collection type class java.lang.String"),
    ("GetItem", {"TableName": {}}, STRUCTURE),
    ("PutItem", {"ReturnValues": {}}, STRUCTURE),
    ("PutItem", {"ReturnValues": []}, "Unrecognized collection type class java.lang.String"),
    # booleans
    ("GetItem", {"ConsistentRead": "23"}, "Unexpected token received from parser"),
    ("GetItem", {"ConsistentRead": 23}, "NUMBER_VALUE cannot be converted to Boolean"),
    ("GetItem", {"ConsistentRead": 34.56}, "DECIMAL_VALUE cannot be converted to Boolean"),
    ("GetItem", {"ConsistentRead": []}, "Unrecognized collection type class java.lang.Boolean"),
    ("GetItem", {"ConsistentRead": {}}, STRUCTURE),
    # numbers
    ("Scan", {"Limit": "23"}, "STRING_VALUE cannot be converted to Integer"),
    ("Scan", {"Limit": True}, "TRUE_VALUE cannot be converted to Integer"),
    ("Scan", {"Limit": []}, "Unrecognized collection type class java.lang.Integer"),
    ("Scan", {"Limit": {}}, STRUCTURE),
    ("Scan", {"Limit": 1e400}, "NUMBER_VALUE cannot be converted to Integer"),
    ("Scan", {"Limit": 1 << 31}, "NUMBER_VALUE cannot be converted to Integer"),
    (
        "CreateTable",
        {"ProvisionedThroughput": {"ReadCapacityUnits": "23"}},
        "STRING_VALUE cannot be converted to Long",
    ),
    (
        "CreateTable",
        {"ProvisionedThroughput": {"ReadCapacityUnits": False}},
        "FALSE_VALUE cannot be converted to Long",
    ),
    (
        "CreateTable",
        {"ProvisionedThroughput": {"ReadCapacityUnits": []}},
        "Unrecognized collection type class java.lang.Long",
    ),
    (
        "ListBackups",
        {"TimeRangeLowerBound": "x"},
        "STRING_VALUE can not be converted to milliseconds since epoch",
    ),
    # structures: of a member, and of an element
    ("CreateTable", {"ProvisionedThroughput": "23"}, FIELD),
    ("CreateTable", {"ProvisionedThroughput": 23}, FIELD),
    (
        "CreateTable",
        {"ProvisionedThroughput": []},
        f"Unrecognized collection type class {MODEL}.ProvisionedThroughput",
    ),
    ("CreateTable", {"KeySchema": ["23"]}, PAYLOAD),
    ("CreateTable", {"KeySchema": [True]}, PAYLOAD),
    (
        "CreateTable",
        {"KeySchema": [[]]},
        f"Unrecognized collection type class {MODEL}.KeySchemaElement",
    ),
    ("PutItem", {"Expected": {"a": "23"}}, PAYLOAD),
    ("PutItem", {"Expected": {"a": {"Value": "23"}}}, FIELD),
    ("PutItem", {"Expected": {"a": {"AttributeValueList": ["23"]}}}, PAYLOAD),
    # lists
    ("CreateTable", {"KeySchema": "23"}, FIELD),
    ("CreateTable", {"KeySchema": 34.56}, FIELD),
    ("CreateTable", {"KeySchema": {}}, STRUCTURE),
    ("BatchWriteItem", {"RequestItems": {"abc": "23"}}, CAST),
    ("BatchWriteItem", {"RequestItems": {"abc": {}}}, STRUCTURE),
    ("GetItem", {"AttributesToGet": [23]}, "NUMBER_VALUE cannot be converted to String"),
    # maps
    ("PutItem", {"Item": "23"}, FIELD),
    ("PutItem", {"Item": []}, VALUES_MAP),
    ("BatchGetItem", {"RequestItems": {"abc": {"Keys": ["23"]}}}, CAST),
    ("BatchGetItem", {"RequestItems": {"abc": {"Keys": [[]]}}}, VALUES_MAP),
    (
        "BatchGetItem",
        {"RequestItems": []},
        f"Unrecognized collection type java.util.Map<java.lang.String, {MODEL}.KeysAndAttributes>",
    ),
    (
        "BatchWriteItem",
        {"RequestItems": []},
        "Unrecognized collection type java.util.Map<java.lang.String, "
        f"java.util.List<{MODEL}.WriteRequest>>",
    ),
    (
        "PutItem",
        {"ExpressionAttributeNames": []},
        "Unrecognized collection type java.util.Map<java.lang.String, java.lang.String>",
    ),
    (
        "PutItem",
        {"ExpressionAttributeNames": {"#a": 1}},
        "NUMBER_VALUE cannot be converted to String",
    ),
    # attribute values, wherever they are
    ("PutItem", item("23"), PAYLOAD),
    ("PutItem", item([]), f"Unrecognized collection type class {MODEL}.AttributeValue"),
    ("PutItem", item({"S": 23}), "NUMBER_VALUE cannot be converted to String"),
    ("PutItem", item({"N": 23}), "NUMBER_VALUE cannot be converted to String"),
    ("PutItem", item({"BOOL": 1}), "NUMBER_VALUE cannot be converted to Boolean"),
    ("PutItem", item({"SS": "a"}), FIELD),
    ("PutItem", item({"NS": [1]}), "NUMBER_VALUE cannot be converted to String"),
    ("PutItem", item({"L": {}}), STRUCTURE),
    ("PutItem", item({"M": []}), VALUES_MAP),
    (
        "PutItem",
        item({"L": [{"M": {"a": {"BS": [True]}}}]}),
        "only base-64-encoded strings are convertible to bytes",
    ),
    ("PutItem", item({"B": []}), "Unrecognized collection type class java.nio.ByteBuffer"),
    (
        "PutItem",
        item({"B": "23456"}),
        "Base64 encoded length is expected a multiple of 4 bytes but found: 5",
    ),
    ("PutItem", item({"B": "+/+="}), "Invalid last non-pad Base64 character dectected"),
    (
        "UpdateItem",
        {"AttributeUpdates": {"a": {"Value": {"N": 1}}}},
        "NUMBER_VALUE cannot be converted to String",
    ),
    (
        "Query",
        {"ExpressionAttributeValues": {":a": {"N": 1}}},
        "NUMBER_VALUE cannot be converted to String",
    ),
    (
        "TransactWriteItems",
        {"TransactItems": [{"Put": {"Item": {"a": {"N": 1}}}}]},
        "NUMBER_VALUE cannot be converted to String",
    ),
    ("ExecuteStatement", {"Parameters": [{"N": 1}]}, "NUMBER_VALUE cannot be converted to String"),
]


@pytest.mark.parametrize(("operation", "request_", "message"), CASES)
def test_a_wrong_type_is_reported_as_aws_reports_it(
    operation: str, request_: dict[str, Any], message: str
):
    # Every language's SDK makes its own kind of mistake here, and users look the text up.
    with pytest.raises(SerializationException) as caught:
        shapes.check_serialization(operation, request_)
    assert caught.value.message == message


@pytest.mark.parametrize("body", [[], "a", 5, True, None])
def test_a_body_that_is_no_object_is_refused(body: Any):
    # orjson gives these for valid JSON; nothing behind may assume a dict.
    with pytest.raises(SerializationException):
        shapes.check_serialization("ListTables", body)


def test_the_first_error_of_the_document_is_reported():
    # AWS reads the request as a stream and stops at the first value that does not fit.
    with pytest.raises(SerializationException, match="Integer"):
        shapes.check_serialization("Scan", {"Limit": "1", "TableName": 1})


def test_what_aws_converts_is_converted():
    # The operations behind may rely on the model's types.
    request = {
        "TableName": "abc",
        "Limit": 1.5,
        "ConsistentRead": "true",
        "Segment": 0.0,
        "TotalSegments": 1,
    }
    shapes.check("Scan", request)
    assert request == {
        "TableName": "abc",
        "Limit": 1,
        "ConsistentRead": True,
        "Segment": 0,
        "TotalSegments": 1,
    }


def test_null_members_are_absent():
    # Some SDKs send null for what was not set.
    request = {
        "TableName": "abc",
        "Limit": None,
        "Select": None,
        "ScanFilter": {"a": {"AttributeValueList": None, "ComparisonOperator": "NULL"}},
    }
    shapes.check("Scan", request)
    assert request == {"TableName": "abc", "ScanFilter": {"a": {"ComparisonOperator": "NULL"}}}


def test_unknown_members_are_skipped_whatever_they_hold():
    # A newer SDK may send what this model does not know.
    shapes.check_serialization("ListTables", {"FromTheFuture": [{"a": 1}]})
