"""Backups: CreateBackup, DescribeBackup, ListBackups, DeleteBackup, RestoreTableFromBackup."""

from __future__ import annotations

import pytest

from tests.engine.streaming import streamed
from tests.engine.tables import ALL, ARN, UNITS, described, failure, index, put, scan, table

MISSING = f"{ARN}tbl/backup/01600000000000-abcdef01"


def back_up(engine, name="bak", of="tbl"):
    return engine.call("CreateBackup", {"TableName": of, "BackupName": name})["BackupDetails"]


def restore(engine, arn, target="restored", **members):
    request = {"BackupArn": arn, "TargetTableName": target, **members}
    return engine.call("RestoreTableFromBackup", request)["TableDescription"]


def indexed():
    return table(
        key="a b",
        attributes="a b c",
        GlobalSecondaryIndexes=[index("gsi", "c")],
        LocalSecondaryIndexes=[index("lsi", "a c")],
    )


def test_a_backup_is_creating_in_the_answer_and_available_after(engine):
    # Waiters poll from one to the other.
    engine.call("CreateTable", table())
    put(engine, {"a": {"S": "x"}})
    details = back_up(engine)
    assert details["BackupArn"].startswith(f"{ARN}tbl/backup/01800000000000-")
    assert {name: value for name, value in details.items() if name != "BackupArn"} == {
        "BackupName": "bak",
        "BackupSizeBytes": 2,
        "BackupStatus": "CREATING",
        "BackupType": "USER",
        "BackupCreationDateTime": 1_800_000_000.0,
    }
    description = engine.call("DescribeBackup", {"BackupArn": details["BackupArn"]})[
        "BackupDescription"
    ]
    assert description["BackupDetails"] == {**details, "BackupStatus": "AVAILABLE"}


def test_a_backup_describes_the_table_that_it_was_made_of(engine):
    # Also after the table is gone: it is all that is left of its definition.
    engine.call(
        "CreateTable", {**indexed(), "StreamSpecification": streamed()["StreamSpecification"]}
    )
    source = described(engine)
    arn = back_up(engine)["BackupArn"]
    engine.call("DeleteTable", {"TableName": "tbl"})
    description = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert description["SourceTableDetails"] == {
        "TableName": "tbl",
        "TableId": source["TableId"],
        "TableArn": source["TableArn"],
        "TableSizeBytes": 0,
        "KeySchema": source["KeySchema"],
        "TableCreationDateTime": source["CreationDateTime"],
        "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "ItemCount": 0,
        "BillingMode": "PAY_PER_REQUEST",
    }
    features = description["SourceTableFeatureDetails"]
    assert [gsi["IndexName"] for gsi in features["GlobalSecondaryIndexes"]] == ["gsi"]
    assert [lsi["IndexName"] for lsi in features["LocalSecondaryIndexes"]] == ["lsi"]
    assert features["StreamDescription"] == {
        "StreamEnabled": True,
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    }
    assert "TimeToLiveDescription" not in features


def test_a_backup_of_a_table_that_went_on_demand_has_no_units(engine):
    # What it had before is kept for the way back only; tools compare this with DescribeTable.
    gsi = index("gsi", "a", ProvisionedThroughput=UNITS)
    engine.call(
        "CreateTable",
        table(BillingMode=None, ProvisionedThroughput=UNITS, GlobalSecondaryIndexes=[gsi]),
    )
    engine.call("UpdateTable", {"TableName": "tbl", "BillingMode": "PAY_PER_REQUEST"})
    backup = engine.call("DescribeBackup", {"BackupArn": back_up(engine)["BackupArn"]})[
        "BackupDescription"
    ]
    none = {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    assert backup["SourceTableDetails"]["ProvisionedThroughput"] == none
    assert (
        backup["SourceTableFeatureDetails"]["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]
        == none
    )


def test_the_answer_to_a_restore_has_its_indexes_in_the_making(engine):
    # As that of CreateTable: who waits for an index sees it CREATING first.
    engine.call("CreateTable", indexed())
    answer = restore(engine, back_up(engine)["BackupArn"])
    assert [gsi["IndexStatus"] for gsi in answer["GlobalSecondaryIndexes"]] == ["CREATING"]
    assert described(engine, "restored")["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"


def test_a_restored_table_has_items_and_indexes_and_nothing_else(engine):
    # TTL, stream, tags, recovery and protection are to be set again, as on AWS.
    request = {
        **indexed(),
        "StreamSpecification": streamed()["StreamSpecification"],
        "Tags": [{"Key": "k", "Value": "v"}],
    }
    engine.call("CreateTable", {**request, "DeletionProtectionEnabled": True})
    items = [{"a": {"S": "x"}, "b": {"S": str(n)}, "c": {"S": "c"}} for n in range(3)]
    for item in items:
        put(engine, item)
    arn = back_up(engine)["BackupArn"]
    answer = restore(engine, arn)
    assert answer["TableStatus"] == "CREATING"
    assert answer["RestoreSummary"] == {
        "SourceBackupArn": arn,
        "SourceTableArn": f"{ARN}tbl",
        "RestoreDateTime": 1_800_000_000.0,
        "RestoreInProgress": True,
    }
    restored = described(engine, "restored")
    assert restored["TableStatus"] == "ACTIVE"
    assert restored["RestoreSummary"] == {**answer["RestoreSummary"], "RestoreInProgress": False}
    assert restored["TableId"] != described(engine)["TableId"]
    assert restored["DeletionProtectionEnabled"] is False
    assert "LatestStreamArn" not in restored
    assert engine.call("ListTagsOfResource", {"ResourceArn": f"{ARN}restored"})["Tags"] == []
    for name in (None, "gsi", "lsi"):
        members = {} if name is None else {"IndexName": name}
        assert sorted(scan(engine, "restored", **members), key=str) == items
    put(engine, {"a": {"S": "new"}, "b": {"S": "new"}}, "restored")
    assert len(scan(engine)) == 3


def test_indexes_billing_and_throughput_can_be_overridden(engine):
    # Leaving out indexes is how a restore is made quick.
    engine.call("CreateTable", indexed())
    put(engine, {"a": {"S": "x"}, "b": {"S": "x"}, "c": {"S": "x"}})
    arn = back_up(engine)["BackupArn"]
    restore(
        engine,
        arn,
        GlobalSecondaryIndexOverride=[],
        LocalSecondaryIndexOverride=[],
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=UNITS,
    )
    restored = described(engine, "restored")
    assert "GlobalSecondaryIndexes" not in restored
    assert "LocalSecondaryIndexes" not in restored
    assert restored["ProvisionedThroughput"]["ReadCapacityUnits"] == 1
    assert [definition["AttributeName"] for definition in restored["AttributeDefinitions"]] == [
        "a",
        "b",
    ]
    kept = restore(engine, arn, "kept", GlobalSecondaryIndexOverride=[index("gsi", "c")])
    assert [gsi["IndexName"] for gsi in kept["GlobalSecondaryIndexes"]] == ["gsi"]
    other = {
        "BackupArn": arn,
        "TargetTableName": "other",
        "GlobalSecondaryIndexOverride": [index("gsi", "b", ALL)],
    }
    assert failure(engine, "RestoreTableFromBackup", other) == (
        "ValidationException: Invalid Request: Index gsi does not match a secondary index that "
        "existed in the source "
        "table and cannot be created during the restore operation"
    )
    assert "other" not in engine.call("ListTables", {})["TableNames"]


def test_a_restored_index_can_have_another_name_and_a_table_another_key(engine):
    # AWS looks at keys and projection of an index; the class of a table is not restored, its key is
    # unless requested.
    request = {
        **indexed(),
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "SSESpecification": {"Enabled": True},
    }
    engine.call("CreateTable", request)
    put(engine, {"a": {"S": "x"}, "b": {"S": "x"}, "c": {"S": "x"}})
    arn = back_up(engine)["BackupArn"]
    restore(engine, arn, GlobalSecondaryIndexOverride=[index("renamed", "c")])
    restored = described(engine, "restored")
    assert restored["SSEDescription"] == described(engine)["SSEDescription"]
    assert "TableClassSummary" not in restored
    assert len(scan(engine, "restored", IndexName="renamed")) == 1
    plain = restore(engine, arn, "plain", SSESpecificationOverride={"Enabled": False})
    assert "SSEDescription" not in plain


UNITS_OVERRIDE = {"ProvisionedThroughputOverride": UNITS}


@pytest.mark.parametrize(
    ("members", "why"),
    [
        (UNITS_OVERRIDE, "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED"),
        (
            {**UNITS_OVERRIDE, "BillingModeOverride": "PAY_PER_REQUEST"},
            "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST",
        ),
        (
            {"BillingModeOverride": "PROVISIONED"},
            "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED",
        ),
        (
            {"OnDemandThroughputOverride": {"MaxReadRequestUnits": 0}},
            "Requested MaxReadRequestUnits for OnDemandThroughput is outside of valid range",
        ),
        (
            {
                **UNITS_OVERRIDE,
                "BillingModeOverride": "PROVISIONED",
                "OnDemandThroughputOverride": {"MaxReadRequestUnits": 1},
            },
            "Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride "
            "is PAY_PER_REQUEST",
        ),
        (
            {
                **UNITS_OVERRIDE,
                "BillingModeOverride": "PROVISIONED",
                "GlobalSecondaryIndexOverride": [index("gsi", "c")],
            },
            "Must specify provisioned throughput for index gsi",
        ),
    ],
)
def test_overrides_of_a_restore_fit_together(engine, members, why):
    # Found before anything is restored.
    engine.call("CreateTable", indexed())
    request = {"BackupArn": back_up(engine)["BackupArn"], "TargetTableName": "restored", **members}
    assert (
        failure(engine, "RestoreTableFromBackup", request)
        == f"ValidationException: Invalid Request: {why}"
    )
    assert engine.call("ListTables", {})["TableNames"] == ["tbl"]


def test_a_table_deleted_with_recovery_on_leaves_a_system_backup(engine, clock):
    # The last safety net; AWS keeps it for 35 days.
    engine.call("CreateTable", indexed())
    recovery = {
        "TableName": "tbl",
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
    }
    engine.call("UpdateContinuousBackups", recovery)
    put(engine, {"a": {"S": "x"}, "b": {"S": "x"}, "c": {"S": "x"}})
    engine.call("DeleteTable", {"TableName": "tbl"})
    assert engine.call("ListBackups", {})["BackupSummaries"] == []
    (summary,) = engine.call("ListBackups", {"BackupType": "SYSTEM"})["BackupSummaries"]
    assert summary["BackupName"] == "tbl$DeletedTableBackup"
    assert summary["BackupExpiryDateTime"] == 1_800_000_000.0 + 35 * 24 * 3600
    assert failure(engine, "DeleteBackup", {"BackupArn": summary["BackupArn"]}) == (
        "ValidationException: Invalid Request: User is not allowed to delete the system backup "
        "with arn "
        f"{summary['BackupArn']}. It will automatically expire on 2027-02-19T08:00:00Z"
    )
    restore(engine, summary["BackupArn"], "tbl")
    assert len(scan(engine)) == len(scan(engine, IndexName="gsi")) == 1
    clock.now += 35 * 24 * 3600 + 1
    engine.work()
    assert engine.call("ListBackups", {"BackupType": "ALL"})["BackupSummaries"] == []


def test_backups_are_listed_by_table_time_and_type_in_pages(engine, clock):
    engine.call("CreateTable", table())
    engine.call("CreateTable", table("other"))
    for name in ("one", "two", "three"):
        clock.now += 1
        back_up(engine, name)
    clock.now += 1
    back_up(engine, "four", "other")

    def names(**members):
        return [
            summary["BackupName"]
            for summary in engine.call("ListBackups", members)["BackupSummaries"]
        ]

    assert names() == ["one", "two", "three", "four"]
    assert names(TableName="tbl") == names(TableName=f"{ARN}tbl") == ["one", "two", "three"]
    assert names(TimeRangeLowerBound=1_800_000_002, TimeRangeUpperBound=1_800_000_004) == [
        "two",
        "three",
    ]
    assert names(BackupType="SYSTEM") == []
    backwards = {"TimeRangeLowerBound": 2, "TimeRangeUpperBound": 1}
    assert failure(engine, "ListBackups", backwards) == (
        "ValidationException: One or more parameter values were invalid: Time range lower bound "
        "must be less than or "
        "equal to upper bound"
    )
    first = engine.call("ListBackups", {"Limit": 3})
    assert names(ExclusiveStartBackupArn=first["LastEvaluatedBackupArn"]) == ["four"]


def test_a_deleted_backup_is_gone(engine):
    engine.call("CreateTable", table())
    arn = back_up(engine)["BackupArn"]
    gone = engine.call("DeleteBackup", {"BackupArn": arn})["BackupDescription"]
    assert gone["BackupDetails"]["BackupStatus"] == "DELETED"
    for operation in ("DescribeBackup", "DeleteBackup"):
        assert (
            failure(engine, operation, {"BackupArn": arn})
            == f"BackupNotFoundException: Backup not found: {arn}"
        )


@pytest.mark.parametrize(
    ("operation", "request_", "message"),
    [
        (
            "CreateBackup",
            {"TableName": "none", "BackupName": "bak"},
            "TableNotFoundException: Table not found: none",
        ),
        (
            "DescribeBackup",
            {"BackupArn": MISSING},
            f"BackupNotFoundException: Backup not found: {MISSING}",
        ),
        ("DescribeBackup", {"BackupArn": "nonsense"}, "ValidationException: Invalid Backup ARN"),
        (
            "RestoreTableFromBackup",
            {"BackupArn": MISSING, "TargetTableName": "restored"},
            f"BackupNotFoundException: Backup not found: {MISSING}",
        ),
    ],
)
def test_what_is_not_there_is_named(engine, operation, request_, message):
    assert failure(engine, operation, request_) == message


def test_a_restore_does_not_overwrite_a_table(engine):
    engine.call("CreateTable", table())
    arn = back_up(engine)["BackupArn"]
    request = {"BackupArn": arn, "TargetTableName": "tbl"}
    assert failure(engine, "RestoreTableFromBackup", request) == (
        "TableAlreadyExistsException: Table already exists: tbl"
    )


def test_a_table_is_closed_while_it_is_restored(engine, monkeypatch):
    # A write between two slices could be overwritten by the next.
    monkeypatch.setattr("sortkey.engine.jobs.SLICES_AT_ONCE", 0)
    monkeypatch.setattr("sortkey.engine.restores.SLICE_ROWS", 1)
    engine.call("CreateTable", table())
    for name in "xyz":
        put(engine, {"a": {"S": name}})
    arn = back_up(engine)["BackupArn"]
    assert failure(
        engine, "RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "restored"}
    ) == (f"BackupInUseException: Backup is being created: {arn}")
    for _ in range(9):
        engine.work()
    restore(engine, arn)
    engine.work()
    assert described(engine, "restored")["TableStatus"] == "CREATING"
    assert failure(engine, "Scan", {"TableName": "restored"}) == (
        "ResourceNotFoundException: Requested resource not found"
    )
    assert failure(engine, "DeleteBackup", {"BackupArn": arn}) == (
        f"BackupInUseException: Backup is being used to restore table: {arn}"
    )
    assert failure(
        engine, "RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "second"}
    ) == (f"BackupInUseException: Backup is being used to restore another table: {arn}")
    assert failure(engine, "DeleteTable", {"TableName": "restored"}).startswith(
        "ResourceInUseException: "
    )
    for _ in range(9):
        engine.work()
    assert len(scan(engine, "restored")) == 3
