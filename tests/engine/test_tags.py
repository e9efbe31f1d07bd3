"""TagResource, UntagResource, ListTagsOfResource: values in and out, and what AWS refuses."""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from tests.engine.tables import ARN, failure, index, table

TBL = ARN + "tbl"
GSI = TBL + "/index/gsi"
ELSEWHERE = TBL.replace("us-east-1", "eu-west-1")
TAG = {"Key": "k", "Value": "v"}
BAD_KEY = "ValidationException: The Tag Key provided is invalid, Key: "
BAD_VALUE = "ValidationException: The Tag Value provided is invalid, Value: "
OWN_KEY = "ValidationException: Tag Key cannot be prefixed with aws:, Key: "
TOO_MANY = (
    "ValidationException: Number of Tags exceed the current limit for the provided ResourceArn"
)
INVALID = "ValidationException: One or more parameter values were invalid: "
NO_TAGS = (
    "ValidationException: 1 validation error detected: Value null at 'tags' failed to satisfy "
    "constraint: "
)


@pytest.fixture
def made(engine: Engine) -> Engine:
    engine.call("CreateTable", table(GlobalSecondaryIndexes=[index("gsi", "a")]))
    return engine


def tags(engine: Engine) -> dict[str, str]:
    return {
        tag["Key"]: tag["Value"]
        for tag in engine.call("ListTagsOfResource", {"ResourceArn": TBL})["Tags"]
    }


def tag(engine: Engine, **values: str) -> None:
    wanted = [{"Key": key, "Value": value} for key, value in values.items()]
    assert engine.call("TagResource", {"ResourceArn": TBL, "Tags": wanted}) == {}


def test_tags_are_added_replaced_and_removed(made: Engine) -> None:
    # A key has one value; removing a tag that is not there is no error.
    tag(made, a="1", b="2")
    tag(made, b="3", c="")
    assert tags(made) == {"a": "1", "b": "3", "c": ""}
    assert made.call("UntagResource", {"ResourceArn": TBL, "TagKeys": ["a", "none"]}) == {}
    assert tags(made) == {"b": "3", "c": ""}


def test_letters_of_any_script_are_allowed(made: Engine) -> None:
    # AWS counts characters, not bytes.
    wanted = [{"Key": "ключ" * 32, "Value": "é" * 256}]
    made.call("TagResource", {"ResourceArn": TBL, "Tags": wanted})
    assert made.call("ListTagsOfResource", {"ResourceArn": TBL})["Tags"] == wanted


def test_a_table_has_fifty_tags_at_most(made: Engine) -> None:
    # Replacing values at the limit still works.
    tag(made, **{f"k{number}": "v" for number in range(50)})
    tag(made, k7="new")
    assert failure(made, "TagResource", {"ResourceArn": TBL, "Tags": [TAG]}) == TOO_MANY
    assert tags(made)["k7"] == "new"


def test_all_tags_together_have_ten_kilobytes_at_most(made: Engine) -> None:
    # The guide says so of tables and of streams; each of these tags has 300 bytes.
    tag(made, **{f"k{number:043d}": "v" * 256 for number in range(34)})
    request = {"ResourceArn": TBL, "Tags": [{"Key": "k" * 44, "Value": "v" * 256}]}
    assert failure(made, "TagResource", request).startswith(
        "ValidationException: Size of all Tags exceeds"
    )
    tag(made, k="v" * 39)


def test_a_stream_has_tags_of_its_own(engine: Engine) -> None:
    # It does not inherit those of its table, keeps its own when it ends, and the next stream starts
    # without any.
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    made = engine.call("CreateTable", table(StreamSpecification=stream, Tags=[TAG]))[
        "TableDescription"
    ]
    arn = made["LatestStreamArn"]
    assert engine.call("ListTagsOfResource", {"ResourceArn": arn}) == {"Tags": []}
    own = [{"Key": "team", "Value": "analytics"}]
    engine.call("TagResource", {"ResourceArn": arn, "Tags": [*own, TAG]})
    engine.call("UntagResource", {"ResourceArn": arn, "TagKeys": ["k"]})
    assert engine.call("ListTagsOfResource", {"ResourceArn": arn}) == {"Tags": own}
    assert tags(engine) == {"k": "v"}
    engine.call(
        "UpdateTable", {"TableName": "tbl", "StreamSpecification": {"StreamEnabled": False}}
    )
    again = engine.call("UpdateTable", {"TableName": "tbl", "StreamSpecification": stream})[
        "TableDescription"
    ]
    assert engine.call("ListTagsOfResource", {"ResourceArn": again["LatestStreamArn"]}) == {
        "Tags": []
    }
    assert engine.call("ListTagsOfResource", {"ResourceArn": arn}) == {"Tags": own}
    missing = (
        f"ResourceNotFoundException: Requested resource not found: ResourceArn: {TBL}/stream/x not "
        "found"
    )
    assert (
        failure(engine, "TagResource", {"ResourceArn": TBL + "/stream/x", "Tags": [TAG]}) == missing
    )


def test_tags_go_with_their_table(made: Engine) -> None:
    # A new table of the same name starts without them.
    tag(made, a="1")
    made.call("DeleteTable", {"TableName": "tbl"})
    made.call("CreateTable", table())
    assert tags(made) == {}


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"Tags": [TAG]}, "ValidationException: Invalid TableArn"),
    ({"ResourceArn": TBL}, NO_TAGS + "Member must not be null"),
    ({"ResourceArn": "tbl", "Tags": [TAG]}, INVALID + "ARNs must start with 'arn:': tbl"),
    (
        {"ResourceArn": "arn:aws:x", "Tags": []},
        INVALID + "Provided Arn is not a DynamoDB resource arn: arn:aws:x",
    ),
    (
        {"ResourceArn": ARN + "ab", "Tags": [TAG]},
        INVALID + f"Provided Arn is not a DynamoDB resource arn: {ARN}ab",
    ),
    (
        {"ResourceArn": GSI, "Tags": [TAG]},
        "ValidationException: One or more parameter values were invalid: Invalid resource arn "
        "provided, only table or "
        f"stream is accepted. Provided resource arn: {GSI}",
    ),
    (
        {"ResourceArn": ARN + "none", "Tags": [TAG]},
        f"ResourceNotFoundException: Requested resource not found: ResourceArn: {ARN}none not "
        "found",
    ),
    (
        {"ResourceArn": ELSEWHERE, "Tags": [TAG]},
        f"ValidationException: Invalid TableArn: Invalid ResourceArn provided as input {ELSEWHERE}",
    ),
    (
        {"ResourceArn": ARN + "none", "Tags": []},
        "ValidationException: Atleast one Tag needs to be provided as Input.",
    ),
    *(
        ({"ResourceArn": TBL, "Tags": [{"Key": key, "Value": "v"}]}, BAD_KEY + key)
        for key in ("", "x" * 129, "a!", "d%g", "a#b")
    ),
    *(
        ({"ResourceArn": TBL, "Tags": [{"Key": key, "Value": "v"}]}, OWN_KEY + key)
        for key in ("aws:x", "AWS:x")
    ),
    *(
        ({"ResourceArn": TBL, "Tags": [{"Key": "k", "Value": value}]}, BAD_VALUE + value)
        for value in ("x" * 257, "a!", '"')
    ),
    ({"ResourceArn": TBL, "Tags": [{"Key": "k"}]}, BAD_VALUE + "null"),
    (
        {"ResourceArn": TBL, "Tags": [TAG, TAG]},
        "ValidationException: Duplicate Tag Keys provided as input: Duplicate Tag Key found k",
    ),
]


@pytest.mark.parametrize(("request_", "message"), REFUSED)
def test_a_tag_that_aws_refuses(made: Engine, request_: dict[str, Any], message: str) -> None:
    # Nothing is tagged when one of the tags is wrong.
    assert failure(made, "TagResource", request_) == message
    assert tags(made) == {}


def test_untagging_needs_a_key_and_a_table(made: Engine) -> None:
    # The same checks of the ARN, another text for nothing to do.
    nothing = "ValidationException: Atleast one Tag Key needs to be provided as Input."
    assert failure(made, "UntagResource", {"ResourceArn": TBL, "TagKeys": []}) == nothing
    assert (
        failure(made, "UntagResource", {"TagKeys": ["k"]})
        == "ValidationException: Invalid TableArn"
    )
    missing = (
        f"ResourceNotFoundException: Requested resource not found: ResourceArn: {ARN}none not found"
    )
    assert (
        failure(made, "UntagResource", {"ResourceArn": ARN + "none", "TagKeys": ["k"]}) == missing
    )
    assert failure(made, "ListTagsOfResource", {"ResourceArn": ARN + "none"}) == missing
    assert failure(made, "ListTagsOfResource", {}) == "ValidationException: Invalid TableArn"
    for keys, message in (
        ([""], BAD_KEY),
        (["aws:x"], OWN_KEY + "aws:x"),
        ([f"k{n}" for n in range(51)], TOO_MANY),
    ):
        assert failure(made, "UntagResource", {"ResourceArn": TBL, "TagKeys": keys}) == message


def test_any_token_gives_the_one_page(made: Engine) -> None:
    # AWS ignores a token that it did not give.
    assert made.call("ListTagsOfResource", {"ResourceArn": TBL, "NextToken": "x"}) == {"Tags": []}
