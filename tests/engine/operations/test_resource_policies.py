"""PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy: revisions, and what happens without a policy."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import ARN, described, failure, index, table

TBL = ARN + "tbl"
POLICY = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*"}]}'
OTHER = POLICY.replace("Allow", "Deny")
NOT_FOUND = f"PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: {TBL}"
INVALID = "ValidationException: One or more parameter values were invalid: "


@pytest.fixture
def made(engine: Engine) -> Engine:
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    engine.call("CreateTable", table(GlobalSecondaryIndexes=[index("gsi", "a")], StreamSpecification=stream))
    return engine


def put(engine: Engine, policy: str = POLICY, arn: str = TBL, **members: Any) -> str:
    return engine.call("PutResourcePolicy", {"ResourceArn": arn, "Policy": policy, **members})["RevisionId"]


def test_a_policy_comes_back_as_it_was_with_its_revision(made: Engine) -> None:
    # The text is kept byte for byte; the same text keeps its revision, another gets a new one.
    revision = put(made)
    assert made.call("GetResourcePolicy", {"ResourceArn": TBL}) == {"Policy": POLICY, "RevisionId": revision}
    assert put(made) == revision
    assert put(made, OTHER) != revision


def test_an_expected_revision_guards_a_change(made: Engine) -> None:
    # Two administrators must not overwrite each other's policy.
    request = {"ResourceArn": TBL, "Policy": POLICY, "ExpectedRevisionId": "1"}
    assert failure(made, "PutResourcePolicy", request) == NOT_FOUND
    revision = put(made, ExpectedRevisionId="NO_POLICY")
    assert failure(made, "PutResourcePolicy", {**request, "ExpectedRevisionId": "NO_POLICY"}) == NOT_FOUND
    newer = put(made, OTHER, ExpectedRevisionId=revision)
    stale = {"ResourceArn": TBL, "ExpectedRevisionId": revision}
    assert failure(made, "DeleteResourcePolicy", stale) == NOT_FOUND
    assert made.call("DeleteResourcePolicy", {**stale, "ExpectedRevisionId": newer}) == {"RevisionId": newer}


def test_deleting_twice_is_fine(made: Engine) -> None:
    # AWS documents it as idempotent; only an expected revision makes it an error.
    put(made)
    assert made.call("DeleteResourcePolicy", {"ResourceArn": TBL})["RevisionId"]
    assert made.call("DeleteResourcePolicy", {"ResourceArn": TBL}) == {}
    assert failure(made, "GetResourcePolicy", {"ResourceArn": TBL}) == NOT_FOUND


def test_a_stream_has_a_policy_of_its_own(made: Engine) -> None:
    # And both go with the table.
    stream = described(made)["LatestStreamArn"]
    put(made, arn=stream)
    assert failure(made, "GetResourcePolicy", {"ResourceArn": TBL}) == NOT_FOUND
    made.call("DeleteTable", {"TableName": "tbl"})
    assert made.records.all("policy") == []


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"Policy": "{"}, INVALID + "Resource policy is not a valid JSON document"),
    ({"Policy": "[]"}, INVALID + "Resource policy has no Statement"),
    ({"Policy": POLICY + " " * 20480}, INVALID + "Resource policy size exceeds the limit of 20480 bytes"),
    ({"ResourceArn": "tbl"}, "ValidationException: ARNs must start with 'arn:': tbl"),
    ({"ResourceArn": ARN + "none"}, "ResourceNotFoundException: Requested resource not found: Table: none not found"),
    (
        {"ResourceArn": TBL + "/index/gsi"},
        INVALID + "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: "
        f"{TBL}/index/gsi",
    ),
    (
        {"ResourceArn": TBL + "/stream/x"},
        f"ResourceNotFoundException: Requested resource not found: Stream: {TBL}/stream/x not found",
    ),
]


@pytest.mark.parametrize(("members", "message"), REFUSED)
def test_a_policy_that_is_refused(made: Engine, members: dict[str, Any], message: str) -> None:
    # Neither a text that is no policy nor a resource that cannot have one.
    assert failure(made, "PutResourcePolicy", {"ResourceArn": TBL, "Policy": POLICY, **members}) == message
