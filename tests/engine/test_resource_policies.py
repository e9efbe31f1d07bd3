"""PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy: revisions, and what happens without a
policy.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import ARN, NOW, Clock, described, failure, index, table

TBL = ARN + "tbl"
ELSEWHERE = TBL.replace("us-east-1", "eu-west-1")
POLICY = (
    '{"Version":"2012-10-17","Statement":[{"Sid":"one","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::123456789012:root"'
    '},"Action":"dynamodb:GetItem","Resource":"*"}]}'
)
SAME = """{"Statement": {"Effect": "Allow", "Sid": "one", "Resource": ["*"], "Action": ["dynamodb:GetItem"],
    "Principal": {"AWS": ["123456789012"]}}, "Version": "2012-10-17"}"""
OTHER = POLICY.replace("Allow", "Deny")
NONE = "PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: "
NOT_FOUND = NONE + TBL
STALE = NONE + "Requested update for policy with revision id "
MALFORMED = (
    "ValidationException: One or more parameter values were invalid: Invalid policy document: "
)
NO_ACTIONS = "The following action names are invalid: "
INVALID = "ValidationException: One or more parameter values were invalid: "


@pytest.fixture
def made(engine: Engine) -> Engine:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    engine.call(
        "CreateTable", table(GlobalSecondaryIndexes=[index("gsi", "a")], StreamSpecification=stream)
    )
    return engine


def put(engine: Engine, policy: str = POLICY, arn: str = TBL, **members: Any) -> str:
    return engine.call("PutResourcePolicy", {"ResourceArn": arn, "Policy": policy, **members})[
        "RevisionId"
    ]


def test_a_policy_comes_back_in_order_with_its_revision(made: Engine) -> None:
    # A policy that means the same keeps its revision, another gets a higher one: the instant, in
    # milliseconds.
    revision = put(made, SAME)
    assert revision == str(int(NOW * 1000))
    assert made.call("GetResourcePolicy", {"ResourceArn": TBL}) == {
        "Policy": POLICY,
        "RevisionId": revision,
    }
    assert put(made) == revision
    assert int(put(made, OTHER)) > int(revision)


def test_a_policy_without_a_version_is_of_the_oldest(made: Engine) -> None:
    # IAM's default.
    put(made, POLICY.replace('"Version":"2012-10-17",', ""))
    found = made.call("GetResourcePolicy", {"ResourceArn": TBL})["Policy"]
    assert found == POLICY.replace("2012-10-17", "2008-10-17")


def test_an_expected_revision_guards_a_change(made: Engine) -> None:
    # Two administrators must not overwrite each other's policy.
    request = {"ResourceArn": TBL, "Policy": POLICY, "ExpectedRevisionId": "1"}
    assert (
        failure(made, "PutResourcePolicy", request)
        == STALE + "1, but table tbl has no associated policy."
    )
    revision = put(made, ExpectedRevisionId="NO_POLICY")
    assert failure(made, "PutResourcePolicy", {**request, "ExpectedRevisionId": "NO_POLICY"}) == (
        f"{NONE}Requested policy update expecting none to be present for table tbl, "
        f"but a policy exists with revision id {revision}."
    )
    newer = put(made, OTHER, ExpectedRevisionId=revision)
    stale = {"ResourceArn": TBL, "ExpectedRevisionId": revision}
    assert failure(made, "DeleteResourcePolicy", stale) == (
        f"{STALE}{revision}, but the policy associated to target table tbl has revision id {newer}."
    )
    assert made.call("DeleteResourcePolicy", {**stale, "ExpectedRevisionId": newer}) == {
        "RevisionId": newer
    }


def test_deleting_twice_is_fine(made: Engine) -> None:
    # AWS documents it as idempotent; only an expected revision makes it an error.
    put(made)
    assert made.call("DeleteResourcePolicy", {"ResourceArn": TBL})["RevisionId"]
    assert made.call("DeleteResourcePolicy", {"ResourceArn": TBL}) == {}
    assert failure(made, "GetResourcePolicy", {"ResourceArn": TBL}) == NOT_FOUND


def test_a_stream_has_a_policy_of_its_own(made: Engine, clock: Clock) -> None:
    # It can be changed and deleted after its table is gone, as long as the stream is there.
    stream = described(made)["LatestStreamArn"]
    put(made, arn=stream)
    assert failure(made, "GetResourcePolicy", {"ResourceArn": TBL}) == NOT_FOUND
    put(made)
    made.call("DeleteTable", {"TableName": "tbl"})
    assert [arn for arn, _ in made.records.all("policy")] == [stream]
    put(made, OTHER, arn=stream)
    assert made.call("GetResourcePolicy", {"ResourceArn": stream})["Policy"] == OTHER
    clock.now += 24 * 3600 + 61
    made.work()
    assert made.records.all("policy") == []


@pytest.mark.parametrize(
    "action", ["*", "dynamodb:*", "dynamodb:Get*", "DynamoDB:getitem", "dynamodb:DescribeExport"]
)
def test_a_policy_names_actions_as_iam_does(made: Engine, action: str) -> None:
    # Patterns stand for any number of actions, and case does not matter.
    put(made, POLICY.replace("dynamodb:GetItem", action))


def test_a_policy_of_a_stream_has_the_actions_of_streams(made: Engine) -> None:
    # But for listing, which concerns no stream in particular.
    stream = described(made)["LatestStreamArn"]
    put(made, POLICY.replace("dynamodb:GetItem", "dynamodb:GetRecords"), arn=stream)
    request = {
        "ResourceArn": stream,
        "Policy": POLICY.replace("dynamodb:GetItem", "dynamodb:ListStreams"),
    }
    assert (
        failure(made, "PutResourcePolicy", request)
        == MALFORMED + f'{NO_ACTIONS}"dynamodb:ListStreams"'
    )


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"Policy": "{"}, MALFORMED + "This policy contains invalid Json"),
    ({"Policy": ""}, MALFORMED + "This policy contains invalid Json"),
    ({"Policy": "[]"}, MALFORMED + "This policy contains invalid Json"),
    ({"Policy": "null"}, MALFORMED + "This text appears not to be a policy"),
    ({"Policy": "{}"}, MALFORMED + "Syntax error at position (1,3)"),
    (
        {"Policy": '{"Statement": []}'},
        MALFORMED + "Could not parse the policy: Statement is empty!",
    ),
    ({"Policy": '{"Statement": [{}]}'}, MALFORMED + "Missing required field Effect"),
    ({"Policy": POLICY.replace("Resource", "X")}, MALFORMED + "Missing required field Resource"),
    (
        {"Policy": POLICY.replace("[{", "[{" + POLICY.split("[{")[1][:-3] + "},{")},
        MALFORMED + "The Statement Ids in the policy are not unique",
    ),
    ({"Policy": POLICY.replace("Allow", "Maybe")}, MALFORMED + "Invalid effect: Maybe"),
    (
        {"Policy": POLICY.replace("2012-10-17", "2020-01-01")},
        MALFORMED + "The policy must contain a valid version string",
    ),
    ({"Policy": POLICY.replace('"one"', '["one"]')}, MALFORMED + "Syntax error in a statement"),
    (
        {"Policy": POLICY.replace('"dynamodb:GetItem"', "[[1]]")},
        MALFORMED + "Syntax error in Action",
    ),
    (
        {"Policy": POLICY.replace('{"AWS":"', '{"AWS":[{}],"x":"')},
        MALFORMED + "Invalid principal in policy",
    ),
    (
        {"Policy": POLICY.replace('{"AWS"', '{"Service"')},
        MALFORMED + "Policy contains invalid service principal",
    ),
    *(
        (
            {"Policy": POLICY.replace("dynamodb:GetItem", action)},
            MALFORMED + f'{NO_ACTIONS}"{action}"',
        )
        for action in (
            "dynamodb:ListStreams",
            "dynamodb:GetRecords",
            "dynamodb:Nothing",
            "s3:GetObject",
            "GetItem",
        )
    ),
    ({"Policy": POLICY + " " * 20480}, INVALID + "Maximum policy size of 20480 bytes exceeded"),
    ({"ResourceArn": "tbl"}, INVALID + "ARNs must start with 'arn:': tbl"),
    (
        {"ResourceArn": TBL + "/backup/1"},
        INVALID + f"Provided Arn is not a DynamoDB resource arn: {TBL}/backup/1",
    ),
    ({"ResourceArn": ELSEWHERE}, INVALID + f"Invalid resource Arn: {ELSEWHERE}"),
    (
        {"ResourceArn": TBL.replace("000000000000", "123456789012")},
        "ValidationException: This action is only supported by accounts that match the resource "
        "owner\u2019s account.",
    ),
    (
        {"ResourceArn": ARN + "none"},
        "ResourceNotFoundException: Requested resource not found: Table: none not found",
    ),
    (
        {"ResourceArn": TBL + "/index/gsi"},
        INVALID
        + "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: "
        f"{TBL}/index/gsi",
    ),
    (
        {"ResourceArn": TBL + "/stream/x"},
        "ResourceNotFoundException: Requested resource not found: Stream: x not found for Table: "
        "tbl",
    ),
]


@pytest.mark.parametrize(("members", "message"), REFUSED)
def test_a_policy_that_is_refused(made: Engine, members: dict[str, Any], message: str) -> None:
    # Refuse an invalid policy, and a resource that cannot have one.
    assert (
        failure(made, "PutResourcePolicy", {"ResourceArn": TBL, "Policy": POLICY, **members})
        == message
    )


@pytest.mark.parametrize("member", ["Effect", "Condition", "Resource"])
def test_a_policy_that_nests_without_end_is_refused(made: Engine, member: str) -> None:
    # It is read, shown in messages and written again in IAM's form; one that is too deep for any of
    # these is not JSON.
    deep = '{"Statement":{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*","%s":%s}}'
    for policy in (
        deep % (member, "[" * 900 + "]" * 900),
        deep % (member, '{"a":' * 900 + "1" + "}" * 900),
    ):
        assert failure(made, "PutResourcePolicy", {"ResourceArn": TBL, "Policy": policy}) == (
            MALFORMED + "This policy contains invalid Json"
        )
