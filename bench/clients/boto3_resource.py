"""boto3's resource: plain Python values in dicts."""

import boto3
from boto3.dynamodb.conditions import Key
from measuring import ITEM, QUERIED, TABLE, endpoint, report, sort_key

table = boto3.resource(
    "dynamodb",
    endpoint_url=endpoint(),
    region_name="us-east-1",
    aws_access_key_id="a",
    aws_secret_access_key="b",
).Table(TABLE)

report(
    get=lambda n: table.get_item(Key={"pk": QUERIED, "sk": sort_key(n)})["Item"],
    put=lambda n: table.put_item(Item={**ITEM, "sk": sort_key(n)}),
    query=lambda n: table.query(KeyConditionExpression=Key("pk").eq(QUERIED))["Items"],
)
