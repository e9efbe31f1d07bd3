"""`sortkey export` and `sortkey import` as programs: what goes out comes in again, also after an
interruption.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sortkey as library
from tests.cli.program import SHOP, refused, said, sortkey

EVERY_TYPE: dict[str, Any] = {
    "pk": {"B": "AAEC"},
    "sk": {"N": "1.5000000000000000000000000000000000001"},
    "text": {"S": "ä\n"},
    "big": {"N": "9.9999999999999999999999999999999999999E+125"},
    "no": {"NULL": True},
    "yes": {"BOOL": True},
    "list": {"L": [{"N": "1"}, {"M": {"deep": {"SS": ["a", "b"]}}}]},
    "numbers": {"NS": ["1", "2.5"]},
    "binaries": {"BS": ["AAA=", "AAEC"]},
}
DEFINITION: dict[str, Any] = {
    "TableName": "Typed",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "B"},
        {"AttributeName": "sk", "AttributeType": "N"},
        {"AttributeName": "text", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByText",
            "KeySchema": [{"AttributeName": "text", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["yes"]},
        }
    ],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Data with two tables: one of every type, and one with 300 items."""
    (tmp_path / "shop.py").write_text(SHOP)
    with library.open(tmp_path / "data") as store:
        call = store.backend.call
        call("CreateTable", DEFINITION)
        call(
            "UpdateTimeToLive",
            {
                "TableName": "Typed",
                "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "e"},
            },
        )
        on = {"PointInTimeRecoveryEnabled": True}
        call(
            "UpdateContinuousBackups",
            {"TableName": "Typed", "PointInTimeRecoverySpecification": on},
        )
        call("PutItem", {"TableName": "Typed", "Item": EVERY_TYPE})
        plain = {
            "KeySchema": DEFINITION["KeySchema"][:1],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        }
        units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
        call("CreateTable", {"TableName": "Shop", **plain, "ProvisionedThroughput": units})
        for number in range(300):
            call(
                "PutItem",
                {
                    "TableName": "Shop",
                    "Item": {"pk": {"S": f"{number:03d}"}, "n": {"N": str(number)}},
                },
            )
    return tmp_path


def items(data: Path, table: str) -> list[dict[str, Any]]:
    with library.open(data) as store:
        found = store.backend.call("Scan", {"TableName": table})["Items"]
    return sorted(found, key=lambda item: str(item["pk"]))


def test_everything_comes_back_as_it_was(folder: Path) -> None:
    # Items of every type, and of the table what CreateTable takes, and what it does not.
    output = json.loads(said(sortkey("export", "out", "--json", cwd=folder)))
    assert [(each["table"], each["items"]) for each in output["tables"]] == [
        ("Shop", 300),
        ("Typed", 1),
    ]
    assert (
        said(sortkey("import", "out", "--data", "new", cwd=folder))
        == "Shop: 300 items\nTyped: 1 items\n"
    )
    for table in ("Typed", "Shop"):
        assert items(folder / "new", table) == items(folder / "data", table)
    seen: list[Any] = []
    for data in ("data", "new"):
        with library.open(folder / data) as store:
            call = store.backend.call
            for table in ("Typed", "Shop"):
                description = call("DescribeTable", {"TableName": table})["Table"]
                names = ("KeySchema", "AttributeDefinitions", "StreamSpecification")
                units = description["ProvisionedThroughput"]["WriteCapacityUnits"]
                indexes = [
                    (i["IndexName"], i["KeySchema"], i["Projection"])
                    for i in description.get("GlobalSecondaryIndexes", ())
                ]
                ttl = call("DescribeTimeToLive", {"TableName": table})["TimeToLiveDescription"]
                recovery = call("DescribeContinuousBackups", {"TableName": table})[
                    "ContinuousBackupsDescription"
                ]
                status = recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
                seen.append(
                    [*(description.get(name) for name in names), units, indexes, ttl, status]
                )
    assert seen[:2] == seen[2:]
    assert seen[0][-1] == "ENABLED"


def test_plain_json_is_for_people(folder: Path) -> None:
    # Numbers with every digit; sets as lists, and binary values as text. The output says so.
    said(sortkey("export", "Typed", "out", "--format", "plain", cwd=folder))
    text = (folder / "out" / "Typed.jsonl").read_text()
    assert '"sk":1.5000000000000000000000000000000000001' in text
    assert json.loads(text)["list"] == [1, {"deep": ["a", "b"]}]
    said(sortkey("import", "out", "--data", "new", cwd=folder))
    (item,), (before,) = items(folder / "new", "Typed"), items(folder / "data", "Typed")
    assert {n: v for n, v in item.items() if n in ("pk", "sk", "big")}.items() <= before.items()
    assert item["numbers"] == {"L": [{"N": "1"}, {"N": "2.5"}]}


def test_packed_files_and_another_name(folder: Path) -> None:
    said(sortkey("export", "Shop", "out", "--gzip", cwd=folder))
    assert len(gzip.decompress((folder / "out" / "Shop.jsonl.gz").read_bytes()).splitlines()) == 300
    assert (
        said(sortkey("import", "out", "Shop", "--as", "Again", cwd=folder)) == "Again: 300 items\n"
    )
    assert items(folder / "data", "Again") == items(folder / "data", "Shop")


def test_a_model_is_its_tables(folder: Path) -> None:
    output = json.loads(said(sortkey("export", "shop:model", "out", "--json", cwd=folder)))
    assert [each["table"] for each in output["tables"]] == ["Shop"]


def test_an_export_that_was_interrupted_goes_on(folder: Path) -> None:
    # As kill -9 leaves it: lines that export.json does not know of yet, and a place to go on from.
    said(sortkey("export", "Shop", "out", cwd=folder))
    whole = (folder / "out" / "Shop.jsonl").read_bytes()
    manifest = json.loads((folder / "out" / "export.json").read_text())
    lines = whole.splitlines(keepends=True)
    last = json.loads(lines[99])["Item"]["pk"]
    table = manifest["tables"][0]
    table |= {
        "items": 100,
        "bytes": len(b"".join(lines[:100])),
        "next": {"pk": last},
        "is_done": False,
    }
    (folder / "out" / "export.json").write_text(json.dumps(manifest))
    (folder / "out" / "Shop.jsonl").write_bytes(b"".join(lines[:130]) + b'{"Item":{"pk":')
    assert "was interrupted: finish it first" in refused(
        sortkey("import", "out", "--data", "new", cwd=folder), 2
    )
    assert "another export" in refused(sortkey("export", "Typed", "out", cwd=folder), 2)
    assert said(sortkey("export", "Shop", "out", cwd=folder)).startswith("Shop: 300 items")
    assert (folder / "out" / "Shop.jsonl").read_bytes() == whole


def test_an_import_that_stopped_at_a_bad_line_goes_on_there(folder: Path) -> None:
    # Fix the line and run it again: no line is imported twice, and the table need not be emptied.
    said(sortkey("export", "Shop", "out", cwd=folder))
    file = folder / "out" / "Shop.jsonl"
    good = file.read_text()
    file.write_text(
        "\n".join(line if n != 200 else "oops" for n, line in enumerate(good.splitlines(), 1))
    )
    assert "Shop.jsonl, line 200: " in refused(
        sortkey("import", "out", "--data", "new", cwd=folder), 1
    )
    assert len(items(folder / "new", "Shop")) == 175
    file.write_text(good)
    assert said(sortkey("import", "out", "--data", "new", cwd=folder)) == "Shop: 300 items\n"
    assert items(folder / "new", "Shop") == items(folder / "data", "Shop")
    assert sorted(path.name for path in (folder / "out").iterdir()) == ["Shop.jsonl", "export.json"]


@pytest.mark.slow
def test_an_import_that_was_killed_goes_on(folder: Path) -> None:
    # 60,000 items take long enough to be in the middle of them.
    lines = "".join(json.dumps({"pk": f"{n:06d}", "text": "x" * 200}) + "\n" for n in range(60_000))
    (folder / "many.jsonl").write_text(lines)
    with library.open(folder / "data") as store:
        store.backend.call("CreateTable", {
            "TableName": "Many", "KeySchema": DEFINITION["KeySchema"][:1], "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        })  # fmt: skip
    line = [sys.executable, "-m", "sortkey", "import", "many.jsonl", "--into", "Many"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(line, cwd=folder, env=environment)
    while (
        not (notes := list(folder.glob("import-*.json")))
        or not json.loads(notes[0].read_text())["items"]["Many"]
    ):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = json.loads(notes[0].read_text())["items"]["Many"]
    assert 0 < before < 60_000
    assert (
        said(sortkey("import", "many.jsonl", "--into", "Many", cwd=folder))
        == "Many: 60,000 items\n"
    )
    with library.open(folder / "data") as store:
        assert (
            store.backend.call("Scan", {"TableName": "Many", "Select": "COUNT"})["ScannedCount"] > 0
        )
        assert (
            store.backend.call("DescribeTable", {"TableName": "Many"})["Table"]["ItemCount"]
            == 60_000
        )


def test_items_from_elsewhere_need_a_table(folder: Path) -> None:
    # AWS's exports: packed files under data/, with manifests beside them that are no items.
    (folder / "aws" / "data").mkdir(parents=True)
    (folder / "aws" / "manifest-files.json").write_text('{"itemCount": 1}')
    for name in ("import-2026", "manifest-c"):  # files of people are read, whatever they begin with
        (folder / "aws" / "data" / f"{name}.json").write_text(f'{{"pk": "{name}"}}')
    with gzip.open(folder / "aws" / "data" / "a.json.gz", "wt") as file:
        file.write('{"Item":{"pk":{"S":"a"}}}\n{"Item":{"pk":{"S":"b"}}}\n')
    assert "name the table for the items" in refused(sortkey("import", "aws", cwd=folder), 2)
    assert "there is no table None" in refused(
        sortkey("import", "aws", "--into", "None", cwd=folder), 2
    )
    assert "Shop already holds items: merge" in refused(
        sortkey("import", "aws", "--into", "Shop", cwd=folder), 2
    )
    assert (
        said(sortkey("import", "aws", "--into", "Shop", "--merge", cwd=folder)) == "Shop: 4 items\n"
    )
    assert len(items(folder / "data", "Shop")) == 304


def test_one_key_twice_in_a_file_is_the_later_one(folder: Path) -> None:
    (folder / "twice.jsonl").write_text('{"pk": "000", "n": 1}\n\n{"pk": "000", "n": 2.50}\n')
    said(sortkey("import", "twice.jsonl", "--into", "Shop", "--merge", cwd=folder))
    assert items(folder / "data", "Shop")[0] == {"pk": {"S": "000"}, "n": {"N": "2.5"}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"n": 1}', "bad.jsonl, line 2: the key attribute pk is missing"),
        ('{"pk": 7}', "bad.jsonl, line 2: the key attribute pk is of another type"),
        ('{"pk": ', "bad.jsonl, line 2: Expecting value"),
        ('{"pk": "", "n": 1}', "one of the items 1 to 2 was refused: "),
    ],
)
def test_a_line_that_is_no_item_is_named(folder: Path, line: str, message: str) -> None:
    # Of a file of a million lines one wants to know which.
    (folder / "bad.jsonl").write_text(f'{{"pk": "a"}}\n{line}\n')
    assert message in refused(
        sortkey("import", "bad.jsonl", "--into", "Shop", "--merge", cwd=folder), 1
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["export", "Nothing", "out"], "there is no table Nothing: choose from Shop, Typed"),
        (["export", "applens", "out"], "no table of applens exists"),
        (["export", "."], ". is not empty: choose another folder"),
        (["export", "out", "--data", "nowhere"], "there is no folder 'nowhere'"),
        (["export"], "FOLDER"),
        (["import", ".", "--as", "T2"], "--as T2: use 3 to 255 letters"),
        (["import", "nowhere"], "there is no file or folder nowhere"),
    ],
)
def test_a_wrong_line_is_reported_in_one(folder: Path, line: list[str], message: str) -> None:
    assert message in refused(sortkey(*line, cwd=folder), 2)


def test_a_finished_export_is_not_written_over(folder: Path) -> None:
    said(sortkey("export", "out", cwd=folder))
    assert "out already holds an export" in refused(sortkey("export", "out", cwd=folder), 2)
    assert "the export has no Other; it has: Shop, Typed" in refused(
        sortkey("import", "out", "Other", cwd=folder), 2
    )
    assert "only a single table can be renamed" in refused(
        sortkey("import", "out", "--as", "Other", "--data", "new", cwd=folder), 2
    )


def test_an_address_is_as_good_as_a_folder(folder: Path) -> None:
    # The same commands for a server elsewhere, and for AWS.
    line = [sys.executable, "-m", "sortkey", "serve", "--port", "0"]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        assert said(sortkey("export", "Shop", "out", "--data", address, cwd=folder)).startswith(
            "Shop: 300 items"
        )
        assert (
            said(sortkey("import", "out", "--as", "Again", "--data", address, cwd=folder))
            == "Again: 300 items\n"
        )
        said(sortkey("backup", "Again", "--name", "first", "--data", address, cwd=folder))
        said(
            sortkey(
                "restore", "Again", "--backup", "first", "--in-place", "--data", address, cwd=folder
            )
        )
        process.terminate()
    assert items(folder / "data", "Again") == items(folder / "data", "Shop")
