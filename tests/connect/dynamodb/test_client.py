"""The clients with our own server, which checks their signatures: a short life of a table, errors,
pages, streams.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from sortkey.connect.dynamodb import Credentials
from sortkey.errors import (
    ConditionalCheckFailedException,
    InvalidSignatureException,
    ResourceNotFoundException,
    SerializationException,
    TransactionCanceledException,
    UnknownOperationException,
    UnrecognizedClientException,
    ValidationException,
)
from tests.connect.conftest import Caller, Connect


@pytest.fixture
def table(connect: Connect, server: str, kind: str) -> Iterator[tuple[Caller, str]]:
    """A caller, and a table of its own with a stream."""
    caller, name = connect(server, attempts_max=1), f"Table-{kind}"
    caller.call(
        "CreateTable",
        {
            "TableName": name,
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "N"},
            ],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        },
    )
    yield caller, name
    caller.call("DeleteTable", {"TableName": name})


def test_a_short_life_of_a_table(table: tuple[Caller, str]) -> None:
    # Every kind of request that a store makes, with what comes back.
    caller, name = table
    items = [
        {"pk": {"S": "ä"}, "sk": {"N": str(n)}, "b": {"B": "AP8="}, "l": {"L": [{"NULL": True}]}}
        for n in range(60)
    ]
    for first in range(0, 60, 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[first : first + 25]]
        assert caller.call("BatchWriteItem", {"RequestItems": {name: puts}}) == {
            "UnprocessedItems": {}
        }
    key = {"pk": {"S": "ä"}, "sk": {"N": "7"}}
    assert caller.call("GetItem", {"TableName": name, "Key": key}) == {"Item": items[7]}
    assert caller.call("GetItem", {"TableName": name, "Key": {**key, "sk": {"N": "99"}}}) == {}
    assert _pages(caller, name) == items
    changed = caller.call(
        "UpdateItem",
        {
            "TableName": name,
            "Key": key,
            "UpdateExpression": "SET n = :n",
            "ExpressionAttributeValues": {":n": {"N": "1.50"}},
            "ReturnValues": "UPDATED_NEW",
        },
    )
    assert changed == {"Attributes": {"n": {"N": "1.5"}}}
    assert len(_records(caller, name)) == 61


def test_errors_come_as_their_classes(table: tuple[Caller, str]) -> None:
    # A program written against the embedded engine catches the same ones here.
    caller, name = table
    item = {"pk": {"S": "a"}, "sk": {"N": "1"}}
    new = {"TableName": name, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
    caller.call("PutItem", new)
    with pytest.raises(
        ConditionalCheckFailedException, match="The conditional request failed"
    ) as failed:
        caller.call("PutItem", {**new, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
    assert failed.value.extra == {"Item": item}
    with pytest.raises(
        TransactionCanceledException, match=r"\[ConditionalCheckFailed\]"
    ) as cancelled:
        caller.call("TransactWriteItems", {"TransactItems": [{"Put": new}]})
    assert [reason["Code"] for reason in cancelled.value.extra["CancellationReasons"]] == [
        "ConditionalCheckFailed"
    ]
    for operation, request, kind in (
        ("GetItem", {"TableName": "nothing", "Key": {"pk": {"S": "a"}}}, ResourceNotFoundException),
        ("GetItem", {"TableName": name, "Key": {"pk": {"S": "a"}}}, ValidationException),
        ("GetItem", {"TableName": ["list"]}, SerializationException),
        ("GetNothing", {}, UnknownOperationException),
    ):
        with pytest.raises(kind):
            caller.call(operation, request)


def test_a_wrong_secret_is_refused(connect: Connect, server: str) -> None:
    # This also shows that the server of these tests does check.
    with pytest.raises(InvalidSignatureException):
        connect(server, credentials=Credentials("someone", "else")).call()
    with pytest.raises(UnrecognizedClientException):
        connect(server, credentials=Credentials("else", "secret")).call()


def test_boto3_reads_what_the_client_wrote_and_the_reverse(
    table: tuple[Caller, str], server: str
) -> None:
    # One wire, two clients.
    caller, name = table
    keys = {
        "aws_access_key_id": "someone",
        "aws_secret_access_key": "secret",
        "region_name": "us-east-1",
    }
    theirs = boto3.client("dynamodb", endpoint_url=server, **keys)
    caller.call(
        "PutItem",
        {"TableName": name, "Item": {"pk": {"S": "ours"}, "sk": {"N": "1"}, "b": {"B": "AP8="}}},
    )
    found = theirs.get_item(TableName=name, Key={"pk": {"S": "ours"}, "sk": {"N": "1"}})["Item"]
    assert found["b"]["B"] == b"\x00\xff"
    theirs.put_item(
        TableName=name, Item={"pk": {"S": "theirs"}, "sk": {"N": "1"}, "b": {"B": b"\x00\xff"}}
    )
    found = caller.call(
        "GetItem", {"TableName": name, "Key": {"pk": {"S": "theirs"}, "sk": {"N": "1"}}}
    )["Item"]
    assert found["b"]["B"] == "AP8="


@pytest.mark.parametrize("gzip", [False, True])
def test_large_items_go_both_ways(
    connect: Connect, table: tuple[Caller, str], server: str, gzip: bool
) -> None:
    # More than fits in one read, and, packed, smaller than that again.
    _, name = table
    caller = connect(server, gzip=gzip)
    item = {"pk": {"S": "large"}, "sk": {"N": "1"}, "text": {"S": "größer " * 40_000}}
    caller.call("PutItem", {"TableName": name, "Item": item})
    assert caller.call(
        "GetItem", {"TableName": name, "Key": {"pk": item["pk"], "sk": item["sk"]}}
    ) == {"Item": item}


def _pages(caller: Caller, name: str) -> list[dict[str, Any]]:
    request: dict[str, Any] = {
        "TableName": name,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "ä"}},
        "Limit": 25,
    }
    found: list[dict[str, Any]] = []
    while True:
        page = caller.call("Query", request)
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _records(caller: Caller, name: str) -> list[dict[str, Any]]:
    arn = caller.call("ListStreams", {"TableName": name})["Streams"][0]["StreamArn"]
    records: list[dict[str, Any]] = []
    for shard in caller.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]:
        start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        records += caller.call("GetRecords", caller.call("GetShardIterator", start))["Records"]
    return records
