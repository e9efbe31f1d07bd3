"""Ten million small items beside ten thousand: a read must cost the same. Filled in the process,
then served.
"""

import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import sortkey.engine
from bench import load
from bench.peers import Peer, Running, started
from bench.workloads import Workload

_TABLE = "Large"
_ITEMS_PER_PARTITION = 25


@dataclass(frozen=True, slots=True)
class LargeResult:
    """Reads a second on a table of so many items."""

    items: int
    get: load.Measure
    query: load.Measure
    query_anywhere: load.Measure
    """Far more different requests than pages in the cache: most pages are read from disk."""
    fill_seconds: float
    folder_mb: float


def measure(sizes: Sequence[int], seconds: int, rounds: int) -> list[LargeResult]:
    """Fill tables of so many items, serve their folders, read at random: each in turn, of the
    rounds the median.
    """
    with tempfile.TemporaryDirectory(prefix="sortkey-large-") as name, ExitStack() as stack:
        tables = [_Served.of(items, Path(name) / str(items), stack) for items in sizes]
        get, query, anywhere = (_read(tables, number, seconds, rounds) for number in range(3))
    return [
        LargeResult(
            table.items, *measures, fill_seconds=table.fill_seconds, folder_mb=table.folder_mb
        )
        for table, *measures in zip(tables, get, query, anywhere, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Served:
    """A filled table, and the server that has it."""

    items: int
    folder: Path
    fill_seconds: float
    folder_mb: float
    server: Running

    @classmethod
    def of(cls, items: int, folder: Path, stack: ExitStack) -> Self:
        folder.mkdir()
        print(f"  a table of {items:,} items", file=sys.stderr, flush=True)
        begin = time.monotonic()
        _fill(folder / "data", items)
        filled = time.monotonic() - begin
        size = (
            sum(file.stat().st_size for file in (folder / "data").rglob("*") if file.is_file())
            / 1e6
        )
        server = stack.enter_context(
            started(Peer("large", lambda port, _: _serve(port, folder / "data")))
        )
        return cls(items, folder, filled, size, server)

    @property
    def workloads(self) -> tuple[Workload, ...]:
        return _workloads(self.items)

    def load(self, workload: int, seconds: int) -> load.Measure:
        return load.run(
            self.workloads[workload], self.server.port, self.server.pid, 16, seconds, self.folder
        )


def _read(
    tables: Sequence[_Served], workload: int, seconds: int, rounds: int
) -> list[load.Measure]:
    """One workload on each of the tables, which see the machine as it is at the same time."""
    for table in tables:
        table.load(workload, 8)  # the page cache, and the caches of the server until they are full
    rounds_taken = [[table.load(workload, seconds) for table in tables] for _ in range(rounds)]
    return [load.median(times) for times in zip(*rounds_taken, strict=True)]


def _fill(folder: Path, items: int) -> None:
    engine = sortkey.engine.own(folder)
    engine.call("CreateTable", _DEFINITION)
    while engine.call("DescribeTable", {"TableName": _TABLE})["Table"]["TableStatus"] != "ACTIVE":
        engine.work()
    for partition in range(items // _ITEMS_PER_PARTITION):
        puts = [{"PutRequest": {"Item": _item(partition, n)}} for n in range(_ITEMS_PER_PARTITION)]
        engine.execute("BatchWriteItem", {"RequestItems": {_TABLE: puts}})
        if partition % 100 == 99:
            engine.flush()
        if partition % 40_000 == 39_999:
            print(
                f"  {(partition + 1) * _ITEMS_PER_PARTITION:,} items", file=sys.stderr, flush=True
            )
    engine.flush()
    engine.close()


def _serve(port: int, data: Path) -> list[str]:
    return [sys.executable, "-m", "sortkey", "serve", "--port", str(port), "--data", str(data)]


def _workloads(items: int) -> tuple[Workload, ...]:
    partitions = items // _ITEMS_PER_PARTITION

    def get(source: random.Random) -> dict[str, Any]:
        item = _item(source.randrange(partitions), source.randrange(_ITEMS_PER_PARTITION))
        return {"TableName": _TABLE, "Key": {"pk": item["pk"], "sk": item["sk"]}}

    def query(source: random.Random) -> dict[str, Any]:
        values = {":pk": _item(source.randrange(partitions), 0)["pk"]}
        return {
            "TableName": _TABLE,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": values,
        }

    return (
        Workload("LargeGet", "GetItem", 20_000, get),
        Workload("LargeQuery", "Query", 20_000, query),
        Workload("LargeQueryAnywhere", "Query", 200_000, query),
    )


def _item(partition: int, position: int) -> dict[str, Any]:
    return {
        "pk": {"S": f"P#{partition:08d}"},
        "sk": {"S": f"S#{position:04d}"},
        "n": {"N": str(position)},
        "s": {"S": "small"},
    }


_DEFINITION = {
    "TableName": _TABLE,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
