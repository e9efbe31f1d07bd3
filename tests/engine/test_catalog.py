"""Tables that Sortkey keeps for itself: a caller who is not trusted may read them, and change
nothing about them.
"""

from __future__ import annotations

from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.engine.operations import OPERATIONS, only_reads
from sortkey.errors import AccessDeniedException, ServiceError
from tests.engine.tables import ARN, table

OWN = "sortkey-api-keys"
ITEM = {"a": {"S": "x"}}
FORGED = {"a": {"S": "forged"}}
INSERT = f"INSERT INTO \"{OWN}\" VALUE {{'a': 'forged'}}"
ENABLED = {"AttributeName": "t", "Enabled": True}
POLICY = (
    '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"dynamodb:GetItem",'
    f'"Resource":"{ARN}{OWN}"}}]}}'
)
STREAM_POLICY = POLICY.replace("GetItem", "GetRecords").replace(f"{OWN}", f"{OWN}/stream/*")


@pytest.fixture
def engine(engine: Engine) -> Engine:
    """With a table of Sortkey's own and one of a user, both with an item, a stream, recovery and a
    backup.
    """
    for name in (OWN, "orders"):
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
        engine.call("CreateTable", table(name, StreamSpecification=stream))
        recovery = {"PointInTimeRecoveryEnabled": True}
        engine.call(
            "UpdateContinuousBackups",
            {"TableName": name, "PointInTimeRecoverySpecification": recovery},
        )
        engine.call("PutItem", {"TableName": name, "Item": ITEM})
        engine.call("CreateBackup", {"TableName": name, "BackupName": "monday"})
    while engine.work() == 0:
        pass
    return engine


def stream_arn(engine: Engine) -> str:
    return engine.call("DescribeTable", {"TableName": OWN})["Table"]["LatestStreamArn"]


def backup_arn(engine: Engine, name: str) -> str:
    return engine.call("ListBackups", {"TableName": name})["BackupSummaries"][0]["BackupArn"]


def refused_requests(engine: Engine) -> list[tuple[str, dict[str, Any]]]:
    """Every way to change one of Sortkey's own tables, or to make one."""
    named = {"TableName": OWN}
    tag = [{"Key": "k", "Value": "v"}]
    own_backup, other_backup = backup_arn(engine, OWN), backup_arn(engine, "orders")
    from_bucket = {"S3BucketSource": {"S3Bucket": "bucket"}, "InputFormat": "DYNAMODB_JSON"}
    latest = {"UseLatestRestorableTime": True}
    put = {"Put": {**named, "Item": FORGED}}
    check = {"ConditionCheck": {**named, "Key": ITEM, "ConditionExpression": "attribute_exists(a)"}}
    return [
        ("PutItem", {**named, "Item": FORGED}),
        ("PutItem", {"TableName": ARN + OWN, "Item": FORGED}),
        ("UpdateItem", {**named, "Key": FORGED}),
        ("DeleteItem", {**named, "Key": ITEM}),
        ("BatchWriteItem", {"RequestItems": {"orders": [_put(FORGED)], OWN: [_put(FORGED)]}}),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "orders", "Item": FORGED}}, put]},
        ),
        ("TransactWriteItems", {"TransactItems": [check]}),
        ("ExecuteStatement", {"Statement": INSERT}),
        ("ExecuteStatement", {"Statement": f"UPDATE \"{OWN}\" SET b = 1 WHERE a = 'x'"}),
        ("ExecuteStatement", {"Statement": f"DELETE FROM \"{OWN}\" WHERE a = 'x'"}),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": INSERT}]}),
        ("CreateTable", table("sortkey-secrets")),
        ("CreateTable", table(OWN)),
        ("DeleteTable", named),
        ("UpdateTable", {**named, "DeletionProtectionEnabled": True}),
        ("UpdateTimeToLive", {**named, "TimeToLiveSpecification": ENABLED}),
        (
            "UpdateContinuousBackups",
            {**named, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": False}},
        ),
        ("UpdateContributorInsights", {**named, "ContributorInsightsAction": "ENABLE"}),
        ("TagResource", {"ResourceArn": ARN + OWN, "Tags": tag}),
        ("TagResource", {"ResourceArn": stream_arn(engine), "Tags": tag}),
        ("UntagResource", {"ResourceArn": ARN + OWN, "TagKeys": ["k"]}),
        ("PutResourcePolicy", {"ResourceArn": ARN + OWN, "Policy": POLICY}),
        ("PutResourcePolicy", {"ResourceArn": stream_arn(engine), "Policy": STREAM_POLICY}),
        ("DeleteResourcePolicy", {"ResourceArn": ARN + OWN}),
        ("CreateBackup", {**named, "BackupName": "tuesday"}),
        ("DeleteBackup", {"BackupArn": own_backup}),
        ("RestoreTableFromBackup", {"BackupArn": own_backup, "TargetTableName": "copy"}),
        ("RestoreTableFromBackup", {"BackupArn": other_backup, "TargetTableName": "sortkey-jobs"}),
        (
            "RestoreTableToPointInTime",
            {"SourceTableName": OWN, "TargetTableName": "copy", **latest},
        ),
        (
            "RestoreTableToPointInTime",
            {"SourceTableName": "orders", "TargetTableName": "sortkey-jobs", **latest},
        ),
        ("ImportTable", {**from_bucket, "TableCreationParameters": table("sortkey-jobs")}),
        ("ExportTableToPointInTime", {"TableArn": ARN + OWN, "S3Bucket": "bucket"}),
    ]


def _put(item: dict[str, Any]) -> dict[str, Any]:
    return {"PutRequest": {"Item": item}}


def state(engine: Engine) -> list[Any]:
    """What a change would show in."""
    return [
        engine.call("Scan", {"TableName": "orders"}),
        engine.call("Scan", {"TableName": OWN}),
        engine.call("DescribeTable", {"TableName": OWN}),
        engine.call("DescribeTimeToLive", {"TableName": OWN}),
        engine.call("ListTagsOfResource", {"ResourceArn": ARN + OWN}),
        engine.call("ListTables", {}),
        engine.call("ListBackups", {}),
        engine.call("ListImports", {}),
        engine.call("ListExports", {}),
    ]


def test_no_operation_of_an_untrusted_caller_changes_them(engine: Engine) -> None:
    # A forged row in the table of keys would open REST, and one in the table of jobs would be run.
    before = state(engine)
    for name, request in refused_requests(engine):
        with pytest.raises(AccessDeniedException, match=r"sortkey-.*belongs to Sortkey"):
            engine.execute(name, request, is_trusted=False)
        engine.flush()  # as the server does after a refusal
        assert state(engine) == before, (name, request)


def test_every_operation_is_known_to_change_or_only_to_read(engine: Engine) -> None:
    # An operation that is added must be tried above, unless it is one that reads.
    tried = {name for name, _ in refused_requests(engine)}
    no_tables_here = {"BatchExecuteStatement", "UpdateGlobalTable", "UpdateGlobalTableSettings"}
    assert {name for name in OPERATIONS if not only_reads(name)} == tried | no_tables_here


def test_a_statement_of_a_batch_is_refused_alone(engine: Engine) -> None:
    # BatchExecuteStatement answers each statement for itself; AWS has a code for this.
    other = "INSERT INTO orders VALUE {'a': 'y'}"
    request = {"Statements": [{"Statement": INSERT}, {"Statement": other}]}
    first, second = engine.execute("BatchExecuteStatement", request, is_trusted=False)["Responses"]  # type: ignore[index]
    assert first["Error"]["Code"] == "AccessDenied"
    assert "Error" not in second
    assert engine.call("Scan", {"TableName": OWN})["Items"] == [ITEM]


READS: list[tuple[str, dict[str, Any]]] = [
    ("GetItem", {"TableName": OWN, "Key": ITEM}),
    ("Scan", {"TableName": OWN}),
    ("BatchGetItem", {"RequestItems": {OWN: {"Keys": [ITEM]}}}),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": OWN, "Key": ITEM}}]}),
    ("ExecuteStatement", {"Statement": f'SELECT * FROM "{OWN}"'}),
    ("DescribeTable", {"TableName": OWN}),
    ("ListTagsOfResource", {"ResourceArn": ARN + OWN}),
]


@pytest.mark.parametrize(("name", "request_"), READS, ids=[name for name, _ in READS])
def test_they_can_be_read_and_described(
    engine: Engine, name: str, request_: dict[str, Any]
) -> None:
    # Backups over the endpoint, plans and tools read them; nothing in them opens anything.
    assert engine.execute(name, request_, is_trusted=False)


def test_a_trusted_caller_changes_them_as_before(engine: Engine) -> None:
    # The program that holds the folder, and whoever opens the folder beside it.
    with pytest.raises(ServiceError):
        engine.execute("PutItem", {"TableName": OWN, "Item": FORGED}, is_trusted=False)
    engine.execute("PutItem", {"TableName": OWN, "Item": FORGED})
    engine.call("DeleteTable", {"TableName": OWN})


def test_other_tables_are_changed_by_everybody(engine: Engine) -> None:
    engine.execute("PutItem", {"TableName": "orders", "Item": FORGED}, is_trusted=False)
    engine.execute("CreateTable", table("sortkeys"), is_trusted=False)
    engine.flush()
    assert engine.call("Scan", {"TableName": "orders"})["Count"] == 2
