"""The raw boto3 client: dicts of DynamoDB JSON, nothing typed. The measure of the others."""

import boto3
from measuring import ITEM, QUERIED, TABLE, endpoint, report, sort_key

client = boto3.client(
    "dynamodb",
    endpoint_url=endpoint(),
    region_name="us-east-1",
    aws_access_key_id="a",
    aws_secret_access_key="b",
)
WIRE = {
    **{name: {"S": value} for name, value in ITEM.items() if isinstance(value, str)},
    "quantity": {"N": "3"},
    "total": {"N": "1250"},
    "paid": {"BOOL": True},
    "tags": {"L": [{"S": "blue"}, {"S": "green"}]},
    "address": {"M": {"city": {"S": "Berlin"}, "zip": {"S": "10115"}}},
}

report(
    get=lambda n: client.get_item(
        TableName=TABLE, Key={"pk": {"S": QUERIED}, "sk": {"S": sort_key(n)}}
    )["Item"],
    put=lambda n: client.put_item(TableName=TABLE, Item={**WIRE, "sk": {"S": sort_key(n)}}),
    query=lambda n: client.query(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": QUERIED}},
    )["Items"],
)
