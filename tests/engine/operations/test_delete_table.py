"""ListTables, DeleteTable, DescribeTable: pages, protection, and names that are ARNs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sortkey.engine import Engine
from tests.engine.tables import ARN, described, failure, index, new_engine, put, table


def test_names_come_in_pages(engine: Engine) -> None:
    # The last name of a page starts the next one, whether or not that table is still there.
    for name in ("ccc", "aaa", "bbb", "ddd"):
        engine.call("CreateTable", table(name))
    assert engine.call("ListTables", {"Limit": 2}) == {
        "TableNames": ["aaa", "bbb"],
        "LastEvaluatedTableName": "bbb",
    }
    engine.call("DeleteTable", {"TableName": "bbb"})
    rest = engine.call("ListTables", {"Limit": 2, "ExclusiveStartTableName": "bbb"})
    assert rest == {"TableNames": ["ccc", "ddd"]}
    assert engine.call("ListTables", {"ExclusiveStartTableName": "zzz"}) == {"TableNames": []}


def test_a_page_has_a_hundred_names_at_most(engine: Engine) -> None:
    # Also without a limit, as on AWS.
    for number in range(101):
        engine.call("CreateTable", table(f"t{number:03}"))
    page = engine.call("ListTables", {})
    assert (len(page["TableNames"]), page["LastEvaluatedTableName"]) == (100, "t099")


def test_a_deleted_table_answers_deleting_and_is_gone(engine: Engine) -> None:
    # A table of the same name can be made at once, and it is empty.
    engine.call("CreateTable", table(GlobalSecondaryIndexes=[index("gsi", "a")]))
    put(engine, {"a": {"S": "x"}})
    answer = engine.call("DeleteTable", {"TableName": "tbl"})["TableDescription"]
    assert answer["TableStatus"] == "DELETING"
    gone = {
        "GlobalSecondaryIndexes",
        "AttributeDefinitions",
        "KeySchema",
        "CreationDateTime",
        "WarmThroughput",
    }
    assert gone.isdisjoint(answer)  # AWS names them no more
    message = "ResourceNotFoundException: Requested resource not found: Table: tbl not found"
    assert failure(engine, "DescribeTable", {"TableName": "tbl"}) == message
    assert failure(engine, "DeleteTable", {"TableName": "tbl"}) == message
    engine.call("CreateTable", table())
    assert described(engine)["ItemCount"] == 0


def test_a_protected_table_stays(engine: Engine) -> None:
    # The point of the protection: no script deletes it by accident.
    engine.call("CreateTable", table(DeletionProtectionEnabled=True))
    message = (
        "ValidationException: Resource cannot be deleted as it is currently protected against "
        "deletion. "
        "Disable deletion protection first."
    )
    assert failure(engine, "DeleteTable", {"TableName": "tbl"}) == message
    engine.call("UpdateTable", {"TableName": "tbl", "DeletionProtectionEnabled": False})
    engine.call("DeleteTable", {"TableName": "tbl"})


def test_the_stream_of_a_deleted_table_can_still_be_read(engine: Engine) -> None:
    # AWS keeps it for a day, so that readers see the last changes.
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    arn = engine.call("CreateTable", table(StreamSpecification=stream))["TableDescription"][
        "LatestStreamArn"
    ]
    number = engine.catalog.table("tbl").number
    put(engine, {"a": {"S": "x"}})
    engine.call("DeleteTable", {"TableName": "tbl"})
    assert len(engine.journal.read(number, 0)) == 1
    assert (
        engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["StreamStatus"]
        == "DISABLED"
    )


@pytest.mark.parametrize("operation", ["DescribeTable", "DeleteTable", "DescribeTimeToLive"])
def test_a_table_can_be_named_by_its_arn(engine: Engine, operation: str) -> None:
    # AWS takes the ARN wherever it takes the name.
    engine.call("CreateTable", table())
    engine.call(operation, {"TableName": ARN + "tbl"})
    message = "ResourceNotFoundException: Requested resource not found: Table: none not found"
    assert failure(engine, operation, {"TableName": ARN + "none"}) == message


def test_definitions_survive_the_folder_being_closed(tmp_path: Path) -> None:
    # Everything that DescribeTable says comes from what is stored.
    request = table(
        key="a b",
        attributes="a b c:N d:B",
        LocalSecondaryIndexes=[
            index("lsi", "a c", {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]})
        ],
        GlobalSecondaryIndexes=[index("gsi", "d:H a:H c:R b:R", {"ProjectionType": "KEYS_ONLY"})],
        TableClass="STANDARD",
        Tags=[{"Key": "k", "Value": "v"}],
    )
    with new_engine(tmp_path / "data") as engine:
        engine.call("CreateTable", request)
        before = described(engine)
    with new_engine(tmp_path / "data") as engine:
        assert described(engine) == before


FORM = (
    "failed to satisfy constraint: Valid ARN format is "
    "'arn:<awsPartition>:<vendor>:<region>:<subscriber>:resourceType/resourceName', where Resource "
    "name must have "
)


@pytest.mark.parametrize(
    ("arn", "message"),
    [
        (ARN.replace("us-east-1", "eu-west-1") + "tbl", "Validation Invalid AWS region in '{}'"),
        (
            ARN.replace("arn:aws:", "arn:aws-cn:") + "tbl",
            "Validation Invalid AWS partition in '{}'",
        ),
        (ARN + "tbl/index/gsi", "Validation Value '{}' at 'tableName' " + FORM),
        (ARN.replace("dynamodb", "s3") + "tbl", "Validation Value '{}' at 'tableName' " + FORM),
        ("arn:x", "Validation Value '{}' at 'tableName' " + FORM),
    ],
)
@pytest.mark.parametrize("operation", ["DescribeTable", "Scan", "DescribeContinuousBackups"])
def test_the_arn_of_a_table_elsewhere_is_not_this_one(
    engine: Engine, operation: str, arn: str, message: str
) -> None:
    # A program that mixes up regions must not write into the wrong table.
    engine.call("CreateTable", table())
    wanted = message.format(arn).replace(
        "Validation ", "ValidationException: 1 validation error detected: ", 1
    )
    assert failure(engine, operation, {"TableName": arn}).startswith(wanted)


def test_the_table_of_another_account_is_denied(engine: Engine) -> None:
    # There are no other accounts here, and so nobody who could allow it.
    engine.call("CreateTable", table())
    other = ARN.replace("000000000000", "123456789012") + "tbl"
    assert (
        failure(engine, "DescribeTable", {"TableName": other})
        == "AccessDeniedException: Access is denied"
    )
