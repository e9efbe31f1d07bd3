"""A store that fails in the middle: one operation is answered with 500, all else is as if it had
not been asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from pathlib import Path
from queue import Queue
from typing import Any, ClassVar

import apsw
import orjson
import pytest

from sortkey.engine import Engine
from sortkey.errors import ServiceError
from sortkey.storage import database
from sortkey.storage.database import Database
from sortkey.storage.folder import Folder
from sortkey.wire.commit import GroupCommit
from tests.engine import invariants
from tests.engine.invariants import contents, replay

Item = dict[str, Any]
Fault = Callable[[str, Any], None]
ERRORS = (apsw.FullError, apsw.IOError, apsw.BusyError)


class FaultyDatabase(Database):
    """Asks `fault` before every statement; it may raise in its place."""

    def __init__(self, folder: Folder) -> None:
        self.fault: Fault | None = None
        super().__init__(folder)
        real = self.execute

        def execute(sql: str, values: Any = None) -> Any:
            if self.fault is not None:
                self.fault(sql, values)
            return real(sql, values)

        self.execute = execute


class Call:
    """One request in a group."""

    def __init__(self, engine: Engine, name: str, request: Item) -> None:
        self.engine, self.name, self.request = engine, name, request
        self.answer = b""
        self.runs = 0

    def run(self) -> bytes:
        self.runs += 1
        try:
            return orjson.dumps(
                self.engine.execute(self.name, orjson.loads(orjson.dumps(self.request)))
            )
        except ServiceError as error:
            return type(error).__name__.encode()

    def failed(self, error: Exception, /) -> bytes:
        return b"500"

    def send(self, answer: bytes, /) -> None:
        assert not self.answer, "answered twice"
        assert not self.engine.in_transaction or answer == b"500"
        self.answer = answer


class Group:
    """A group commit whose event loop is a list."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.scheduled: list[Callable[[], None]] = []
        self.commit = GroupCommit(engine, self.scheduled.append, lambda: False)

    def submit(self, *calls: tuple[str, Item]) -> list[bytes]:
        """Run the calls in one turn; their answers."""
        made = [Call(self.engine, *call) for call in calls]
        for call in made:
            self.commit.submit(call)
        while self.scheduled:
            self.scheduled.pop(0)()
        return [call.answer for call in made]


@pytest.fixture
def store(tmp_path: Path) -> FaultyDatabase:
    return FaultyDatabase(Folder(tmp_path / "data"))


@pytest.fixture
def engine(store: FaultyDatabase) -> Generator[Engine]:
    with Engine(store) as engine:
        for name in ("left", "right"):
            engine.call("CreateTable", table(name))
        yield engine


@pytest.fixture
def group(engine: Engine) -> Group:
    return Group(engine)


def table(name: str) -> Item:
    def index(name: str, *keys: str) -> Item:
        return {
            "IndexName": name,
            "KeySchema": schema(*keys),
            "Projection": {"ProjectionType": "ALL"},
        }

    def schema(*keys: str) -> list[Item]:
        return [
            {"AttributeName": key, "KeyType": kind}
            for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
        ]

    return {
        "TableName": name,
        "KeySchema": schema("p", "r"),
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in "prs"],
        "LocalSecondaryIndexes": [index("local", "p", "s")],
        "GlobalSecondaryIndexes": [index("global", "s", "p")],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    }


def put(name: str, table: str = "left", size: int = 1) -> tuple[str, Item]:
    item = {"p": {"S": name}, "r": {"S": "r"}, "s": {"S": "s"}, "x": {"S": "x" * size}}
    return "PutItem", {"TableName": table, "Item": item}


def count(name: str = "counter") -> tuple[str, Item]:
    return "UpdateItem", {
        "TableName": "left",
        "Key": {"p": {"S": name}, "r": {"S": "r"}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
        "ReturnValues": "UPDATED_NEW",
    }


def both(name: str, token: str | None = None) -> tuple[str, Item]:
    items = [{"Put": put(name, table)[1]} for table in ("left", "right")]
    return "TransactWriteItems", {"TransactItems": items} | (
        {"ClientRequestToken": token} if token else {}
    )


def failing(error: type[apsw.Error], when: Callable[[str, Any], bool]) -> Fault:
    def fault(sql: str, values: Any) -> None:
        if when(sql, values):
            raise error("made up by the test")

    return fault


def writes_item(name: str, table: str) -> Callable[[str, Any], bool]:
    """The statement that stores an item with this partition key."""
    return lambda sql, values: (
        sql.startswith(f"insert into {table}(key, item")
        and b'"p":{"S":"%s"}' % name.encode() in values[1]
    )


def counted(answers: list[bytes]) -> list[int]:
    return [int(orjson.loads(answer)["Attributes"]["n"]["N"]) for answer in answers]


def check(engine: Engine) -> None:
    invariants.check(engine)
    for name in ("left", "right"):
        replayed: dict[str, Item] = {}
        replay(engine, name, replayed)
        assert replayed == contents(engine, name)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("place", range(4))
def test_one_write_that_fails_costs_no_other_of_its_group(
    store: FaultyDatabase, engine: Engine, group: Group, error: type[apsw.Error], place: int
) -> None:
    # The others are done again after the rollback: each once, and with the answers of the second
    # time.
    calls = [count(), both("t"), count()]
    calls.insert(place, put("bad"))
    store.fault = failing(error, writes_item("bad", engine.catalog.table("left").rows.name))
    answers = group.submit(*calls)
    store.fault = None
    assert answers.pop(place) == b"500"
    assert counted([answers[0], answers[2]]) == [1, 2]
    assert {item["p"]["S"] for item in contents(engine, "left").values()} == {"counter", "t"}
    check(engine)
    assert group.submit(put("bad")) == [b"{}"]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(
    "statement", ["insert into t", "insert into journal", "insert or replace into record"]
)
def test_a_transaction_that_fails_half_way_leaves_nothing(
    store: FaultyDatabase, engine: Engine, group: Group, error: type[apsw.Error], statement: str
) -> None:
    # Its token must not be taken as used either: the client will try again with it.
    seen: list[str] = []

    def second(sql: str, _: Any) -> bool:
        seen.extend([sql] if sql.startswith(statement) else [])
        return bool(seen) and sql == seen[-1] and (len(seen) == 2 or "record" in sql)

    store.fault = failing(error, second)
    assert group.submit(both("t", token="once")) == [b"500"]
    store.fault = None
    assert contents(engine, "left") == contents(engine, "right") == {}
    assert group.submit(both("t", token="once")) == [b"{}"]
    assert contents(engine, "left") == contents(engine, "right") != {}
    check(engine)


@pytest.mark.parametrize("error", ERRORS)
def test_a_commit_that_fails_is_tried_for_each_alone(
    store: FaultyDatabase, engine: Engine, group: Group, error: type[apsw.Error]
) -> None:
    failures = iter([True])
    store.fault = failing(error, lambda sql, _: sql == "commit" and next(failures, False))
    assert counted(group.submit(count(), count(), count())) == [1, 2, 3]
    check(engine)


def test_while_no_commit_succeeds_every_write_is_refused_and_reads_go_on(
    store: FaultyDatabase, engine: Engine, group: Group
) -> None:
    group.submit(put("before"))
    before = contents(engine, "left")
    store.fault = failing(apsw.IOError, lambda sql, _: sql == "commit")
    assert group.submit(count(), put("x"), both("t")) == [b"500"] * 3
    assert (
        group.submit(
            ("GetItem", {"TableName": "left", "Key": {"p": {"S": "before"}, "r": {"S": "r"}}})
        )[0]
        != b"500"
    )
    store.fault = None
    assert contents(engine, "left") == before
    assert counted(group.submit(count())) == [1]
    check(engine)


def test_a_table_whose_making_fails_is_not_there(
    store: FaultyDatabase, engine: Engine, group: Group
) -> None:
    # The catalog in memory goes back with the transaction.
    for statement in ("create table", "create index", "create unique index", "commit"):
        store.fault = failing(apsw.FullError, lambda sql, _, at=statement: sql.startswith(at))
        assert group.submit(("CreateTable", table("new"))) == [b"500"]
        store.fault = None
        assert engine.call("ListTables", {})["TableNames"] == ["left", "right"]
    assert group.submit(("CreateTable", table("new")), put("a", "new"))[1] == b"{}"
    check(engine)


def test_a_full_disk_refuses_what_does_not_fit_until_there_is_room_again(
    engine: Engine, group: Group
) -> None:
    # SQLite's own limit stands for the disk's.
    group.submit(*(put(f"old{n}", size=2000) for n in range(20)))
    (pages,) = engine.database.execute("pragma page_count").fetchone()
    engine.database.execute(f"pragma max_page_count={pages + 12}")
    answers = group.submit(
        *(put(f"new{n}", size=2000 if n % 4 else 100_000) for n in range(40)), count(), both("t")
    )
    refused = [n for n, answer in enumerate(answers) if answer == b"500"]
    assert set(range(0, 40, 4)) <= set(refused)  # what is larger than all the room
    names = {item["p"]["S"] for item in contents(engine, "left").values()}
    assert {f"old{n}" for n in range(20)} <= names
    assert {n for n in range(40) if f"new{n}" in names} == {
        n for n in range(40) if n not in refused
    }
    check(engine)
    engine.database.execute("pragma max_page_count=1000000000")
    assert group.submit(*(put(f"new{n}", size=100_000) for n in range(40))) == [b"{}"] * 40
    check(engine)


def test_background_work_that_fails_is_done_later(
    store: FaultyDatabase, engine: Engine, group: Group
) -> None:
    engine.call(
        "UpdateTimeToLive",
        {
            "TableName": "left",
            "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"},
        },
    )
    name, request = put("old")
    request["Item"]["until"] = {"N": str(int(engine.clock()) - 100)}
    assert group.submit((name, request)) == [b"{}"]
    store.fault = failing(apsw.FullError, lambda sql, _: sql.startswith("insert into journal"))
    with pytest.raises(apsw.FullError):
        engine.work()
    assert len(contents(engine, "left")) == 1
    store.fault = None
    engine.work()
    assert contents(engine, "left") == {}
    check(engine)


def test_a_checkpoint_that_cannot_be_made_undoes_no_commit(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, group: Group
) -> None:
    # The log has the commit by then. Taken as its failure, every operation of the group would be
    # done twice.
    monkeypatch.setattr(database, "STALLED_PAGES", 1)
    with (
        engine.database.snapshot()
    ):  # a reader, which a checkpoint that restarts the log has to wait for
        group.submit(count())
        assert counted(group.submit(count(), count())) == [2, 3]
    assert counted(group.submit(count())) == [4]
    check(engine)


class Watched(apsw.Connection):
    """A connection whose checkpoints are noted, and fail while `broken`."""

    made: ClassVar[Queue[tuple[int, int]]]
    broken: ClassVar[list[bool]]

    def wal_checkpoint(self, *arguments: Any, **options: Any) -> tuple[int, int]:
        if self.broken:
            self.made.put((0, 0))
            raise apsw.IOError("made up by the test")
        self.made.put(done := super().wal_checkpoint(*arguments, **options))
        return done


def test_checkpoints_are_made_while_requests_go_on(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, group: Group
) -> None:
    # Else the log grows until commits have to wait for it. A failure now and then must not end
    # them.
    monkeypatch.setattr(database, "CHECKPOINT_PAGES", 5)
    monkeypatch.setattr(database.apsw, "Connection", Watched)
    Watched.made, Watched.broken = Queue(), [True]
    group.submit(put("a", size=50_000))
    assert Watched.made.get(timeout=10) == (0, 0)
    Watched.broken.clear()
    group.submit(put("b", size=50_000))
    in_log, copied = Watched.made.get(timeout=10)
    assert in_log == copied > 20


class Chased(apsw.Connection):
    """A connection that never gets to the end of the log: a reader needs it as it was before the
    latest commit.
    """

    def wal_checkpoint(self, *arguments: Any, **options: Any) -> tuple[int, int]:
        reader, writer = (Chased(self.db_filename("main")) for _ in range(2))
        reader.execute("begin; select * from meta").fetchall()
        writer.set_busy_timeout(5000)
        writer.execute("insert or replace into meta(name, value) values('test', random())")
        done = super().wal_checkpoint(*arguments, **options)
        reader.close()
        return done


def test_the_log_begins_anew_under_constant_load(
    monkeypatch: pytest.MonkeyPatch, engine: Engine, group: Group
) -> None:
    # Long before a commit would have to copy all of it, for which everyone waits.
    monkeypatch.setattr(database, "CHECKPOINT_PAGES", 5)
    monkeypatch.setattr(database.apsw, "Connection", Chased)
    engine.database.execute("pragma busy_timeout = 5000").fetchall()
    before = times_begun(engine)
    for number in range(50):
        group.submit(put(f"item-{number}", size=50_000))
        time.sleep(0.02)
        if times_begun(engine) > before:
            break
    assert times_begun(engine) > before
    check(engine)


def times_begun(engine: Engine) -> int:
    """The counter in the header of SQLite's log."""
    assert engine.database.folder is not None
    with open(engine.database.folder.database + "-wal", "rb") as log:
        return int.from_bytes(log.read(16)[12:])
