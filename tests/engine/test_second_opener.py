"""A folder has one owner. Who opens it second works through the owner, or is told why not."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import sortkey.engine
from sortkey import errors
from sortkey.engine import Engine, RemoteEngine
from sortkey.storage import database
from tests.faults.served import Served

TABLE = {
    "TableName": "things",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
}

HOLD = "import sys, sortkey.engine; e = sortkey.engine.own(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(params=[(), ("--access-key", "KEY", "--secret-key", "SECRET")], ids=["open", "credentials"])
def served(request: pytest.FixtureRequest, folder: Path) -> Generator[Served]:
    with Served(folder, *request.param) as server:
        yield server


@pytest.fixture
def held(folder: Path) -> Generator[subprocess.Popen[bytes]]:
    """Another program has the folder and serves nothing."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


def item(name: str, **more: Any) -> dict[str, Any]:
    return {"p": {"S": name}, **more}


def test_it_works_through_the_server_as_if_it_were_the_owner(served: Served, folder: Path) -> None:
    # A script beside a running server is the usual case; it has no credentials and needs none.
    with sortkey.engine.open(folder) as engine:
        assert isinstance(engine, RemoteEngine)
        engine.call("CreateTable", TABLE)
        engine.call("PutItem", {"TableName": "things", "Item": item("ä", b={"B": "AP8="})})
        got = engine.call("GetItem", {"TableName": "things", "Key": item("ä")})
        assert got == {"Item": item("ä", b={"B": "AP8="})}
        arn = engine.call("ListStreams", {})["Streams"][0]["StreamArn"]
        assert engine.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["TableName"] == "things"


def test_errors_are_those_that_the_owner_raises(served: Served, folder: Path) -> None:
    # Code that runs in the owner must run here unchanged.
    with sortkey.engine.open(folder) as engine:
        engine.call("CreateTable", TABLE)
        put = {"TableName": "things", "Item": item("a"), "ConditionExpression": "attribute_not_exists(p)"}
        engine.call("PutItem", put)
        with pytest.raises(errors.ConditionalCheckFailedException, match="The conditional request failed") as refused:
            engine.call("PutItem", {**put, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"})
        assert refused.value.extra == {"Item": item("a")}
        with pytest.raises(errors.TransactionCanceledException) as canceled:
            engine.call("TransactWriteItems", {"TransactItems": [{"Put": put}]})
        assert canceled.value.extra["CancellationReasons"][0]["Code"] == "ConditionalCheckFailed"
        with pytest.raises(errors.ResourceNotFoundException):
            engine.call("GetItem", {"TableName": "nothing", "Key": item("a")})
        with pytest.raises(errors.UnknownOperationException):
            engine.call("NoSuchOperation", {})


def test_several_threads_may_use_it(served: Served, folder: Path) -> None:
    with sortkey.engine.open(folder) as engine, ThreadPoolExecutor(4) as pool:
        engine.call("CreateTable", TABLE)
        add = {
            "TableName": "things",
            "Key": item("n"),
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
            "ReturnValues": "UPDATED_NEW",
        }
        answers = list(pool.map(lambda _: engine.call("UpdateItem", add), range(40)))
        assert sorted(int(answer["Attributes"]["n"]["N"]) for answer in answers) == list(range(1, 41))


def test_a_server_that_ends_leaves_the_folder_to_the_next(served: Served, folder: Path) -> None:
    # Also when it could not say goodbye: what the lock file says then is not believed.
    with sortkey.engine.open(folder) as engine:
        engine.call("CreateTable", TABLE)
        served.end()
        with pytest.raises(OSError, match=r"refused|reset|closed"):
            engine.call("ListTables", {})
    with sortkey.engine.open(folder) as engine:
        assert isinstance(engine, Engine)
        assert engine.call("ListTables", {}) == {"TableNames": ["things"]}


def test_a_connection_that_the_server_closed_meanwhile_is_made_anew(folder: Path) -> None:
    # Servers close what is idle; a program that calls once in an hour must not fail each time.
    with Served(folder), sortkey.engine.open(folder) as engine:
        assert isinstance(engine, RemoteEngine)
        engine.call("ListTables", {})
        engine._connection().sock.shutdown(socket.SHUT_RD)  # to the client it looks as if the server had closed
        assert engine.call("ListTables", {}) == {"TableNames": []}


def test_a_folder_held_by_a_program_that_serves_nothing_is_refused(held: subprocess.Popen[bytes], folder: Path) -> None:
    # Two writers on one folder would lose data; waiting for the other could take forever.
    for way in (sortkey.engine.open, sortkey.engine.own):
        with pytest.raises(errors.FolderInUse, match=rf"process {held.pid}; it serves nothing: stop it") as refused:
            way(folder)
        assert (refused.value.pid, refused.value.address) == (held.pid, None)
    held.kill()
    held.communicate()
    sortkey.engine.own(folder).close()


def test_the_owner_itself_cannot_open_its_folder_twice(folder: Path) -> None:
    with sortkey.engine.own(folder), pytest.raises(errors.FolderInUse) as refused:
        sortkey.engine.open(folder)
    assert refused.value.pid == os.getpid()
    sortkey.engine.own(folder).close()


def test_a_folder_that_cannot_be_opened_is_not_kept(folder: Path) -> None:
    # After a failure the same program must be able to try again.
    folder.mkdir()
    (folder / "sortkey.db").write_bytes(b"this is no database " * 100)
    with pytest.raises(database.apsw.NotADBError):
        sortkey.engine.own(folder)
    (folder / "sortkey.db").unlink()
    sortkey.engine.own(folder).close()


def test_the_fixture_gives_a_clean_engine_in_memory(sortkey_engine: Engine) -> None:
    assert sortkey_engine.call("ListTables", {}) == {"TableNames": []}
    sortkey_engine.call("CreateTable", TABLE)


def test_the_fixture_forgets_what_the_test_before_did(sortkey_engine: Engine) -> None:
    assert sortkey_engine.call("ListTables", {}) == {"TableNames": []}


def test_an_engine_that_cannot_be_made_leaves_nothing_open(folder: Path) -> None:
    before = set(threading.enumerate())
    with pytest.raises(TypeError):
        sortkey.engine.own(folder, colour="blue")

    assert not [each for each in set(threading.enumerate()) - before if each.name == "sortkey-checkpoint"]
    sortkey.engine.own(folder).close()
