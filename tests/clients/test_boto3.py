"""boto3, as client and as resource: tables, items, pages, conditions, transactions, streams,
waiters and paginators.
"""

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError

KEYS = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
TYPES = [
    {"AttributeName": "pk", "AttributeType": "S"},
    {"AttributeName": "sk", "AttributeType": "N"},
]


def test_the_client_runs_a_short_life_of_a_table(endpoint: str) -> None:
    # What nearly every Python program on DynamoDB does, through the library it does it with.
    client = boto3.client("dynamodb", endpoint_url=endpoint)
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    client.create_table(
        TableName="client",
        KeySchema=KEYS,
        AttributeDefinitions=TYPES,
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification=stream,
    )
    client.get_waiter("table_exists").wait(
        TableName="client", WaiterConfig={"Delay": 1, "MaxAttempts": 10}
    )
    for number in range(5):
        client.put_item(
            TableName="client",
            Item={"pk": {"S": "a"}, "sk": {"N": str(number)}, "b": {"B": b"\x00\xff"}},
        )
    assert (
        client.get_item(TableName="client", Key={"pk": {"S": "a"}, "sk": {"N": "3"}})["Item"]["b"][
            "B"
        ]
        == b"\x00\xff"
    )

    pages = client.get_paginator("query").paginate(
        TableName="client",
        KeyConditionExpression="pk = :a",
        ExpressionAttributeValues={":a": {"S": "a"}},
        PaginationConfig={"PageSize": 2},
    )
    assert [len(page["Items"]) for page in pages] == [2, 2, 1]

    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": "client", "Item": {"pk": {"S": "b"}, "sk": {"N": "1"}}}},
                {
                    "ConditionCheck": {
                        "TableName": "client",
                        "Key": {"pk": {"S": "a"}, "sk": {"N": "9"}},
                        "ConditionExpression": "attribute_exists(pk)",
                    }
                },
            ]
        )
    assert [reason["Code"] for reason in cancelled.value.response["CancellationReasons"]] == [
        "None",
        "ConditionalCheckFailed",
    ]
    assert len(_stream_records(endpoint, "client")) == 5
    client.delete_table(TableName="client")
    client.get_waiter("table_not_exists").wait(
        TableName="client", WaiterConfig={"Delay": 1, "MaxAttempts": 10}
    )


def test_the_resource_runs_a_short_life_of_a_table(endpoint: str) -> None:
    # The resource converts types and builds expressions: another way into the same operations.
    resource = boto3.resource("dynamodb", endpoint_url=endpoint)
    table = resource.create_table(
        TableName="resource",
        KeySchema=KEYS,
        AttributeDefinitions=TYPES,
        BillingMode="PAY_PER_REQUEST",
    )
    table.wait_until_exists()
    with table.batch_writer() as batch:
        for number in range(60):
            batch.put_item(
                Item={
                    "pk": "a",
                    "sk": number,
                    "tags": {"x", "y"},
                    "nested": {"list": [1, None, True]},
                }
            )
    found = table.query(
        KeyConditionExpression=Key("pk").eq("a") & Key("sk").between(10, 19), ScanIndexForward=False
    )
    assert [int(item["sk"]) for item in found["Items"]] == list(range(19, 9, -1))
    assert table.scan(FilterExpression=Attr("sk").gte(55), Select="COUNT")["Count"] == 5

    changed = table.update_item(
        Key={"pk": "a", "sk": 1},
        UpdateExpression="SET nested.#list[0] = :two ADD tags :z",
        ExpressionAttributeNames={"#list": "list"},
        ExpressionAttributeValues={":two": 2, ":z": {"z"}},
        ReturnValues="ALL_NEW",
    )
    assert changed["Attributes"]["nested"]["list"][0] == 2
    assert changed["Attributes"]["tags"] == {"x", "y", "z"}
    with pytest.raises(ClientError, match="The conditional request failed"):
        table.delete_item(Key={"pk": "a", "sk": 1}, ConditionExpression=Attr("sk").eq(2))
    table.delete()


def _stream_records(endpoint: str, table: str) -> list[object]:
    streams = boto3.client("dynamodbstreams", endpoint_url=endpoint)
    arn = streams.list_streams(TableName=table)["Streams"][0]["StreamArn"]
    records: list[object] = []
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        iterator = streams.get_shard_iterator(
            StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]
        records += streams.get_records(ShardIterator=iterator)["Records"]
    return records
