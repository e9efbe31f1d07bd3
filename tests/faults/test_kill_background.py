"""`kill -9` while the engine works by itself: an index being filled, items expiring, a backup, a
restore.

Each goes on after the restart from what is stored, and ends as if nothing had happened.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine, own
from tests.engine import invariants
from tests.engine.invariants import Contents, contents, key_text, replay
from tests.faults.served import Client, Served

Item = dict[str, Any]
Request = tuple[str, Item]

TABLE = "filled"
ITEMS = 9000
KILLS = [None, 0, 100]
"""After how many further answers the server is killed; None: with the request on its way."""

SECOND = 4
"""The same for the next time. A server goes on with what is left as soon as it starts: this is in
the middle of it.
"""

pytestmark = pytest.mark.slow


def item(number: int, now: int) -> Item:
    """Every third has expired a minute ago."""
    until = now + 100_000 if number % 3 else now - 60
    return {
        "p": {"S": f"p{number}"},
        "g": {"S": f"g{number % 50}"},
        "x": {"S": "x" * 99},
        "until": {"N": str(until)},
    }


class Killing:
    """A folder with a table of some thousand items, and one client that writes to it until the
    server is killed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: Contents = {}
        self._number = 0
        now = int(time.time())
        with own(folder) as engine:
            engine.call("CreateTable", TABLE_REQUEST)
            for first in range(0, ITEMS, 25):
                batch = [item(number, now) for number in range(first, first + 25)]
                self.known |= {_key(each): each for each in batch}
                puts = [{"PutRequest": {"Item": each}} for each in batch]
                engine.execute("BatchWriteItem", {"RequestItems": {TABLE: puts}})
            engine.flush()

    def serve(self, answers: int | None, begin: Request | None = None) -> Contents:
        """Serve, begin something, write, kill. Gives what the table held when it began."""
        with Served(self.folder) as server:
            client = server.client()
            for _ in range(3):
                self._write(client)
            then = dict(self.known)
            if begin is not None and answers is not None:
                client.call(*begin)
            elif begin is not None:
                client.send(*begin)
            for _ in range(answers or 0):
                self._write(client)
            server.kill()
            said = server.end()
            assert "Traceback" not in said, said
        return then

    def _write(self, client: Client) -> None:
        """Change an item that does not expire: move it in the index, or delete it."""
        self._number += 1
        number = (self._number * 1001) % ITEMS
        name = {"p": {"S": f"p{number}" if number % 3 else f"new{number}"}}
        if self._number % 4:
            new = {**name, "g": {"S": f"moved{self._number % 5}"}}
            client.call("PutItem", {"TableName": TABLE, "Item": new})
            self.known[_key(new)] = new
        else:
            client.call("DeleteItem", {"TableName": TABLE, "Key": name})
            self.known.pop(_key(name), None)

    def check(self, engine: Engine, expired: bool = False) -> None:
        """Everything acknowledged is there, and nothing disagrees. `expired`: items whose time is
        over may be gone.
        """
        held, known = contents(engine, TABLE), self.known
        if expired:
            held, known = _lasting(held, engine.clock()), _lasting(known, engine.clock())
        assert held == known
        replayed: Contents = {}
        replay(engine, TABLE, replayed)
        assert replayed == contents(engine, TABLE)
        invariants.check(engine)


TABLE_REQUEST: Item = {
    "TableName": TABLE,
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}

ADD_INDEX: Request = (
    "UpdateTable",
    {
        "TableName": TABLE,
        "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [
            {
                "Create": {
                    "IndexName": "late",
                    "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            }
        ],
    },
)

EXPIRE: Request = (
    "UpdateTimeToLive",
    {"TableName": TABLE, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}},
)


@pytest.fixture
def killing(tmp_path: Path) -> Killing:
    return Killing(tmp_path / "data")


def work_until(engine: Engine, done: Callable[[], bool]) -> None:
    for _ in range(500):
        if done():
            return
        engine.work()
    raise AssertionError("the work does not end")


@pytest.mark.parametrize("answers", KILLS)
def test_an_index_being_filled_is_complete_in_the_end(
    killing: Killing, answers: int | None
) -> None:
    killing.serve(answers, ADD_INDEX)
    killing.serve(SECOND)
    with own(killing.folder) as engine:
        killing.check(engine)
        if answers is not None:
            assert engine.catalog.table(TABLE).index("late") is not None, (
                "an acknowledged index is lost"
            )
        work_until(
            engine,
            lambda: not any(index.backfilling for index in engine.catalog.table(TABLE).indexes),
        )
        killing.check(engine)


@pytest.mark.parametrize("answers", KILLS)
def test_expiry_goes_on_and_leaves_one_record_of_each_item(
    killing: Killing, answers: int | None
) -> None:
    killing.serve(answers, EXPIRE)
    for _ in range(3):  # while instants are read, and while items are deleted
        killing.serve(SECOND)
    with own(killing.folder) as engine:
        killing.check(engine, expired=True)
        if answers is not None:
            assert engine.catalog.table(TABLE).ttl_attribute == "until"
        elif engine.catalog.table(TABLE).ttl_attribute is None:
            engine.call(*EXPIRE)
        work_until(
            engine,
            lambda: len(_lasting(held := contents(engine, TABLE), engine.clock())) == len(held),
        )
        killing.check(engine, expired=True)
        counted = engine.database.execute(
            "select count(*), count(distinct key) from journal where actor = 1"
        )
        assert counted.fetchone() == (ITEMS // 3, ITEMS // 3)


@pytest.mark.parametrize("answers", KILLS)
def test_a_backup_is_of_its_instant_and_can_be_restored(
    killing: Killing, answers: int | None
) -> None:
    # Writes go on while rows are copied: it must have those before it began and none after.
    then = killing.serve(answers, ("CreateBackup", {"TableName": TABLE, "BackupName": "one"}))
    killing.serve(SECOND)
    with own(killing.folder) as engine:
        killing.check(engine)
        backups = engine.call("ListBackups", {"TableName": TABLE})["BackupSummaries"]
        assert backups or answers is None, "an acknowledged backup is lost"
        if not backups:
            return
        arn = backups[0]["BackupArn"]
        work_until(engine, lambda: _backup_status(engine, arn) == "AVAILABLE")
        assert engine.catalog.table(TABLE).copies == 0
    killing.serve(
        answers, ("RestoreTableFromBackup", {"TargetTableName": "again", "BackupArn": arn})
    )
    with own(killing.folder) as engine:
        _check_restored(engine, then, answers)
        killing.check(engine)


@pytest.mark.parametrize("answers", KILLS)
def test_a_restore_to_an_instant_gives_that_instant(killing: Killing, answers: int | None) -> None:
    with own(killing.folder) as engine:
        recover = {"PointInTimeRecoveryEnabled": True}
        engine.call(
            "UpdateContinuousBackups",
            {"TableName": TABLE, "PointInTimeRecoverySpecification": recover},
        )
    latest: Item = {
        "SourceTableName": TABLE,
        "TargetTableName": "again",
        "UseLatestRestorableTime": True,
    }
    then = killing.serve(answers, ("RestoreTableToPointInTime", latest))
    killing.serve(SECOND)
    with own(killing.folder) as engine:
        _check_restored(engine, then, answers)
        assert engine.catalog.table(TABLE).copies == 0
        killing.check(engine)


def _check_restored(engine: Engine, then: Contents, answers: int | None) -> None:
    target = engine.catalog.find("again")
    assert target or answers is None, "an acknowledged restore is lost"
    if target:
        work_until(engine, lambda: engine.catalog.described("again").status == "ACTIVE")
        assert contents(engine, "again") == then


def _backup_status(engine: Engine, arn: str) -> str:
    described = engine.call("DescribeBackup", {"BackupArn": arn})
    return described["BackupDescription"]["BackupDetails"]["BackupStatus"]


def _lasting(items: Contents, now: float) -> Contents:
    return {
        key: each
        for key, each in items.items()
        if "until" not in each or int(each["until"]["N"]) >= now
    }


def _key(item: Item) -> str:
    return key_text(item, ("p",))
