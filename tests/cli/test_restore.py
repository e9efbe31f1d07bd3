"""`sortkey restore` where a dropped table keeps its name for a while, as on AWS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import sortkey
from sortkey import Store
from sortkey.cli import main, restore
from sortkey.errors import TableAlreadyExistsException
from sortkey.runtime.backend import Capabilities
from sortkey.transfer import tables

TABLE: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


class SlowDrop:
    """In front of another backend: a dropped table is DELETING for some looks, and its name is not
    free meanwhile.
    """

    capabilities = Capabilities()

    def __init__(self, backend: Any, looks: int) -> None:
        self.backend, self.looks = backend, looks
        self.dropped: dict[str, int] = {}

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        name = request.get("TargetTableName") or request.get("TableName", "")
        if operation == "DeleteTable":
            self.dropped[name] = self.looks
            return {"TableDescription": {"TableName": name, "TableStatus": "DELETING"}}
        if operation == "DescribeTable" and name in self.dropped:
            return self._looked_at(name, self.backend.call(operation, request))
        if operation.startswith("RestoreTable") and name in self.dropped:
            raise TableAlreadyExistsException(f"Table already exists: {name}")
        return self.backend.call(operation, request)

    def _looked_at(self, name: str, described: dict[str, Any]) -> dict[str, Any]:
        if self.dropped[name] > 0:
            self.dropped[name] -= 1
            return {"Table": {**described["Table"], "TableStatus": "DELETING"}}
        del self.dropped[name]
        self.backend.call("DeleteTable", {"TableName": name})
        return self.backend.call("DescribeTable", {"TableName": name})

    def close(self) -> None:
        """The service goes on when a command has ended."""


class Home:
    """A table that is empty, a backup of it with an item, and what a stopped restore left. `slept`
    are all pauses.
    """

    def __init__(self, backend: Any) -> None:
        self.backend, self.slept = SlowDrop(backend, looks=3), list[float]()
        self.call = self.backend.call
        self.call("CreateTable", {"TableName": "Orders", **TABLE})
        self.call("PutItem", {"TableName": "Orders", "Item": {"pk": {"S": "a"}}})
        self.call("CreateBackup", {"TableName": "Orders", "BackupName": "first"})
        self.call("DeleteItem", {"TableName": "Orders", "Key": {"pk": {"S": "a"}}})
        self.call("CreateTable", {"TableName": "Orders.restoring", **TABLE})

    def open(self, data: str) -> Store:
        return Store(self.backend)

    def count(self) -> int:
        return self.call("Scan", {"TableName": "Orders"})["Count"]


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    with sortkey.open(":memory:") as store:
        made = Home(store.backend)
        monkeypatch.setattr(restore, "open_store", made.open)
        monkeypatch.setattr(tables, "sleep", made.slept.append)
        yield made


def test_what_an_earlier_run_left_is_waited_for_until_its_name_is_free(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    # AWS refuses to make a table while one of that name is being deleted.
    assert main(["restore", "Orders", "--backup", "first", "--in-place"]) == 0
    assert capsys.readouterr().out == "Orders: 1 item restored, 0 deleted\n"
    assert home.count() == 1
    assert len(home.slept) >= 3


def test_what_is_being_dropped_already_is_not_dropped_again(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    # Two restores, one right after the other: the second finds the table that the first has just
    # dropped.
    for _ in range(2):
        assert main(["restore", "Orders", "--backup", "first", "--in-place"]) == 0
    assert "0 items restored" in capsys.readouterr().out


def test_a_table_that_is_being_dropped_comes_back_under_its_name(home: Home) -> None:
    # Whoever has just deleted it by mistake gives this command at once.
    home.call("DeleteTable", {"TableName": "Orders"})
    assert main(["restore", "Orders", "--backup", "first"]) == 0
    assert home.count() == 1


def test_the_wait_has_an_end(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    # Nobody finds out from a command that hangs; the time counts, not the looks.
    home.backend.looks = 1_000_000
    assert main(["restore", "Orders", "--backup", "first", "--in-place"]) == 1
    message = capsys.readouterr().err
    assert "Orders.restoring is still being deleted after 10 minutes: try again later" in message
    assert 600 <= sum(home.slept) < 660
