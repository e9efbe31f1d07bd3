"""`sortkey backup` and `sortkey restore` as programs: on a folder, on one that a server owns, and
on a whole copy.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import sortkey as library
from tests.cli.program import refused, said, sortkey

TABLE: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def put(data: Path, table: str, **values: int) -> None:
    with library.open(data) as store:
        for key, number in values.items():
            store.backend.call(
                "PutItem", {"TableName": table, "Item": {"pk": {"S": key}, "n": {"N": str(number)}}}
            )


def held(data: Path, table: str) -> dict[str, int]:
    with library.open(data) as store:
        found = store.backend.call("Scan", {"TableName": table})["Items"]
    return {
        item["pk"]["S"]: int(item["n"]["N"])
        for item in sorted(found, key=lambda item: item["pk"]["S"])
    }


def delete(data: Path, operation: str = "DeleteItem", **request: Any) -> None:
    with library.open(data) as store:
        store.backend.call(operation, request)


def a_moment() -> str:
    """Now, such that everything before is earlier, and everything after later."""
    time.sleep(0.02)
    moment = datetime.now(UTC).isoformat()
    time.sleep(0.02)
    return moment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Data with a table that can be restored to a moment, and one that cannot."""
    with library.open(tmp_path / "data") as store:
        for name in ("Kept", "Loose"):
            store.backend.call("CreateTable", {"TableName": name, **TABLE})
        on = {"PointInTimeRecoveryEnabled": True}
        store.backend.call(
            "UpdateContinuousBackups", {"TableName": "Kept", "PointInTimeRecoverySpecification": on}
        )
    put(tmp_path / "data", "Kept", a=1, b=2, c=3)
    put(tmp_path / "data", "Loose", x=1)
    return tmp_path


@pytest.fixture
def served(folder: Path) -> Iterator[Path]:
    """The same folder while a server owns it."""
    line = [sys.executable, "-m", "sortkey", "serve", "--port", "0"]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "serves DynamoDB" in process.stdout.readline()
        yield folder
        process.terminate()


def test_a_table_comes_back_beside_itself(folder: Path) -> None:
    output = said(sortkey("backup", "Kept", "--name", "first", cwd=folder))
    assert re.search(r"Kept\tfirst\t\d{4}-\d\d-\d\d .*Z\tavailable", output)
    put(folder / "data", "Kept", a=100, d=4)
    out = said(sortkey("restore", "Kept", "--backup", "first", "--as", "Before", cwd=folder))
    assert out == "Before: created from Kept\n"
    assert held(folder / "data", "Before") == {"a": 1, "b": 2, "c": 3}
    assert held(folder / "data", "Kept") == {"a": 100, "b": 2, "c": 3, "d": 4}


def test_a_table_is_rewound_in_place_to_a_moment(folder: Path) -> None:
    # Changed, deleted and new items; the table keeps its recovery, which a restored one would not
    # have.
    moment = a_moment()
    put(folder / "data", "Kept", a=100, d=4)
    delete(folder / "data", TableName="Kept", Key={"pk": {"S": "b"}})
    out = said(sortkey("restore", "Kept", "--at", moment, "--in-place", cwd=folder))
    assert out == "Kept: 2 items restored, 1 deleted\n"
    assert held(folder / "data", "Kept") == {"a": 1, "b": 2, "c": 3}
    again = json.loads(
        said(sortkey("restore", "Kept", "--at", moment, "--in-place", "--json", cwd=folder))
    )
    assert again["tables"] == [
        {"table": "Kept", "summary": "0 items restored, 0 deleted", "put": 0, "deleted": 0}
    ]
    with library.open(folder / "data") as store:
        assert store.backend.call("ListTables", {})["TableNames"] == ["Kept", "Loose"]


def test_what_a_stopped_restore_left_is_cleared_away(folder: Path) -> None:
    # Stopped while the table of the moment was being made: it may be made still when the command is
    # given again.
    moment = a_moment()
    put(folder / "data", "Kept", a=100)
    with library.open(folder / "data") as store:
        request = {
            "SourceTableName": "Kept",
            "TargetTableName": "Kept.restoring",
            "UseLatestRestorableTime": True,
        }
        store.backend.call("RestoreTableToPointInTime", request)
    said(sortkey("restore", "Kept", "--at", moment, "--in-place", cwd=folder))
    assert held(folder / "data", "Kept") == {"a": 1, "b": 2, "c": 3}


def test_every_table_can_be_rewound_though_sortkeys_own_keep_no_history(folder: Path) -> None:
    # Each folder with a model has such a table, of what backfills did: it must not keep the others
    # from being rewound.
    delete(folder / "data", "DeleteTable", TableName="Loose")
    said(sortkey("apply", "jobengine", cwd=folder))
    moment = a_moment()
    put(folder / "data", "Kept", a=100)
    said(sortkey("backup", "--to", "copy", cwd=folder))
    wanted = [
        "Kept: 1 item restored, 0 deleted",
        "TransformationSystem: 0 items restored, 0 deleted",
    ]
    wanted += ["sortkey-evolution: unchanged, because it keeps no history"]
    assert said(sortkey("restore", "--at", moment, "--in-place", cwd=folder)).splitlines() == wanted
    out = said(
        sortkey("restore", "--from", "copy", "--data", "new", "--at", moment, cwd=folder)
    ).splitlines()
    assert out[1:] == wanted
    line = ["restore", "sortkey-evolution", "--at", moment, "--in-place"]
    assert "keep no history (no point-in-time recovery): sortkey-evolution" in refused(
        sortkey(*line, cwd=folder), 1
    )


def test_a_backup_outlives_its_table(folder: Path) -> None:
    # The name is free again, so none is asked for.
    said(sortkey("backup", "Loose", "--name", "last", cwd=folder))
    delete(folder / "data", "DeleteTable", TableName="Loose")
    assert (
        said(sortkey("restore", "Loose", "--backup", "last", cwd=folder))
        == "Loose: created from Loose\n"
    )
    assert held(folder / "data", "Loose") == {"x": 1}


def test_backups_are_listed_and_deleted(folder: Path) -> None:
    made = json.loads(said(sortkey("backup", "--name", "both", "--json", cwd=folder)))
    assert [(each["TableName"], each["BackupStatus"]) for each in made] == [
        ("Kept", "AVAILABLE"),
        ("Loose", "AVAILABLE"),
    ]
    listed = json.loads(said(sortkey("backup", "--list", "--json", cwd=folder)))
    assert [each["TableName"] for each in listed] == ["Kept", "Loose"]
    assert "name the table too" in refused(sortkey("backup", "--delete", "both", cwd=folder), 2)
    said(sortkey("backup", "Kept", "--delete", "both", cwd=folder))
    said(sortkey("backup", "--delete", listed[1]["BackupArn"], cwd=folder))
    assert said(sortkey("backup", "--list", cwd=folder)) == "no backups\n"


def test_it_works_through_the_server_that_owns_the_folder(served: Path) -> None:
    # Nobody stops a server to make a backup.
    moment = a_moment()
    said(sortkey("backup", "Kept", "--name", "first", cwd=served))
    put(served / "data", "Kept", a=100)
    said(sortkey("restore", "Kept", "--backup", "first", "--as", "Before", cwd=served))
    said(sortkey("restore", "Kept", "--at", moment, "--in-place", cwd=served))
    assert (
        held(served / "data", "Before") == held(served / "data", "Kept") == {"a": 1, "b": 2, "c": 3}
    )


def test_a_folder_is_copied_while_it_is_written_to(served: Path) -> None:
    # Two items of one transaction are both in the copy, or neither: it is of one moment.
    stop = threading.Event()
    with library.open(served / "data") as store:

        def write() -> None:
            for number in range(1, 1_000_000):
                items = [{"pk": {"S": key}, "n": {"N": str(number)}} for key in ("left", "right")]
                puts = [{"Put": {"TableName": "Kept", "Item": item}} for item in items]
                store.backend.call("TransactWriteItems", {"TransactItems": puts})
                if stop.is_set():
                    return

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for name in ("one", "two"):
                assert said(sortkey("backup", "--to", name, cwd=served)).startswith(
                    f"copied data to {name}: "
                )
        finally:
            stop.set()
            writer.join()
    for name in ("one", "two"):
        said(sortkey("restore", "--from", name, "--data", f"new-{name}", cwd=served))
        found = held(served / f"new-{name}", "Kept")
        assert found.get("left") == found.get("right")
        assert found["a"] == 1
    assert held(served / "new-two", "Kept")["left"] > 0


def test_a_copy_has_the_buckets_and_their_secret(folder: Path) -> None:
    with library.open_objects(folder / "data" / "buckets" / "artifacts") as bucket:
        bucket.put("notes/a.txt", b"text")
    said(sortkey("backup", "--to", "copies/monday", cwd=folder))
    said(sortkey("restore", "--from", "copies/monday", "--data", "new", cwd=folder))
    with library.open_objects(folder / "new" / "buckets" / "artifacts") as bucket:
        assert bucket.read("notes/a.txt") == b"text"
    assert (folder / "new").stat().st_mode & 0o777 == 0o700
    assert not (folder / "new" / "backup.json").exists()


def test_a_copy_has_every_file_of_people_whatever_its_name(folder: Path) -> None:
    # Beside the database some names are ours; anywhere else a backup that leaves a file out has
    # lost it.
    files = folder / "data" / "files"
    files.mkdir()
    with sqlite3.connect(files / "shop.sqlite") as shop:
        shop.execute("PRAGMA journal_mode = WAL")
        shop.execute("CREATE TABLE orders (id INTEGER)")
        names = (
            "backup.json",
            "sortkey.db",
            "my-sortkey.lock",
            "the-wal",
            "-journal",
            "1986-journal",
        )
        for name in names:
            (files / name).write_text("mine")
        said(sortkey("backup", "--to", "copy", cwd=folder))
    shop.close()
    said(sortkey("restore", "--from", "copy", "--data", "new", cwd=folder))
    there = {each.name for each in (folder / "new" / "files").iterdir()}
    assert there == {*names, "shop.sqlite"}


def test_a_copy_has_no_search_index_that_would_be_ahead_of_its_tables(folder: Path) -> None:
    # `sortkey up` builds it from the tables when it is not there.
    (folder / "data" / "searches" / "shop").mkdir(parents=True)
    (folder / "data" / "searches" / "shop" / "meta.json").write_text("{}")
    said(sortkey("backup", "--to", "copy", cwd=folder))
    assert not (folder / "copy" / "searches").exists()


def test_a_copy_can_be_made_older(folder: Path) -> None:
    # The copy has the history of the tables with it.
    delete(folder / "data", "DeleteTable", TableName="Loose")
    moment = a_moment()
    put(folder / "data", "Kept", a=100)
    said(sortkey("backup", "--to", "copy", cwd=folder))
    out = said(sortkey("restore", "--from", "copy", "--data", "new", "--at", moment, cwd=folder))
    assert out == "created new from copy\nKept: 1 item restored, 0 deleted\n"
    assert held(folder / "new", "Kept")["a"] == 1
    assert held(folder / "data", "Kept")["a"] == 100


def test_a_copy_that_cannot_be_made_older_is_not_made_or_reported_as_made(folder: Path) -> None:
    # The right command after the wrong one would otherwise be refused: the folder is there already,
    # and nobody said so.
    delete(folder / "data", "DeleteTable", TableName="Loose")
    said(sortkey("backup", "--to", "copy", cwd=folder))
    line = ["restore", "--from", "copy", "--data", "new", "--at"]
    assert "'noon' is not a time" in refused(sortkey(*line, "noon", cwd=folder), 2)
    assert not (folder / "new").exists()
    output = refused(sortkey(*line, "1000d", cwd=folder), 1)
    assert "created new from copy, but did not rewind it: " in output
    assert "`sortkey restore --data new --at … --in-place` rewinds it" in output
    assert held(folder / "new", "Kept") == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (["backup", "Nothing"], 2, "there is no table Nothing"),
        (["backup", "--name", "b1"], 2, "--name b1: use 3 to 255 letters"),
        (
            ["restore", "Kept", "--at", "1s", "--as", "T2"],
            2,
            "--as T2: use 3 to 255 letters",
        ),
        (["backup", "--to", "data"], 2, "data already exists"),
        (["backup", "--to", "data/copy"], 2, "data/copy is inside the folder that is copied"),
        (["backup", "--to", "copy", "--list"], 2, "omit the other options"),
        (["backup", "--to", "copy", "--data", "aws://eu-west-1"], 2, "--to needs a folder"),
        (["backup", "--delete", "none"], 2, "there is no backup none; there are: none"),
        (["restore", "Kept"], 2, "give one of --at"),
        (["restore", "Kept", "--at", "1s", "--backup", "x"], 2, "give one of --at"),
        (["restore", "Kept", "--at", "noon", "--in-place"], 2, "'noon' is not a time"),
        (["restore", "Loose", "--at", "1s", "--in-place"], 1, "no point-in-time recovery"),
        (
            ["restore", "Kept", "--at", "1000d", "--in-place"],
            1,
            "must be within EarliestRestorableDateTime",
        ),
        (["restore", "Kept", "--backup", "x", "--as", "yes"], 2, "there is no backup x"),
        (["restore", "--from", "data", "--data", "new"], 2, "data is not a copy of a data folder"),
        (
            ["restore", "Kept", "--from", "data", "--data", "new"],
            2,
            "--from restores a whole folder",
        ),
    ],
)
def test_what_cannot_be_done_is_reported_in_a_line(
    folder: Path, line: list[str], code: int, message: str
) -> None:
    assert message in refused(sortkey(*line, cwd=folder), code)


def test_a_table_that_is_there_is_not_written_over(folder: Path) -> None:
    said(sortkey("backup", "Kept", "--name", "first", cwd=folder))
    message = "restore it in place, or give the restored table another name"
    assert message in refused(sortkey("restore", "Kept", "--backup", "first", cwd=folder), 2)
    line = ["restore", "Kept", "--backup", "first", "--as", "Loose"]
    assert "Loose" in refused(sortkey(*line, cwd=folder), 1)
    assert held(folder / "data", "Loose") == {"x": 1}
