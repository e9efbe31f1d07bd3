"""`sortkey doctor`: what is missing is named with what it is for, and only what is wrong fails."""

from __future__ import annotations

import json
import socket
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import sortkey as library
from sortkey.cli import machine, main
from tests.cli.program import sortkey


def checks(done: Any) -> dict[str, dict[str, str]]:
    """The report, by the name of the check."""
    return {each["name"]: each for each in json.loads(done.stdout)["checks"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    key = {
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    with library.open(tmp_path / "data") as store:
        types = [{"AttributeName": "pk", "AttributeType": "S"}]
        store.backend.call(
            "CreateTable", {"TableName": "Orders", "AttributeDefinitions": types, **key}
        )
        for number in range(500):
            store.backend.call(
                "PutItem", {"TableName": "Orders", "Item": {"pk": {"S": f"{number} {'x' * 500}"}}}
            )
    return tmp_path


def test_a_sound_machine_ends_with_0(folder: Path) -> None:
    # Missing programs are no fault: they are for the tests.
    done = sortkey("doctor", "--json", cwd=folder, PATH="")
    assert done.returncode == 0
    found = checks(done)
    assert {
        found[name]["state"] for name in ("Python", "SQLite", "apsw", "owner", "access", "database")
    } == {"ok"}
    assert found["database"]["detail"].startswith("1 table, ")
    assert (found["java"]["state"], found["java"]["advice"][:13]) == (
        "missing",
        "for comparing",
    )
    page = sortkey("doctor", cwd=folder, PATH="")
    assert page.returncode == 0
    assert "Data folder data\n" in page.stdout
    assert "0 problems" in page.stdout.splitlines()[-1]


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    done = sortkey("doctor", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert checks(done)["folder"]["detail"] == "does not exist"
    assert list(tmp_path.iterdir()) == []


def test_damaged_data_is_found_and_ends_with_1(folder: Path) -> None:
    # Before anybody reads it and wonders.
    database = folder / "data" / "sortkey.db"
    content = bytearray(database.read_bytes())
    for page in range(len(content) // 2, len(content), 4096):
        content[page : page + 200] = b"\xff" * 200
    database.write_bytes(content)
    done = sortkey("doctor", "--json", cwd=folder)
    assert done.returncode == 1
    assert checks(done)["database"]["state"] == "problem"
    assert "restore" in checks(done)["database"]["advice"]
    database.write_bytes(b"no database" * 500)
    assert (
        "cannot be read: " in checks(sortkey("doctor", "--json", cwd=folder))["database"]["detail"]
    )


def test_the_owner_of_a_folder_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with library.open(folder / "data"):
        owner = checks(sortkey("doctor", "--json", cwd=folder))["owner"]["detail"]
    assert owner.startswith("process ")
    assert checks(sortkey("doctor", "--json", cwd=folder))["owner"]["detail"] == "not in use"


def test_a_folder_that_others_can_read_is_reported(folder: Path) -> None:
    (folder / "data").chmod(0o755)
    found = checks(sortkey("doctor", "--json", cwd=folder))["access"]
    assert (found["state"], found["advice"]) == ("missing", "chmod 700 data")


def test_a_folder_of_somebody_else_is_a_problem_and_no_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Just then one asks the doctor.
    monkeypatch.setattr("sortkey.cli.machine.os.access", lambda *_: False)
    assert main(["doctor", "--data", str(folder / "data"), "--json"]) == 1
    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)["checks"]}
    assert (found["access"]["state"], "owner" in found) == ("problem", False)


def test_a_port_in_use_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(machine, "PORTS", {port: "something"})
        assert main(["doctor", "--json", "--data", "none"]) == 0
    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)["checks"]}[
        str(port)
    ]
    assert (found["state"], found["detail"]) == ("missing", "address already in use")


def test_what_is_not_installed_is_reported_with_what_needs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # An extra is a choice; a package of Sortkey itself is not.
    absent = {"tantivy", "uvloop"}
    real = metadata.version

    def version(name: str) -> str:
        if name in absent:
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", version)
    assert main(["doctor", "--json", "--data", "none"]) == 0
    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)["checks"]}
    assert found["[search]"]["detail"] == "tantivy not installed"
    assert found["[search]"]["advice"].endswith("pip install 'sortkey[search]'")
    assert found["uvloop"]["state"] == "missing"
    absent.add("orjson")
    assert main(["doctor", "--data", "none"]) == 1
    assert "orjson         not installed" in capsys.readouterr().out
