"""Continuous backups: their description, their switch, and restores to an instant."""

from __future__ import annotations

import pytest

from tests.engine.tables import ARN, NOW, described, failure, index, put, scan, table

DAY = 24 * 3600


def switch(engine, enabled=True, days=None, name="tbl"):
    wanted = {
        "PointInTimeRecoveryEnabled": enabled,
        **({"RecoveryPeriodInDays": days} if days else {}),
    }
    request = {"TableName": name, "PointInTimeRecoverySpecification": wanted}
    answer = engine.call("UpdateContinuousBackups", request)
    return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]


def restore(engine, target="restored", **members):
    request = {"SourceTableName": "tbl", "TargetTableName": target, **members}
    return engine.call("RestoreTableToPointInTime", request)["TableDescription"]


def test_continuous_backups_are_on_and_recovery_is_off_at_first(engine):
    # Terraform and CloudFormation compare exactly this.
    engine.call("CreateTable", table())
    assert engine.call("DescribeContinuousBackups", {"TableName": "tbl"}) == {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
        }
    }


def test_the_window_begins_with_the_switch_and_moves_with_the_period(engine, clock):
    engine.call("CreateTable", table())
    assert switch(engine) == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": NOW,
        "LatestRestorableDateTime": NOW,
    }
    clock.now += 10 * DAY
    assert switch(engine, days=3)["EarliestRestorableDateTime"] == NOW + 7 * DAY
    # What the shorter period let go does not come back.
    assert switch(engine, days=35)["EarliestRestorableDateTime"] == NOW + 7 * DAY
    assert switch(engine, enabled=False) == {"PointInTimeRecoveryStatus": "DISABLED"}
    assert switch(engine)["EarliestRestorableDateTime"] == clock.now


def test_a_table_goes_back_to_any_second(engine, clock):
    # The whole point: what was there at 12:00:03, not at 12:00:04.
    engine.call("CreateTable", table())
    put(engine, {"a": {"S": "old"}, "n": {"N": "0"}})
    switch(engine)
    for second in range(1, 5):
        clock.now += 1
        put(engine, {"a": {"S": "old"}, "n": {"N": str(second)}})
        put(engine, {"a": {"S": str(second)}})
    for second in range(5):
        restore(engine, f"restored{second}", RestoreDateTime=NOW + second)
        held = {item["a"]["S"]: item for item in scan(engine, f"restored{second}")}
        assert set(held) == {"old", *map(str, range(1, second + 1))}
        assert held["old"]["n"] == {"N": str(second)}
    latest = restore(engine, UseLatestRestorableTime=True)
    assert latest["RestoreSummary"] == {
        "SourceTableArn": f"{ARN}tbl",
        "RestoreDateTime": clock.now,
        "RestoreInProgress": True,
    }
    assert len(scan(engine, "restored")) == 5
    assert described(engine, "restored")["RestoreSummary"] == {
        **latest["RestoreSummary"],
        "RestoreInProgress": False,
    }


def test_changes_older_than_the_period_are_forgotten_and_younger_ones_kept(engine, clock):
    # The journal must not grow for ever, and must not lose a second of the window.
    engine.call("CreateTable", table())
    switch(engine, days=2)
    for _ in range(4):
        clock.now += DAY
        put(engine, {"a": {"S": "x"}, "at": {"N": str(int(clock.now))}})
    engine.work()
    number = engine.catalog.described("tbl").number
    assert [entry.at_ms / 1000 for entry in engine.journal.read(number, 0)] == [
        NOW + n * DAY for n in (2, 3, 4)
    ]
    restore(engine, RestoreDateTime=NOW + 2 * DAY)
    assert scan(engine, "restored")[0]["at"] == {"N": str(int(NOW + 2 * DAY))}
    switch(engine, enabled=False)
    clock.now += 61
    engine.work()
    assert engine.journal.tables() == []


@pytest.mark.parametrize("instant", [NOW - 1, NOW + 11])
def test_an_instant_outside_the_window_is_refused(engine, clock, instant):
    engine.call("CreateTable", table())
    switch(engine)
    clock.now += 10
    request = {"SourceTableName": "tbl", "TargetTableName": "restored", "RestoreDateTime": instant}
    given = "2027-01-15T07:59:59Z" if instant < NOW else "2027-01-15T08:00:11Z"
    assert failure(engine, "RestoreTableToPointInTime", request) == (
        f"InvalidRestoreTimeException: RestoreDateTime '{given}' must be within "
        "EarliestRestorableDateTime "
        "'2027-01-15T08:00:00Z' and LatestRestorableDateTime '2027-01-15T08:00:10Z'"
    )


def test_a_restore_that_cannot_be_is_refused(engine):
    engine.call("CreateTable", table())
    request = {
        "SourceTableName": "tbl",
        "TargetTableName": "restored",
        "UseLatestRestorableTime": True,
    }
    assert failure(engine, "RestoreTableToPointInTime", request) == (
        "PointInTimeRecoveryUnavailableException: Point in time recovery is not enabled for table "
        "'tbl'"
    )
    switch(engine)
    assert failure(engine, "RestoreTableToPointInTime", {**request, "SourceTableName": "none"}) == (
        "TableNotFoundException: Table not found: none"
    )
    assert failure(engine, "RestoreTableToPointInTime", {**request, "TargetTableName": "tbl"}) == (
        "TableAlreadyExistsException: Table already exists: tbl"
    )
    # AWS looks at the instant before the name.
    early = {
        **request,
        "TargetTableName": "tbl",
        "UseLatestRestorableTime": False,
        "RestoreDateTime": NOW - 9,
    }
    assert failure(engine, "RestoreTableToPointInTime", early).startswith(
        "InvalidRestoreTimeException: "
    )
    two = (
        "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for "
        "point-in-time restore"
    )
    none = (
        "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be "
        "specified, but not both"
    )
    for members, message in (
        ({"RestoreDateTime": NOW}, two),
        ({"UseLatestRestorableTime": False}, none),
        (
            {
                "GlobalSecondaryIndexOverride": [
                    index("gsi", "a", WarmThroughput={"ReadUnitsPerSecond": 12000})
                ]
            },
            "Invalid Request: Cannot override WarmThroughput for index gsi",
        ),
        (
            {"SourceTableArn": ARN + "tbl"},
            "Must provide exactly one of: sourceTableArn, sourceTableName",
        ),
    ):
        found = failure(engine, "RestoreTableToPointInTime", {**request, **members})
        assert found.startswith(f"ValidationException: {message}")
    del request["SourceTableName"]
    assert failure(engine, "RestoreTableToPointInTime", request) == (
        "ValidationException: The parameter 'TableName' is required but was not present in the "
        "request"
    )
    assert failure(engine, "UpdateContinuousBackups", {**_spec(False, 5), "TableName": "tbl"}) == (
        "ValidationException: Invalid Request: Cannot specify RecoveryPeriodInDays when disabling "
        "point-in-time "
        "recovery."
    )
    assert failure(engine, "DescribeContinuousBackups", {"TableName": "none"}) == (
        "TableNotFoundException: Table not found: none"
    )


def _spec(enabled, days):
    wanted = {"PointInTimeRecoveryEnabled": enabled, "RecoveryPeriodInDays": days}
    return {"PointInTimeRecoverySpecification": wanted}
