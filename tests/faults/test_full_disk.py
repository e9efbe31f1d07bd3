"""A disk that is full under a running server: writes are refused one by one, reads go on, and so do
writes afterwards.

The kernel's limit on the size of a file stands for the disk's; it is set and lifted while the
server runs.
"""

from __future__ import annotations

import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import own
from tests.engine import invariants
from tests.engine.invariants import contents, replay
from tests.faults.load import LEFT, MAIN, RIGHT, key, tables
from tests.faults.served import Client, Refused, Served

Item = dict[str, Any]

pytestmark = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux")

CLIENTS = 4
WRITES = 12


def limit_files(server: Served, size: int) -> None:
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def put(client: Client, name: str, size: int) -> bool:
    """Put an item into all tables at once, so that half a write would be seen; whether it
    was done.
    """
    item = {**key(name), "x": {"S": "x" * size}, "g": {"S": "g"}}
    items = [{"Put": {"TableName": table, "Item": item}} for table in (LEFT, RIGHT, MAIN)]
    try:
        client.call("TransactWriteItems", {"TransactItems": items})
    except Refused as refused:
        if refused.name != "InternalServerError":
            raise
        return False
    return True


@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_it_refuses_what_it_cannot_keep_and_goes_on_when_there_is_room(
    tmp_path: Path, synchronous: str
) -> None:
    # A client that got 500 will try again; it must find neither half of the first try nor a server
    # that is stuck.
    folder = tmp_path / "data"
    with own(folder) as engine:
        for table in tables():
            engine.call("CreateTable", table)
    done: dict[str, bool] = {}

    def write(number: int, phase: str) -> None:
        client = clients[number]
        for count in range(WRITES):
            name = f"{phase}-{number}-{count}"
            done[name] = put(client, name, 20_000)

    with (
        Served(folder, "--synchronous", synchronous) as server,
        ThreadPoolExecutor(CLIENTS) as pool,
    ):
        clients = [server.client() for _ in range(CLIENTS)]
        for phase in ("before", "full", "after"):
            log_bytes = len(
                (folder / "sortkey.db-wal").read_bytes().rstrip(b"\0")
            )  # FULL lays it out with zeros
            limit_files(server, log_bytes + 500_000 if phase == "full" else resource.RLIM_INFINITY)
            list(pool.map(write, range(CLIENTS), [phase] * CLIENTS))
            found = clients[0].call("GetItem", {"TableName": LEFT, "Key": key("before-0-0")})
            assert found["Item"]["g"] == {"S": "g"}
        server.end()
    refused = {name for name, put in done.items() if not put}
    assert refused
    assert {name.split("-")[0] for name in refused} == {"full"}
    assert len(refused) < CLIENTS * WRITES, "what fitted was refused as well"
    with own(folder) as engine:
        for table in (LEFT, RIGHT, MAIN):
            held = contents(engine, table)
            assert {item["p"]["S"] for item in held.values()} == {
                name for name, put in done.items() if put
            }
            replayed: dict[str, Item] = {}
            replay(engine, table, replayed)
            assert replayed == held
        invariants.check(engine)
