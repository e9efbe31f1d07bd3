"""Who opens a folder second works through its owner, and goes on when the owner has ended, however
it ended.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import socket
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import sortkey
import sortkey.engine
from sortkey import Store, errors
from sortkey.connect import shared_folder
from sortkey.connect.embedded import EmbeddedBackend
from sortkey.connect.shared_folder import SharedFolder
from sortkey.connect.shared_folder_backend import SharedFolderBackend
from sortkey.engine import Engine
from sortkey.storage.folder import Folder
from sortkey.wire.second_openers import OpenersThread
from tests.connect.scripted import scripted
from tests.faults.served import Served

TABLE = {
    "TableName": "things",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
}
ENDINGS: dict[str, Callable[[Served], object]] = {
    "killed": lambda server: server.kill(),
    "terminated": lambda server: server.process.send_signal(signal.SIGTERM),
    "interrupted": lambda server: server.process.send_signal(signal.SIGINT),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(
    params=[(), ("--access-key", "KEY", "--secret-key", "SECRET")], ids=["open", "credentials"]
)
def served(request: pytest.FixtureRequest, folder: Path) -> Generator[Served]:
    with Served(folder, *request.param) as server:
        yield server


@pytest.fixture(params=ENDINGS)
def ending(request: pytest.FixtureRequest) -> Callable[[Served], object]:
    return ENDINGS[request.param]


def item(name: str, **more: Any) -> dict[str, Any]:
    return {"p": {"S": name}, **more}


def put(store: Store, name: str, **more: Any) -> None:
    store.backend.call("PutItem", {"TableName": "things", "Item": item(name, **more)})


def names(store: Store) -> set[str]:
    return {each["p"]["S"] for each in store.backend.call("Scan", {"TableName": "things"})["Items"]}


def add_one(store: Store) -> int:
    request = {
        "TableName": "things",
        "Key": item("n"),
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
        "ReturnValues": "UPDATED_NEW",
    }
    return int(store.backend.call("UpdateItem", request)["Attributes"]["n"]["N"])


def shared(store: Store) -> SharedFolder:
    assert isinstance(store.backend, SharedFolderBackend)
    return store.backend._shared


# -- while the owner is there


def test_it_works_through_the_server_as_if_it_were_the_owner(served: Served, folder: Path) -> None:
    # A script beside a running server is the usual case; it has no credentials and needs none.
    with sortkey.open(folder) as store:
        call = store.backend.call
        call("CreateTable", TABLE)
        put(store, "ä", b={"B": "AP8="})
        assert call("GetItem", {"TableName": "things", "Key": item("ä")}) == {
            "Item": item("ä", b={"B": "AP8="})
        }
        arn = call("ListStreams", {})["Streams"][0]["StreamArn"]
        assert (
            call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["TableName"] == "things"
        )
        assert isinstance(shared(store).owner, errors.FolderInUse)


def test_errors_are_those_that_the_owner_raises(served: Served, folder: Path) -> None:
    # Code that runs in the owner must run here unchanged.
    with sortkey.open(folder) as store:
        call = store.backend.call
        call("CreateTable", TABLE)
        request = {
            "TableName": "things",
            "Item": item("a"),
            "ConditionExpression": "attribute_not_exists(p)",
        }
        call("PutItem", request)
        with pytest.raises(
            errors.ConditionalCheckFailedException, match="The conditional request failed"
        ) as refused:
            call("PutItem", {**request, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
        assert refused.value.extra == {"Item": item("a")}
        with pytest.raises(errors.TransactionCanceledException) as canceled:
            call("TransactWriteItems", {"TransactItems": [{"Put": request}]})
        assert canceled.value.extra["CancellationReasons"][0]["Code"] == "ConditionalCheckFailed"
        with pytest.raises(errors.ResourceNotFoundException):
            call("GetItem", {"TableName": "nothing", "Key": item("a")})
        with pytest.raises(errors.UnknownOperationException):
            call("NoSuchOperation", {})


def test_several_threads_may_use_it(served: Served, folder: Path) -> None:
    with sortkey.open(folder) as store, ThreadPoolExecutor(4) as pool:
        store.backend.call("CreateTable", TABLE)
        assert sorted(pool.map(lambda _: add_one(store), range(40))) == list(range(1, 41))


def test_a_connection_that_the_server_closed_meanwhile_is_made_anew(folder: Path) -> None:
    # Servers close what is idle; a program that calls once in an hour must not fail each time,
    # whatever it calls.
    with Served(folder), sortkey.open(folder) as store:
        store.backend.call("CreateTable", TABLE)
        assert isinstance(store.backend, SharedFolderBackend)
        assert store.backend._connected is not None
        pool = store.backend._connected[1]._pools[0]
        (connection,) = pool._idle._waiting
        connection._socket.shutdown(
            socket.SHUT_RD
        )  # to the client it looks as if the server had closed
        assert add_one(store) == 1


# -- when the owner has ended


def test_it_takes_the_folder_over_and_lets_others_in(
    ending: Callable[[Served], object], folder: Path
) -> None:
    # Nothing that was acknowledged is lost, and nobody has to open anything again.
    with Served(folder) as server, sortkey.open(folder) as first, sortkey.open(folder) as second:
        first.backend.call("CreateTable", TABLE)
        put(first, "before")
        put(second, "before too")
        ending(server)
        put(first, "meanwhile")
        server.process.wait()
        put(first, "after")
        put(second, "after too")
        assert (
            names(first)
            == names(second)
            == {"before", "before too", "meanwhile", "after", "after too"}
        )
        owners = [type(shared(store).owner) for store in (first, second)]
        assert owners == [Engine, errors.FolderInUse]
        with sortkey.open(folder) as third:
            assert names(third) == names(first)


def test_the_next_takes_over_from_who_took_over(folder: Path) -> None:
    with Served(folder) as server, sortkey.open(folder) as first, sortkey.open(folder) as second:
        first.backend.call("CreateTable", TABLE)
        put(second, "connected")
        server.kill()
        put(first, "by the first")
        first.close()
        put(second, "by the second")
        assert isinstance(shared(second).owner, Engine)
        assert names(second) == {"connected", "by the first", "by the second"}
    sortkey.engine.own(folder).close()


def test_a_server_that_is_started_again_gets_the_folder_back(folder: Path) -> None:
    # A deployment stops the server and starts it: a worker that took over in between must not be in
    # its way.
    with sortkey.engine.own(folder) as engine:
        engine.call("CreateTable", TABLE)
    with Served(folder) as server, sortkey.open(folder) as first, sortkey.open(folder) as second:
        put(first, "before")
        put(second, "before too")
        server.kill()
        put(first, "between")
        put(second, "between too")
        assert isinstance(shared(first).owner, Engine)
        with Served(folder) as again:
            put(first, "after")
            put(second, "after too")
            assert names(second) == {
                f"{when}{too}" for when in ("before", "between", "after") for too in ("", " too")
            }
            lock = json.loads((folder / "sortkey.lock").read_text())
            assert (lock["pid"], "interim" in lock) == (again.process.pid, False)
            assert isinstance(shared(first).owner, errors.FolderInUse)


def test_many_threads_go_on_and_count_on(folder: Path) -> None:
    # The engine that takes over must come once, however many find out at the same moment.
    with Served(folder) as server, sortkey.open(folder) as store, ThreadPoolExecutor(8) as pool:
        store.backend.call("CreateTable", TABLE)
        assert sorted(pool.map(lambda _: add_one(store), range(20))) == list(range(1, 21))
        server.kill()
        server.process.wait()
        assert sorted(pool.map(lambda _: add_one(store), range(20))) == list(range(21, 41))


@pytest.mark.parametrize("how", ENDINGS)
def test_who_opens_the_folder_when_its_owner_has_ended_lets_the_others_in(
    how: str, folder: Path
) -> None:
    # A script that comes in between must not lock out the workers that were there before it.
    with Served(folder) as server, sortkey.open(folder) as before:
        before.backend.call("CreateTable", TABLE)
        ENDINGS[how](server)
        server.process.wait()
        with sortkey.open(folder) as between:
            assert isinstance(shared(between).owner, Engine)
            put(before, "before")
            assert names(between) == {"before"}
        put(before, "after")
        assert isinstance(shared(before).owner, Engine)
    with sortkey.engine.own(folder):
        pass
    with sortkey.open(folder) as alone:  # a folder that nobody shared keeps to itself
        assert isinstance(alone.backend, EmbeddedBackend)


def test_one_that_is_about_to_let_others_in_is_waited_for(folder: Path) -> None:
    # It has taken the folder over a moment ago, and opens its port now.
    with sortkey.engine.own(folder, is_interim=True) as engine, ThreadPoolExecutor(1) as pool:
        engine.call("CreateTable", TABLE)
        opening = pool.submit(sortkey.open, folder)
        assert not wait([opening], 0.1).done, "it was refused"
        with OpenersThread(engine), opening.result() as store:
            put(store, "a")
            assert names(store) == {"a"}


def test_a_store_that_is_awaited_goes_on_too(
    ending: Callable[[Served], object], folder: Path
) -> None:
    async def main() -> None:
        store = sortkey.open_async(folder)
        await store.backend.call("CreateTable", TABLE)
        await store.backend.call("PutItem", {"TableName": "things", "Item": item("before")})
        ending(server)
        await store.backend.call("PutItem", {"TableName": "things", "Item": item("meanwhile")})
        server.process.wait()
        await store.backend.call("PutItem", {"TableName": "things", "Item": item("after")})
        assert (await store.backend.call("Scan", {"TableName": "things"}))["Count"] == 3
        await store.close()

    with Served(folder) as server:
        asyncio.run(main())
    sortkey.engine.own(folder).close()


def test_a_stream_is_read_on_from_where_it_was(folder: Path) -> None:
    # A worker of streams keeps the place that the owner before has given it.
    with Served(folder) as server, sortkey.open(folder) as store:
        call = store.backend.call
        call("CreateTable", TABLE)
        put(store, "before")
        arn = call("ListStreams", {})["Streams"][0]["StreamArn"]
        shard = call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"][0][
            "ShardId"
        ]
        start = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        read = call(
            "GetRecords", {"ShardIterator": call("GetShardIterator", start)["ShardIterator"]}
        )
        assert len(read["Records"]) == 1
        server.kill()
        put(store, "after")
        (record,) = call("GetRecords", {"ShardIterator": read["NextShardIterator"]})["Records"]
        assert record["dynamodb"]["Keys"] == item("after")


def test_a_folder_that_went_with_its_owner_is_not_made_again(folder: Path) -> None:
    # An empty one would look as if everything had been deleted.
    with Served(folder) as server, sortkey.open(folder) as store:
        store.backend.call("CreateTable", TABLE)
        server.end()
        shutil.rmtree(folder)
        with pytest.raises(
            errors.Unreachable, match="no longer exists, nor does the process that owned it"
        ):
            store.backend.call("ListTables", {})
        assert not folder.exists()


def test_a_store_that_is_closed_takes_nothing_over(folder: Path) -> None:
    with Served(folder) as server:
        store = sortkey.open(folder)
        store.backend.call("ListTables", {})
        store.close()
        server.end()
        with pytest.raises(errors.StoreError, match="is closed"):
            store.backend.call("ListTables", {})
    sortkey.engine.own(folder).close()


def test_an_owner_that_serves_nobody_is_waited_for_and_then_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A program that lets nobody in was first when the server had ended.
    monkeypatch.setattr(shared_folder, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(shared_folder, "GRACE_SECONDS", 0.0)
    with Served(folder) as server, sortkey.open(folder) as store:
        store.backend.call("CreateTable", TABLE)
        server.end()
        with (
            sortkey.engine.own(folder),
            pytest.raises(errors.FolderInUse, match="it does not serve others"),
        ):
            put(store, "a")
        put(store, "b")
        assert names(store) == {"b"}


# -- requests whose answer was lost with the owner


@contextmanager
def mute_owner(folder: Path) -> Generator[threading.Event]:
    """An owner that ends in the middle of the first request. The event says that it has read it."""
    with sortkey.engine.own(folder) as engine:
        engine.call("CreateTable", TABLE)
    held, asked = Folder(folder), threading.Event()

    def end(connection: socket.socket) -> None:
        asked.set()
        held.release()

    with scripted([end]) as server:
        held.publish(server.url, "token")
        yield asked


REPEATED = {
    "put": ("PutItem", {"TableName": "things", "Item": item("a")}),
    "read": ("GetItem", {"TableName": "things", "Key": item("a")}),
    "transaction": (
        "TransactWriteItems",
        {"TransactItems": [{"Put": {"TableName": "things", "Item": item("a")}}]},
    ),
    "set": (
        "UpdateItem",
        {
            "TableName": "things",
            "Key": item("a"),
            "UpdateExpression": "SET x = :x",
            "ExpressionAttributeValues": {":x": {"N": "1"}},
        },
    ),
}
UNKNOWN = {
    "add": ("UpdateItem", {**REPEATED["set"][1], "UpdateExpression": "ADD x :x"}),
    "condition": (
        "PutItem",
        {**REPEATED["put"][1], "ConditionExpression": "attribute_not_exists(p)"},
    ),
    "old value": (
        "DeleteItem",
        {"TableName": "things", "Key": item("a"), "ReturnValues": "ALL_OLD"},
    ),
    "table": ("DeleteTable", {"TableName": "things"}),
}


@pytest.mark.parametrize("name", REPEATED)
def test_what_can_be_done_twice_is_sent_to_the_next_owner(folder: Path, name: str) -> None:
    operation, request = REPEATED[name]
    with mute_owner(folder) as asked, sortkey.open(folder) as store:
        store.backend.call(operation, request)
        assert asked.is_set()
        assert names(store) == (set() if name == "read" else {"a"})


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_cannot_is_an_error_that_says_that_nobody_knows(folder: Path, name: str) -> None:
    # Done twice it would count twice, or tell of a failure that was none.
    operation, request = UNKNOWN[name]
    with mute_owner(folder) as asked, sortkey.open(folder) as store:
        with pytest.raises(
            errors.Unreachable, match="it is not known whether this was done: read what is there"
        ):
            store.backend.call(operation, request)
        assert asked.is_set()
        assert names(store) == set()
