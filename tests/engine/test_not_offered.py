"""What is about the account rather than a table: limits, endpoints, contributor insights,
operations not offered.
"""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from sortkey.engine import Engine, not_offered
from sortkey.engine.operations import OPERATIONS
from tests.engine.tables import NOW, failure, index, table


def test_limits_are_those_of_a_new_account(engine: Engine) -> None:
    # DynamoDB Local answers the same figures.
    assert engine.call("DescribeLimits", {}) == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


def test_the_endpoint_is_where_the_engine_answers(engine: Engine) -> None:
    # A client with endpoint discovery would otherwise leave for AWS.
    engine.publish("http://127.0.0.1:8000", "token")
    assert engine.call("DescribeEndpoints", {}) == {
        "Endpoints": [{"Address": "127.0.0.1:8000", "CachePeriodInMinutes": 1440}]
    }


def test_contributor_insights_are_remembered(engine: Engine) -> None:
    # Nothing is measured, but templates turn them on and read them back.
    engine.call("CreateTable", table(GlobalSecondaryIndexes=[index("gsi", "a")]))
    off = {"TableName": "tbl", "ContributorInsightsStatus": "DISABLED"}
    assert engine.call("DescribeContributorInsights", {"TableName": "tbl"}) == off
    on = {"TableName": "tbl", "IndexName": "gsi", "ContributorInsightsAction": "ENABLE"}
    mode = {"ContributorInsightsMode": "ACCESSED_AND_THROTTLED_KEYS"}
    subject = {"TableName": "tbl", "IndexName": "gsi"}
    answer = engine.call("UpdateContributorInsights", on)
    assert answer == {**subject, **mode, "ContributorInsightsStatus": "ENABLING"}
    found = engine.call("DescribeContributorInsights", subject)
    assert found == {
        **subject,
        **mode,
        "ContributorInsightsStatus": "ENABLED",
        "LastUpdateDateTime": NOW,
        "ContributorInsightsRuleList": [
            f"DynamoDBContributorInsights-{rule}-tbl-gsi-{int(NOW * 1000)}"
            for rule in ("PKC", "PKT")
        ],
    }
    listed = engine.call("ListContributorInsights", {})["ContributorInsightsSummaries"]
    assert listed == [{**subject, **mode, "ContributorInsightsStatus": "ENABLED"}]
    missing = {"TableName": "tbl", "IndexName": "none"}
    message = (
        "ResourceNotFoundException: Requested resource not found: Index: none not found for table: "
        "tbl"
    )
    assert failure(engine, "DescribeContributorInsights", missing) == message


def test_contributor_insights_that_do_not_change_say_so(engine: Engine) -> None:
    # Nothing is on its way then; and what is off is not listed.
    engine.call("CreateTable", table())
    turn = {"TableName": "tbl", "ContributorInsightsAction": "DISABLE"}

    def status(**members: str) -> str:
        return engine.call("UpdateContributorInsights", {**turn, **members})[
            "ContributorInsightsStatus"
        ]

    on = {"ContributorInsightsAction": "ENABLE"}
    assert [status(), status(**on), status(**on)] == ["DISABLED", "ENABLING", "ENABLED"]
    assert status(**on, ContributorInsightsMode="THROTTLED_KEYS") == "ENABLING"
    assert [status(), status()] == ["DISABLING", "DISABLED"]
    assert engine.call("ListContributorInsights", {})["ContributorInsightsSummaries"] == []


def test_contributor_insights_come_in_pages(engine: Engine) -> None:
    # The token of one page starts the next.
    for name in ("aaa", "bbb", "ccc"):
        engine.call("CreateTable", table(name))
        engine.call(
            "UpdateContributorInsights", {"TableName": name, "ContributorInsightsAction": "ENABLE"}
        )
    first = engine.call("ListContributorInsights", {"MaxResults": 2})
    assert len(first["ContributorInsightsSummaries"]) == 2
    rest = engine.call(
        "ListContributorInsights", {"MaxResults": 2, "NextToken": first["NextToken"]}
    )
    assert [summary["TableName"] for summary in rest["ContributorInsightsSummaries"]] == ["ccc"]
    assert "NextToken" not in rest


KINESIS = {"TableName": "tbl", "StreamArn": "arn:aws:kinesis:us-east-1:000000000000:stream/changes"}
BULK = {
    "BulkOperationArn": "arn:aws:dynamodb:us-east-1:000000000000:table/tbl/bulk/01234567890123-abcdefab"
}
NOT_OFFERED = {
    "CreateGlobalTable": {
        "GlobalTableName": "tbl",
        "ReplicationGroup": [{"RegionName": "us-east-1"}],
    },
    "UpdateTableReplicaAutoScaling": {"TableName": "tbl"},
    "EnableKinesisStreamingDestination": KINESIS,
    "DisableKinesisStreamingDestination": KINESIS,
    "UpdateKinesisStreamingDestination": KINESIS,
    "SearchVectors": {
        "TableName": "tbl",
        "IndexName": "vectors",
        "SearchVector": [{"N": "1"}],
        "TopK": 1,
    },
    "StartBulkPutItems": {
        "TableName": "tbl",
        "InputS3Configuration": {"S3Bucket": "from", "InputFormat": "DYNAMODB_JSON"},
        "OutputS3Configuration": {"OutputType": ["ERROR"]},
    },
    "DescribeBulkOperation": BULK,
    "ListBulkOperations": {},
    "CancelBulkOperation": BULK,
}


@pytest.mark.parametrize("name", not_offered.REASONS)
def test_an_operation_that_is_not_offered_says_why(engine: Engine, name: str) -> None:
    # "Unknown operation" alone would look like a bug of the client.
    engine.call("CreateTable", table())
    assert (
        failure(engine, name, NOT_OFFERED[name])
        == f"UnknownOperationException: {not_offered.REASONS[name]}"
    )


def test_what_is_wrong_with_a_request_is_reported_before_that_it_is_not_offered(
    engine: Engine,
) -> None:
    # Programs that handle a missing table must find it here as on AWS.
    name = "EnableKinesisStreamingDestination"
    missing = "ResourceNotFoundException: Requested resource not found: Table: tbl not found"
    assert failure(engine, name, KINESIS) == missing
    null = "Value null at 'streamArn' failed to satisfy constraint: Member must not be null"
    assert (
        failure(engine, name, {"TableName": "tbl"})
        == f"ValidationException: 1 validation error detected: {null}"
    )


def test_a_member_that_an_operation_does_not_have_is_not_looked_at(engine: Engine) -> None:
    # AWS ignores what it does not know; the name of a table here was looked up, of whatever type it
    # was.
    reason = f"UnknownOperationException: {not_offered.REASONS['ListBulkOperations']}"
    for name in ("nobody", ["tbl"], 7):
        assert failure(engine, "ListBulkOperations", {"TableName": name}) == reason


def test_every_operation_of_aws_is_offered_or_says_why_not() -> None:
    # A new AWS release shows up here.
    model = json.loads((files("sortkey.engine.shapes") / "model.json").read_text())
    assert set(model["operations"]) == set(OPERATIONS) | set(not_offered.REASONS)


def test_reads_of_what_cannot_exist_are_answered(engine: Engine) -> None:
    # There is no global table and no Kinesis, and that is an answer.
    engine.call("CreateTable", table())
    assert engine.call("ListGlobalTables", {}) == {"GlobalTables": []}
    destinations = engine.call("DescribeKinesisStreamingDestination", {"TableName": "tbl"})
    assert destinations == {"TableName": "tbl", "KinesisDataStreamDestinations": []}
    message = (
        "GlobalTableNotFoundException: Global table not found: Global table with name: 'tbl' does "
        "not exist."
    )
    settings = {"GlobalTableName": "tbl"}
    for name in ("DescribeGlobalTable", "DescribeGlobalTableSettings", "UpdateGlobalTableSettings"):
        assert failure(engine, name, settings) == message
    assert failure(engine, "UpdateGlobalTable", {**settings, "ReplicaUpdates": []}) == message
    assert engine.call("DescribeTableReplicaAutoScaling", {"TableName": "tbl"}) == {
        "TableAutoScalingDescription": {"TableName": "tbl", "TableStatus": "ACTIVE", "Replicas": []}
    }
