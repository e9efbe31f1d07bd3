"""The journal undone and replayed: recovery, backups and streams are only as right as this."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sortkey.engine import jobs, snapshots
from tests.engine.tables import Clock, index, new_engine, put, scan, table

RECOVERY = {
    "TableName": "tbl",
    "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
}
KEYS = st.sampled_from("abcdef")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), KEYS, st.integers(0, 3)),
        st.tuples(st.just("delete"), KEYS, st.just(0)),
        st.tuples(st.just("wait"), st.just(""), st.integers(1, 3)),
        st.tuples(st.just("work"), st.just(""), st.just(0)),
    ),
    max_size=40,
)


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch):
    monkeypatch.setattr(snapshots, "SLICE_ROWS", 2)
    monkeypatch.setattr(snapshots, "SLICE_BYTES", 9000)
    monkeypatch.setattr(jobs, "SLICES_AT_ONCE", 1)


def apply(engine, clock, step):
    kind, key, number = step
    if kind == "put":
        put(engine, {"a": {"S": key}, "n": {"N": str(number)}})
    elif kind == "delete":
        engine.call("DeleteItem", {"TableName": "tbl", "Key": {"a": {"S": key}}})
    elif kind == "wait":
        clock.now += number
    else:
        engine.work()


def content(engine, name="tbl"):
    return {item["a"]["S"]: item for item in scan(engine, name)}


def finish(engine):
    for _ in range(1000):
        engine.work()
        if not jobs.running(engine):
            return
    raise AssertionError("a job does not end")


@given(steps=STEPS, more=STEPS)
@settings(max_examples=60)
def test_a_table_restored_to_an_instant_is_what_it_was_then(steps, more):
    # Any second of the period, also while the table goes on changing and the copy is under way.
    clock = Clock()
    with new_engine(clock=clock) as engine:
        engine.call(
            "CreateTable", table(attributes="a n:N", GlobalSecondaryIndexes=[index("byn", "n")])
        )
        engine.call("UpdateContinuousBackups", RECOVERY)
        was = {}
        for step in steps:
            apply(engine, clock, step)
            was[clock.now] = content(engine)
        targets = {}
        for number, instant in enumerate(list(was)[-4:]):
            targets[instant] = f"restored{number}"
            request = {
                "SourceTableName": "tbl",
                "TargetTableName": targets[instant],
                "RestoreDateTime": instant,
            }
            engine.call("RestoreTableToPointInTime", request)
        clock.now += 1
        for step in more:
            apply(engine, clock, step)
        finish(engine)
        for instant, name in targets.items():
            assert content(engine, name) == was[instant]
            assert {item["a"]["S"] for item in scan(engine, name, IndexName="byn")} == set(
                was[instant]
            )
        assert engine.catalog.described("tbl").copies == 0


@given(before=STEPS, during=STEPS)
@settings(max_examples=60)
def test_a_backup_is_of_the_instant_at_which_it_was_asked_for(before, during):
    # The table is not journaled otherwise; only the copy makes it so, and only as long as it lasts.
    clock = Clock()
    with new_engine(clock=clock) as engine:
        engine.call("CreateTable", table())
        for step in before:
            apply(engine, clock, step)
        was = content(engine)
        arn = engine.call("CreateBackup", {"TableName": "tbl", "BackupName": "bak"})[
            "BackupDetails"
        ]["BackupArn"]
        for step in during:
            apply(engine, clock, step)
        finish(engine)
        clock.now += 60
        engine.work()
        assert engine.journal.tables() == []
        engine.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": "restored"})
        finish(engine)
        assert content(engine, "restored") == was


@given(steps=STEPS)
@settings(max_examples=60)
def test_the_journal_replayed_is_the_table(steps):
    # Streams carry tables elsewhere: every change must be there, in order, with its true old image.
    clock = Clock()
    with new_engine(clock=clock) as engine:
        engine.call("CreateTable", table())
        engine.call("UpdateContinuousBackups", RECOVERY)
        for step in steps:
            apply(engine, clock, step)
        rows = {}
        number = engine.catalog.described("tbl").number
        for entry in engine.journal.read(number, 0):
            assert rows.get(entry.key) == entry.old
            rows[entry.key] = entry.new
        replayed = [orjson.loads(item) for item in rows.values() if item is not None]
        assert {item["a"]["S"]: item for item in replayed} == content(engine)


def test_a_copy_goes_on_after_a_restart(tmp_path, clock):
    # A process that dies in the middle leaves the state of its last slice; nothing is lost or done
    # twice.
    with new_engine(tmp_path, clock) as engine:
        engine.call("CreateTable", table())
        for number in range(20):
            put(engine, {"a": {"S": str(number)}})
        engine.call("CreateBackup", {"TableName": "tbl", "BackupName": "bak"})
        engine.work()
        put(engine, {"a": {"S": "3"}, "changed": {"BOOL": True}})
        engine.call("DeleteItem", {"TableName": "tbl", "Key": {"a": {"S": "19"}}})
    with new_engine(tmp_path, clock) as engine:
        (backup,) = engine.call("ListBackups", {})["BackupSummaries"]
        assert backup["BackupStatus"] == "CREATING"
        finish(engine)
        engine.call(
            "RestoreTableFromBackup",
            {"BackupArn": backup["BackupArn"], "TargetTableName": "restored"},
        )
        finish(engine)
        assert content(engine, "restored") == {str(n): {"a": {"S": str(n)}} for n in range(20)}


def test_a_copy_is_finished_before_its_table_goes(engine):
    # Its rows come from the table.
    engine.call("CreateTable", table())
    for number in range(20):
        put(engine, {"a": {"S": str(number)}})
    arn = engine.call("CreateBackup", {"TableName": "tbl", "BackupName": "bak"})["BackupDetails"][
        "BackupArn"
    ]
    engine.call("DeleteTable", {"TableName": "tbl"})
    description = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert description["BackupDetails"]["BackupStatus"] == "AVAILABLE"
    assert description["SourceTableDetails"]["ItemCount"] == 20


def test_the_point_of_an_instant_is_found_among_the_entries_of_other_tables(engine):
    # Found by halving over numbers that several tables share.
    engine.call("CreateTable", table("one"))
    one = replace(engine.catalog.described("one"))
    engine.database.begin()
    for at_ms in range(10):
        engine.journal.append(one.number, at_ms * 10, b"k", None, b"{}")
        engine.journal.append(one.number + 1, at_ms * 10 + 5, b"k", None, b"{}")
    entries = engine.journal.read(one.number, 0)
    for at_ms in range(-5, 100):
        cut = engine.journal.at(one.number, at_ms)
        assert [e.at_ms for e in entries if e.seq <= cut] == [
            e.at_ms for e in entries if e.at_ms <= at_ms
        ]
